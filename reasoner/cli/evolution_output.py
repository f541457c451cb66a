"""What ``reasoner evolve`` prints, and what it writes when data come from files: triples, journal, rules."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from reasoner.cli.errors import naming
from reasoner.cli.table import counted
from reasoner.cli.target import Target
from reasoner.cli.violations import print_violations
from reasoner.errors import ReasonerError
from reasoner.reasoner import Reasoner
from reasoner.short_terms import ShortTerms

if TYPE_CHECKING:
    from reasoner.evolution.journal import Journal
    from reasoner.evolution.report import Evolution

_JOURNAL = ".evolution.jsonl"


class DataRun:
    """Where the triples of a run over files go, and the record of its steps with them.

    The record lies beside the triples, and goes on from the one beside the data.
    """

    def __init__(self, arguments: Namespace) -> None:
        self._arguments = arguments
        if arguments.output is None and not arguments.dry_run:
            raise ReasonerError("data from files are not changed in place: name a file with -o, or ask for a --dry-run")
        self._target = None if arguments.output is None else Target(arguments.output)
        self._journal: Journal | None = None
        self._rules: tuple[object, ...] = ()

    def journal(self) -> Journal:
        """Return the record that the data come with, to be written beside the output."""
        from reasoner.evolution.journal import Journal

        given = self._arguments.journal
        beside = [Path(word + _JOURNAL) for word in self._arguments.data if word != "-"]
        found = Path(given) if given is not None else next((path for path in beside if path.exists()), Path(_JOURNAL))
        self._journal = Journal.in_memory(found)
        return self._journal

    def write(self, kb: Reasoner) -> None:
        """Write what is explicit now, the record, and the rules if they changed."""
        target = self._target
        assert target is not None
        if target.path.suffix == ".nq" and not target.is_stdout:
            with naming(f"cannot write {target}"):
                count = kb.write(target.path, format="nquads")
        else:
            plain = Reasoner("none", equality="none")
            plain.prefixes = kb.prefixes
            plain.add(kb.store.texts(kb.store.state.explicit))
            count = target.write(plain, inferred_only=False, reflexive=False)
        if not self._arguments.quiet:
            sys.stdout.flush()
            print(f"written: {counted(count, 'triple')} to {target}", file=sys.stderr)
        if self._journal is not None and not target.is_stdout:
            path = Path(self._arguments.journal or f"{target.name}{_JOURNAL}")
            with naming(f"cannot write {path}"):
                self._journal.save(path)
        self._write_rules(kb)

    def _write_rules(self, kb: Reasoner) -> None:
        from reasoner.rules.printer import print_rules

        name = self._arguments.write_rules
        if name is not None:
            with naming(f"cannot write {name}"):
                Path(name).write_text(print_rules(kb.own_rules()), encoding="utf-8")
        elif any(entry.change.rules_added or entry.change.rules_removed for entry in kb.evolutions()):
            print("your own rules changed, and are not in the output: write them with --write-rules", file=sys.stderr)


def print_report(evolution: Evolution, names: ShortTerms, arguments: Namespace) -> None:
    """Print the report: to standard output, unless triples go there."""
    stream = sys.stderr if arguments.output == "-" else sys.stdout
    most = max(1, arguments.most)
    if arguments.json:
        print(evolution.to_json(explain=arguments.explain), file=stream)
    elif not arguments.quiet:
        _print_tables(evolution, most, names, stream)
        if arguments.explain:
            _print_proofs(evolution, most, names, stream)


def _print_proofs(evolution: Evolution, most: int, names: ShortTerms, stream: TextIO) -> None:
    """Print why the triples of new violations hold, step after step."""
    for step in evolution.steps:
        if found := step.violations_appeared:
            known = [violation for violation in found if violation.explainer is not None][:most]
            told = f"{len(known):,} of {counted(len(found), 'violation')} explained"
            print(f"\nstep {step.name!r}: {told}", file=stream)
            print_violations(known, stream, names, explain=True)


def _print_tables(evolution: Evolution, most: int, names: ShortTerms, stream: TextIO) -> None:
    from reasoner.evolution.report_tables import outcome, report_tables, report_text

    if not stream.isatty():
        print(report_text(evolution, most, names), file=stream)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=stream)
    for report in report_tables(evolution, most, names):
        table = Table(title=report.title, title_justify="left", box=box.ROUNDED, show_header=bool(report.heads))
        width = max(map(len, report.rows), default=0)
        if not width:
            console.print(Text(report.title))
            continue
        for at in range(width):
            head = report.heads[at] if report.heads else ""
            table.add_column(head, justify="right" if report.heads and at else "left", overflow="fold")
        for row in report.rows:
            colour = {"+": "green", "-": "red"}.get(row[0], "")
            table.add_row(*(Text(cell, style=colour) for cell in row))
        console.print(table)
    console.print(Text(outcome(evolution), style="bold green" if evolution.is_consistent else "bold red"))
