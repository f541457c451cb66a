"""Proofs as pictures: SVG that stands alone, and an HTML page with the picture and a table of the steps."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from reasoner.explanation.layout import Layout, lay_out
from reasoner.explanation.proof import EQUALITY, EXPLICIT, RULE, Proof
from reasoner.explanation.short_names import ShortNames
from reasoner.rules.printer import print_builtin

# Fill and line of a box by the kind of its step.
_COLOURS = {EXPLICIT: ("#e9f6ea", "#2e7d32"), RULE: ("#e8f1fc", "#1558a6"), EQUALITY: ("#fdf3dd", "#a86400")}
_MEANINGS = {EXPLICIT: "explicit fact", RULE: "derived by a rule", EQUALITY: "derived by equality"}
_FONT = "font-family='system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif'"

# Sizes in pixels; the width of a letter is an estimate that errs on the wide side.
_LETTER, _SMALL_LETTER = 7.4, 6.3
_LINE, _SMALL_LINE, _PADDING = 18, 15, 9
_GAP_BETWEEN_ROWS, _GAP_BETWEEN_COLUMNS, _MARGIN, _LEGEND = 12, 56, 16, 30

_STYLE = """
body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif }
body { margin: 2em; color: #222 }
.picture { overflow: auto; border: 1px solid #ddd; border-radius: 6px; margin: 1em 0 }
table { border-collapse: collapse } td, th { padding: .25em .8em; text-align: left; vertical-align: top }
th { border-bottom: 2px solid #ccc } td { border-bottom: 1px solid #eee } .number { text-align: right; color: #777 }
.explicit { color: #2e7d32 } .rule { color: #1558a6 } .equality { color: #a86400 } .note { color: #777 }
"""


def proof_as_svg(proof: Proof) -> str:
    """Draw a proof from left to right; a name that is shortened shows its full text under the pointer."""
    return _Picture(proof).svg()


def proof_as_html(proof: Proof) -> str:
    """Write a page with the picture of a proof and its steps in order."""
    picture = _Picture(proof)
    numbers = {step: number for number, step in enumerate(proof.steps, 1)}
    rows = "\n".join(picture.table_row(step, numbers) for step in proof.steps)
    title = escape(picture.line(proof))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Why {title}</title><style>{_STYLE}</style></head>
<body>
<h1>Why {title}</h1>
<p>{len(proof.steps) - proof.size} explicit facts, {proof.size} further steps, {proof.height} rules deep.</p>
<div class="picture">{picture.svg()}</div>
<table><tr><th></th><th>fact</th><th>because</th><th>of</th></tr>
{rows}
</table>
</body></html>
"""


class _Picture:
    def __init__(self, proof: Proof) -> None:
        self._proof = proof
        steps = proof.steps
        terms = [term for step in steps for triple in (step.shown, *step.absent) for term in triple]
        self._names = ShortNames(terms)
        self._height = {step: self._box_height(step) for step in steps}
        self._layout: Layout = lay_out(proof, {step: self._height[step] + _GAP_BETWEEN_ROWS for step in steps})
        widths = [0.0] * self._layout.column_count
        for step in steps:
            widths[self._layout.column[step]] = max(widths[self._layout.column[step]], self._box_width(step))
        self._widths = widths
        self._left = [_MARGIN + sum(widths[:column]) + column * _GAP_BETWEEN_COLUMNS for column in range(len(widths))]

    def line(self, step: Proof) -> str:
        """Return a step's triple in short names."""
        return " ".join(map(self._names.of, step.shown))

    def svg(self) -> str:
        steps = self._proof.steps
        width = max(self._left[-1] + self._widths[-1] + _MARGIN, 480)
        height = self._layout.depth + 2 * _MARGIN + _LEGEND
        parts = [*self._legend(), *(edge for step in steps for edge in self._edges(step)), *map(self._box, steps)]
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' "
            f"viewBox='0 0 {width:.0f} {height:.0f}' {_FONT} font-size='13'>\n"
            f"<rect width='100%' height='100%' fill='#ffffff'/>\n" + "\n".join(parts) + "\n</svg>"
        )

    def table_row(self, step: Proof, numbers: dict[Proof, int]) -> str:
        """Write a step as a row of a table; steps are known by their numbers."""
        notes = "".join(f"<br><span class='note'>{escape(note)}</span>" for note in self._notes(step))
        reason = f"<span class='{step.kind}'>{escape(step.rule or 'explicit')}</span>"
        sources = "".join(f"<br><span class='note'>{escape(source)}</span>" for source in step.sources)
        premises = ", ".join(str(numbers[premise]) for premise in dict.fromkeys(step.premises))
        return (
            f"<tr><td class='number'>{numbers[step]}</td>"
            f"<td title='{_full(step)}'>{escape(self.line(step))}{notes}</td>"
            f"<td>{reason}{sources}</td><td>{premises}</td></tr>"
        )

    def _notes(self, step: Proof) -> list[str]:
        notes = [f"{' '.join(map(self._names.of, triple))} does not hold" for triple in step.absent]
        return notes + [print_builtin(condition) for condition in step.conditions]

    def _small_lines(self, step: Proof) -> list[str]:
        return [step.rule or "explicit", *self._notes(step)]

    def _box_height(self, step: Proof) -> float:
        return _LINE + _SMALL_LINE * len(self._small_lines(step)) + _PADDING

    def _box_width(self, step: Proof) -> float:
        small = max(map(len, self._small_lines(step))) * _SMALL_LETTER
        return max(len(self.line(step)) * _LETTER, small) + 2 * _PADDING

    def _middle(self, step: Proof) -> float:
        return _MARGIN + _LEGEND + self._layout.row[step]

    def _edges(self, step: Proof) -> Iterator[str]:
        """Draw a line to each premise; it is broken if the premise stands with another step."""
        column = self._layout.column[step]
        start = self._left[column] + self._box_width(step)
        for premise in dict.fromkeys(step.premises):
            there = self._layout.column[premise]
            end, y, other = self._left[there], self._middle(step), self._middle(premise)
            bend = _GAP_BETWEEN_COLUMNS * 0.6
            broken = "" if self._layout.owner.get(premise) is step else " stroke-dasharray='5 4'"
            yield (
                f"<path d='M{start:.0f} {y:.0f} H{self._left[column] + self._widths[column]:.0f} "
                f"C{self._left[column] + self._widths[column] + bend:.0f} {y:.0f} {end - bend:.0f} {other:.0f} "
                f"{end:.0f} {other:.0f}' fill='none' stroke='{_COLOURS[premise.kind][1]}' stroke-opacity='0.55' "
                f"stroke-width='1.5'{broken}/>"
            )

    def _box(self, step: Proof) -> str:
        fill, line = _COLOURS[step.kind]
        left, height = self._left[self._layout.column[step]], self._height[step]
        top = self._middle(step) - height / 2
        s, p, o = map(escape, map(self._names.of, step.shown))
        thickness = 2.5 if step is self._proof else 1.2
        text = left + _PADDING
        small = "".join(
            f"<text x='{text:.0f}' y='{top + _LINE + 3 + _SMALL_LINE * number:.0f}' font-size='11' "
            f"fill='{line if number == 1 else '#666'}'>{escape(content)}</text>"
            for number, content in enumerate(self._small_lines(step), 1)
        )
        return (
            f"<g><title>{_full(step)}</title>"
            f"<rect x='{left:.0f}' y='{top:.0f}' width='{self._box_width(step):.0f}' height='{height:.0f}' rx='5' "
            f"fill='{fill}' stroke='{line}' stroke-width='{thickness}'/>"
            f"<text x='{text:.0f}' y='{top + _LINE:.0f}'><tspan font-weight='600'>{s}</tspan> "
            f"<tspan fill='#555' font-style='italic'>{p}</tspan> <tspan font-weight='600'>{o}</tspan></text>{small}</g>"
        )

    def _legend(self) -> Iterator[str]:
        left = float(_MARGIN)
        for kind, meaning in _MEANINGS.items():
            fill, line = _COLOURS[kind]
            size = "width='13' height='13' rx='3'"
            yield f"<rect x='{left:.0f}' y='{_MARGIN - 6}' {size} fill='{fill}' stroke='{line}'/>"
            yield f"<text x='{left + 19:.0f}' y='{_MARGIN + 5}' font-size='11' fill='#555'>{meaning}</text>"
            left += 40 + len(meaning) * _SMALL_LETTER


def _full(step: Proof) -> str:
    """Return all that there is to say about a step, for the pointer to show."""
    because = step.rule or "explicit"
    lines = [" ".join(step.shown), because, *step.sources, *step.notes]
    return escape("\n".join(lines), quote=True)
