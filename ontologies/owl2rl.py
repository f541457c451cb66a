"""Translate an ontology by the OWL 2 RL/RDF rules: ``translate_owl2rl``.

Most rules are the same for every ontology, because their bodies read the schema triples themselves. What depends on the
ontology are the rules that range over lists and over datatypes; those are written out here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from ontologies.lists import Lists, MalformedListError
from ontologies.owl2rl_expand import expand_over_list, list_predicate
from ontologies.owl2rl_outside import outside_owl2rl
from ontologies.owl2rl_table import ENTRIES, Entry, Expansion, Realisation
from ontologies.owl2rl_vocabulary import ANNOTATIONS, AXIOMATIC, DATATYPES, mentioned_datatypes, used_datatypes
from ontologies.translation import LeftOut, Translation
from ontologies.vocabulary import NIL, owl
from reasoner.rules.parser import parse_rules
from reasoner.rules.rule import Atom, Rule
from reasoner.rules.term import RDF_TYPE

_COLLECTIONS = frozenset((owl("AllDifferent"), owl("AllDisjointClasses"), owl("AllDisjointProperties")))


def translate_owl2rl(triples: Sequence[tuple[str, str, str]]) -> Translation:
    """Return the OWL 2 RL/RDF rules for the ontology in ``triples``, which may hold data as well.

    The rules expect the ontology itself among the facts. Takes time linear in the triples and in the size of the
    lists, except for the members of ``owl:AllDifferent``, ``owl:AllDisjointClasses`` and ``owl:AllDisjointProperties``:
    every two of them give a constraint.
    """
    rules = [*_fixed_rules(), *_datatype_rules(triples)]
    left_out: list[LeftOut] = []
    lists = Lists(triples)
    users = _ListUsers(triples)
    for entry in ENTRIES:
        if entry.realisation is Realisation.LIST:
            for schema in _parse(entry):
                for found in _over_lists(schema, entry.expansion, lists, users):
                    if isinstance(found, LeftOut):
                        left_out.append(found)
                    else:
                        rules.append(found)
    left_out += outside_owl2rl(triples)
    return Translation(tuple(rules), tuple(dict.fromkeys(left_out)), value_equality=True)


@cache
def _fixed_rules() -> tuple[Rule, ...]:
    """Return the rules that every ontology gets."""
    rules = [Rule("axiomatic", Atom(*triple), ()) for triple in AXIOMATIC]
    for entry in ENTRIES:
        if entry.realisation in (Realisation.RULE, Realisation.CONSTRAINT):
            rules += _parse(entry)
        elif entry.expansion is Expansion.REQUIRED_DATATYPES:
            rules += _parse_for(entry, "{datatype}", DATATYPES)
        elif entry.expansion is Expansion.ANNOTATIONS:
            rules += _parse_for(entry, "{annotation}", ANNOTATIONS)
    return tuple(rules)


def _datatype_rules(triples: Sequence[tuple[str, str, str]]) -> Iterator[Rule]:
    for entry in ENTRIES:
        if entry.expansion is Expansion.USED_DATATYPES:
            yield from _parse_for(entry, "{datatype}", used_datatypes(triples))
        elif entry.expansion is Expansion.MENTIONED_DATATYPES:
            yield from _parse_for(entry, "{datatype}", mentioned_datatypes(triples))


@cache
def _parse(entry: Entry) -> tuple[Rule, ...]:
    return tuple(parse_rules("".join(f"[{entry.id}] {text} .\n" for text in entry.texts)))


@cache
def _parse_for(entry: Entry, placeholder: str, terms: tuple[str, ...]) -> tuple[Rule, ...]:
    texts = [text.replace(placeholder, term) for text in entry.texts for term in terms]
    return tuple(parse_rules("".join(f"[{entry.id}] {text} .\n" for text in texts)))


class _ListUsers:
    """The subjects that each list of the ontology belongs to, by the predicate that takes the list."""

    def __init__(self, triples: Sequence[tuple[str, str, str]]) -> None:
        self._subjects: dict[str, dict[str, list[str]]] = {predicate: {} for predicate in _list_predicates()}
        self._types: dict[str, set[str]] = {}
        for subject, predicate, object in triples:
            if predicate in self._subjects:
                self._subjects[predicate].setdefault(object, []).append(subject)
            elif predicate == RDF_TYPE and object in _COLLECTIONS:
                self._types.setdefault(subject, set()).add(object)

    def of(self, schema: Rule) -> Iterator[tuple[str, list[str]]]:
        """Yield the lists that ``schema`` ranges over, with their subjects.

        Three rules read ``owl:members``. A subject that is said to be of one of their types is not expanded for the
        other two: that would be a constraint in vain for every two members.
        """
        wanted = {atom.object for atom in schema.body if atom.object in _COLLECTIONS}
        for head, subjects in self._subjects[list_predicate(schema)].items():
            concerned = [subject for subject in subjects if wanted <= self._types.get(subject, wanted)]
            if concerned:
                yield head, concerned


@cache
def _list_predicates() -> frozenset[str]:
    entries = (entry for entry in ENTRIES if entry.realisation is Realisation.LIST)
    return frozenset(list_predicate(schema) for entry in entries for schema in _parse(entry))


def _over_lists(schema: Rule, expansion: Expansion, lists: Lists, users: _ListUsers) -> Iterator[Rule | LeftOut]:
    predicate = list_predicate(schema)
    for head, subjects in users.of(schema):
        try:
            members = lists.members(head)
        except MalformedListError as error:
            yield from (LeftOut(f"{subject} {predicate} {head}", str(error)) for subject in subjects)
            continue
        written = " ".join(("(", *members, ")"))
        sources = tuple(f"{subject} {predicate} {written}" for subject in subjects)
        if head == NIL and expansion is not Expansion.PAIRS:
            yield from (LeftOut(source, "the rules read lists with one member or more") for source in sources)
        else:
            yield from expand_over_list(schema, expansion, head, members, sources)
