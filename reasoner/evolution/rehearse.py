"""A twin of a reasoner, to be changed while the reasoner itself stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner


@contextmanager
def twin_of(kb: Reasoner) -> Iterator[Reasoner]:
    """Give out a twin that holds what a reasoner holds, in memory only; nothing is materialised anew for it.

    Facts are shared, because nothing changes them. The dictionary is shared as well, and forgets at the end what terms
    the twin brought; so texts have to be taken out of the twin before that.
    """
    with kb._committing:
        kb._materialised()
        checkpoint = kb.store.checkpoint()
        twin = type(kb)(kb.profile, equality=kb.equality, modules=kb.modules, maintenance=kb.maintenance)
        twin.store.dictionary = kb.store.dictionary
        twin.store.restore(checkpoint)
        twin._user_rules = list(kb._user_rules)
        twin._translation = kb._translation
        twin._up_to_date = True
        try:
            yield twin
        finally:
            kb.store.dictionary.truncate(checkpoint.terms)
