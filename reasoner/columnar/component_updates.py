"""Keeping the closure of a symmetric and transitive predicate up to date: components that fall apart or join.

Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs, 2019, section 6 (algorithms 7-9), in bulk.

    Del (77-83)  all facts of the components of an edge that goes
    Red (84-86)  those of them whose ends are connected by what is left
    Add (64-76)  the facts between parts that new edges connect

Deviation: the components C_R are not kept, because a row of the closed table is one; nor is Y_R, which is what is left
of the rows of the ends that lost a fact. ``unsupported`` is not in the paper: where external facts are known not to
depend on R, it computes exactly the facts that are lost, and goes through the smaller parts of a component only.
"""

from __future__ import annotations

import numpy as np

from reasoner.columnar.closure import facts_from
from reasoner.columnar.kernels import (
    NO_KEYS,
    Ids,
    Keys,
    Mask,
    expand,
    is_member,
    merge,
    pack,
    sort_distinct,
    swap,
    unpack,
)
from reasoner.columnar.representatives import connected_smallest
from reasoner.columnar.table import Table


def derived_by_edges(table: Table, edges: Keys) -> Keys:
    """Return all facts of the components of some edges of a closed table."""
    return sort_distinct(facts_from(table, sort_distinct(_components(table, edges)[1])))


def derived_by_new_edges(table: Table, edges: Keys) -> Keys:
    """Return what a closed table lacks once it has some new edges, these among it."""
    owner, member = _components(table, edges)
    left, right = unpack(edges)
    alone = sort_distinct(np.concatenate((left, right)))
    alone = alone[~is_member(alone, sort_distinct(member))]
    owner, member = np.concatenate((owner, alone)), np.concatenate((member, alone))
    order = np.argsort(member, kind="stable")
    owner, member = owner[order], member[order]
    parts = sort_distinct(owner)
    ends = [parts.searchsorted(owner[member.searchsorted(side)]) for side in (left, right)]
    whole = connected_smallest(parts, *ends)[parts.searchsorted(owner)]
    # Every new pair has an end outside of the largest old part of its new component.
    small = ~_in_largest(whole, np.where(is_member(owner, alone), -1, owner))
    by_whole = np.argsort(whole, kind="stable")
    grouped, members = whole[by_whole], member[by_whole]
    at, position = expand(grouped.searchsorted(whole[small]), grouped.searchsorted(whole[small], "right"))
    keys = pack(member[small][at], members[position])
    return table.lacking(_both_ways(keys, sort_distinct(member[small])))


def rederived(left: Table, gone: Keys) -> Keys:
    """Return those of the facts ``gone`` whose ends are connected by what is left.

    A node of a component of which no fact has gone is connected with each of its ends.
    """
    nodes, label = _labels(facts_from(left, sort_distinct(np.concatenate(unpack(gone)))))
    s, o = unpack(gone)
    first, second = _label_of(s, nodes, label), _label_of(o, nodes, label)
    kept: Keys = gone[(first == second) & (first >= 0)]
    return kept


def unsupported(table: Table, lost: Keys, external: Keys) -> Keys:
    """Return the facts of a closed table that do not follow from external facts any more after some were ``lost``."""
    owner, member = _components(table, lost)
    inside = is_member(unpack(external)[0], sort_distinct(member))
    nodes, label = _labels(external[inside])
    # Every pair that is lost has an end outside of the largest part of its component.
    small = sort_distinct(member[~_in_largest(owner, _label_of(member, nodes, label))])
    keys = facts_from(table, small)
    s, o = unpack(keys)
    first, second = _label_of(s, nodes, label), _label_of(o, nodes, label)
    return _both_ways(keys[(first != second) | (first < 0)], small)


def neighbourhood(table: Table, lost: Keys, most: int) -> Keys | None:
    """Return all facts of the components of some edges, None if there are more than ``most``."""
    owner, _ = _components(table, lost)
    sizes = np.unique(owner, return_counts=True)[1]
    return derived_by_edges(table, lost) if int((sizes * sizes).sum()) <= most else None


def _both_ways(keys: Keys, firsts: Ids) -> Keys:
    """Return pairs in both directions, given all of those that begin with one of ``firsts``."""
    backward = swap(keys[~is_member(unpack(keys)[1], firsts)])
    return merge(sort_distinct(keys), np.sort(backward))


def _components(table: Table, edges: Keys) -> tuple[Ids, Ids]:
    """Return the components of the ends of edges as (smallest member, member) pairs, each once."""
    keys = sort_distinct(facts_from(table, sort_distinct(np.concatenate(unpack(edges)))))
    end, member = unpack(keys)
    if keys.size == 0:
        return NO_KEYS, NO_KEYS
    begins = np.flatnonzero(np.append(True, end[1:] != end[:-1]))
    smallest = np.repeat(member[begins], np.diff(np.append(begins, keys.size)))
    return unpack(sort_distinct(pack(smallest, member)))


def _labels(steps: Keys) -> tuple[Ids, Ids]:
    """Return the nodes of some steps, and for each the smallest node that it is connected with."""
    left, right = unpack(steps)
    nodes = sort_distinct(np.concatenate((left, right)))
    if nodes.size == 0:
        return NO_KEYS, NO_KEYS
    return nodes, connected_smallest(nodes, nodes.searchsorted(left), nodes.searchsorted(right))


def _label_of(ids: Ids, nodes: Ids, label: Ids) -> Ids:
    """Return the labels of ids, -1 for those that no step touches."""
    known = is_member(ids, nodes)
    found = np.full(ids.size, -1, dtype=np.int64)
    found[known] = label[nodes.searchsorted(ids[known])]
    return found


def _in_largest(whole: Ids, part: Ids) -> Mask:
    """Tell of each member of a whole whether it is in the largest part of it; part -1 is none."""
    chosen = np.zeros(whole.size, dtype=np.bool_)
    real = part >= 0
    pairs, counts = np.unique(pack(whole[real], part[real]), return_counts=True)
    order = np.lexsort((-counts, pairs >> 32))
    pairs = pairs[order]
    first = pairs[np.flatnonzero(np.append(True, (pairs >> 32)[1:] != (pairs >> 32)[:-1]))] if pairs.size else pairs
    chosen[real] = is_member(pack(whole[real], part[real]), first)
    return chosen
