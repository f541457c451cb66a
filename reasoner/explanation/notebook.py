"""What values look like in a notebook: tables and folds with prefixes, and lists that show themselves.

Everything is static HTML: a fold is a ``details`` element, so that it works in saved notebooks without a kernel. The
style is part of every output, because a notebook may show one output without the others. Colours are mixed from those
of the notebook, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from reasoner.explanation.proof import Violation
from reasoner.rules.prefixes import ShortTerms
from reasoner.terms.term import RDF_TYPE, TextTriple

MOST_SHOWN = 50
"""Rows of a list that a notebook shows; the caption counts them all."""

# Equal terms that are shown without unfolding.
_FEW_NAMES = 5

# Long words are broken, so that no cell is wider than the notebook. No sign here needs escaping in HTML.
_STYLE = """
.reasoner { overflow-x: auto; max-width: 100%; line-height: 1.45; overflow-wrap: anywhere }
.reasoner table { border-collapse: collapse; margin: .3em 0; font-size: 13px }
.reasoner caption { text-align: left; padding: .2em 0; opacity: .75 }
.reasoner td, .reasoner th { text-align: left; vertical-align: top; padding: .2em .8em .2em .4em; max-width: 46em;
  overflow-wrap: anywhere; white-space: normal; border-bottom: 1px solid rgba(128, 128, 128, .35) }
.reasoner td.number { text-align: right; white-space: nowrap }
.reasoner details { margin: .15em 0 }
.reasoner details details, .reasoner .leaf { margin-left: 1.4em }
.reasoner summary { cursor: pointer }
.reasoner .why { opacity: .7; font-size: 90%; padding-left: .6em }
.reasoner .asserted { border-left: 3px solid #2e7d32; padding-left: .5em }
.reasoner .inferred { border-left: 3px dashed #1976d2; padding-left: .5em }
.reasoner .gone { border-left: 3px solid #c62828; padding-left: .5em }
.reasoner .picture { overflow: auto; max-height: 40em }
"""


def framed(*parts: str) -> str:
    """Return parts of HTML as one output, with the style that they need."""
    return f'<div class="reasoner"><style>{_STYLE}</style>{"".join(parts)}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", *, numbers: bool = False) -> str:
    """Return a table whose cells are HTML already; with ``numbers`` all columns but the first stand to the right."""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    top = f"<thead><tr>{names}</tr></thead>" if head else ""
    kinds = ["", ' class="number"'] if numbers else ["", ""]
    body = "".join(
        "<tr>" + "".join(f"<td{kinds[place > 0]}>{cell}</td>" for place, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f"<table>{title}{top}<tbody>{body}</tbody></table>"


def named_rows(rows: Iterable[tuple[str, str]]) -> str:
    """Return names with values as a table without a head; both are plain text."""
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table><tbody>{cells}</tbody></table>"


def fold(title: str, body: str, *, is_open: bool = False) -> str:
    """Return HTML that folds away below a title, which is HTML as well."""
    state = ' open=""' if is_open else ""
    return f"<details{state}><summary>{title}</summary>{body}</details>"


def counted(count: int, one: str, many: str) -> str:
    """Return a number of things in words, and how many of them are shown if that is not all.

    >>> counted(1, "class", "classes"), counted(1200, "class", "classes")
    ('1 class', '1,200 classes, the first 50')
    """
    more = f", the first {MOST_SHOWN}" if count > MOST_SHOWN else ""
    return f"{count:,} {one if count == 1 else many}{more}"


class HtmlTerms:
    """Writes terms as HTML: with prefixes, else the end of an IRI, all of which shows up under the pointer.

    >>> HtmlTerms({"s": "http://e.org/staff#"}).term("<http://e.org/staff#ann>")
    '<span title="&lt;http://e.org/staff#ann&gt;">s:ann</span>'
    >>> HtmlTerms().term("<http://e.org/staff#ann>")
    '<span title="&lt;http://e.org/staff#ann&gt;">ann</span>'
    """

    def __init__(self, prefixes: Mapping[str, str] | None = None) -> None:
        self._names = ShortTerms(prefixes)

    def term(self, text: str) -> str:
        """Write one term."""
        short = self._names.term(text)
        if not text.startswith("<"):
            return escape(short)
        if short == text:
            name = text[1:-1]
            short = name[max(name.rfind("#"), name.rfind("/")) + 1 :] or name
        return f'<span title="{escape(text)}">{escape(short)}</span>'

    def triple(self, triple: TextTriple) -> str:
        """Write a triple; rdf:type is ``a``."""
        s, p, o = triple
        return " ".join((self.term(s), "a" if p == RDF_TYPE else self.term(p), self.term(o)))

    def text(self, text: str) -> str:
        """Write a text with the IRIs in it shortened."""
        return escape(self._names.text(" ".join(text.split())))


class Classes(list[tuple[str, ...]]):
    """Classes of equal terms, each with its representative first: a list that shows itself as a table.

    >>> "1 class of equal terms" in Classes([("<a>", "<b>")])._repr_html_()
    True
    """

    def __init__(self, classes: Iterable[tuple[str, ...]] = (), prefixes: Mapping[str, str] | None = None) -> None:
        super().__init__(classes)
        self._prefixes = prefixes

    def _repr_html_(self) -> str:
        names = HtmlTerms(self._prefixes)
        rows = ((names.term(members[0]), _folded_names(members[1:], names)) for members in self[:MOST_SHOWN])
        caption = counted(len(self), "class of equal terms", "classes of equal terms")
        return framed(table(("representative", "equal to it"), rows, caption))


class Violations(list[Violation]):
    """Matches of constraints: a list that shows itself as a table of rules, facts and axioms."""

    def __init__(self, violations: Iterable[Violation] = (), prefixes: Mapping[str, str] | None = None) -> None:
        super().__init__(violations)
        self._prefixes = prefixes

    def _repr_html_(self) -> str:
        names = HtmlTerms(self._prefixes)
        rows = (violation_cells(found, names) for found in self[:MOST_SHOWN])
        return framed(table(("rule", "facts", "axioms"), rows, counted(len(self), "violation", "violations")))


def violation_cells(violation: Violation, names: HtmlTerms) -> tuple[str, str, str]:
    """Return the cells of a row about a violation."""
    facts, axioms = map(names.triple, violation.triples), map(names.text, violation.sources)
    return escape(violation.rule), "<br/>".join(facts), "<br/>".join(axioms)


def answers_as_html(
    variables: Sequence[str], rows: Iterable[Sequence[str | None]], total: int, prefixes: Mapping[str, str]
) -> str:
    """Return the first rows of an answer, which are N-Triples texts, and how many there are."""
    names = HtmlTerms(prefixes)
    cells = ([names.term(text) if text else "" for text in row] for row in rows)
    return framed(table(variables, cells, counted(total, "row", "rows")))


def _folded_names(members: Sequence[str], names: HtmlTerms) -> str:
    """Return names one below the other; those beyond the first few fold away."""
    shown = list(map(names.term, members))
    if len(shown) <= _FEW_NAMES + 1:
        return "<br/>".join(shown)
    return "<br/>".join(shown[:_FEW_NAMES]) + fold(
        f"{len(shown) - _FEW_NAMES:,} more", "<br/>".join(shown[_FEW_NAMES:MOST_SHOWN])
    )
