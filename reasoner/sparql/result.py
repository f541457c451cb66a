"""The answer to a query: rows, a truth value or a graph, decoded when somebody looks at them.

Answers in the W3C formats and back: JSON, XML, CSV and TSV for rows and truth values, N-Triples for graphs.

SPARQL 1.1 Query Results JSON Format.

SPARQL 1.1 Query Results CSV and TSV Formats.

SPARQL Query Results XML Format.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import repeat
from typing import IO, TYPE_CHECKING, Any, ClassVar, TypeVar
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from loaders.dictionary import Dictionary
from loaders.local_path import local_path
from loaders.terms import LANG_STRING, XSD_STRING, literal_parts, literal_text, to_rdflib, unescape
from reasoner.columnar.bindings import Bindings, Solutions
from reasoner.columnar.representatives import Representatives
from reasoner.rules.errors import ReasonerError
from reasoner.sparql.budget import Budget
from reasoner.sparql.terms import QueryTerms
from reasoner.terms.term import XSD, TextTriple

if TYPE_CHECKING:
    import pyarrow
    import rdflib

SHOWN = ("rdflib", "text")
# Rows that are decoded at a time, between two looks at the limits.
_PIECE = 1 << 13
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
        terms: QueryTerms,
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
        # For output that people read.
        self.prefixes: Mapping[str, str] = {}

    @classmethod
    def of_truth(cls, answer: bool) -> Result:
        """Return the answer to an ASK."""
        result = cls.of_rows([], [])
        result.type, result.askAnswer = "ASK", answer
        return result

    @classmethod
    def of_rows(cls, variables: Sequence[str], rows: Sequence[Sequence[str | None]], shown: str = "rdflib") -> Result:
        """Return a SELECT's answer that is given as N-Triples texts."""
        terms = QueryTerms(Dictionary())
        columns = {name: terms.encode([row[place] for row in rows]) for place, name in enumerate(variables)}
        return cls("SELECT", variables, Bindings(columns, len(rows)), Representatives(), terms, None, shown)

    @property
    def vars(self) -> list[rdflib.Variable] | None:
        """The variables of a SELECT in their order; None for other forms."""
        from rdflib.term import Variable

        return [Variable(name) for name in self._names] if self.type == "SELECT" else None

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._names

    def __repr__(self) -> str:
        if self.type == "ASK":
            return f"<Result ASK: {'yes' if self.askAnswer else 'no'}>"
        names = "".join(f" ?{name}" for name in self._names) if self.type == "SELECT" else ""
        count, noun = len(self), "row" if self.type == "SELECT" else "triple"
        return f"<Result {self.type}{names}: {count:,} {noun}{'' if count == 1 else 's'}>"

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
        from reasoner.explanation.notebook import MOST_SHOWN, answers_as_html, framed

        if self.type == "ASK":
            return framed(f"<b>{str(self.askAnswer).lower()}</b>")
        few = self._solutions.sliced(0, MOST_SHOWN, self._classes, self._budget)
        part = Result(self.type, self._names, few, self._classes, self._terms, self._budget, "text")
        return answers_as_html(self._names, part.texts(), len(self), self.prefixes)

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


def write_json(result: Result) -> str:
    """Write rows or a truth value."""
    if result.type == "ASK":
        return json.dumps({"head": {}, "boolean": result.askAnswer})
    names = result.variables
    keys = [json.dumps(name, ensure_ascii=False) for name in names]
    fragment = lru_cache(maxsize=65536)(_fragment)
    rows = (
        "{" + ",".join(f"{key}:{fragment(text)}" for key, text in zip(keys, row, strict=True) if text is not None) + "}"
        for row in result.texts()
    )
    head = json.dumps({"vars": list(names)}, ensure_ascii=False)
    return f'{{"head":{head},"results":{{"bindings":[{",".join(rows)}]}}}}'


