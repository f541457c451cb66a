"""Inferences in an owlready2 world, seen through the API of owlready2."""

from __future__ import annotations

import io

import pytest

from reasoner import Reasoner, ReasonerError

owlready2 = pytest.importorskip("owlready2")

E = "http://e.org/zoo#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
SAME = "<http://www.w3.org/2002/07/owl#sameAs>"


def e(name: str) -> str:
    return f"<{E}{name}>"


@pytest.fixture
def world():
    world = owlready2.World()
    ontology = world.get_ontology(E)
    with ontology:

        class Animal(owlready2.Thing): ...

        class Cat(Animal): ...

        class Tiger(Cat): ...

        class Beast(owlready2.Thing): ...

        class partOf(owlready2.ObjectProperty, owlready2.TransitiveProperty): ...

        class hasPart(owlready2.ObjectProperty):
            inverse_property = partOf

        class eats(owlready2.ObjectProperty):
            domain = [Animal]  # noqa: RUF012

        class devours(eats): ...

        class code(owlready2.DataProperty, owlready2.InverseFunctionalProperty): ...

        class weight(owlready2.DataProperty): ...

        class title(owlready2.DataProperty): ...

        class called(title): ...

        Tiger("tig")
        for name in ("paw", "leg", "body"):
            owlready2.Thing(name)
        ontology.paw.partOf = [ontology.leg]
        ontology.leg.partOf = [ontology.body]
        owlready2.Thing("rex").devours = [ontology.tig]
        ontology.rex.comment = ["a remark"]
    yield world
    world.close()


def reasoner_of(world, *more: tuple[str, str, str]) -> Reasoner:
    kb = Reasoner()
    kb.load_ontology(world)
    kb.add(more)
    return kb


def inferred_facts(world) -> set:
    ontology = world.get_ontology("http://inferred.owl#")
    objects = {tuple(row) for row in ontology._get_obj_triples_spo_spo(None, None, None)}
    data = {tuple(row) for row in ontology._get_data_triples_spod_spod(None, None, None, None)}
    return {row for row in objects | data if row[0] != ontology.storid}


def reloaded(world):
    """Return a second world that has read what the first one holds."""
    again = owlready2.World()
    for name in (E, "http://inferred.owl#"):
        content = io.BytesIO()
        world.get_ontology(name).save(content, format="ntriples")
        again.get_ontology(name).load(fileobj=io.BytesIO(content.getvalue()))
    return again


def test_objects_that_are_loaded_show_types_and_values(world):
    rex, paw, body = (world[E + name] for name in ("rex", "paw", "body"))
    assert (rex.eats, paw.partOf, body.hasPart) == ([], [world[E + "leg"]], [world[E + "leg"]])

    report = reasoner_of(world).write_to_owlready(world)

    assert world[E + "Animal"] in rex.is_a
    assert isinstance(rex, world[E + "Animal"])
    assert rex.eats == [world[E + "tig"]]
    assert set(paw.partOf) == {world[E + "leg"], body}
    assert set(body.hasPart) == {world[E + "leg"], paw}
    assert report.added == len(inferred_facts(world)) > 0
    assert set(world.search(type=world[E + "Animal"])) == {rex, world[E + "tig"]}
    assert list(world.search(eats=world[E + "tig"])) == [rex]


def test_objects_that_are_read_later_show_the_same(world):
    reasoner_of(world).write_to_owlready(world)
    again = reloaded(world)

    assert again[E + "Animal"] in again[E + "rex"].is_a
    assert {part.name for part in again[E + "paw"].partOf} == {"leg", "body"}
    assert again[E + "Animal"] in again[E + "Tiger"].ancestors()
    assert again[E + "rex"].comment == ["a remark"]
    again.close()


def test_writing_twice_changes_nothing(world):
    kb = reasoner_of(world)
    kb.write_to_owlready(world)
    before = inferred_facts(world)

    report = kb.write_to_owlready(world)

    assert (report.added, report.removed, report.kept) == (0, 0, len(before))
    assert inferred_facts(world) == before


def test_what_is_no_longer_inferred_goes(world):
    kb = reasoner_of(world)
    kb.write_to_owlready(world)
    rex, paw = world[E + "rex"], world[E + "paw"]
    with kb.transaction() as change:
        change.remove((e("rex"), e("devours"), e("tig")))
        change.remove((e("leg"), e("partOf"), e("body")))

    report = kb.write_to_owlready(world, delta=change.delta)

    assert report.removed >= 3
    assert world[E + "Animal"] not in rex.is_a
    assert rex.eats == []
    assert paw.partOf == [world[E + "leg"]]
    after = inferred_facts(world)
    assert kb.write_to_owlready(world).added == 0
    assert inferred_facts(world) == after


def test_a_delta_writes_what_writing_anew_would(world):
    kb = reasoner_of(world)
    kb.write_to_owlready(world)
    sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    with kb.transaction() as change:
        change.add([(e("Animal"), sub, e("Beast")), (e("Beast"), sub, e("Animal")), (e("body"), e("partOf"), e("all"))])
    kb.write_to_owlready(world, delta=change.delta)
    by_delta = inferred_facts(world)

    report = kb.write_to_owlready(world)

    assert (report.added, report.removed) == (0, 0)
    assert inferred_facts(world) == by_delta


