"""Stores small enough to see through, and limits small enough to be met."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from reasoner.columnar import persisted
from reasoner.store import vacuum
from tests.notation import facts

FAMILY = facts("""
    ann parent bob, bob parent cid, cid parent dan
    ann same anna, anna p 1, p type owl
    bob knows cid
""")


@contextmanager
def small_limits() -> Iterator[None]:
    """Let few facts have files of their own, and few changes be merged or become a new base."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(persisted, "_FEWEST", 3)
        patch.setattr(vacuum, "_FULL", 2)
        patch.setattr(vacuum, "_SMALLEST", 2)
        patch.setattr(vacuum, "_GROWTH", 2)
        patch.setattr(vacuum, "_FEW", 12)
        yield


@pytest.fixture
def limits():
    with small_limits():
        yield
