"""Proofs as pictures: SVG that stands alone, and an HTML page with the picture and a table of the steps.

Short names for the terms of a proof, no two terms with the same one.

Where the steps of a proof stand in a picture: columns by distance from the conclusion, no two steps in one place.

A step stands one column to the right of the last step that uses it. It belongs to that step, and the steps that belong
to one step, with all that belongs to them, take rows of their own; so steps never overlap, and a step that is shared
stands once. A step is level with the middle of those that belong to it.

How wide a text is in a picture, whatever the font, and texts cut to a width.

A picture does not know which font the reader's machine has. Widths are those of DejaVu Sans Bold, among the widest of
the common ones, so that text stays inside the box that was drawn for it.

A proof for a notebook: a tree whose steps fold, and the picture below it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from unicodedata import combining, east_asian_width

from reasoner.explanation.notebook import HtmlTerms, fold, framed
from reasoner.explanation.proof import EQUALITY, EXPLICIT, RULE, Proof, reason_of
from reasoner.rules.prefixes import PREDECLARED, ShortTerms, choose_prefixes, readable_name, shorten
from reasoner.rules.printer import print_builtin, print_term

_LONGEST = 30


class ShortNames:
    """Names for people: with the declared prefixes, else the last part of an IRI where that is unambiguous.

    >>> names = ShortNames(["<http://e.org/a>", "<http://e.org/p#x>", "<http://e.org/q#x>", "<http://e.org/q#y>"])
    >>> [names.of("<http://e.org/a>"), names.of("<http://e.org/q#x>"), names.of("<http://e.org/p#x>")]
    ['a', 'org:x', 'http://e.org/p#x']
    >>> ShortNames(["<http://e.org/a>"], {"e": "http://e.org/"}).of("<http://e.org/a>")
    'e:a'
    """

    def __init__(self, terms: Iterable[str], declared: Mapping[str, str] | None = None) -> None:
        distinct = tuple(dict.fromkeys(terms))
        self._declared = {**PREDECLARED, **(declared or {})}
        prefixes = choose_prefixes(distinct)
        by_name: dict[str, list[str]] = defaultdict(list)
        for term in distinct:
            by_name[self._first_choice(term)].append(term)
        self._names = {term: name for name, terms in by_name.items() for term in terms if len(terms) == 1}
        for terms in by_name.values():
            if len(terms) > 1:
                self._names.update({term: _second_choice(term, prefixes) for term in terms})

    def of(self, term: str) -> str:
        """Return the name of a term, shortened in the middle if it is long."""
        name = self._names.get(term) or self._first_choice(term)
        if len(name) <= _LONGEST:
            return name
        half = (_LONGEST - 1) // 2
        return f"{name[: _LONGEST - 1 - half]}…{name[-half:]}"

    def _first_choice(self, term: str) -> str:
        return readable_name(term, self._declared) if term.startswith("<") else print_term(term, self._declared)


def _second_choice(term: str, prefixes: dict[str, str]) -> str:
    short = shorten(term, prefixes)
    return short[1:-1] if short.startswith("<") else short


@dataclass(frozen=True, slots=True)
class ProofLayout:
    """Columns count from the left, the conclusion being in column 0. ``row`` is how far from the top the middle of a
    step is, in the unit of the heights that were given, and ``depth`` how far the picture goes down.
    ``owner`` is the step that a premise stands beside.
    """

    column: dict[Proof, int]
    owner: dict[Proof, Proof]
    row: dict[Proof, float]
    column_count: int
    depth: float


def lay_out(proof: Proof, heights: dict[Proof, float]) -> ProofLayout:
    """Place the steps of a proof, given the height of each, gaps included."""
    steps = proof.steps
    column = dict.fromkeys(steps, 0)
    owner: dict[Proof, Proof] = {}
    # A step comes after its premises, so from the end backward all that use a step come before it.
    for step in reversed(steps):
        for premise in dict.fromkeys(step.premises):
            if column[step] + 1 > column[premise]:
                column[premise] = column[step] + 1
                owner[premise] = step
    owned: dict[Proof, list[Proof]] = {step: [] for step in steps}
    for step in steps:
        for premise in dict.fromkeys(step.premises):
            if owner[premise] is step:
                owned[step].append(premise)
    row, bottom = _rows(steps, owned, heights)
    return ProofLayout(column, owner, row, max(column.values()) + 1, bottom)


def _rows(
    steps: tuple[Proof, ...], owned: dict[Proof, list[Proof]], heights: dict[Proof, float]
) -> tuple[dict[Proof, float], float]:
    """Give each step the rows that it needs with all that belongs to it, and its middle among them."""
    needed: dict[Proof, float] = {}
    for step in steps:
        needed[step] = max(heights[step], sum(needed[below] for below in owned[step]))
    top = {steps[-1]: 0.0}
    row: dict[Proof, float] = {}
    waiting = [steps[-1]]
    while waiting:
        step = waiting.pop()
        # Children that need fewer rows than their owner stand in the middle of its rows.
        start = top[step] + (needed[step] - sum(needed[below] for below in owned[step])) / 2
        for below in owned[step]:
            top[below] = start
            start += needed[below]
        waiting += owned[step]
    for step in steps:
        premises = owned[step]
        middle = (row[premises[0]] + row[premises[-1]]) / 2 if premises else top[step] + needed[step] / 2
        low, high = top[step] + heights[step] / 2, top[step] + needed[step] - heights[step] / 2
        row[step] = min(max(middle, low), high)
    return row, needed[steps[-1]]


# Fill and line of a box by the kind of its step.
_COLOURS = {EXPLICIT: ("#e9f6ea", "#2e7d32"), RULE: ("#e8f1fc", "#1558a6"), EQUALITY: ("#fdf3dd", "#a86400")}
_MEANINGS = {EXPLICIT: "explicit fact", RULE: "derived by a rule", EQUALITY: "derived by equality"}
_FONT = "font-family='system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif'"

# Sizes in pixels.
_FONT_SIZE, _SMALL_FONT_SIZE = 13, 11
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
        self._names = ShortNames(terms, proof.prefixes)
        self._height = {step: self._box_height(step) for step in steps}
        self._layout: ProofLayout = lay_out(proof, {step: self._height[step] + _GAP_BETWEEN_ROWS for step in steps})
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
            f"viewBox='0 0 {width:.0f} {height:.0f}' {_FONT} font-size='{_FONT_SIZE}'>\n"
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
        small = max(text_width(line, _SMALL_FONT_SIZE) for line in self._small_lines(step))
        return max(text_width(self.line(step), _FONT_SIZE), small) + 2 * _PADDING

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
            f"<text x='{text:.0f}' y='{top + _LINE + 3 + _SMALL_LINE * number:.0f}' font-size='{_SMALL_FONT_SIZE}' "
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
            place = f"x='{left + 19:.0f}' y='{_MARGIN + 5}' font-size='{_SMALL_FONT_SIZE}'"
            yield f"<text {place} fill='#555'>{meaning}</text>"
            left += 40 + text_width(meaning, _SMALL_FONT_SIZE)


def _full(step: Proof) -> str:
    """Return all that there is to say about a step, for the pointer to show."""
    because = step.rule or "explicit"
    lines = [" ".join(step.shown), because, *step.sources, *step.notes]
    return escape("\n".join(lines), quote=True)


# Widths of groups of letters as parts of the font's size; every other letter is of the usual width.
_NARROW, _WIDE = frozenset("ijlftr.,:;'`|!()[]{}/\\ -"), frozenset("mwMWOQDGHN@%&—…→#+=<>~^")
_USUAL, _CAPITAL = 0.72, 0.84


def text_width(text: str, size: float) -> float:
    """Return about how wide a text of a font's size is, rather too much than too little.

    >>> text_width("mmm", 10) > text_width("abc", 10) > text_width("ill", 10)
    True
    >>> text_width("名前", 10) > text_width("ab", 10)
    True
    """
    return sum(map(_letter_width, text)) * size


def cut_to_width(text: str, size: float, most: float) -> str:
    """Return a text that is no wider than ``most``, with a mark where it was cut.

    >>> cut_to_width("abc", 10, 30), cut_to_width("abcdefgh", 10, 30)
    ('abc', 'ab…')
    """
    if text_width(text, size) <= most:
        return text
    room = most - text_width("…", size)
    for end, letter in enumerate(text):
        room -= _letter_width(letter) * size
        if room < 0:
            return f"{text[:end]}…"
    return text


def _letter_width(letter: str) -> float:
    if letter in _NARROW:
        return 0.48
    if letter in _WIDE:
        return 1.1
    if letter.isascii():
        return _CAPITAL if letter.isupper() else _USUAL
    if combining(letter):
        return 0.0
    return 1.15 if east_asian_width(letter) in "WF" else 1.0


# Levels that are open at first, and nested elements, beyond which browsers refuse to go.
_OPEN, _DEEPEST = 3, 100


def proof_as_fold(proof: Proof) -> str:
    """Return the tree of a proof, the first steps unfolded; what was shown already is not shown again."""
    tree = _Tree(proof)
    explicit = len(proof.steps) - proof.size
    told = f"{explicit:,} asserted fact{'s' * (explicit != 1)}, {proof.size:,} step{'s' * (proof.size != 1)}"
    picture = fold(f"as a picture ({told})", f'<div class="picture">{proof_as_svg(proof)}</div>')
    return framed(tree.step(proof, 0), picture)


class _Tree:
    def __init__(self, proof: Proof) -> None:
        self._html, self._names = HtmlTerms(proof.prefixes), ShortTerms(proof.prefixes)
        self._shown: set[Proof] = set()

    def step(self, step: Proof, depth: int) -> str:
        again = step in self._shown and bool(step.premises)
        self._shown.add(step)
        reason = escape(reason_of(step, self._names, again=again))
        kind = "asserted" if step.rule is None else "inferred"
        line = f'<span class="fact {kind}">{self._html.triple(step.shown)}</span> <span class="why">{reason}</span>'
        if again or not step.premises:
            return f'<div class="leaf">{line}</div>'
        if depth == _DEEPEST:
            return f'<div class="leaf">{line} <span class="why">and so on</span></div>'
        notes = "".join(f'<div class="leaf why">{self._html.text(note)}</div>' for note in step.notes)
        below = "".join(self.step(premise, depth + 1) for premise in dict.fromkeys(step.premises))
        return fold(line, below + notes, is_open=depth < _OPEN)
