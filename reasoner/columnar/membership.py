"""Relating facts over representatives to the facts that they stand for, in bulk."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from reasoner.columnar.factset import FactSet, facts_of_keys
from reasoner.columnar.kernels import NO_KEYS, Ids, Keys, Mask, expand, pack, ranges, sort_distinct, unpack
from reasoner.columnar.representatives import Representatives, mentioning_keys
from reasoner.columnar.table import Table
from reasoner.terms.term import SAME


def split_by_form(facts: FactSet, mapping: Representatives, chosen: FactSet) -> tuple[FactSet, FactSet]:
    """Part facts by whether their normal form under the mapping is among the chosen ones."""
    inside: dict[int, Table] = {}
    outside: dict[int, Table] = {}
    for predicate in facts:
        table = facts.table(predicate)
        s, o = table.pairs()
        mask = chosen.table(mapping.of_one(predicate)).contains(mapping.of(s), mapping.of(o))
        keys = table.keys()
        inside[predicate] = Table.of_keys(keys[mask], by_object=table.by_object)
        outside[predicate] = Table.of_keys(keys[~mask], by_object=table.by_object)
    return FactSet(inside), FactSet(outside)


def standing_for(explicit: FactSet, mapping: Representatives, normal: FactSet) -> FactSet:
    """Return the explicit facts whose normal form is among the given facts.

    A fact without a term of a class of two or more stands for itself. For the others the members of one class are
    looked up, all at once, so that nothing is enumerated but explicit facts about these members.
    """
    if not mapping:
        return normal.intersection(explicit)
    found: dict[int, list[Keys]] = defaultdict(list)
    for predicate in normal:
        s, o = normal.table(predicate).pairs()
        names = mapping.class_of(predicate).tolist()
        plural_s, plural_o = _is_plural(s, mapping), _is_plural(o, mapping)
        for name in names:
            table = explicit.table(name)
            if table.size == 0:
                continue
            single = ~(plural_s | plural_o)
            held = table.contains(s[single], o[single])
            found[name].append(table.main_keys(s[single][held], o[single][held]))
            by_subject, by_object = plural_s, plural_o & ~plural_s
            for mask, runs, swapped in (
                (by_subject, table.subject_runs, False),
                (by_object, table.object_runs, True),
            ):
                if not mask.any():
                    continue
                terms = sort_distinct(o[mask] if swapped else s[mask])
                members = sort_distinct(mapping.expanded(terms)[1])
                first, second = _pairs_of(runs(members), members)
                raw_s, raw_o = (second, first) if swapped else (first, second)
                wanted = normal.table(predicate).contains(mapping.of(raw_s), mapping.of(raw_o))
                wanted &= table.contains(raw_s, raw_o)
                found[name].append(table.main_keys(raw_s[wanted], raw_o[wanted]))
    return facts_of_keys({name: keys for name, keys in found.items() if keys})


def unproved(
    facts: FactSet, proved: FactSet, rebuilt: Representatives, mapping: Representatives, *, wholly: bool
) -> FactSet:
    """Return the facts of which some member is not proved, or no member if ``wholly``.

    Members are compared by the classes of ``rebuilt``: a fact is proved when as many facts over its representatives
    are proved as there are combinations of its terms' classes. An equality c = c is proved when the class of c is one
    class again; it never counts as wholly unproved.
    """
    chosen: dict[int, Table] = {}
    for predicate in facts:
        table = facts.table(predicate)
        s, o = table.pairs()
        if predicate == SAME:
            classes = (s == o) & _is_plural(s, mapping)
            open_facts = np.where(classes, not wholly, ~proved.table(SAME).contains(s, o))
            if not wholly:
                open_facts &= ~classes | (_parts(s, rebuilt, mapping) > 1)
        elif not mapping:
            open_facts = ~proved.table(predicate).contains(s, o)
        else:
            names = sort_distinct(rebuilt.of(mapping.class_of(predicate)))
            counted = _proved_members(predicate, s, o, proved, names, mapping)
            if wholly:
                open_facts = counted == 0
            else:
                wanted = _parts(s, rebuilt, mapping) * _parts(o, rebuilt, mapping) * names.size
                open_facts = counted < wanted
        chosen[predicate] = Table.of_keys(table.keys()[open_facts], by_object=table.by_object)
    return FactSet(chosen)


def _proved_members(predicate: int, s: Ids, o: Ids, proved: FactSet, names: Ids, mapping: Representatives) -> Ids:
    """Count for each fact the proved facts that it stands for."""
    counts = np.zeros(s.size, dtype=np.int64)
    single = ~(_is_plural(s, mapping) | _is_plural(o, mapping))
    for name in names.tolist():
        table = proved.table(name)
        if table.size == 0:
            continue
        counts[single] += table.contains(s[single], o[single])
        if single.all():
            continue
        proved_s, proved_o = table.pairs()
        forms = np.sort(pack(mapping.of(proved_s), mapping.of(proved_o)))
        asked = pack(s[~single], o[~single])
        counts[~single] += forms.searchsorted(asked, "right") - forms.searchsorted(asked)
    return counts


def _parts(terms: Ids, rebuilt: Representatives, mapping: Representatives) -> Ids:
    """Return into how many classes of ``rebuilt`` the class of each representative falls."""
    counts = np.ones(terms.size, dtype=np.int64)
    plural = _is_plural(terms, mapping)
    if plural.any():
        distinct = sort_distinct(terms[plural])
        owner, members = mapping.expanded(distinct)
        parts = sort_distinct(pack(owner, rebuilt.of(members))) >> 32
        counts[plural] = np.bincount(parts, minlength=distinct.size)[distinct.searchsorted(terms[plural])]
    return counts


def classes_of_terms(facts: FactSet, mapping: Representatives) -> FactSet:
    """Return c = c for the classes of two or more that facts mention."""
    if not mapping:
        return FactSet()
    parts: list[Ids] = []
    for predicate in facts:
        parts += [np.array([predicate]), *facts.table(predicate).pairs()]
    terms = sort_distinct(np.concatenate(parts)) if parts else NO_KEYS
    terms = terms[_is_plural(terms, mapping)]
    return FactSet({SAME: Table.of_keys(pack(terms, terms), by_object=False)})


def mentioning(facts: FactSet, equalities: FactSet, mapping: Representatives) -> FactSet:
    """Return the facts that mention c, for the classes c = c among the equalities."""
    s, o = equalities.table(SAME).pairs()
    return facts_about(facts, s[(s == o) & _is_plural(s, mapping)])


def facts_about(facts: FactSet, terms: Ids) -> FactSet:
    """Return the facts that mention one of the sorted terms."""
    if terms.size == 0:
        return FactSet()
    found: dict[int, list[Keys]] = {}
    named = frozenset(terms.tolist())
    for predicate in facts.predicates_about(terms):
        table = facts.table(predicate)
        keys = table.keys() if predicate in named else mentioning_keys(table, terms)
        if keys.size:
            found[predicate] = [keys]
    return facts_of_keys(found)


def replace_classes(mapping: Representatives, rebuilt: Representatives, checked: FactSet) -> Representatives:
    """Return the mapping with the classes that were checked as they were rebuilt."""
    s, o = checked.table(SAME).pairs()
    terms = s[(s == o) & _is_plural(s, mapping)]
    if terms.size == 0:
        return mapping
    _, members = mapping.expanded(sort_distinct(terms))
    return mapping.with_classes(members, rebuilt.of(members))


def _is_plural(terms: Ids, mapping: Representatives) -> Mask:
    """Tell which representatives stand for two or more terms."""
    if not mapping:
        return np.zeros(terms.size, dtype=np.bool_)
    return mapping.is_plural(terms)


def _pairs_of(runs: list[Keys], terms: Ids) -> tuple[Ids, Ids]:
    """Return the pairs of sorted runs whose first half is one of the terms."""
    parts = [keys[expand(*ranges(keys, terms))[1]] for keys in runs]
    return unpack(np.concatenate(parts) if parts else NO_KEYS)
