"""``reasoner classes``: list the terms that are equal to one another."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from reasoner.cli.inputs import add_full_iris_option, add_input_options, load_inputs, reason_over, short_terms
from reasoner.cli.parser import Parser
from reasoner.cli.watch import Watch


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "List the equality classes of two or more terms that data and ontology entail, the largest first: one a line,\n"
        "the representative first, terms with the prefixes of the input and a tab between them."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner classes data.ttl --ontology ontology.owl\n"
        "  reasoner classes STORE\n"
        "  reasoner classes data.nt --json | jq 'map(length)'\n"
        "exit status: 0, or 2 for an error"
    )
    add_input_options(parser)
    parser.add_argument("--json", action="store_true", help="a JSON list with one list of terms for each class")
    add_full_iris_option(parser.add_argument)


def run(arguments: Namespace) -> int:
    """Load, materialise, and print the classes."""
    watch = Watch(arguments.quiet)
    kb = load_inputs(arguments, watch)
    reason_over(kb, watch)
    classes = sorted(kb.classes(), key=lambda members: (-len(members), members))
    if arguments.json:
        import json

        print(json.dumps(classes, indent=1, ensure_ascii=False))
    else:
        names = short_terms(kb, arguments)
        for members in classes:
            print("\t".join(map(names.term, members)))
    return 0