def read_json(text: str) -> Result:
    """Read rows or a truth value."""
    try:
        document = json.loads(text)
        if "boolean" in document:
            return Result.of_truth(bool(document["boolean"]))
        names = document["head"]["vars"]
        rows = [
            [None if (term := row.get(name)) is None else _text(term) for name in names]
            for row in document["results"]["bindings"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReasonerError(f"not the JSON of query results: {error}") from error
    return Result.of_rows(names, rows)


def _fragment(text: str) -> str:
    return json.dumps(term_object(text), ensure_ascii=False)


def term_object(text: str) -> dict[str, str]:
    """Return a term as the format describes it.

    >>> term_object('"chat"@fr')
    {'type': 'literal', 'value': 'chat', 'xml:lang': 'fr'}
    """
    if text.startswith("<"):
        return {"type": "uri", "value": text[1:-1]}
    if text.startswith("_:"):
        return {"type": "bnode", "value": text[2:]}
    parts = literal_parts(text)
    term = {"type": "literal", "value": parts.lexical}
    if parts.language is not None:
        term["xml:lang"] = parts.language
    elif parts.datatype not in (XSD_STRING, LANG_STRING):
        term["datatype"] = parts.datatype
    return term


def _text(term: dict[str, Any]) -> str:
    match term["type"]:
        case "uri":
            return f"<{term['value']}>"
        case "bnode":
            return f"_:{term['value']}"
        case "literal" | "typed-literal":
            return literal_text(term["value"], term.get("xml:lang"), term.get("datatype"))
        case other:
            raise ValueError(f"unknown kind of term {other!r}")


_NUMBERS = (
    (re.compile(r"[+-]?[0-9]+"), "integer"),
    (re.compile(r"[+-]?[0-9]*\.[0-9]+"), "decimal"),
    (re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"), "double"),
)
_LITERAL = re.compile(r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?""", re.DOTALL)
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")


def write_csv(result: Result) -> str:
    """Write rows; of a literal its lexical form alone."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(_checked(result))
    for row in result.texts():
        writer.writerow([_plain(text) for text in row])
    return target.getvalue()


def write_tsv(result: Result) -> str:
    """Write rows, with terms as in N-Triples."""
    lines = ["\t".join(f"?{name}" for name in _checked(result))]
    lines += ["\t".join(text or "" for text in row) for row in result.texts()]
    return "\n".join(lines) + "\n"


def read_csv(text: str) -> Result:
    """Read rows; the format tells no kinds of terms, so that what looks like an IRI is taken for one."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    if not rows:
        raise ReasonerError("not the CSV of query results: the line of variables is missing")
    names = rows[0]
    cells = [[_guessed(cell) for cell in row] for row in rows[1:]]
    _require_width(cells, len(names))
    return Result.of_rows(names, cells)


def read_tsv(text: str) -> Result:
    """Read rows, with terms as in Turtle."""
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    names = [name.strip().lstrip("?$") for name in lines[0].split("\t")] if lines[0].strip() else []
    cells = [[_term(cell.strip()) for cell in line.split("\t")] if names else [] for line in lines[1:]]
    _require_width(cells, len(names))
    return Result.of_rows(names, cells)


def _checked(result: Result) -> tuple[str, ...]:
    if result.type == "ASK":
        raise ReasonerError("CSV and TSV hold rows, and ASK has none; write json or xml")
    return result.variables


def _plain(text: str | None) -> str:
    if text is None or text.startswith("_:"):
        return text or ""
    return text[1:-1] if text.startswith("<") else literal_parts(text).lexical


def _guessed(cell: str) -> str | None:
    if cell == "" or cell.startswith("_:"):
        return cell or None
    return f"<{cell}>" if _IRI.fullmatch(cell) else literal_text(cell)


def _term(cell: str) -> str | None:
    if cell == "" or cell.startswith(("<", "_:")):
        return cell or None
    if match := _LITERAL.fullmatch(cell):
        written = match[1] if match[1] is not None else match[2]
        return literal_text(unescape(written), match[3], match[4])
    for pattern, datatype in _NUMBERS:
        if pattern.fullmatch(cell):
            return literal_text(cell, None, XSD + datatype)
    if cell in ("true", "false"):
        return literal_text(cell, None, XSD + "boolean")
    raise ReasonerError(f"not a term in the TSV of query results: {cell[:80]}")


def _require_width(rows: list[list[str | None]], width: int) -> None:
    for number, row in enumerate(rows, 2):
        if len(row) != width:
            raise ReasonerError(f"line {number} of query results has {len(row)} cells for {width} variables")


_NAMESPACE = "http://www.w3.org/2005/sparql-results#"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_xml(result: Result) -> str:
    """Write rows or a truth value."""
    head = "".join(f"<variable name={quoteattr(name)}/>" for name in result.variables)
    if result.type == "ASK":
        body = f"<boolean>{str(result.askAnswer).lower()}</boolean>"
    else:
        rows = (
            "<result>"
            + "".join(
                f"<binding name={quoteattr(name)}>{_element(text)}</binding>"
                for name, text in zip(result.variables, row, strict=True)
                if text is not None
            )
            + "</result>"
            for row in result.texts()
        )
        body = f"<results>{''.join(rows)}</results>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sparql xmlns="{_NAMESPACE}"><head>{head}</head>{body}</sparql>\n'


def read_xml(text: str) -> Result:
    """Read rows or a truth value."""
    try:
        document = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise ReasonerError(f"not the XML of query results: {error}") from error
    truth = document.find(f"{{{_NAMESPACE}}}boolean")
    if truth is not None:
        return Result.of_truth((truth.text or "").strip() == "true")
    names = [variable.get("name", "") for variable in document.iter(f"{{{_NAMESPACE}}}variable")]
    rows = []
    for solution in document.iter(f"{{{_NAMESPACE}}}result"):
        bound = {binding.get("name", ""): _format_xml_text(binding[0]) for binding in solution if len(binding)}
        rows.append([bound.get(name) for name in names])
    return Result.of_rows(names, rows)


def _element(text: str) -> str:
    term = term_object(text)
    if found := _NOT_XML.search(term["value"]):
        raise ReasonerError(f"XML cannot hold the character {found[0]!r} of {text[:80]}; write json instead")
    # A reader of XML takes a carriage return for a line feed unless it is written as a reference.
    value = escape(term["value"], {"\r": "&#13;"})
    if term["type"] != "literal":
        return f"<{term['type']}>{value}</{term['type']}>"
    attribute = ""
    if "xml:lang" in term:
        attribute = f" xml:lang={quoteattr(term['xml:lang'])}"
    elif "datatype" in term:
        attribute = f" datatype={quoteattr(term['datatype'])}"
    return f"<literal{attribute}>{value}</literal>"


def _format_xml_text(element: ElementTree.Element) -> str:
    kind, value = element.tag.rpartition("}")[2], element.text or ""
    if kind == "uri":
        return f"<{value.strip()}>"
    if kind == "bnode":
        return f"_:{value.strip()}"
    return literal_text(value, element.get(_LANGUAGE), element.get("datatype"))


_WRITERS: Mapping[str, Callable[[Result], str]] = {
    "json": write_json,
    "xml": write_xml,
    "csv": write_csv,
    "tsv": write_tsv,
}
_READERS: Mapping[str, Callable[[str], Result]] = {
    "json": read_json,
    "xml": read_xml,
    "csv": read_csv,
    "tsv": read_tsv,
}
T = TypeVar("T")
_NTRIPLES = ("nt", "ntriples", "n-triples", "nt11")


def write(result: Result, format: str) -> str:
    """Write an answer in a format, given by its short name."""
    if result.type in ("CONSTRUCT", "DESCRIBE"):
        if format in _NTRIPLES:
            return "".join(f"{s} {p} {o} .\n" for s, p, o in result.triples())
        graph = result.graph
        assert graph is not None
        from rdflib.plugin import PluginException

        try:
            return graph.serialize(format="turtle" if format in _WRITERS and format != "xml" else format)
        except PluginException as error:
            raise ReasonerError(
                f"unknown format {format!r} of a graph; nt, turtle, xml and json-ld are known"
            ) from error
    return _known(_WRITERS, format)(result)


def read(text: str, format: str) -> Result:
    """Read an answer."""
    return _known(_READERS, format)(text)


def _known(table: Mapping[str, T], format: str) -> T:
    if format not in table:
        raise ReasonerError(f"unknown format {format!r} of query results; choose one of {', '.join(table)}")
    return table[format]
