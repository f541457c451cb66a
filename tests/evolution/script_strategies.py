"""Hypothesis strategies for the statements of scripts; some of them cannot be applied to a given store."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from ontologies.axioms import Triple
from ontologies.read_rdf import ontology_of_triples
from ontologies.write_functional import write_functional
from tests.evolution.ontology_strategies import BLANK, CLASSES, FACTS, PEOPLE, PROPERTIES, axiom_texts

RULES = (
    "[own1] ?x a :{c0} :- ?x :{p0} ?y, ?y a :{c1} .",
    "[own2] ?x :{p0} ?z :- ?x :{p1} ?y, ?y :{p2} ?z .",
    "[own3] ?x a :Lonely :- ?x a :{c0}, not ?x :{p0} ?x .",
    "[own4] false :- ?x a :{c0}, ?x a :{c1}, ?x :{p0} :{i0} .",
    "[own5] ?x owl:sameAs ?y :- ?x :{p0} ?z, ?y :{p0} ?z, ?z a :{c0} .",
)

ANY = "remove any "


def resolved(statement: str, triples: Iterable[Triple]) -> str:
    """Turn the removal of an axiom by number into that of one that is there."""
    if not statement.startswith(ANY):
        return statement
    axioms = ontology_of_triples(sorted(triples)).axioms
    chosen = axioms[int(statement.removeprefix(ANY)) % len(axioms)]
    return f"remove {write_functional(chosen)}"


@st.composite
def statements(draw: st.DrawFn) -> str:
    """Draw the text of a statement over the names of the ontologies."""
    classes, properties = st.sampled_from(CLASSES), st.sampled_from(PROPERTIES)
    kind = draw(st.sampled_from(range(16)))
    if kind < 4:
        return f"add {draw(axiom_texts())}"
    if kind < 7:
        return f"{ANY}{draw(st.integers(0, 99))}"
    if kind == 7:
        return f"add {draw(axiom_texts(FACTS))}"
    if kind == 8:
        return f"add {{ {draw(axiom_texts(BLANK))} }}"
    if kind == 9:
        name = draw(st.one_of(classes, properties, st.sampled_from(PEOPLE)))
        return f"rename :{name} to :New{name}"
    if kind == 10:
        first, second = draw(st.one_of(st.tuples(classes, classes), st.tuples(properties, properties)))
        return f"merge :{first}, :{second} into :{draw(st.sampled_from([first, second, 'Merged' + first]))}"
    if kind == 11:
        return f"split :{draw(classes)} into :Part1 where {{ ?x :{draw(properties)} ?y }}, :Part2 otherwise"
    if kind == 12:
        return f"split :{draw(properties)} into :part where {{ ?x ?any ?y, ?y a :{draw(classes)} }}"
    if kind == 13:
        return f"move :{draw(classes)} under :{draw(classes)}"
    if kind == 14:
        return f"deprecate :{draw(classes)} replaced by :{draw(classes)}"
    return draw(st.sampled_from(["add rule ", "add rule ", "remove rule "])) + draw(axiom_texts(RULES))


def steps() -> st.SearchStrategy[list[list[str]]]:
    """Draw steps of one to three statements."""
    return st.lists(st.lists(statements(), min_size=1, max_size=3), min_size=2, max_size=4)
