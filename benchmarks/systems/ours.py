"""This reasoner as a measured system."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Result
from benchmarks.seconds import Stopwatch

if TYPE_CHECKING:
    from reasoner import Reasoner

Outcome = tuple[Result, dict[str, float]]

# What leads from files to the closure, in this order.
PHASES = ("load", "split", "translate", "prepare", "reason")


def reason(
    watch: Stopwatch,
    *,
    facts: str,
    ontology: str,
    options: dict[str, Any],
    about: str | None = None,
    warm_up: dict[str, str] | None = None,
) -> Outcome:
    """Go from files to the closure, in the phases load, split, translate, prepare, reason.

    ``load`` reads triples into ids, ``split`` sorts them into tables by predicate, ``translate`` reads the ontology and
    makes its rules, ``prepare`` stratifies and compiles these. ``about`` is a file that lists the classes and
    properties to count, all if it is not given. With ``warm_up`` all this is done on small data first, as a phase of
    its own: libraries are loaded when they are first needed, and that is no reasoning.
    """
    from reasoner import Reasoner

    if warm_up is not None:
        with watch.phase("warm up"):
            _materialised(Stopwatch(), Reasoner(**options), **warm_up)
    kb = _materialised(watch, Reasoner(**options), facts, ontology)
    summary = kb.summary()
    numbers = {
        "bytes per fact": summary.bytes_per_fact,
        "facts": summary.facts,
        "explicit": summary.explicit,
        "rules": summary.rules,
    }
    return _counts(kb, about), numbers


def load(watch: Stopwatch, *, facts: str, warm_up: str) -> Outcome:
    """Read an N-Triples file into ids, validating it, in the phase load, after a small file as a phase of its own."""
    import numpy as np

    from loaders.dictionary import Dictionary
    from loaders.load import load as load_files

    with watch.phase("warm up"):
        load_files([warm_up], Dictionary())
    with watch.phase("load"):
        loaded = load_files([facts], Dictionary())
    terms = np.unique(np.concatenate([loaded.s, loaded.p, loaded.o])).size
    return {"statements": loaded.report.statements, "terms": int(terms)}, {}


def export(watch: Stopwatch, *, facts: str, ontology: str, program: str, about: str) -> Outcome:
    """Write the DLP rules of an ontology as a program of Nemo over a file of facts, and what the rules are about."""
    from benchmarks.nemo_rules import nemo_program
    from reasoner import Reasoner

    kb = Reasoner(profile="dlp")
    kb.load_ontology(ontology)
    exported = nemo_program(kb.rules(), Path(facts))
    parts = {"load": exported.load, "split": exported.split, "rules": exported.rules, "predicates": exported.predicates}
    Path(program).write_text(json.dumps(parts), encoding="utf-8")
    Path(about).write_text(json.dumps(list(exported.predicates)), encoding="utf-8")
    return {}, {}


def _materialised(watch: Stopwatch, kb: Reasoner, facts: str, ontology: str) -> Reasoner:
    from loaders.load import load as load_files

    with watch.phase("load"):
        loaded = load_files([facts], kb.store.dictionary)
    with watch.phase("split"), kb.session.changing() as draft:
        draft.store.add_columns(loaded.s, loaded.p, loaded.o)
        draft.begin_anew()
    del loaded
    with watch.phase("translate"):
        kb.load_ontology(ontology)
        kb.rules()
    with watch.phase("prepare"):
        kb.prepare()
    with watch.phase("reason"):
        kb.materialise()
    return kb


def _counts(kb: Reasoner, about: str | None) -> Result:
    """Count the closure by class and property; that a term equals itself is not counted."""
    import numpy as np

    from reasoner.terms.term import RDF_TYPE, SAME_AS

    counts: Counter[str] = Counter()
    for subjects, predicate, objects in kb.store.pieces():
        name = kb.store.dictionary.text(predicate)
        if name == RDF_TYPE:
            classes, sizes = np.unique(objects, return_counts=True)
            for text, size in zip(kb.store.dictionary.decode(classes), sizes.tolist(), strict=True):
                counts[text] += size
        elif name == SAME_AS:
            counts[name] += int(np.count_nonzero(subjects != objects))
        else:
            counts[name] += subjects.size
    if about is None:
        return dict(counts)
    return {text: counts[text] for text in json.loads(Path(about).read_text(encoding="utf-8"))}
