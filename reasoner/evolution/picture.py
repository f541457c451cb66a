"""An evolution as a drawing: for every step the axioms that came and went, and bars for the facts that did so too.

Facts that go extend to the left, facts that come to the right; what was asserted is dark, what was inferred light.
Bars grow with the logarithm of their number, so that one fact can be seen beside a million.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import log10

from reasoner.evolution.report import Evolution, FactChange, StepReport
from reasoner.rules.prefixes import readable_name
from reasoner.rules.printer import print_builtin
from reasoner.rules.rule import Atom, Rule

_FONT = "font-family='system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif'"
_WIDTH, _MARGIN, _LINE, _BAR = 860, 18, 19, 15
_MIDDLE, _REACH = 560, 210
_MOST = 14
_COLOURS = {
    "asserted_removed": "#b3261e",
    "inferred_removed": "#f0a8a3",
    "asserted_added": "#1b7a35",
    "inferred_added": "#9bd6a8",
}
_MEANINGS = {
    "asserted_removed": "asserted, gone",
    "inferred_removed": "inferred, gone",
    "asserted_added": "asserted, new",
    "inferred_added": "inferred, new",
}


def evolution_as_svg(evolution: Evolution) -> str:
    """Draw all steps of an evolution, one below the other."""
    drawing = _Drawing()
    drawing.legend()
    for step in evolution.steps:
        drawing.step(step)
    height = drawing.top + _MARGIN
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{_WIDTH}' height='{height}' "
        f"viewBox='0 0 {_WIDTH} {height}' {_FONT} font-size='13'>\n"
        "<rect width='100%' height='100%' fill='#ffffff'/>\n" + "\n".join(drawing.parts) + "\n</svg>\n"
    )


class _Drawing:
    """Elements, and how far down the next one goes."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.top = _MARGIN

    def legend(self) -> None:
        left = _MARGIN
        for kind, meaning in _MEANINGS.items():
            self.parts.append(f"<rect x='{left}' y='{self.top - 4}' width='13' height='13' fill='{_COLOURS[kind]}'/>")
            self._text(left + 19, self.top + 7, meaning, size=11, colour="#555")
            left += 38 + 7 * len(meaning)
        self.top += 2 * _LINE

    def step(self, step: StepReport) -> None:
        self._text(_MARGIN, self.top + 6, step.name, weight="600", size=15)
        self.top += _LINE + 4
        self._text(_MARGIN, self.top + 4, _summary(step), size=11, colour="#555")
        self.top += _LINE
        for mark, texts, colour in (("−", step.axioms_lost, "#b3261e"), ("+", step.axioms_gained, "#1b7a35")):
            for text in _cut(texts):
                self._text(_MARGIN, self.top + 8, f"{mark} {_short(text, 110)}", colour=colour, title=text)
                self.top += _LINE
        for mark, rules, colour in (
            ("−", step.change.rules_removed, "#b3261e"),
            ("+", step.change.rules_added, "#1b7a35"),
        ):
            for text in _cut(tuple(_rule_text(rule) for rule in rules)):
                self._text(_MARGIN, self.top + 8, f"{mark} {_short(text, 110)}", colour=colour, title=text)
                self.top += _LINE
        self._bars(step)
        for violation in _cut(tuple(map(str, step.violations_appeared))):
            self._text(_MARGIN, self.top + 8, f"⚠ {_short(violation, 110)}", colour="#a86400", title=violation)
            self.top += _LINE
        self.top += _LINE

    def _bars(self, step: StepReport) -> None:
        shown = step.facts[:_MOST]
        if not shown:
            return
        largest = max(_extent(fact, side) for fact in shown for side in ("removed", "added"))
        unit = _REACH / max(largest, 1.0)
        self.top += 6
        begin = self.top
        for fact in shown:
            name = f"{'a ' if fact.is_class else ''}{readable_name(fact.name)}"
            middle = self.top + _BAR - 3
            self._text(_MIDDLE - _REACH - 62, middle, _short(name, 40), anchor="end", title=fact.name)
            for side, direction in (("removed", -1), ("added", 1)):
                self._bar(fact, side, direction, unit)
            self.top += _BAR + 5
        self.parts.append(
            f"<line x1='{_MIDDLE}' x2='{_MIDDLE}' y1='{begin - 3}' y2='{self.top}' stroke='#777' stroke-width='1'/>"
        )
        if len(step.facts) > _MOST:
            self._text(_MARGIN, self.top + 10, f"and {len(step.facts) - _MOST:,} more classes and properties", size=11)
            self.top += _LINE

    def _bar(self, fact: FactChange, side: str, direction: int, unit: float) -> None:
        asserted, inferred = getattr(fact, f"asserted_{side}"), getattr(fact, f"inferred_{side}")
        total = asserted + inferred
        if not total:
            return
        length = _extent(fact, side) * unit
        at = float(_MIDDLE)
        for kind, count in ((f"asserted_{side}", asserted), (f"inferred_{side}", inferred)):
            part = length * count / total
            left = at if direction > 0 else at - part
            if count:
                self.parts.append(
                    f"<rect x='{left:.1f}' y='{self.top}' width='{part:.1f}' height='{_BAR}' fill='{_COLOURS[kind]}'>"
                    f"<title>{count:,} {_MEANINGS[kind]}</title></rect>"
                )
            at += direction * part
        sign = "+" if direction > 0 else "−"
        anchor = "start" if direction > 0 else "end"
        self._text(at + direction * 5, self.top + _BAR - 3, f"{sign}{total:,}", size=11, anchor=anchor, colour="#444")

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: int = 13,
        colour: str = "#222",
        weight: str = "400",
        anchor: str = "start",
        title: str = "",
    ) -> None:
        hint = f"<title>{escape(title)}</title>" if title else ""
        self.parts.append(
            f"<text x='{x:.1f}' y='{y}' font-size='{size}' fill='{colour}' font-weight='{weight}' "
            f"text-anchor='{anchor}'>{hint}{escape(text)}</text>"
        )


def _extent(fact: FactChange, side: str) -> float:
    total = getattr(fact, f"asserted_{side}") + getattr(fact, f"inferred_{side}")
    return log10(1 + total)


def _summary(step: StepReport) -> str:
    pairs = (
        ("axioms", step.before.axioms, step.after.axioms),
        ("rules", step.before.rules, step.after.rules),
        ("asserted", step.before.asserted, step.after.asserted),
        ("inferred", step.before.inferred, step.after.inferred),
        ("violations", step.before.violations, step.after.violations),
    )
    return ", ".join(f"{old:,} → {new:,} {name}" if old != new else f"{new:,} {name}" for name, old, new in pairs)


def _rule_text(rule: Rule) -> str:
    """Write a rule of one's own with local names only."""

    def atom(given: Atom) -> str:
        return " ".join(readable_name(term) if isinstance(term, str) else str(term) for term in given)

    body = [
        *map(atom, rule.body),
        *(f"not {atom(part)}" for part in rule.negative),
        *map(print_builtin, rule.conditions),
    ]
    return f"[{rule.name}] {atom(rule.head) if rule.head else 'false'} :- {', '.join(body)}"


def _cut(texts: tuple[str, ...]) -> Iterator[str]:
    yield from texts[:_MOST]
    if len(texts) > _MOST:
        yield f"... {len(texts) - _MOST:,} more"


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
