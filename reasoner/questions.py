"""What a reasoner can be asked: the closure, classes of equals, violations, patterns, SPARQL, proofs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, BinaryIO

from reasoner.notebook import Classes, Violations
from reasoner.violation import TextTriple, Violation

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore
    from reasoner.explanation.proof import Proof
    from reasoner.program import EncodedProgram
    from reasoner.reasoner import Reasoner
    from reasoner.sparql.result import Result

Source = str | PathLike[str]


class Questions:
    """The questions of a reasoner; each sees the last committed state, which is made if there is none yet."""

    store: ColumnarStore

    if TYPE_CHECKING:

        def _materialised(self) -> None: ...

        def _encoded(self) -> EncodedProgram: ...

        def _explainer(self) -> Callable[[TextTriple], Proof | None]: ...

        def _triples_in(self, graph: str) -> Iterator[TextTriple]: ...

        def write_quads(self, target: Source | BinaryIO, *, format: str) -> int: ...

    def triples(
        self, *, inferred_only: bool = False, reflexive: bool = False, graph: str | None = None
    ) -> Iterator[TextTriple]:
        """Yield the closure: every fact that holds, with every term that it holds for.

        ``reflexive`` adds c owl:sameAs c for every term c. No literal is ever a subject. With the name of a ``graph``,
        yield what that graph asserts instead.
        """
        if graph is not None:
            return self._triples_in(graph)
        self._materialised()
        return self.store.decoded(self.store.pieces(inferred_only=inferred_only, reflexive=reflexive))

    def normal_triples(self) -> Iterator[TextTriple]:
        """Yield the stored facts, which are over representatives."""
        self._materialised()
        return self.store.normal_triples()

    def write(
        self,
        target: Source | BinaryIO,
        *,
        inferred_only: bool = False,
        reflexive: bool = False,
        format: str = "ntriples",
    ) -> int:
        """Write the closure as N-Triples, or with ``format`` nquads or trig what is asserted; return the count.

        A file is compressed by its extension, and written whole or not at all.
        """
        if format not in ("nt", "ntriples"):
            return self.write_quads(target, format=format)
        self._materialised()
        return self.store.write(target, inferred_only=inferred_only, reflexive=reflexive)

    def classes(self) -> list[tuple[str, ...]]:
        """Return the classes of two or more equal terms, each with its representative first."""
        self._materialised()
        return Classes(tuple(members) for members in self.store.classes())

    def violations(self, *, most: int = 1000) -> list[Violation]:
        """Return the matches of constraints, at most ``most`` of each; none means consistent."""
        self._materialised()
        explainer = self._explainer()
        found = self.store.violations(self._encoded().constraints, most)
        return Violations(replace(violation, explainer=explainer) for violation in found)

    def select(self, patterns: str, variables: Sequence[str] | None = None) -> list[dict[str, str]]:
        """Return the distinct answers to triple patterns, such as ``?x a <C>, ?x <p> ?y``.

        Patterns may be negated with ``not`` and filtered with the builtins of rules; ``PREFIX`` lines may come first.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add([("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")])
        1
        >>> kb.select("PREFIX e: <http://e.org/> e:a e:p ?y")
        [{'y': '<http://e.org/b>'}]
        """
        from reasoner.select import select

        self._materialised()
        return select(self.store, patterns, variables)

    def query(
        self,
        text: str,
        *,
        expand: bool = True,
        timeout: float | None = None,
        prefixes: Mapping[str, str] | None = None,
        terms: str = "rdflib",
    ) -> Result:
        """Answer a SPARQL 1.1 query: SELECT, ASK, CONSTRUCT or DESCRIBE.

        Every equal term is an answer of its own, unless ``expand`` is off. A query is stopped after ``timeout``
        seconds. ``prefixes`` are what it need not declare; rows hold terms of rdflib, or texts with ``terms="text"``.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add([("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")])
        1
        >>> [str(row.y) for row in kb.query("SELECT ?y { ?x <http://e.org/p> ?y }")]
        ['http://e.org/b']
        """
        from reasoner.spark.failures import failures_told
        from reasoner.sparql import query

        self._materialised()
        kb: Reasoner = self  # type: ignore[assignment]
        return failures_told(query)(kb, text, expand=expand, timeout=timeout, prefixes=prefixes, terms=terms)

    def explain(self, triple: TextTriple) -> Proof | None:
        """Return a proof of a triple: its leaves are explicit, its steps rule instances; None if it does not hold."""
        from reasoner.explain import explain

        self._materialised()
        return explain(self.store.proofs(), self._encoded(), triple)

    def explanations(self, triple: TextTriple, *, most: int = 5) -> Iterator[Proof]:
        """Yield different proofs of a triple, the shortest first."""
        from reasoner.explain import explanations

        self._materialised()
        return explanations(self.store.proofs(), self._encoded(), triple, most)