def test_classes_below_one_another_are_written_as_equivalent(world):
    sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    kb = reasoner_of(world, (e("Cat"), sub, e("Beast")), (e("Beast"), sub, e("Cat")))
    cat, beast = world[E + "Cat"], world[E + "Beast"]
    assert cat.equivalent_to == []

    kb.write_to_owlready(world)

    assert beast in cat.equivalent_to
    assert cat in beast.equivalent_to
    assert cat not in beast.is_a
    assert world[E + "tig"] in beast.instances()


def test_equal_individuals_are_the_same_in_the_world(world):
    kb = reasoner_of(
        world,
        (e("rex"), e("code"), '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        (e("king"), e("code"), '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        (e("king"), TYPE, e("Beast")),
    )
    rex = world[E + "rex"]
    assert rex.equivalent_to == []

    kb.write_to_owlready(world)

    king = world[E + "king"]
    assert rex.equivalent_to == [king]
    assert world[E + "Beast"] in rex.is_a
    assert king.devours == [world[E + "tig"]]
    assert king.comment == []
    kb.remove((e("king"), e("code"), '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'))
    kb.write_to_owlready(world)
    assert rex.equivalent_to == []


def test_annotations_are_spread_only_if_asked_for(world):
    kb = reasoner_of(world, (e("rex"), SAME, e("king")), (e("king"), TYPE, e("Beast")))

    kb.write_to_owlready(world, annotations=True)

    assert world[E + "king"].comment == ["a remark"]
    kb.write_to_owlready(world)
    assert world[E + "king"].comment == []
    assert world[E + "rex"].comment == ["a remark"]


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ('"4"^^<http://www.w3.org/2001/XMLSchema#integer>', 4),
        ('"04"^^<http://www.w3.org/2001/XMLSchema#int>', 4),
        ('"2.5"^^<http://www.w3.org/2001/XMLSchema#decimal>', 2.5),
        ('"true"^^<http://www.w3.org/2001/XMLSchema#boolean>', True),
        ('"a \\"quoted\\" text"', 'a "quoted" text'),
        ('"Tiger"@de', owlready2.locstr("Tiger", "de")),
    ],
)
def test_literals_keep_their_datatype_and_their_language(world, literal, value):
    kb = reasoner_of(world, (e("tig"), e("called"), literal))
    tig = world[E + "tig"]
    assert tig.title == []

    kb.write_to_owlready(world)

    assert tig.title == [value]
    assert type(tig.title[0]) is type(value)
    assert getattr(tig.title[0], "lang", None) == getattr(value, "lang", None)
    assert kb.write_to_owlready(world).added == 0


def test_a_datatype_that_owlready2_does_not_read_is_left_out_and_counted(world):
    kb = reasoner_of(world, (e("tig"), e("called"), '"x"^^<http://e.org/zoo#odd>'))

    report = kb.write_to_owlready(world)

    assert report.left_out == {"with a datatype that owlready2 does not read": 1}
    assert world[E + "tig"].title == []
    assert "left out: 1 with a datatype" in str(report)


def test_blank_nodes_of_the_world_are_met_again(world):
    with world.get_ontology(E):
        blank = owlready2.Thing(0)
    world[E + "rex"].devours.append(blank)
    kb = reasoner_of(world)

    kb.write_to_owlready(world)

    eats = world[E + "eats"].storid
    assert world._has_obj_triple_spo(world[E + "rex"].storid, eats, blank.storid)


def test_blank_nodes_from_elsewhere_are_left_out_and_counted(world):
    kb = reasoner_of(world, ("_:elsewhere", e("devours"), e("tig")))

    report = kb.write_to_owlready(world)

    assert report.left_out == {"about blank nodes that the world does not know": 2}


def test_destroyed_entities_leave_no_inference_behind(world):
    kb = reasoner_of(world)
    kb.write_to_owlready(world)
    storid = world[E + "paw"].storid
    owlready2.destroy_entity(world[E + "paw"])
    kb.remove((e("paw"), e("partOf"), e("leg")))
    kb.remove([triple for triple in kb.triples() if e("paw") in triple])

    kb.write_to_owlready(world)

    assert not any(storid in row for row in inferred_facts(world))
    assert world[E + "body"].hasPart == [world[E + "leg"]]


def test_the_other_ontologies_stay_as_they_are(world):
    content = io.BytesIO()
    world.get_ontology(E).save(content, format="ntriples")
    kb = reasoner_of(world)

    kb.write_to_owlready(world)
    rex = world[E + "rex"]
    assert rex.eats

    after = io.BytesIO()
    world.get_ontology(E).save(after, format="ntriples")
    assert sorted(after.getvalue().splitlines()) == sorted(content.getvalue().splitlines())


def test_inferences_go_into_the_ontology_that_is_named(world):
    place = world.get_ontology("http://mine/#")

    report = reasoner_of(world).write_to_owlready(place)

    assert report.ontology == "http://mine/#"
    rows = place._get_obj_triples_spo_spo(None, None, None)
    assert len([row for row in rows if row[0] != place.storid]) == report.added
    assert inferred_facts(world) == set()


def test_what_is_no_world_is_refused():
    with pytest.raises(ReasonerError, match="give an owlready2 world"):
        Reasoner().write_to_owlready("world.owl")


def test_loading_a_world_as_if_it_were_a_file_names_the_way_in(world):
    for source in (world, next(iter(world.ontologies.values()))):
        with pytest.raises(ReasonerError, match=r"not a (World|Ontology) of owlready2; use load_ontology for it"):
            Reasoner().load(source)
