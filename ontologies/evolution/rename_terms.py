"""Renaming and merging: one name takes the place of others in all facts and rules that mention them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ontologies.axioms import Triple
from ontologies.evolution.facts import about
from ontologies.evolution.known_names import is_known, kind_of, require_known
from ontologies.evolution.script import Merge, Rename
from ontologies.evolution.working import Working
from ontologies.lists import FIRST, REST
from ontologies.vocabulary import DIFFERENT_FROM, NIL, is_reserved, owl, rdfs
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.term import SAME_AS, Term

# What says nothing of a thing and itself.
_TRIVIAL = frozenset(
    {rdfs("subClassOf"), rdfs("subPropertyOf"), owl("equivalentClass"), owl("equivalentProperty"), SAME_AS}
)
# What contradicts itself, or empties a class, said of a thing and itself.
_APART = frozenset({owl("disjointWith"), owl("propertyDisjointWith"), owl("complementOf"), DIFFERENT_FROM})
_LISTS_APART = frozenset({owl("members"), owl("distinctMembers"), owl("disjointUnionOf")})


def rename(working: Working, statement: Rename) -> None:
    """Give a thing a name that nothing has yet."""
    require_known(working, statement.old, statement.place)
    if is_reserved(statement.old) or is_reserved(statement.new):
        raise statement.place.error("the names of RDF, RDFS, OWL and SWRL mean what they mean and cannot be changed")
    if statement.old == statement.new:
        raise statement.place.error("both names are the same", statement.old)
    if is_known(working, statement.new):
        raise statement.place.error(
            f"there is something called {statement.new} already; if both are the same thing, write: "
            f"merge {statement.old}, {statement.new} into {statement.new}"
        )
    _replace(working, {statement.old: statement.new})


def merge(working: Working, statement: Merge) -> None:
    """Make one thing of several; what then says that a thing is a kind of itself goes."""
    place, new = statement.place, statement.new
    for name in statement.old:
        require_known(working, name, place)
    if any(map(is_reserved, (*statement.old, new))):
        raise place.error("the names of RDF, RDFS, OWL and SWRL mean what they mean and cannot be changed")
    merged = {*statement.old, new}
    if len(merged) == 1:
        raise place.error("there is nothing to merge a name with but itself", new)
    kinds = {kind for name in merged if (kind := kind_of(working, name)) is not None}
    if len(kinds) > 1:
        raise place.error("a class and a property cannot become one thing", ", ".join(sorted(merged)))
    for s, p, o in _conflicts(working, merged):
        raise place.error(f"they are said to be different: remove this first: {s} {p} {o}")
    _replace(working, {name: new for name in statement.old if name != new})
    working.remove([triple for triple in about(working, new) if triple[0] == triple[2] and triple[1] in _TRIVIAL])


def _replace(working: Working, names: Mapping[str, str]) -> None:
    changed = dict.fromkeys(triple for name in names for triple in about(working, name))
    working.replace((triple, _renamed(triple, names)) for triple in changed)
    for rule in [rule for rule in working.rules() if rule.constants & names.keys()]:
        working.remove_rules([rule])
        working.add_rules([_renamed_rule(rule, names)])


def _renamed(triple: Triple, names: Mapping[str, str]) -> Triple:
    s, p, o = (names.get(term, term) for term in triple)
    return s, p, o


def _conflicts(working: Working, merged: set[str]) -> list[Triple]:
    """Return facts that say of two of the names that they are apart."""
    direct = [
        triple
        for name in merged
        for triple in about(working, name)
        if triple[1] in _APART and triple[0] in merged and triple[2] in merged
    ]
    heads: dict[str, set[str]] = {}
    for name in merged:
        for cell, _, _ in working.matching(p=FIRST, o=name):
            heads.setdefault(_head(working, cell), set()).add(name)
    listed = [
        triple
        for head, names in heads.items()
        if len(names) > 1
        for triple in working.matching(o=head)
        if triple[1] in _LISTS_APART
    ]
    return [*direct, *listed]


def _head(working: Working, cell: str) -> str:
    seen = {cell, NIL}
    while before := [s for s, _, _ in working.matching(p=REST, o=cell) if s not in seen]:
        cell = before[0]
        seen.add(cell)
    return cell


def _renamed_rule(rule: Rule, names: Mapping[str, str]) -> Rule:
    def term(old: Term) -> Term:
        return names.get(old, old) if isinstance(old, str) else old

    def atom(old: Atom) -> Atom:
        return Atom(*map(term, old))

    return replace(
        rule,
        head=atom(rule.head) if rule.head else None,
        body=tuple(map(atom, rule.body)),
        negative=tuple(map(atom, rule.negative)),
        conditions=tuple(Builtin(part.name, tuple(map(term, part.arguments))) for part in rule.conditions),
    )
