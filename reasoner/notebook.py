"""What lists and numbers look like in a notebook: classes of equals, violations, rows of names and values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from reasoner.violation import TextTriple, Violation

MOST_SHOWN = 50
"""Rows of a list that a notebook shows; the caption counts them all."""


class Classes(list[tuple[str, ...]]):
    """Classes of equal terms, each with its representative first: a list that shows itself as a table.

    >>> Classes([("<a>", "<b>")])._repr_html_()[:65]
    '<table><caption>1 class of equal terms</caption><thead><tr><th>re'
    """

    def _repr_html_(self) -> str:
        rows = ((_term(names[0]), "<br>".join(map(_term, names[1:]))) for names in self[:MOST_SHOWN])
        caption = _caption(len(self), "class of equal terms", "classes of equal terms")
        return html_table(caption, ("representative", "equal to it"), rows)


class Violations(list[Violation]):
    """Matches of constraints: a list that shows itself as a table of rules, facts and axioms."""

    def _repr_html_(self) -> str:
        rows = (
            (escape(found.rule), "<br>".join(map(_triple, found.triples)), "<br>".join(map(escape, found.sources)))
            for found in self[:MOST_SHOWN]
        )
        caption = _caption(len(self), "violation", "violations")
        return html_table(caption, ("rule", "facts", "axioms"), rows)


def rows_as_html(rows: Iterable[tuple[str, str]]) -> str:
    """Return names with values as a table without a head."""
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{cells}</table>"


def html_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells of its body are HTML already."""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def _caption(count: int, one: str, many: str) -> str:
    more = f", the first {MOST_SHOWN}" if count > MOST_SHOWN else ""
    return f"{count:,} {one if count == 1 else many}{more}"


def _triple(triple: TextTriple) -> str:
    return " ".join(map(_term, triple))


def _term(text: str) -> str:
    """Return a term in brief: the end of an IRI, all of which shows up under the pointer.

    >>> _term("<http://e.org/staff#ann>")
    '<span title="&lt;http://e.org/staff#ann&gt;">ann</span>'
    """
    if not text.startswith("<"):
        return escape(text)
    name = text[1:-1]
    brief = name[max(name.rfind("#"), name.rfind("/")) + 1 :] or name
    return f'<span title="{escape(text)}">{escape(brief)}</span>'
