"""Expand the rules of the OWL 2 RL table that range over lists: ``expand_over_list``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from ontologies.owl2rl_table import Expansion
from reasoner.rules.rule import Atom, Rule
from reasoner.rules.term import Term, Variable

LIST = Variable("list")
MEMBER = Variable("member")
LEFT = Variable("left")
RIGHT = Variable("right")
HERE = Variable("here")
NEXT = Variable("next")


def expand_over_list(
    schema: Rule, expansion: Expansion, head: str, members: tuple[str, ...], sources: tuple[str, ...]
) -> Iterator[Rule]:
    """Yield the instances of ``schema`` for the list ``head`` of ``members``.

    The atom that names the list stays in the bodies, so that the rules hold only as long as that triple does.
    """
    body = tuple(_substitute(atom, {LIST: head}) for atom in schema.body if atom.subject != LIST)
    match expansion:
        case Expansion.EACH:
            for member in dict.fromkeys(members):
                yield _instance(schema, body, {MEMBER: member}, sources)
        case Expansion.PAIRS:
            for left, right in dict.fromkeys(combinations(members, 2)):
                yield _instance(schema, body, {LEFT: left, RIGHT: right}, sources)
        case Expansion.ALL:
            yield _instance(schema, tuple(_repeat(schema.head, body, members)), {}, sources)
        case Expansion.CHAIN:
            stations = [Variable(f"u{position}") for position in range(1, len(members) + 2)]
            ends = {HERE: stations[0], NEXT: stations[-1]}
            yield _instance(schema, tuple(_chain(body, stations, members)), ends, sources)
        case _:
            raise ValueError(f"{schema.name} does not range over lists but over {expansion.value}")


def list_predicate(schema: Rule) -> str:
    """Return the predicate whose objects are the lists that ``schema`` ranges over."""
    return next(str(atom.predicate) for atom in schema.body if atom.object == LIST)


def _repeat(head: Atom | None, body: tuple[Atom, ...], members: tuple[str, ...]) -> Iterator[Atom]:
    """Yield the body with the atoms of ?member written out; variables of those atoms alone are fresh each time."""
    repeated = [atom for atom in body if MEMBER in atom]
    fixed = [atom for atom in body if MEMBER not in atom]
    shared = {name for atom in (*fixed, *([head] if head else [])) for name in atom.variables}
    own = {name for atom in repeated for name in atom.variables} - shared - {MEMBER.name}
    yield from fixed
    for position, member in enumerate(members, start=1):
        mapping: dict[Variable, Term] = {Variable(name): Variable(f"{name}{position}") for name in own}
        mapping[MEMBER] = member
        yield from (_substitute(atom, mapping) for atom in repeated)


def _chain(body: tuple[Atom, ...], stations: list[Variable], members: tuple[str, ...]) -> Iterator[Atom]:
    """Yield the body with the atom of ?member written out as the links of a chain through ``stations``."""
    for atom in body:
        if MEMBER in atom:
            for member, here, there in zip(members, stations[:-1], stations[1:], strict=True):
                yield _substitute(atom, {MEMBER: member, HERE: here, NEXT: there})
        else:
            yield atom


def _instance(schema: Rule, body: tuple[Atom, ...], mapping: Mapping[Variable, Term], sources: tuple[str, ...]) -> Rule:
    head = _substitute(schema.head, mapping) if schema.head else None
    return Rule(schema.name, head, tuple(_substitute(atom, mapping) for atom in body), sources=sources)


def _substitute(atom: Atom, mapping: Mapping[Variable, Term]) -> Atom:
    """Replace variables; an atom without any of them is shared, because long lists give many rules."""
    if mapping.keys().isdisjoint(atom):
        return atom
    subject, predicate, object = (mapping.get(term, term) if isinstance(term, Variable) else term for term in atom)
    return Atom(subject, predicate, object)
