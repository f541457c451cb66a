"""What an evolution did, or would do: values that need no store, step by step.

The report of an evolution as JSON.

The report of an evolution for people: for every step what there was and is, and what came and went.

An evolution as a drawing: for every step the axioms that came and went, and bars for the facts that did so too.

Facts that go extend to the left, facts that come to the right; what was asserted is dark, what was inferred light.
Bars grow with the logarithm of their number, so that one fact can be seen beside a million.

The report of an evolution for a notebook: the outcome, sizes of each step, its tables folded, and the picture.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from math import log10
from typing import Any

from ontologies.evolution.working import StepChange
from reasoner.explanation.notebook import MOST_SHOWN, fold, framed, table
from reasoner.explanation.picture import cut_to_width
from reasoner.explanation.proof import Violation
from reasoner.rules.errors import ReasonerError
from reasoner.rules.prefixes import ShortTerms, readable_name
from reasoner.rules.printer import print_builtin, print_rule
from reasoner.rules.rule import Atom, Rule
from reasoner.state.delta import Regrouped


@dataclass(frozen=True, slots=True)
class FactChange:
    """How the facts of one class or property changed: asserted and inferred apart.

    ``gained`` and ``lost`` count the facts that hold now and did not, and the other way round: a fact that only became
    explicit, or only inferred, is in neither.
    """

    name: str
    is_class: bool
    asserted_added: int = 0
    asserted_removed: int = 0
    inferred_added: int = 0
    inferred_removed: int = 0
    gained: int = 0
    lost: int = 0

    @property
    def size(self) -> int:
        return self.asserted_added + self.asserted_removed + self.inferred_added + self.inferred_removed


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much there is of everything, before a step or after it."""

    axioms: int
    rules: int
    asserted: int
    inferred: int
    classes: int
    violations: int


@dataclass(frozen=True, slots=True)
class StepReport:
    """What one step did.

    ``axioms_*`` are texts in functional-style syntax, ``rules_*`` rules as text. ``facts`` are the classes and
    properties with facts that came, went, or became explicit or inferred. ``change`` is what the step came down to in
    explicit facts and rules.
    Where rules are static and read axioms as data, ``readings_*`` are what they read, as rules, and ``is_read_as_data``
    tells so.
    """

    name: str
    change: StepChange
    before: Sizes
    after: Sizes
    axioms_gained: tuple[str, ...]
    axioms_lost: tuple[str, ...]
    rules_gained: tuple[str, ...]
    rules_lost: tuple[str, ...]
    readings_gained: tuple[str, ...]
    readings_lost: tuple[str, ...]
    is_read_as_data: bool
    profile: str
    facts: tuple[FactChange, ...]
    classes_merged: tuple[Regrouped, ...]
    classes_split: tuple[Regrouped, ...]
    violations_appeared: tuple[Violation, ...]
    violations_went: tuple[Violation, ...]
    strategy: str
    reason: str
    seconds: float

    @property
    def affected(self) -> tuple[FactChange, ...]:
        """The classes and properties whose extension changes: other things are of the class, or have the property."""
        return tuple(fact for fact in self.facts if fact.gained or fact.lost)


@dataclass(frozen=True, slots=True)
class Evolution:
    """The report of a script, or of steps taken back: ``applied`` says whether the store has changed."""

    script: str
    steps: tuple[StepReport, ...]
    applied: bool
    prefixes: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    is_undo: bool = False

    @property
    def is_consistent(self) -> bool:
        """Whether no step brings a violation that was not there before it."""
        return not any(step.violations_appeared for step in self.steps)

    def __str__(self) -> str:

        return report_text(self)

    def to_json(self, *, explain: bool = False) -> str:
        """Return the report as one JSON object, with the proofs of violations if asked for."""

        return report_as_json(self, explain=explain)

    def to_svg(self) -> str:
        """Return a drawing of what each step did."""
        return evolution_as_svg(self)

    def _repr_html_(self) -> str:
        return report_as_html(self)


