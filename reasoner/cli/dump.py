"""``reasoner dump``: write what a store on disk holds."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from reasoner.cli.errors import naming
from reasoner.cli.inputs import add_literals_option
from reasoner.cli.parser import Parser, local_place, one_of, store_place
from reasoner.cli.table import counted
from reasoner.cli.watch import Watch
from reasoner.documents.dump import FORMATS, dump, format_of_name
from reasoner.reasoner import Reasoner


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Write the triples of a store on disk, all or a part of them, with the prefixes of the input.\n"
        "N-Quads and TriG keep the named graphs. By default they contain asserted triples only; --closure and\n"
        "--inferred add inferred triples, which belong to no named graph."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner dump STORE -o closure.nt.gz\n"
        "  reasoner dump STORE --asserted --format ttl > data.ttl\n"
        "  reasoner dump STORE --version 7 -o data.nq\n"
        "exit status: 0, or 2 for an error"
    )
    parser.add_argument("store", metavar="STORE", type=store_place, help="the folder of the store, or its URL")
    parser.add_argument(
        *("-o", "--output"),
        metavar="FILE",
        type=local_place,
        help="the file to write, compressed if named .gz, .bz2 or .zst (default: standard output)",
    )
    parser.add_argument(
        *("--format", "-f"),
        metavar="F",
        type=one_of("format", FORMATS),
        help=f"{', '.join(FORMATS)} (default: by the name of the output, or nt)",
    )
    part = parser.add_mutually_exclusive_group()
    part.add_argument(
        "--closure",
        dest="part",
        action="store_const",
        const="closure",
        help="everything that follows, asserted facts included",
    )
    part.add_argument("--inferred", dest="part", action="store_const", const="inferred", help="only what was inferred")
    part.add_argument("--asserted", dest="part", action="store_const", const="asserted", help="only what was asserted")
    add_literals_option(parser.add_argument)
    parser.add_argument("--version", metavar="N", type=int, help="an earlier version ('reasoner info' lists them)")
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress and no summary")


def run(arguments: Namespace) -> int:
    """Open, write, tell."""
    output, watch = arguments.output or "-", Watch(arguments.quiet)
    format = arguments.format or format_of_name(output)
    part = arguments.part or ("asserted" if format in ("nq", "trig") else "closure")
    with watch.stage(f"opening {arguments.store}"):
        kb = Reasoner.open(arguments.store, read_only=True, version=arguments.version, literals=arguments.literals)
    with watch.stage("writing"), naming(f"cannot write {output}"):
        count = dump(kb, sys.stdout.buffer if output == "-" else output, format=format, part=part)
    if not arguments.quiet:
        where = "standard output" if output == "-" else output
        print(f"{counted(count, 'triple')} of version {kb.version} to {where}", file=sys.stderr)
    return 0
