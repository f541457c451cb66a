"""``reasoner evolve``: change an ontology and its data by a script, see what that would do, or take it back.

What ``reasoner evolve`` prints, and what it writes when data come from files: triples, journal, rules.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TextIO

from reasoner.cli.errors import naming
from reasoner.cli.inputs import add_full_iris_option, add_input_options, add_strategy_option, engine_of, load_inputs
from reasoner.cli.parser import Parser, data_source, local_place
from reasoner.cli.table import counted, print_violations
from reasoner.cli.target import OutputTarget
from reasoner.cli.watch import Watch
from reasoner.reasoner import Reasoner
from reasoner.rules.errors import ReasonerError
from reasoner.rules.prefixes import ShortTerms

if TYPE_CHECKING:
    from ontologies.evolution.script import Script
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
        self._target = None if arguments.output is None else OutputTarget(arguments.output)
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
            print("user rules changed, and are not in the output: write them with --write-rules", file=sys.stderr)


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
    from reasoner.evolution.report import outcome, report_tables, report_text

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


_EXTENSION = ".evolve"
_DATA = (
    *(".nt", ".nq", ".ttl", ".trig", ".n3", ".rdf", ".owl", ".xml", ".jsonld", ".json", ".ofn", ".owx"),
    *(".gz", ".bz2", ".zst"),
)


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.usage = "reasoner evolve [STORE | DATA...] SCRIPT [options], or reasoner evolve [STORE | DATA...] --undo"
    parser.description = (
        "Apply an evolution script, and report what it changed. A script adds and removes axioms, triples and rules,\n"
        "and renames, merges, splits, moves or deprecates names; every step is one transaction. A script that would\n"
        "make the store inconsistent is not applied. Every step is recorded with its inverse and can be undone; an\n"
        "undo is reported in the same way, and refused if it would make the store inconsistent."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner evolve STORE change.evolve --dry-run --picture change.svg\n"
        "  reasoner evolve STORE change.evolve\n"
        "  reasoner evolve STORE --undo\n"
        "  reasoner evolve data.nt -O ontology.ttl change.evolve -o after.nt\n"
        "  reasoner evolve after.nt --undo -o before.nt\n"
        "A script, in part:\n"
        '  prefix : <http://e.org/>   step "staff"\n'
        "  add SubClassOf(:Tutor :Staff)   rename :Prof to :Professor   move :Dean under :Staff from :Person\n"
        "exit status: 0; 1 if it makes, or would make, the store inconsistent; 2 for an error"
    )
    add_input_options(parser)
    group = parser.add_argument_group("evolution")
    group.add_argument(
        "--data",
        dest="more_data",
        metavar="FILE",
        type=data_source,
        nargs="+",
        action="extend",
        default=[],
        help="the same as DATA",
    )
    group.add_argument("--dry-run", "-n", action="store_true", help="show what would happen, and change nothing")
    group.add_argument(
        "--step", metavar="NAME", action="append", help="apply this step only; may be given several times"
    )
    group.add_argument(
        "--allow-inconsistent", action="store_true", help="apply the script even if it causes violations"
    )
    group.add_argument("--undo", action="store_true", help="undo the last applied step")
    group.add_argument(
        "--last", metavar="N", type=int, default=1, help="with --undo: undo the last N steps (default: 1)"
    )
    add_strategy_option(group.add_argument)
    group = parser.add_argument_group("output")
    group.add_argument("--explain", action="store_true", help="prove the triples of violations that appear")
    group.add_argument("--json", action="store_true", help="print the report as JSON")
    add_full_iris_option(group.add_argument)
    group.add_argument(
        "--most", metavar="N", type=int, default=12, help="list at most N changes of a kind (default: 12)"
    )
    group.add_argument("--picture", metavar="FILE", type=local_place, help="draw the report as SVG")
    group.add_argument(
        "-o", "--output", metavar="FILE", type=local_place, help="for DATA: the file for the triples; N-Triples, or .nq"
    )
    group.add_argument(
        "--journal", metavar="FILE", type=local_place, help="for DATA: the record of steps (default: beside the output)"
    )
    group.add_argument(
        "--write-rules",
        metavar="FILE",
        type=local_place,
        help="for DATA: the file to write user rules to if they change",
    )


def run(arguments: Namespace) -> int:
    """Open or load, evolve or undo, write, tell."""
    script = _arrange(arguments)
    folder = _store_folder(arguments)
    watch = Watch(arguments.quiet)
    if folder is not None:
        with closing(Reasoner.open(folder, read_only=arguments.dry_run, **engine_of(arguments))) as kb:
            return _evolve(kb, script, arguments, watch)
    output = DataRun(arguments)
    kb = load_inputs(arguments, watch)
    kb.keep_evolutions_in(output.journal())
    status = _evolve(kb, script, arguments, watch)
    if not arguments.dry_run and (status == 0 or arguments.allow_inconsistent):
        with watch.stage("writing"):
            output.write(kb)
    return status


def _arrange(arguments: Namespace) -> str | None:
    """Sort out which words are data and which is the script; return the script, None to undo."""
    words = [*arguments.data, *arguments.more_data]
    if arguments.undo:
        if arguments.step:
            raise ReasonerError("--undo takes the last steps back: leave out --step, and say how many with --last")
        arguments.data = words
        return None
    named = [word for word in words if word.lower().endswith(_EXTENSION)]
    if len(named) > 1:
        raise ReasonerError(f"one script at a time: {named[0]} or {named[1]}")
    script = named[0] if named else arguments.data[-1] if arguments.data else None
    if script is None or (not named and _is_data(script, alone=len(words) == 1 and not arguments.ontology)):
        given = f"{script} is what to change, and no script is named" if script else "no script is named"
        raise ReasonerError(f"{given}: write one, such as change{_EXTENSION}, after the store or the data, or --undo")
    words.remove(script)
    arguments.data = words
    return str(script)


def _is_data(word: str, *, alone: bool) -> bool:
    """Tell whether the last word, not named like a script, is data: a folder, a file of RDF, or all that there is."""
    return alone or Path(word).is_dir() or PurePath(word).name.lower().endswith(_DATA)


def _store_folder(arguments: Namespace) -> Path | None:
    from reasoner.store.folder import is_store

    stores = [word for word in arguments.data if word != "-" and is_store(Path(word))]
    if not stores:
        return None
    if len(arguments.data) > 1 or arguments.ontology or arguments.rules or arguments.output or arguments.journal:
        raise ReasonerError("a store is changed in place: give no other data, ontology, rules, output or journal")
    return Path(stores[0])


def _evolve(kb: Reasoner, source: str | None, arguments: Namespace, watch: Watch) -> int:
    """Apply a script, or take steps back if there is none, and tell what that did or would have done."""
    from reasoner.evolution.report import InconsistentEvolutionError

    script = None if source is None else _read(source)
    how = {
        "dry_run": arguments.dry_run,
        "allow_inconsistent": arguments.allow_inconsistent,
        "explain": arguments.explain,
        "strategy": arguments.strategy,
    }
    refused = False
    with watch.stage("evolving" if script else "taking back"):
        try:
            if script is None:
                evolution = kb.undo_evolutions(arguments.last, **how)
            else:
                evolution = kb.evolve(script, steps=arguments.step, **how)
        except InconsistentEvolutionError as error:
            evolution, refused = error.evolution, True
    if arguments.picture is not None:
        with naming(f"cannot write {arguments.picture}"):
            Path(arguments.picture).write_text(evolution.to_svg(), encoding="utf-8")
    names = ShortTerms({**kb.prefixes, **dict(evolution.prefixes)}, full=arguments.full_iris)
    print_report(evolution, names, arguments)
    if refused:
        done, does = ("applied", "applies it") if script else ("taken back", "takes it back")
        sys.stdout.flush()  # The report comes first, also where both go to one file.
        print(f"reasoner: not {done}; --allow-inconsistent {does} regardless", file=sys.stderr)
    return 0 if evolution.is_consistent or arguments.allow_inconsistent else 1


def _read(source: str) -> Script:
    from ontologies.evolution.parse_script import parse_script

    with naming(f"cannot read {source}"):
        # Bytes, so that line ends inside literals stay what they are.
        text = (sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()).decode("utf-8")
    return parse_script(text, file="<stdin>" if source == "-" else source)
