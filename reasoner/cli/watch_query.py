"""``reasoner watch``: print what changes about the answers of a query, as changes come in."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reasoner.cli.errors import naming, one_line
from reasoner.cli.inputs import (
    add_constraints_option,
    add_input_options,
    load_inputs,
    open_store,
    reason_over,
)
from reasoner.cli.parser import Parser, data_source, local_place
from reasoner.cli.watch import Watch
from reasoner.errors import ReasonerError
from reasoner.reasoner import Reasoner
from reasoner.subscriptions.change_lines import apply_lines, as_they_come, one_by_one

if TYPE_CHECKING:
    from reasoner.subscriptions.subscription import AnswerChange


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.usage = "reasoner watch [options] DATA... QUERY"
    parser.description = (
        "Print what every commit adds to the answers of a query (+) and takes away (-).\n"
        "QUERY, the last word, is SELECT or ASK, a group in braces, or patterns such as '?x a <http://e.org/Person>'.\n"
        "Changes of data are read from standard input: lines of N-Triples or N-Quads, which are added, rows of RDF\n"
        "Patch, and SPARQL updates. Every line and every update is a commit of its own; rows TX . and TC . make one\n"
        "of all lines between them. Of a store on disk, the versions that other processes commit are followed;\n"
        "with --apply, it is changed by standard input instead: lines that are there at once, or come while others\n"
        "are worked on, share commits, and each ends as if it had come after the one before it was committed."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner watch data.ttl -O ontology.owl '?x a <http://e.org/Person>' < changes.nt\n"
        "  reasoner watch STORE 'SELECT ?x { ?x <http://e.org/age> ?n FILTER(?n > 17) }' --json\n"
        "  tail -f log.rdfp | reasoner watch STORE --apply '?x <http://e.org/knows> ?y'\n"
        "exit status: 0, or 2 for an error, also one in a line of the input"
    )
    add_input_options(parser)
    group = parser.add_argument_group("watching")
    group.add_argument(
        "--data",
        metavar="FILE",
        type=data_source,
        dest="more",
        action="append",
        default=[],
        help="the same as DATA, as an option",
    )
    group.add_argument(
        "--query", metavar="FILE", type=local_place, help="the file of the query, which is not the last word then"
    )
    group.add_argument("--initial", action="store_true", help="print the answers there are first")
    group.add_argument("--json", action="store_true", help="print a line of JSON for every change")
    group.add_argument("--apply", action="store_true", help="change a store on disk by what standard input says")
    add_constraints_option(group.add_argument, "a change")
    group.add_argument("--poll", metavar="S", type=float, default=1.0, help="look for versions every S seconds (1)")
    group.add_argument("--count", metavar="N", type=int, help="stop after so many changes")


def run(arguments: Namespace) -> int:
    """Subscribe, and print until there is nothing more to come."""
    from reasoner.store.folder import is_store

    query = _query_text(arguments)
    arguments.data = [*arguments.data, *arguments.more]
    if "-" in (*arguments.data, *arguments.ontology, *arguments.rules):
        raise ReasonerError("standard input is where changes come from; load data from files")
    printer = _Printer(arguments.json, arguments.count)
    stores = [source for source in arguments.data if is_store(source)]
    try:
        if stores and not arguments.apply:
            if arguments.constraints is not None:
                raise ReasonerError("--constraints is for changes of one's own; add --apply")
            if len(arguments.data) > 1 or arguments.ontology or arguments.rules:
                raise ReasonerError(f"{stores[0]} is watched alone; add what comes with it by 'reasoner load' first")
            from reasoner.subscriptions.follow_store import follow_store

            for change in follow_store(stores[0], query, initial=arguments.initial, interval=arguments.poll):
                printer.print(change)
            return 0
        kb = _opened(arguments, stores)
        with kb, kb.subscribe(query, printer.take, initial=arguments.initial):
            return _applied(kb, as_they_come(sys.stdin) if arguments.apply else one_by_one(sys.stdin), printer)
    except _EnoughError:
        return 0


def _query_text(arguments: Namespace) -> str:
    if arguments.query is not None:
        with naming(f"cannot read {arguments.query}"):
            return Path(arguments.query).read_text(encoding="utf-8")
    if not arguments.data:
        raise ReasonerError("give the query as the last word, or with --query FILE")
    return str(arguments.data.pop())


def _opened(arguments: Namespace, stores: list[str]) -> Reasoner:
    watch = Watch(arguments.quiet)
    if stores:
        if len(arguments.data) > 1:
            raise ReasonerError(f"{stores[0]} is changed alone; add {arguments.data[-1]} with 'reasoner load' first")
        return open_store(stores[0], arguments, watch)
    if arguments.apply:
        raise ReasonerError("--apply changes a store on disk, and none is named")
    kb = load_inputs(arguments, watch, may_be_empty=True)
    reason_over(kb, watch)
    kb.constraints = arguments.constraints or kb.constraints
    return kb


def _applied(kb: Reasoner, lines: Iterable[str | None], printer: _Printer) -> int:
    status = 0
    for error in apply_lines(kb, lines):
        if error is not None:
            status = 2
            print(f"reasoner: {one_line(error)}", file=sys.stderr)
        printer.stop_if_enough()
    return status


class _EnoughError(Exception):
    """So many changes were printed as were asked for."""


class _Printer:
    """Prints changes as lines; a callback must not stop a commit, so that it only remembers that it has enough."""

    def __init__(self, as_json: bool, count: int | None) -> None:
        self._as_json = as_json
        self._left = count
        self._broken: BrokenPipeError | None = None

    def take(self, change: AnswerChange) -> None:
        if self._left != 0 and self._broken is None:
            try:
                self._write(change)
            except BrokenPipeError as error:
                self._broken = error

    def print(self, change: AnswerChange) -> None:
        self.take(change)
        self.stop_if_enough()

    def stop_if_enough(self) -> None:
        if self._broken is not None:
            raise self._broken
        if self._left == 0:
            raise _EnoughError

    def _write(self, change: AnswerChange) -> None:
        if self._as_json:
            added, removed = change.as_dicts(change.added), change.as_dicts(change.removed)
            told = {"number": change.number, "initial": change.initial, "added": added, "removed": removed}
            print(json.dumps(told, ensure_ascii=False))
        else:
            for sign, rows in (("-", change.removed), ("+", change.added)):
                for solution in change.as_dicts(rows):
                    shown = " ".join(f"?{name}={text}" for name, text in solution.items())
                    print(f"{sign} {shown}".rstrip())
        sys.stdout.flush()
        if self._left is not None and not change.initial:
            self._left -= 1
