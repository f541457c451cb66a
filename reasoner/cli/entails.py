"""``reasoner entails``: tell whether data and ontology entail all that a document says."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence

from reasoner.cli.inputs import (
    add_full_iris_option,
    add_input_options,
    load_inputs,
    reason_over,
    report_imports,
    short_terms,
)
from reasoner.cli.parser import Parser, data_source, one_of
from reasoner.cli.watch import Watch
from reasoner.rules.errors import ReasonerError

_SEMANTICS = ("rdf", "direct")


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Decide whether a conclusion follows from data and ontology. The last file is the conclusion: triples and\n"
        "axioms. A blank node in it means that something exists. The parts that do not follow are listed.\n"
        "A yes is always right; a no means that the rules cannot derive the conclusion."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner entails data.ttl conclusion.ttl\n"
        "  reasoner entails --data a.nt b.nt --ontology ontology.owl conclusion.ofn && echo yes\n"
        "exit status: 0 if entailed, 1 if not, 2 for an error"
    )
    add_input_options(parser)
    parser.add_argument(
        "--data",
        dest="more_data",
        metavar="DATA",
        type=data_source,
        nargs="+",
        action="extend",
        default=[],
        help="the same as DATA, as an option",
    )
    parser.add_argument(
        "--semantics",
        metavar="S",
        type=one_of("semantics", _SEMANTICS),
        default="rdf",
        help="the semantics of OWL 2: 'rdf' treats annotations and declarations as ordinary triples (default), "
        "'direct' ignores them",
    )
    parser.add_argument("--conclusion-format", metavar="F", help="the syntax of the conclusion")
    parser.add_argument(
        "--all", "-a", action="store_true", help="also list the parts that follow, and how they were shown"
    )
    parser.add_argument("--json", action="store_true", help="print all parts as JSON")
    add_full_iris_option(parser.add_argument)


def run(arguments: Namespace) -> int:
    """Load, materialise, and decide."""
    conclusion = _taken_conclusion(arguments)
    watch = Watch(arguments.quiet)
    kb = load_inputs(arguments, watch, may_be_empty=True)
    reason_over(kb, watch)
    if not arguments.quiet:
        report_imports(kb, arguments)
    with watch.stage("deciding"):
        answer = kb.entails(conclusion, semantics=arguments.semantics, format=arguments.conclusion_format)
    names = short_terms(kb, arguments)
    if arguments.json:
        print(answer.to_json())
    elif arguments.all or answer.inconsistency:
        print(names.text(str(answer)))
    else:
        print(names.text("\n".join(["entailed" if answer else "not entailed", *map(str, answer.missing)])))
    return 0 if answer else 1


def _taken_conclusion(arguments: Namespace) -> os.PathLike[str]:
    """Take the last of all files for the conclusion."""
    from pathlib import Path

    named = arguments.data or arguments.more_data
    if not named:
        raise ReasonerError("a conclusion is needed: name its file last")
    conclusion = Path(named.pop())
    if not conclusion.exists():
        raise ReasonerError(f"{conclusion}: no such file; the last file is the conclusion")
    arguments.data = [*arguments.more_data, *arguments.data]
    return conclusion
