"""Changing a twin of a reasoner before the reasoner itself, which stays as it is if the twin shows a reason to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasoner.evolution.report import InconsistentEvolutionError
from reasoner.evolution.take_step import Course

if TYPE_CHECKING:
    from reasoner.evolution.journal import Journal
    from reasoner.evolution.report import Evolution, StepReport
    from reasoner.reasoner import Reasoner

    Take = Callable[[Reasoner, Course], Iterable[StepReport]]
    Tell = Callable[[tuple[StepReport, ...], bool], Evolution]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of an evolution: only to rehearse it, to bear with violations, to be able to explain these."""

    dry_run: bool = False
    allow_inconsistent: bool = False
    explain: bool = True
    strategy: str = "auto"


def carry_out(kb: Reasoner, journal: Journal, asked: Asked, take: Take, tell: Tell) -> Evolution:
    """Take steps on a twin, and if that brings no violation, on the reasoner itself and on the record.

    ``take`` takes them, and ``tell`` reports what came of it, applied or not. Nobody else commits in between.
    """
    with kb._committing:
        kb._ready_to_change()
        if asked.dry_run or not asked.allow_inconsistent:
            with twin_of(kb) as twin:
                rehearsed = tell(tuple(take(twin, Course(asked.strategy, explain=asked.explain))), False)
            if asked.dry_run:
                return rehearsed
            if not rehearsed.is_consistent:
                raise InconsistentEvolutionError(rehearsed)
        policy = "warn" if asked.allow_inconsistent else None
        return tell(tuple(take(kb, Course(asked.strategy, policy, journal))), True)


@contextmanager
def twin_of(kb: Reasoner) -> Iterator[Reasoner]:
    """Give out a twin that holds what a reasoner holds, in memory only; nothing is materialised anew for it.

    Facts are shared, because nothing changes them. The dictionary is shared as well, and forgets at the end what terms
    the twin brought; so texts have to be taken out of the twin before that.
    """
    from reasoner.columnar.home import adopt

    with kb._committing:
        kb._materialised()
        terms = len(kb.store.dictionary)
        twin = type(kb)(kb.profile, equality=kb.equality, modules=kb.modules, maintenance=kb.maintenance)
        adopt(twin.store, kb.store.state, kb.store.dictionary, equality=twin.store.engine.equality)
        twin._user_rules = list(kb._user_rules)
        twin._translation = kb._translation
        twin._up_to_date = True
        try:
            yield twin
        finally:
            kb.store.dictionary.truncate(terms)