class InconsistentEvolutionError(ReasonerError):
    """A script that would bring violations; nothing of it was applied. ``evolution`` tells what it would have done."""

    def __init__(self, evolution: Evolution) -> None:
        self.evolution = evolution
        step = next(step for step in evolution.steps if step.violations_appeared)
        count = len(step.violations_appeared)
        what = f"taking the step {step.name!r} back" if evolution.is_undo else f"the step {step.name!r}"
        super().__init__(
            f"{what} would make the store inconsistent: {count} new violation{'s' * (count > 1)}, "
            f"such as {step.violations_appeared[0]}; nothing was changed, allow_inconsistent=True applies it regardless"
        )


def report_as_json(evolution: Evolution, *, explain: bool = False) -> str:
    """Return the report as one JSON object; explicit facts are written out, inferred ones counted.

    With ``explain`` the violations that appeared have proofs, as lines of text, as far as they are known.
    """
    return json.dumps(
        {
            "script": evolution.script,
            "applied": evolution.applied,
            "undo": evolution.is_undo,
            "consistent": evolution.is_consistent,
            "steps": [_step(step, explain) for step in evolution.steps],
        },
        ensure_ascii=False,
        indent=1,
    )


def _step(step: StepReport, explain: bool) -> dict[str, Any]:
    return {
        "step": step.name,
        "before": asdict(step.before),
        "after": asdict(step.after),
        "axioms": {"gained": step.axioms_gained, "lost": step.axioms_lost},
        "rules": {"gained": step.rules_gained, "lost": step.rules_lost},
        "readings": {"gained": step.readings_gained, "lost": step.readings_lost},
        "affected": [{"name": fact.name, "is_class": fact.is_class} for fact in step.affected],
        "facts": [asdict(fact) for fact in step.facts],
        "classes": {
            "merged": [{"before": old, "after": new} for old, new in step.classes_merged],
            "split": [{"before": old, "after": new} for old, new in step.classes_split],
        },
        "violations": {
            "appeared": [_violation(violation, explain) for violation in step.violations_appeared],
            "went": [_violation(violation, False) for violation in step.violations_went],
        },
        "explicit": {"added": step.change.added, "removed": step.change.removed},
        "own rules": {
            "added": [print_rule(rule) for rule in step.change.rules_added],
            "removed": [print_rule(rule) for rule in step.change.rules_removed],
        },
        "notes": step.change.notes,
        "strategy": step.strategy,
        "reason": step.reason,
        "seconds": step.seconds,
    }


def _violation(violation: Violation, explain: bool) -> dict[str, object]:
    told = violation.as_dict()
    if explain and violation.explainer is not None:
        told["proofs"] = [list(proof.lines()) for proof in violation.explain()]
    return told


