"""The answer to a query: rows, a truth value or a graph, decoded when somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from importlib import import_module
from itertools import repeat
from typing import IO, TYPE_CHECKING, Any, ClassVar

import numpy as np

from loaders.dictionary import Dictionary
from loaders.local_path import local_path
from loaders.terms import to_rdflib
from reasoner.columnar.representatives import Representatives
from reasoner.errors import ReasonerError
from reasoner.sparql.budget import Budget
from reasoner.sparql.solutions import Solutions
from reasoner.sparql.terms import Terms
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    import pyarrow
    import rdflib

SHOWN = ("rdflib", "text")
_PIECE = 1 << 16
_ROWS_IN_HTML = 50
_FEW_ROWS = 16


class Row(tuple[Any, ...]):
    """A solution: a tuple that is read by position, by the name of a variable, or by attribute; unbound is None."""

    __slots__ = ()
    _places: ClassVar[Mapping[str, int]]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return tuple.__getitem__(self, self._places[str(key)])
        return tuple.__getitem__(self, key)

    def __getattr__(self, name: str) -> Any:
        try:
            return tuple.__getitem__(self, self._places[name])
        except KeyError:
            raise AttributeError(f"no variable ?{name}; the variables are {', '.join(self._places)}") from None

    def asdict(self) -> dict[str, Any]:
        """Return the bound variables."""
        return {name: value for name, value in zip(self._places, self, strict=True) if value is not None}


@lru_cache(maxsize=256)
def _row_class(names: tuple[str, ...]) -> type[Row]:
    return type("Row", (Row,), {"_places": {name: place for place, name in enumerate(names)}, "__slots__": ()})


class Result:
    """The answer to a query. ``type`` is SELECT, ASK, CONSTRUCT or DESCRIBE.

    A SELECT iterates over rows, an ASK is true or false, a CONSTRUCT or DESCRIBE iterates over triples and has a
    ``graph``. ``len`` counts what is iterated over. ``shown`` is how terms appear: as terms of rdflib or as N-Triples.
    """

    def __init__(
        self,
        type: str,
        variables: Sequence[str],
        solutions: Solutions,
        classes: Representatives,
        terms: Terms,
        budget: Budget | None = None,
        shown: str = "rdflib",
    ) -> None:
        if shown not in SHOWN:
            raise ReasonerError(f"terms cannot be shown as {shown!r}; choose one of {', '.join(SHOWN)}")
        self.type = type
        self.askAnswer: bool | None = None
        self._names = tuple(variables)
        self._solutions = solutions
        self._classes = classes
        self._terms = terms
        self._budget = budget or Budget()
        self._shown = shown
        self._graph: rdflib.Graph | None = None

    @classmethod
    def of_truth(cls, answer: bool) -> Result:
        """Return the answer to an ASK."""
        result = cls.of_rows([], [])
        result.type, result.askAnswer = "ASK", answer
        return result

    @classmethod
    def of_rows(cls, variables: Sequence[str], rows: Sequence[Sequence[str | None]], shown: str = "rdflib") -> Result:
        """Return a SELECT's answer that is given as N-Triples texts."""
        terms = Terms(Dictionary())
        columns = {name: terms.encode([row[place] for row in rows]) for place, name in enumerate(variables)}
        return cls("SELECT", variables, Solutions(columns, len(rows)), Representatives(), terms, None, shown)

    @property
    def vars(self) -> list[rdflib.Variable] | None:
        """The variables of a SELECT in their order; None for other forms."""
        from rdflib.term import Variable

        return [Variable(name) for name in self._names] if self.type == "SELECT" else None

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._names

    def __len__(self) -> int:
        return 1 if self.type == "ASK" else self._solutions.count(self._classes)

    def __bool__(self) -> bool:
        return self.askAnswer if self.askAnswer is not None else self._solutions.size > 0

    def __iter__(self) -> Iterator[Any]:
        if self.type == "ASK":
            yield self.askAnswer
            return
        if self.type == "SELECT":
            yield from map(_row_class(self._names), self._decoded(self._shown))
        else:
            yield from self._decoded(self._shown)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result) or (self.type, self.askAnswer) != (other.type, other.askAnswer):
            return NotImplemented if not isinstance(other, Result) else False
        mine, theirs = sorted(self.texts(), key=repr), sorted(other.texts(), key=repr)
        return self._names == other._names and mine == theirs

    __hash__ = None  # type: ignore[assignment]

    def rows(self) -> list[Any]:
        """Return everything that is iterated over, at once."""
        return list(self)

    def texts(self) -> Iterator[tuple[str | None, ...]]:
        """Yield rows or triples as N-Triples texts, whatever way terms are shown otherwise."""
        return self._decoded("text")

    @property
    def bindings(self) -> list[dict[Any, Any]]:
        """The bound variables of each solution, as rdflib has them."""
        names = self.vars or []
        pairs = (zip(names, row, strict=True) for row in self)
        return [{name: value for name, value in pair if value is not None} for pair in pairs]

    def triples(self) -> Iterator[TextTriple]:
        """Yield the triples of a CONSTRUCT or DESCRIBE as N-Triples texts."""
        self._require("CONSTRUCT", "DESCRIBE")
        for s, p, o in self._decoded("text"):
            assert s is not None and p is not None and o is not None
            yield s, p, o

    @property
    def graph(self) -> rdflib.Graph | None:
        """The triples of a CONSTRUCT or DESCRIBE as a graph of rdflib; None for other forms."""
        if self._graph is None and self.type in ("CONSTRUCT", "DESCRIBE"):
            import rdflib

            self._graph = rdflib.Graph()
            for triple in self._decoded("rdflib"):
                self._graph.add(triple)
        return self._graph

    def serialize(
        self, destination: str | IO[bytes] | None = None, encoding: str = "utf-8", format: str = "json"
    ) -> bytes | None:
        """Write the answer: json, xml, csv or tsv, and for triples nt or any other format of rdflib's graphs.

        Return it as bytes, or None if it went to a file.
        """
        from reasoner.sparql.formats import write

        data = write(self, format).encode(encoding)
        if destination is None:
            return data
        if isinstance(destination, str):
            local_path(destination).write_bytes(data)
        else:
            destination.write(data)
        return None

    @classmethod
    def parse(cls, source: str | bytes | IO[bytes], format: str = "json") -> Result:
        """Read an answer in one of the W3C formats: json, xml, csv (which tells no kinds of terms) or tsv."""
        from reasoner.sparql.formats import read

        data = source if isinstance(source, str | bytes) else source.read()
        return read(data.decode("utf-8") if isinstance(data, bytes) else data, format)

    def to_arrow(self) -> pyarrow.Table:
        """Return the rows as an Arrow table of N-Triples texts, null where unbound."""
        import pyarrow

        written = self._solutions.written_out(self._classes, self._budget)
        columns = [pyarrow.array(self._terms.decode(written.columns[name]), pyarrow.string()) for name in self._names]
        return pyarrow.table(columns, names=list(self._names))

    def to_pandas(self) -> Any:
        """Return the rows as a data frame: numbers, dates and texts as Python values, None where unbound."""
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            raise ReasonerError("to_pandas needs pandas: pip install pandas; to_arrow does without") from error
        rows = [[None if term is None else term.toPython() for term in row] for row in self._decoded("rdflib")]
        return pandas.DataFrame(rows, columns=list(self._names))

    def _repr_html_(self) -> str:
        if self.type == "ASK":
            return f"<b>{str(self.askAnswer).lower()}</b>"
        head = "".join(f"<th>{escape(name)}</th>" for name in self._names)
        few = self._solutions.sliced(0, _ROWS_IN_HTML, self._classes, self._budget)
        part = Result(self.type, self._names, few, self._classes, self._terms, self._budget, "text")
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(text or '')}</td>" for text in row) + "</tr>" for row in part.texts()
        )
        more = f"<caption>{len(self):,} rows, the first {_ROWS_IN_HTML}</caption>" if len(self) > _ROWS_IN_HTML else ""
        return f"<table>{more}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _require(self, *types: str) -> None:
        if self.type not in types:
            raise ReasonerError(f"the answer to {self.type} has no triples; iterate over it")

    def _decoded(self, shown: str) -> Iterator[tuple[Any, ...]]:
        """Yield rows decoded piece by piece; each distinct term of a piece is made once, and each equal row."""
        for piece in self._solutions.pieces(_PIECE, self._classes, self._budget):
            self._budget.check()
            columns = [self._column(piece.columns[name], shown) for name in self._names]
            if shown == "text" and self._budget.is_memory_bounded:
                self._budget.keep(_characters(columns, None if piece.weights is None else piece.weights.tolist()))
            rows = zip(*columns, strict=True) if columns else iter(((),) * piece.size)
            if piece.weights is None:
                yield from rows
            else:
                for row, times in zip(rows, piece.weights.tolist(), strict=True):
                    yield from repeat(row, times)

    def _column(self, ids: np.ndarray[Any, np.dtype[np.int64]], shown: str) -> list[Any]:
        if shown == "text":
            return self._terms.decode(ids)
        if ids.size <= _FEW_ROWS:
            return _rdflib_terms(self._terms.decode(ids))
        distinct, inverse = np.unique(ids, return_inverse=True)
        made = _rdflib_terms(self._terms.decode(distinct))
        return [made[place] for place in inverse.tolist()]


def _characters(columns: list[list[str | None]], times: list[int] | None) -> int:
    """Count the characters of texts, each row as often as it counts."""
    if times is None:
        return sum(len(text) for column in columns for text in column if text is not None)
    return sum(
        len(text) * count for column in columns for text, count in zip(column, times, strict=True) if text is not None
    )


def _rdflib_terms(texts: Sequence[str | None]) -> list[Any]:
    from rdflib.term import URIRef

    # An IRI of the store is valid; the constructor would look at every character again.
    new = str.__new__
    return [None if text is None else new(URIRef, text[1:-1]) if text[0] == "<" else to_rdflib(text) for text in texts]
