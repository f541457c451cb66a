"""The report of an evolution for people: for every step what there was and is, and what came and went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reasoner.delta import Regrouped
from reasoner.evolution.report import Evolution, FactChange, StepReport
from reasoner.short_terms import ShortTerms
from reasoner.violation import Violation

MOST = 12
"""So many lines of a kind are shown, and how many more there are."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells below a title and, if there are any, heads; the first cell of each row is a name."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def report_tables(evolution: Evolution, most: int = MOST, names: ShortTerms | None = None) -> Iterator[Table]:
    """Yield the tables of a report, step after step; kinds of change that did not happen are left out.

    Terms are written by ``names``, or else with the prefixes of the script.
    """
    names = names or ShortTerms(dict(evolution.prefixes))
    for step in evolution.steps:
        yield from step_tables(step, names, most, is_undo=evolution.is_undo)


def step_tables(step: StepReport, names: ShortTerms, most: int = MOST, *, is_undo: bool = False) -> Iterator[Table]:
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
    yield Table(title, ("", "before", "after", "change"), rows)
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
        yield Table(f"{step.profile} reads these axioms as data: no rule changes", (), ())
    if affected := step.affected:
        shown = ", ".join(_extension(fact, names) for fact in affected[: 2 * most])
        more = f" and {len(affected) - 2 * most:,} more" if len(affected) > 2 * most else ""
        yield Table("classes and properties affected", (), ((str(len(affected)), shown + more),))
    if step.facts:
        heads = ("facts of", "asserted +", "asserted -", "inferred +", "inferred -")
        yield Table("facts by class and property", heads, _cut([_fact_row(fact, names) for fact in step.facts], most))
    for title, groups in (("classes merged", step.classes_merged), ("classes split", step.classes_split)):
        if groups:
            yield Table(f"{title}: {len(groups):,}", (), _cut([_group_row(group, names) for group in groups], most))
    for title, violations in (
        ("violations that appear", step.violations_appeared),
        ("violations that go", step.violations_went),
    ):
        if violations:
            found = [_violation_row(violation, names) for violation in violations]
            yield Table(f"{title}: {len(violations):,}", (), _cut(found, most))
    if step.change.notes:
        yield Table("nothing to do for", (), _cut([("", note) for note in step.change.notes], most))


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


def _lines(table: Table) -> Iterator[str]:
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


def _gains(title: str, gained: Sequence[str], lost: Sequence[str], most: int, names: ShortTerms) -> Table:
    lines = [*(("-", names.text(text)) for text in lost), *(("+", names.text(text)) for text in gained)]
    return Table(f"{title}: {len(gained):,} gained, {len(lost):,} lost", (), _cut(lines, most))


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
