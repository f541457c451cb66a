"""``reasoner diff``: write the script that turns one version of an ontology into another."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path, PurePath

from reasoner.cli.errors import naming
from reasoner.cli.parser import Parser, local_place
from reasoner.cli.table import counted
from reasoner.errors import ReasonerError


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Compare two versions of an ontology, and write an evolution script that turns OLD into NEW exactly.\n"
        "Blank nodes are compared by what they say, and labels do not matter. Names that may have changed are\n"
        "suggested in comments."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner diff univ-1.owl univ-2.ttl -o univ-1-to-2.evolve\n"
        "  reasoner diff old.ttl new.ofn --detect-renames\n"
        "  reasoner diff STORE ontology.owl\n"
        "Of a store on disk all asserted triples are compared, of whatever graph; rules of your own are not.\n"
        "exit status: 0, or 2 for an error; with --exit-code 1 if they differ"
    )
    parser.add_argument(
        "old",
        metavar="OLD",
        type=local_place,
        help="an ontology in any RDF syntax, OWL/XML or functional syntax, or a store on disk",
    )
    parser.add_argument(
        "new", metavar="NEW", type=local_place, help="another version of it, in the same syntax or another one"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=local_place, help="where the script goes (standard output)"
    )
    parser.add_argument(
        "--detect-renames", action="store_true", help="rename what has the same surroundings under another name"
    )
    parser.add_argument("--base", metavar="IRI", help="what relative IRIs are resolved against (the file's own place)")
    parser.add_argument("--exit-code", action="store_true", help="exit with 1 if the versions differ")
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary")


def run(arguments: Namespace) -> int:
    """Read both versions, compare, write."""
    from ontologies.evolution.diff import diff_ontologies, step_name
    from ontologies.evolution.print_script import print_script
    from ontologies.evolution.script import Remark
    from reasoner.evolution.read_version import read_version

    if arguments.old == arguments.new == "-":
        raise ReasonerError("standard input can be read only once: write - in one place")
    old, new = (read_version(source, base=arguments.base) for source in (arguments.old, arguments.new))
    name = step_name(old, new) or f"{PurePath(arguments.old).name} to {PurePath(arguments.new).name}"
    script = diff_ontologies(old, new, detect_renames=arguments.detect_renames, name=name)
    text = print_script(script) if script.steps else ""
    if arguments.output is None or arguments.output == "-":
        print(text, end="")
    else:
        with naming(f"cannot write {arguments.output}"):
            Path(arguments.output).write_text(text, encoding="utf-8", newline="\n")
    statements = [one for step in script.steps for one in step.statements if not isinstance(one, Remark)]
    if not arguments.quiet:
        told = counted(len(statements), "statement") if statements else "no difference"
        print(
            f"{told}: {counted(len(old.triples), 'triple')} to {counted(len(new.triples), 'triple')}", file=sys.stderr
        )
    return 1 if statements and arguments.exit_code else 0
