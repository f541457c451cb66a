"""This reasoner while axioms and rules go out and come back in, as a measured system."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Result
from benchmarks.seconds import Stopwatch
from benchmarks.systems.ours import Outcome
from benchmarks.systems.updates import MATERIALISE

if TYPE_CHECKING:
    from reasoner import Reasoner
    from reasoner.columnar.store import Snapshot
    from reasoner.terms.term import TextTriple

    Change = Callable[[Stopwatch, str, list[TextTriple], list[TextTriple]], None]

_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_SUB_CLASS_OF = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
_CLASS = "<http://www.w3.org/2002/07/owl#Class>"
_SEED = 20050101


def file_axioms(
    watch: Stopwatch, *, facts: str, ontology: str, options: dict[str, Any], strategy: str, draws: int, checked: int
) -> Outcome:
    """Take random subclass axioms between names out of an ontology and put them back, one at a time."""
    from loaders.load import parse_text
    from reasoner import Reasoner

    kb = Reasoner(**options)
    kb.load(facts)
    kb.load_ontology(ontology)
    stated = parse_text(Path(ontology).read_text(encoding="utf-8"), "ntriples")
    axioms = [triple for triple in stated if triple[1] == _SUB_CLASS_OF and triple[2].startswith("<")]
    return _there_and_back(watch, kb, axioms, strategy, draws, checked)


def tree_axioms(
    watch: Stopwatch,
    *,
    classes: int,
    instances: int,
    options: dict[str, Any],
    strategy: str,
    draws: int,
    checked: int,
) -> Outcome:
    """Do the same in a random tree of classes with instances."""
    from reasoner import Reasoner

    kb, axioms = Reasoner(**options), list(_random_tree(classes))
    kb.add(_instances(classes, instances))
    kb.add([(_name(number), _TYPE, _CLASS) for number in range(classes)])
    kb.add(axioms)
    return _there_and_back(watch, kb, axioms, strategy, draws, checked)


def _there_and_back(
    watch: Stopwatch, kb: Reasoner, axioms: Sequence[TextTriple], strategy: str, draws: int, checked: int
) -> Outcome:
    """Make changes, whose phases are ``remove N`` and ``add N``; the first draws only warm up.

    The result are checksums of the closures after the first ``checked`` changes, taken when all times are.
    """
    from benchmarks.checksum import Checksum

    kb.materialise()
    change = _materialising(kb) if strategy == MATERIALISE else _transactions(kb, strategy)
    drawn = random.Random(_SEED).sample(axioms, 2 * draws)
    if strategy != MATERIALISE:
        for axiom in drawn[draws:]:
            change(Stopwatch(), "warm up", [], [axiom])
            change(Stopwatch(), "warm up", [axiom], [])
    states: dict[str, Snapshot] = {}
    for number, axiom in enumerate(drawn[:draws], 1):
        for name, added, removed in (f"remove {number}", [], [axiom]), (f"add {number}", [axiom], []):
            change(watch, name, added, removed)
            if number <= checked:
                states[name] = kb.store.state
    checksum, result = Checksum(kb.store.dictionary), Result()
    for name, state in states.items():
        result |= {f"{key} after {name}": value for key, value in checksum.closure(kb.store, state).items()}
    return result, {"rules": float(len(kb.rules())), "facts": float(len(kb.store.state.facts))}


def _transactions(kb: Reasoner, strategy: str) -> Change:
    def change(watch: Stopwatch, name: str, added: list[TextTriple], removed: list[TextTriple]) -> None:
        with watch.phase(name), kb.transaction(strategy=strategy) as transaction:
            transaction.remove(removed)
            transaction.add(added)
        if transaction.delta.strategy not in (strategy, "bf"):
            raise RuntimeError(f"{name} was done by {transaction.delta.strategy}: {transaction.delta.reason}")

    return change


def _materialising(kb: Reasoner) -> Change:
    """Translate, stratify, compile and materialise; that facts were changed before is not timed."""
    from reasoner.columnar.factset import FactSet

    def change(watch: Stopwatch, name: str, added: list[TextTriple], removed: list[TextTriple]) -> None:
        with kb.session.changing() as draft:
            store = draft.store
            store.remove_columns(*store.encode(removed))
            store.add_columns(*store.encode(added))
            # As if loaded just now: tables with holes and patches are slower to read.
            explicit = FactSet.of_columns(*store.state.explicit.columns())
            store.state = replace(store.state, explicit=explicit)
            draft.begin_anew()
        with watch.phase(name):
            kb.prepare()
            kb.session.materialise()

    return change


def _random_tree(classes: int) -> Iterator[TextTriple]:
    draw = random.Random(_SEED)
    for number in range(1, classes):
        yield _name(number), _SUB_CLASS_OF, _name(draw.randrange(number))


def _instances(classes: int, count: int) -> list[TextTriple]:
    draw = random.Random(_SEED + 1)
    return [(f"<http://e.org/i{number}>", _TYPE, _name(draw.randrange(classes))) for number in range(count)]


def _name(number: int) -> str:
    return f"<http://e.org/C{number}>"
