"""What a reasoner can be asked: the closure, classes of equals, violations, patterns, SPARQL, proofs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, BinaryIO

from loaders.errors import NestingError
from reasoner.notebook import Classes, Violations
from reasoner.violation import TextTriple, Violation

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore
    from reasoner.explanation.proof import Proof
    from reasoner.program import EncodedProgram
    from reasoner.reasoner import Reasoner
    from reasoner.sparql.result import Result
    from reasoner.triple_text import Triples

Source = str | PathLike[str]


class Questions:
    """The questions of a reasoner; each sees the last committed state, which is made if there is none yet."""

    store: ColumnarStore
    literals: str

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

        Literals are as they were written, unless ``literals`` is ``by-value``. That a term equals itself is given where
        it was asserted; ``reflexive`` gives c owl:sameAs c for every term c. No literal is ever a subject. With the
        name of a ``graph``, yield what that graph asserts instead.
        """
        if graph is not None:
            return self._triples_in(graph)
        self._materialised()
        store = self.answering
        return store.decoded(store.pieces(inferred_only=inferred_only, reflexive=reflexive))

    @property
    def answering(self) -> ColumnarStore:
        """The store as it is asked: with literals as they are written, or with all of one value, by ``literals``."""
        return self.store if self.literals == "written" else self.store.by_value()

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
        format: str | None = None,
    ) -> int:
        """Write the closure and return how many triples it has; with ``format`` nq or trig write what is asserted.

        ``format`` is nt, ttl, rdf (RDF/XML), jsonld, nq or trig; without it the name of the file says it, or it is nt.
        ``reasoner.dump.dump`` also writes closures with graphs. A file is compressed by its extension, and written
        whole or not at all.
        """
        from reasoner.dump import dump, format_named, format_of_name

        chosen = format_named(format) if format else format_of_name(target)
        if format is not None and chosen in ("nq", "trig"):
            return self.write_quads(target, format=chosen)
        self._materialised()
        if chosen not in ("nt", "nq", "trig"):
            kb: Reasoner = self  # type: ignore[assignment]
            return dump(kb, target, format=chosen, part="inferred" if inferred_only else "closure", reflexive=reflexive)
        return self.answering.write(target, inferred_only=inferred_only, reflexive=reflexive)

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

    def select(
        self, patterns: str, variables: Sequence[str] | None = None, *, reflexive: bool = False
    ) -> list[dict[str, str]]:
        """Return the distinct answers to triple patterns, such as ``?x a <C>, ?x <p> ?y``.

        Patterns may be negated with ``not`` and filtered with the builtins of rules; ``PREFIX`` lines may come first.
        They are matched with what ``triples`` gives, and so are those of ``query``.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add([("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")])
        1
        >>> kb.select("PREFIX e: <http://e.org/> e:a e:p ?y")
        [{'y': '<http://e.org/b>'}]
        """
        from reasoner.sparql.rule_patterns import select

        self._materialised()
        return select(self.answering, patterns, variables, reflexive=reflexive)

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
        try:
            return failures_told(query)(kb, text, expand=expand, timeout=timeout, prefixes=prefixes, terms=terms)
        except RecursionError:
            raise NestingError("the query") from None

    def explain(self, triple: Triples) -> Proof | None:
        """Return a proof of a triple: its leaves are explicit, its steps rule instances; None if it does not hold."""
        from reasoner.explain import explain

        asked = _asked(triple)
        self._materialised()
        return explain(self.store.proofs(), self._encoded(), asked)

    def explanations(self, triple: Triples, *, most: int = 5) -> Iterator[Proof]:
        """Yield different proofs of a triple, the shortest first."""
        from reasoner.explain import explanations

        asked = _asked(triple)
        self._materialised()
        return explanations(self.store.proofs(), self._encoded(), asked, most)


def _asked(triple: Triples) -> TextTriple:
    """Return a triple that is asked about; violations have literals as subjects, so that questions may have them."""
    from reasoner.triple_text import TermError, canonical_terms

    if isinstance(triple, str) or not isinstance(triple, Sequence) or len(triple) != 3:
        raise TermError(triple, "is not a triple of three texts, or of three rdflib terms")
    s, p, o = canonical_terms(triple)
    return s, p, o
