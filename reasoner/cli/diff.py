"""``reasoner diff``: write the script that turns one version of an ontology into another.

A version is a document, or what a store on disk asserts.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from ontologies.axioms import Ontology
from reasoner.cli.errors import naming
from reasoner.cli.parser import Parser, local_place
from reasoner.cli.table import counted
from reasoner.rules.errors import ReasonerError


def read_version(source: str, *, base: str | None = None) -> Ontology:
    """Read an ontology; that of a store is all that it asserts, in whatever graph. ``-`` is standard input.

    A folder that is neither a store nor holds RDF is an error.
    """
    from reasoner.store.folder import is_store

    if source == "-" or not is_store(source):
        from ontologies.read import read_ontology

        return read_ontology(source, base=base)
    from ontologies.read_rdf import ontology_of_triples
    from reasoner.reasoner import Reasoner

    with Reasoner.open(source, read_only=True) as kb:
        ontology = ontology_of_triples(kb.store.texts(kb.store.state.explicit))
        return replace(ontology, prefixes=tuple(kb.prefixes.items()))


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Compare two versions of an ontology, and write an evolution script that turns OLD into NEW exactly.\n"
        "Blank nodes are compared by their statements, not by their labels. Likely renames are\n"
        "suggested in comments."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner diff univ-1.owl univ-2.ttl -o univ-1-to-2.evolve\n"
        "  reasoner diff old.ttl new.ofn --detect-renames\n"
        "  reasoner diff STORE ontology.owl\n"
        "For a store on disk, the asserted triples of all graphs are compared, and user rules are not.\n"
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
        "-o", "--output", metavar="FILE", type=local_place, help="the file for the script (default: standard output)"
    )
    parser.add_argument(
        "--detect-renames", action="store_true", help="write likely renames as statements, not as comments"
    )
    parser.add_argument("--base", metavar="IRI", help="the base of relative IRIs (default: the file itself)")
    parser.add_argument("--exit-code", action="store_true", help="exit with 1 if the versions differ")
    parser.add_argument("--quiet", "-q", action="store_true", help="print no summary")


def run(arguments: Namespace) -> int:
    """Read both versions, compare, write."""
    from ontologies.evolution.diff import diff_ontologies, step_name
    from ontologies.evolution.script import Remark, print_script

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
