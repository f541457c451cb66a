"""What a reasoner holds, as values that can be compared: over ids to the bit, or over texts."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from reasoner import Reasoner
from reasoner.columnar.factset import FactSet


def triples_of(facts: FactSet) -> set[tuple[int, int, int]]:
    return set(zip(*(column.tolist() for column in facts.columns()), strict=True))


def over_ids(kb: Reasoner) -> dict[str, Any]:
    """Return everything that a store keeps, ids included."""
    state = kb.store.state
    dictionary = kb.store.dictionary
    return {
        "texts": dictionary.decode(np.arange(len(dictionary))),
        "explicit": triples_of(state.explicit),
        "facts": triples_of(state.facts),
        "values": triples_of(state.values),
        "members": state.representatives.members.tolist(),
        "targets": state.representatives.targets.tolist(),
        "quads": [column.tolist() for column in state.graphs.columns()],
        "rules": kb.own_rules(),
        "settings": (kb.profile, kb.equality, kb.modules, kb.maintenance),
    }


def over_texts(kb: Reasoner) -> dict[str, Any]:
    """Return what a user sees: terms that came in another order have other ids, and so other representatives."""
    return {
        "explicit": sorted(kb.store.texts(kb.store.state.explicit)),
        "closure": sorted(kb.triples()),
        "classes": sorted(tuple(sorted(members)) for members in kb.classes()),
        "violations": sorted(str(sorted(violation.triples)) for violation in kb.violations()),
    }


def files_of(folder: Path) -> dict[str, str]:
    """Return all files below a folder with a digest of what is in them, the lock apart."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "LOCK"
    }