MOST = 12
"""So many lines of a kind are shown, and how many more there are."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows of cells below a title and, if there are any, heads; the first cell of each row is a name."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def report_tables(evolution: Evolution, most: int = MOST, names: ShortTerms | None = None) -> Iterator[ReportTable]:
    """Yield the tables of a report, step after step; kinds of change that did not happen are left out.

    Terms are written by ``names``, or else with the prefixes of the script.
    """
    names = names or ShortTerms(dict(evolution.prefixes))
    for step in evolution.steps:
        yield from step_tables(step, names, most, is_undo=evolution.is_undo)


def step_tables(
    step: StepReport, names: ShortTerms, most: int = MOST, *, is_undo: bool = False
) -> Iterator[ReportTable]:
    """Yield the tables of one step."""
    pairs = (
        ("axioms", step.before.axioms, step.after.axioms),
        ("rules", step.before.rules, step.after.rules),
        ("facts asserted", step.before.asserted, step.after.asserted),
        ("facts inferred", step.before.inferred, step.after.inferred),
        ("classes of equals", step.before.classes, step.after.classes),
        ("violations", step.before.violations, step.after.violations),
    )
    rows = tuple((name, f"{old:,}", f"{new:,}", _signed(new - old)) for name, old, new in pairs)
    title = f"step {step.name!r}, taken back" if is_undo else f"step {step.name!r}"
    yield ReportTable(title, ("", "before", "after", "change"), rows)
    for title, gained, lost in (
        ("axioms", step.axioms_gained, step.axioms_lost),
        ("rules", step.rules_gained, step.rules_lost),
    ):
        if gained or lost:
            yield _gains(title, gained, lost, most, names)
    if step.readings_gained or step.readings_lost:
        title = f"what the rules of {step.profile} read in axioms, which are data to them"
        yield _gains(title, step.readings_gained, step.readings_lost, most, names)
    elif step.is_read_as_data and (step.axioms_gained or step.axioms_lost) and not step.rules_gained + step.rules_lost:
        yield ReportTable(f"{step.profile} reads these axioms as data: no rule changes", (), ())
    if affected := step.affected:
        shown = ", ".join(_extension(fact, names) for fact in affected[: 2 * most])
        more = f" and {len(affected) - 2 * most:,} more" if len(affected) > 2 * most else ""
        yield ReportTable("classes and properties affected", (), ((str(len(affected)), shown + more),))
    if step.facts:
        heads = ("facts of", "asserted +", "asserted -", "inferred +", "inferred -")
        yield ReportTable(
            "facts by class and property", heads, _cut([_fact_row(fact, names) for fact in step.facts], most)
        )
    for title, groups in (("classes merged", step.classes_merged), ("classes split", step.classes_split)):
        if groups:
            yield ReportTable(
                f"{title}: {len(groups):,}", (), _cut([_group_row(group, names) for group in groups], most)
            )
    for title, violations in (
        ("violations that appear", step.violations_appeared),
        ("violations that go", step.violations_went),
    ):
        if violations:
            found = [_violation_row(violation, names) for violation in violations]
            yield ReportTable(f"{title}: {len(violations):,}", (), _cut(found, most))
    if step.change.notes:
        yield ReportTable("nothing to do for", (), _cut([("", note) for note in step.change.notes], most))


def report_text(evolution: Evolution, most: int = MOST, names: ShortTerms | None = None) -> str:
    """Return the report as plain text."""
    blocks = ["\n".join(_lines(table)) for table in report_tables(evolution, most, names)]
    return "\n\n".join([*blocks, outcome(evolution)])


def outcome(evolution: Evolution) -> str:
    """Say in one line what became of the script."""
    count = len(evolution.steps)
    steps = f"{count} step{'' if count == 1 else 's'}"
    if evolution.applied:
        done = "taken back" if evolution.is_undo else "applied"
        return f"{done}: {steps}" + ("" if evolution.is_consistent else "; the store is INCONSISTENT now")
    rehearsed = f"rehearsed: taking {steps} back" if evolution.is_undo else f"rehearsed: {steps}"
    if evolution.is_consistent:
        return f"{rehearsed}; nothing was changed"
    who = "that" if evolution.is_undo else "they"
    return f"{rehearsed}; {who} would make the store INCONSISTENT; nothing was changed"


def _lines(table: ReportTable) -> Iterator[str]:
    yield table.title
    rows = (table.heads, *table.rows) if table.heads else table.rows
    columns = max(map(len, rows), default=0)
    # The last column of a table without heads is text of any length.
    widths = [max(len(row[at]) for row in rows if at < len(row)) for at in range(columns)]
    for row in rows:
        if table.heads:
            cells = [f"{row[0]:{widths[0]}}", *(f"{cell:>{widths[at]}}" for at, cell in enumerate(row[1:], 1))]
        else:
            cells = [*(f"{cell:{widths[at]}}" for at, cell in enumerate(row[:-1])), row[-1]]
        yield ("  " + "  ".join(cells)).rstrip()


def _gains(title: str, gained: Sequence[str], lost: Sequence[str], most: int, names: ShortTerms) -> ReportTable:
    lines = [*(("-", names.text(text)) for text in lost), *(("+", names.text(text)) for text in gained)]
    return ReportTable(f"{title}: {len(gained):,} gained, {len(lost):,} lost", (), _cut(lines, most))


def _cut(rows: Sequence[tuple[str, ...]], most: int) -> tuple[tuple[str, ...], ...]:
    if len(rows) <= most:
        return tuple(rows)
    more = f"... {len(rows) - most:,} more"
    width = len(rows[0])
    last = (more, *[""] * (width - 1)) if width > 2 else ("", more)
    return (*rows[:most], last)


def _fact_row(fact: FactChange, names: ShortTerms) -> tuple[str, ...]:
    counts = (fact.asserted_added, fact.asserted_removed, fact.inferred_added, fact.inferred_removed)
    return (_extension(fact, names), *(f"{count:,}" if count else "" for count in counts))


def _extension(fact: FactChange, names: ShortTerms) -> str:
    """Name a class or a property as triples do."""
    name = names.term(fact.name)
    return f"a {name}" if fact.is_class else name


def _group_row(group: Regrouped, names: ShortTerms) -> tuple[str, str]:
    old, new = (" | ".join(" = ".join(names.term(term) for term in terms) for terms in side) for side in group)
    return old, f"became  {new}"


def _violation_row(violation: Violation, names: ShortTerms) -> tuple[str, str]:
    facts = "; ".join(map(names.triple, violation.triples))
    if not violation.sources:
        return violation.rule, facts
    source = names.text(" ".join(violation.sources[0].split()))
    return violation.rule, f"{facts}  ({source})"


def _signed(number: int) -> str:
    return f"{number:+,}" if number else ""


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
    drawing = _Drawing(ShortTerms(dict(evolution.prefixes)))
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

    def __init__(self, names: ShortTerms) -> None:
        self.names = names
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
        self._text(_MARGIN, self.top + 6, cut_to_width(step.name, 15, _WIDTH - 2 * _MARGIN), weight="600", size=15)
        self.top += _LINE + 4
        self._text(_MARGIN, self.top + 4, _summary(step), size=11, colour="#555")
        self.top += _LINE
        for mark, texts, colour in (("−", step.axioms_lost, "#b3261e"), ("+", step.axioms_gained, "#1b7a35")):
            for text in _first_lines(texts):
                self._text(_MARGIN, self.top + 8, _line(f"{mark} {text}"), colour=colour, title=text)
                self.top += _LINE
        for mark, rules, colour in (
            ("−", step.change.rules_removed, "#b3261e"),
            ("+", step.change.rules_added, "#1b7a35"),
        ):
            for text in _first_lines(tuple(_rule_text(rule) for rule in rules)):
                self._text(_MARGIN, self.top + 8, _line(f"{mark} {text}"), colour=colour, title=text)
                self.top += _LINE
        self._bars(step)
        for violation in _first_lines(tuple(map(str, step.violations_appeared))):
            self._text(
                _MARGIN, self.top + 8, _line(f"⚠ {self.names.text(violation)}"), colour="#a86400", title=violation
            )
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
            self._text(
                _MIDDLE - _REACH - 62,
                middle,
                cut_to_width(name, 13, _MIDDLE - _REACH - 62 - _MARGIN),
                anchor="end",
                title=fact.name,
            )
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
    """Write a user rule with local names only."""

    def atom(given: Atom) -> str:
        return " ".join(readable_name(term) if isinstance(term, str) else str(term) for term in given)

    body = [
        *map(atom, rule.body),
        *(f"not {atom(part)}" for part in rule.negative),
        *map(print_builtin, rule.conditions),
    ]
    return f"[{rule.name}] {atom(rule.head) if rule.head else 'false'} :- {', '.join(body)}"


def _first_lines(texts: tuple[str, ...]) -> Iterator[str]:
    yield from texts[:_MOST]
    if len(texts) > _MOST:
        yield f"... {len(texts) - _MOST:,} more"


def _line(text: str) -> str:
    """Return as much of a text as a line of the drawing has room for."""
    return cut_to_width(text, 13, _WIDTH - 2 * _MARGIN)


def report_as_html(evolution: Evolution) -> str:
    """Return the report; what makes a store inconsistent is unfolded, everything else folds away."""
    names = ShortTerms(dict(evolution.prefixes))
    parts = [f"<b>{escape(outcome(evolution))}</b>"]
    for step in evolution.steps:
        sizes, *others = step_tables(step, names, MOST_SHOWN, is_undo=evolution.is_undo)
        parts.append(f"<div>{escape(sizes.title)}</div>{_html(sizes)}")
        parts += [
            fold(escape(each.title), _html(each), is_open=each.title.startswith("violations that appear"))
            for each in others
        ]
    parts.append(fold("as a picture", f'<div class="picture">{evolution_as_svg(evolution)}</div>'))
    return framed(*parts)


def _html(report: ReportTable) -> str:
    rows = [[escape(cell) for cell in row] for row in report.rows]
    return table(report.heads, rows, numbers=bool(report.heads)) if rows else ""
