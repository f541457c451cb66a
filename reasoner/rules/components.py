"""Strongly connected components of a graph over small integers."""

from __future__ import annotations

from collections.abc import Sequence


def strong_components(successors: Sequence[Sequence[int]]) -> list[int]:
    """Number the component of each node, in linear time and without recursion.

    An edge from one component to another goes from the higher number to the lower one, so that descending numbers are
    a topological order. Tarjan: Depth-First Search and Linear Graph Algorithms, 1972.

    >>> strong_components([[1], [2], [1], [0]])
    [1, 0, 0, 2]
    """
    unvisited = -1
    index = [unvisited] * len(successors)
    lowest = [0] * len(successors)
    component = [unvisited] * len(successors)
    stack: list[int] = []
    visited = components = 0
    for root in range(len(successors)):
        if index[root] != unvisited:
            continue
        path = [root]
        remaining = [iter(successors[root])]
        index[root] = lowest[root] = visited
        visited += 1
        stack.append(root)
        while path:
            node = path[-1]
            for successor in remaining[-1]:
                if index[successor] == unvisited:
                    index[successor] = lowest[successor] = visited
                    visited += 1
                    stack.append(successor)
                    path.append(successor)
                    remaining.append(iter(successors[successor]))
                    break
                if component[successor] == unvisited:
                    lowest[node] = min(lowest[node], index[successor])
            else:
                path.pop()
                remaining.pop()
                if path:
                    lowest[path[-1]] = min(lowest[path[-1]], lowest[node])
                if lowest[node] == index[node]:
                    while component[node] == unvisited:
                        component[stack.pop()] = components
                    components += 1
    return component


def shortest_path(successors: Sequence[Sequence[int]], source: int, target: int) -> list[int]:
    """Return the nodes of a shortest path, both ends included; the target must be reachable.

    >>> shortest_path([[1], [2], [0]], 0, 2)
    [0, 1, 2]
    """
    previous = {source: source}
    frontier = [source]
    while target not in previous:
        reached = []
        for node in frontier:
            for successor in successors[node]:
                if successor not in previous:
                    previous[successor] = node
                    reached.append(successor)
        frontier = reached
    path = [target]
    while path[-1] != source:
        path.append(previous[path[-1]])
    return path[::-1]
