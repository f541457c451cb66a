"""Following the answers of a query in a store on disk that other processes write to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from os import PathLike
from typing import TYPE_CHECKING

from loaders.local_path import local_path
from reasoner.store.folder import current_version
from reasoner.subscriptions.subscription import AnswerChange
from reasoner.subscriptions.view import view_of

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner
    from reasoner.sparql.algebra import Query


def follow_store(
    folder: str | PathLike[str],
    query: str,
    *,
    initial: bool = False,
    interval: float = 1.0,
    wait: Callable[[float], object] = time.sleep,
) -> Iterator[AnswerChange]:
    """Yield what new versions of a store change about the answers of a query, for ever.

    Whether there is a new version is looked up every ``interval`` seconds; what several did in between is one change.
    The number of a change is that of its version. Nothing is written, and whoever writes does not have to wait.
    """
    from reasoner.reasoner import Reasoner
    from reasoner.sparql.answer_changes import shown_variables

    path, view = local_path(folder), view_of(query)
    kb = Reasoner.open(path, read_only=True)
    variables, known = shown_variables(view), _answers(kb, view)
    version = kb.version
    if initial:
        yield AnswerChange(version or 0, variables, tuple(sorted(known, key=_order)), (), initial=True)
    while True:
        if current_version(path) != version:
            kb = Reasoner.open(path, read_only=True)
            version, found = kb.version, _answers(kb, view)
            added, removed = sorted(found - known, key=_order), sorted(known - found, key=_order)
            known = found
            if added or removed:
                yield AnswerChange(version or 0, variables, tuple(added), tuple(removed))
        else:
            wait(interval)


def _answers(kb: Reasoner, view: Query) -> frozenset[tuple[str | None, ...]]:
    from reasoner.sparql.answer_changes import answers

    if not kb.is_materialised:
        # A version that was not reasoned over yet is so in memory.
        kb.materialise()
    return frozenset(answers(kb.store, kb.store.state, view))


def _order(row: tuple[str | None, ...]) -> list[str]:
    return [text or "" for text in row]
