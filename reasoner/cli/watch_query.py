"""``reasoner watch``: print what changes about the answers of a query, as changes come in.

A store on disk that other processes write to is followed version by version.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from loaders.local_path import local_path
from reasoner.cli.errors import naming, one_line
from reasoner.cli.inputs import add_constraints_option, add_input_options, load_inputs, open_store, reason_over
from reasoner.cli.parser import Parser, data_source, local_place
from reasoner.cli.request import declared_prefixes
from reasoner.cli.watch import Watch
from reasoner.reasoner import Reasoner
from reasoner.rules.errors import ReasonerError
from reasoner.store.folder import current_version
from reasoner.subscriptions.change_lines import apply_lines, as_they_come, one_by_one
from reasoner.subscriptions.subscription import AnswerChange
from reasoner.subscriptions.view import view_of

if TYPE_CHECKING:
    from reasoner.sparql.algebra import Query


def follow_store(
    folder: str | PathLike[str],
    query: str | Query,
    *,
    initial: bool = False,
    interval: float = 1.0,
    wait: Callable[[float], object] = time.sleep,
) -> Iterator[AnswerChange]:
    """Yield what new versions of a store change about the answers of a query, for ever.

    Whether there is a new version is looked up every ``interval`` seconds; what several did in between is one change.
    The number of a change is that of its version. Nothing is written, and whoever writes does not have to wait.
    """
    from reasoner.reasoner import Reasoner
    from reasoner.sparql.answer_changes import shown_variables

    path, view = local_path(folder), view_of(query)
    kb = Reasoner.open(path, read_only=True)
    variables, known = shown_variables(view), _answers(kb, view)
    version = kb.version
    if initial:
        yield AnswerChange(version or 0, variables, tuple(sorted(known, key=_order)), (), initial=True)
    while True:
        if current_version(path) != version:
            kb = Reasoner.open(path, read_only=True)
            version, found = kb.version, _answers(kb, view)
            added, removed = sorted(found - known, key=_order), sorted(known - found, key=_order)
            known = found
            if added or removed:
                yield AnswerChange(version or 0, variables, tuple(added), tuple(removed))
        else:
            wait(interval)


def _answers(kb: Reasoner, view: Query) -> frozenset[tuple[str | None, ...]]:
    from reasoner.subscriptions.announcements import answers

    if not kb.is_materialised:
        # A version that was not reasoned over yet is so in memory.
        kb.materialise()
    return frozenset(answers(kb.store, kb.store.state, view))


def _order(row: tuple[str | None, ...]) -> list[str]:
    return [text or "" for text in row]


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.usage = "reasoner watch [options] DATA... QUERY"
    parser.description = (
        "Print the answers that every commit adds to a query (+) and removes from it (-).\n"
        "QUERY, the last argument, is SELECT or ASK, a group in braces, or patterns such as\n"
        "'?x a <http://e.org/Person>'. Changes of the data come from standard input: lines of N-Triples or N-Quads,\n"
        "which are added, rows of RDF Patch, and SPARQL updates. Every line and every update is one commit; all lines\n"
        "between the rows TX . and TC . are one commit together. For a store on disk, the command reports the commits\n"
        "of other processes. With --apply, it applies standard input to the store: lines that arrive together share\n"
        "a commit, and the result is the same as if they were committed one by one."
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
        "--query", metavar="FILE", type=local_place, help="a file with the query, instead of the last argument"
    )
    group.add_argument("--initial", action="store_true", help="print the present answers first")
    group.add_argument("--json", action="store_true", help="print a line of JSON for every change")
    group.add_argument("--apply", action="store_true", help="apply the changes on standard input to a store on disk")
    add_constraints_option(group.add_argument, "a change")
    group.add_argument(
        "--poll", metavar="S", type=float, default=1.0, help="look for new versions every S seconds (default: 1)"
    )
    group.add_argument("--count", metavar="N", type=int, help="stop after N changes")


def run(arguments: Namespace) -> int:
    """Subscribe, and print until there is nothing more to come."""
    from reasoner.store.folder import is_store
    from reasoner.subscriptions.view import view_of

    text = _query_text(arguments)
    arguments.data = [*arguments.data, *arguments.more]
    query = view_of(text, prefixes=declared_prefixes(arguments))
    if "-" in (*arguments.data, *arguments.ontology, *arguments.rules):
        raise ReasonerError("standard input is where changes come from; load data from files")
    printer = _Printer(arguments.json, arguments.count)
    stores = [source for source in arguments.data if is_store(source)]
    try:
        if stores and not arguments.apply:
            if arguments.constraints is not None:
                raise ReasonerError("--constraints is for changes that this command makes; add --apply")
            if len(arguments.data) > 1 or arguments.ontology or arguments.rules:
                raise ReasonerError(f"{stores[0]} is watched alone; add what comes with it by 'reasoner load' first")

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
