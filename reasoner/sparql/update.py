"""Changing a reasoner in SPARQL: a request of several operations as one commit."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from reasoner.delta import Delta
from reasoner.errors import ReasonerError
from reasoner.maintenance.work import Work
from reasoner.sparql.algebra import Node
from reasoner.sparql.budget import Budget
from reasoner.sparql.construct import TRIPLE, constructed
from reasoner.sparql.dataset import dataset_of
from reasoner.sparql.evaluate import Evaluator
from reasoner.sparql.expression import Var
from reasoner.sparql.load_document import document_triples
from reasoner.sparql.operation import Clear, Load, Modify, Operation, Template
from reasoner.sparql.plan import Trace
from reasoner.sparql.result import Result
from reasoner.sparql.terms import Terms
from reasoner.sparql.translate_update import translate_update
from reasoner.triple_text import checked_triples
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner


def update(
    kb: Reasoner,
    text: str,
    *,
    strategy: str = "auto",
    base: str = "",
    prefixes: Mapping[str, str] | None = None,
) -> Delta:
    """Apply a SPARQL 1.1 Update to the explicit facts of a reasoner, all of it or nothing; return what it did.

    WHERE is asked of everything that the facts entail, after the operations before it in the request. INSERT makes
    facts explicit; DELETE takes explicit facts away, and what is only inferred stays (``Delta.not_explicit``). CLEAR
    and DROP take away all explicit facts, those of ontologies among them. ``strategy`` is that of transactions.

    >>> from reasoner import Reasoner
    >>> kb = Reasoner(profile="none")
    >>> delta = update(kb, '''PREFIX : <http://e.org/>
    ... INSERT DATA { :a :p :b } ;
    ... INSERT { ?y :q ?x } WHERE { ?x :p ?y }''')
    >>> sorted(delta.asserted_added)[1]
    ('<http://e.org/b>', '<http://e.org/q>', '<http://e.org/a>')
    """
    operations = translate_update(text, base=base, prefixes=prefixes)
    # An unknown strategy is an error before anything is done.
    kb.transaction(strategy=strategy).rollback()
    with kb._committing:
        kb._materialised()
        request = _Request(kb, strategy)
        try:
            for operation in operations:
                request.apply(operation)
            return request.commit()
        except BaseException:
            request.roll_back()
            raise


class _Request:
    """A request under way.

    It works on a copy of the reasoner, which shares everything but the state, so that others see the state before the
    request until its commit:

    1. Changes wait until somebody asks: what is said later about a triple counts.
    2. Before a WHERE is answered, the changes that wait are applied to the copy by maintenance.
    3. At the end the copy's state becomes that of the reasoner, and the delta is from the first state to the last.
    """

    def __init__(self, kb: Reasoner, strategy: str) -> None:
        self._kb = kb
        self._strategy = strategy
        self._began = time.perf_counter()
        self._checkpoint = kb.store.checkpoint()
        self._ahead = copy.copy(kb)
        self._ahead.store = copy.copy(kb.store)
        self._waiting: dict[TextTriple, bool] = {}
        self._asked: dict[TextTriple, bool] = {}
        self._steps: list[Delta] = []
        self._scope = ""
        self._fresh: dict[str, str] = {}

    def apply(self, operation: Operation) -> None:
        """Carry out one operation."""
        match operation:
            case Modify(delete, insert, None):
                self._want(self._data(delete), self._data(insert))  # 1
            case Modify(delete, insert, where):
                assert where is not None
                self._modify(delete, insert, where)
            case Load(iri, silent):
                self._load(iri, silent)
            case Clear():
                explicit = self._ahead.store.texts(self._ahead.store.state.explicit)
                self._waiting = dict.fromkeys(explicit, False)

    def commit(self) -> Delta:
        """Apply what waits, let everybody see the result, and return what the request did."""
        if self._waiting or not self._steps:
            self._step()
        kb, ahead = self._kb, self._ahead
        if kb.store.state is not self._checkpoint.state:
            raise ReasonerError("the facts were changed beside the update; apply it again")
        vars(kb.store).update(vars(ahead.store))  # 3
        vars(kb).update({**vars(ahead), "store": kb.store})
        return self._whole_delta()

    def roll_back(self) -> None:
        """Forget the copy, and the terms that came with it."""
        if self._kb.store.state is not self._checkpoint.state:
            # Whoever changed the facts beside the request may use those terms.
            return
        self._kb.store.restore(self._checkpoint)
        # It holds on to an engine that the store has given up.
        self._kb._maintenance = None

    def _want(self, removed: Iterable[TextTriple], added: Iterable[TextTriple]) -> None:
        """Note a change; deletions come before insertions (SPARQL 1.1 Update, 3.1.3)."""
        self._waiting.update(dict.fromkeys(removed, False))
        self._waiting.update(dict.fromkeys(added, True))

    def _step(self) -> None:
        added = [triple for triple, comes in self._waiting.items() if comes]
        removed = [triple for triple, comes in self._waiting.items() if not comes]
        self._steps.append(self._ahead._commit(added, removed, self._strategy))
        self._asked.update(self._waiting)
        self._waiting = {}

    def _data(self, template: Template) -> list[TextTriple]:
        return checked_triples([(self._ground(s), self._ground(p), self._ground(o)) for s, p, o in template])

    def _ground(self, term: Var | str) -> str:
        return self._fresh_name(term.name) if isinstance(term, Var) else self._named(term)

    def _modify(self, delete: Template, insert: Template, where: Node) -> None:
        if self._waiting:
            self._step()  # 2
        store, budget = self._ahead.store, Budget()
        dataset = dataset_of(store)
        terms = Terms(store.dictionary, dataset.default.texts)
        evaluator = Evaluator(dataset, terms, budget, Trace())
        solutions = evaluator.evaluate(where)
        removed, added = (
            Result(
                *("CONSTRUCT", TRIPLE, constructed(evaluator, solutions, template, terms, budget)),
                *(evaluator.classes, terms, budget),
            ).triples()
            for template in (delete, insert)
        )
        self._want(removed, checked_triples([(self._named(s), p, self._named(o)) for s, p, o in added]))

    def _load(self, iri: str, silent: bool) -> None:
        try:
            self._want((), document_triples(iri, self._ahead.store.dictionary))
        except (ReasonerError, OSError):
            if not silent:
                raise

    def _named(self, term: str) -> str:
        """Return the text that the store has, or is to have, for a term.

        New blank nodes are named like those of documents. Language tags have no case: new ones are in lower case.
        """
        if term.startswith("<") or self._ahead.store.dictionary.lookup(term) is not None:
            return term
        if term.startswith("_:"):
            return self._fresh_name(term)
        quoted, _, tag = term.rpartition("@")
        return f"{quoted}@{tag.lower()}" if quoted.endswith('"') and '"' not in tag else term

    def _fresh_name(self, label: str) -> str:
        if not self._scope:
            self._scope = self._ahead.store.dictionary.new_blank_scope()
        return self._fresh.setdefault(label, f"_:{self._scope}-{len(self._fresh)}")

    def _whole_delta(self) -> Delta:
        first, last = self._steps[0], self._steps[-1]
        work = Work()
        for step in self._steps:
            for phase, instances in step.work.instances.items():
                work.count(phase, instances)
            work.rounds += step.work.rounds
        used = [step for step in self._steps if step.strategy != "none"] or [last]
        reason = used[0].reason if len(used) == 1 else f"{len(used)} steps: {'; '.join(step.reason for step in used)}"
        return Delta(
            *(self._kb.store, first.before, last.after, ", ".join(dict.fromkeys(step.strategy for step in used))),
            *(reason, work, time.perf_counter() - self._began),
            asked_to_add=[triple for triple, comes in self._asked.items() if comes],
            asked_to_remove=[triple for triple, comes in self._asked.items() if not comes],
            constraints_before=first.constraints_before,
            constraints_after=last.constraints_after,
        )
