"""A transaction: explicit facts in and out of graphs, applied together or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from types import TracebackType

from reasoner.rules.errors import ReasonerError
from reasoner.rules.rule import Rule
from reasoner.state.delta import Delta
from reasoner.state.request import RuleRequest, WantedRules
from reasoner.terms.quads import EVERYWHERE, GraphName, PendingQuads, QuadRequest, checked_graph
from reasoner.terms.triple_text import Triples, asserted_triples, checked_triples

Commit = Callable[[QuadRequest, RuleRequest], Delta]


class Transaction:
    """Collects changes; on leaving its ``with`` block they are committed, unless an error leaves it too.

    What is said later about a triple in a graph counts. Until the commit nothing has happened, and nobody sees the
    changes, not even questions asked inside the block. Several transactions may be open at a time, nested or in several
    threads: commits come one after another, each is applied to the state that the one before left, and the delta of
    each says what it found different from what was asked (``not_explicit``, ``already_explicit``).

    If the commit fails, or is interrupted, everything is as it was before it. ``delta`` is there after the commit.
    """

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._wanted = PendingQuads()
        self._rules = WantedRules()
        self._delta: Delta | None = None
        self._ended = ""

    def __repr__(self) -> str:
        if self._delta is not None:
            return f"<Transaction committed: {self._delta}>"
        return f"<Transaction {self._ended or 'not committed yet'}>"

    @property
    def delta(self) -> Delta:
        """What the transaction did."""
        if self._delta is None:
            raise ReasonerError(
                f"the transaction {self._ended or 'has not been committed yet'}; there is a delta after the commit, "
                "which comes at the end of the with block"
            )
        return self._delta

    def add(self, triples: Triples, *, graph: GraphName = None) -> None:
        """Let a graph assert one triple, or many; what is wrong with any of them is an error here and now.

        ``graph`` is the name of a graph, which need not be there yet, or None for the default graph.
        """
        self._require_open()
        self._wanted.add(asserted_triples(triples), checked_graph(graph))

    def remove(self, triples: Triples, *, graph: GraphName = EVERYWHERE) -> None:
        """Take one triple, or many, out of a graph, or of all if none is given; what is not in it is passed over.

        ``graph=None`` is the default graph. A triple that another graph asserts stays explicit.
        """
        self._require_open()
        self._wanted.remove(checked_triples(triples), graph if graph == EVERYWHERE else checked_graph(graph))

    def want(self, quads: PendingQuads) -> None:
        """Add changes of which all terms are known to be right: those of a document, or of the store itself."""
        self._require_open()
        self._wanted.update(quads)

    def add_rules(self, rules: str | Iterable[Rule], *, file: str = "<text>") -> None:
        """Add user rules, as text or as ``Rule`` objects; an error in their text is raised at once."""
        self._require_open()
        self._rules.add(rules, file=file)

    def remove_rules(self, rules: str | Iterable[Rule], *, file: str = "<text>") -> None:
        """Remove user rules, compared by head and body; the commit fails if one of them does not exist."""
        self._require_open()
        self._rules.remove(rules, file=file)

    def apply_patch(self, patch: str | PathLike[str]) -> None:
        """Add the changes of an RDF Patch, given as its text or as the path of a file, plain or compressed.

        A patch that tells what a closure became is refused: its inferred facts would become explicit.
        """
        from reasoner.state.delta_formats import read_changes

        self.want(read_changes(patch))

    @property
    def requested(self) -> tuple[QuadRequest, RuleRequest]:
        """What has been asked for so far: explicit facts, and rules."""
        self._require_open()
        return self._wanted.request(), self._rules.request()

    def commit(self) -> Delta:
        """Apply the changes now, and return what they did."""
        requested = self.requested
        self._ended = "failed"
        self._delta = self._commit(*requested)
        self._ended = "is committed already"
        return self._delta

    def rollback(self) -> None:
        """Forget the changes; leaving the ``with`` block does nothing then."""
        self._require_open()
        self._ended = "was rolled back"
        self._wanted.clear()
        self._rules.clear()

    def __enter__(self) -> Transaction:
        self._require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ended:
            return
        if kind is None:
            self.commit()
        else:
            self.rollback()

    def _require_open(self) -> None:
        if self._ended:
            raise ReasonerError(f"the transaction {self._ended}; open another with transaction()")
