"""``reasoner export``: write everything that data and ontology entail to tables of a database."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from reasoner.cli.errors import naming
from reasoner.cli.inputs import add_input_options, load_inputs, open_store, reason_over
from reasoner.cli.parser import Parser, local_place, one_of
from reasoner.cli.table import counted, print_table
from reasoner.cli.watch import Watch
from reasoner.export.export import Refreshed
from reasoner.export.target import FORMATS


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Write the closure to SQLite, DuckDB or Parquet: a table of terms for every class, a table of subjects and\n"
        "objects for every property. The table named catalogue maps tables to IRIs. If the output is an older export\n"
        "of the same store, only the differences are written."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner export STORE -o out.sqlite\n"
        "  reasoner export data.ttl --ontology ontology.owl -o out.duckdb --ids\n"
        "  reasoner export STORE -o folder --to parquet\n"
        "exit status: 0, or 2 for an error"
    )
    add_input_options(parser)
    group = parser.add_argument_group("output")
    group.add_argument(
        *("-o", "--output"),
        metavar="FILE",
        type=local_place,
        required=True,
        help="the database: .sqlite, .duckdb, or a folder .parquet",
    )
    group.add_argument(
        "--to",
        metavar="F",
        type=one_of("format", FORMATS),
        help=f"{', '.join(FORMATS)} (default: by the name of the file)",
    )
    group.add_argument("--ids", action="store_true", help="store ids in the tables, and the terms in a separate table")


def run(arguments: Namespace) -> int:
    """Open or load, materialise, write, tell."""
    from pathlib import Path

    from reasoner.export.target import format_of
    from reasoner.store.folder import is_store

    # A name that tells no format is an error before anything is loaded.
    format = format_of(Path(arguments.output), arguments.to)
    watch = Watch(arguments.quiet)
    if len(arguments.data) == 1 and is_store(arguments.data[0]) and not (arguments.ontology or arguments.rules):
        kb = open_store(arguments.data[0], arguments, watch, read_only=True)
    else:
        kb = load_inputs(arguments, watch)
        reason_over(kb, watch)
    with watch.stage("exporting"), naming(f"cannot write {arguments.output}"):
        export = kb.export(arguments.output, format=format, terms="ids" if arguments.ids else "text")
    with export:
        kinds = [entry.kind for entry in export.tables]
        rows = [
            ("tables", f"{kinds.count('class'):,} of classes, {kinds.count('property'):,} of properties"),
            ("rows", _told(export.written)),
            ("written", str(export.path)),
        ]
    if not arguments.quiet:
        print_table("Exported", rows, sys.stderr)
    return 0


def _told(done: Refreshed) -> str:
    if done.rebuilt:
        return f"{counted(done.added, 'row')}, all anew"
    if not done.added and not done.removed:
        return "up to date already"
    return f"+{done.added:,} -{done.removed:,}"
