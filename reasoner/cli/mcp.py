"""``reasoner mcp``: give an assistant tools to ask a store, explain it and rehearse changes."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from reasoner.cli.inputs import add_input_options, load_inputs, open_store, reason_over
from reasoner.cli.parser import Parser
from reasoner.cli.watch import Watch
from reasoner.rules.errors import ReasonerError


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Serve a store to an assistant by the Model Context Protocol, over standard input and output. The assistant\n"
        "can query, describe, explain, check entailments and violations, and rehearse changes. It can change nothing\n"
        "unless --updates is given."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner mcp STORE\n"
        "  reasoner mcp data.ttl --ontology ontology.owl\n"
        "  reasoner mcp STORE --updates\n"
        "exit status: 0, or 2 for an error"
    )
    add_input_options(parser)
    parser.add_argument(
        "--updates",
        action="store_true",
        help="let the assistant change the store: data by SPARQL Update, the ontology by evolution scripts",
    )


def run(arguments: Namespace) -> int:
    """Load, materialise, and serve until standard input ends."""
    from reasoner.mcp.tools import serve_stdio
    from reasoner.store.folder import is_store

    # Standard input belongs to the protocol.
    if "-" in (*arguments.data, *arguments.ontology, *arguments.rules):
        raise ReasonerError("standard input carries the protocol; name a file instead of -")
    watch = Watch(arguments.quiet)
    if arguments.updates and len(arguments.data) == 1 and is_store(arguments.data[0]):
        if arguments.ontology or arguments.rules:
            raise ReasonerError(f"{arguments.data[0]} is changed in place; add files with 'reasoner load' first")
        kb = open_store(arguments.data[0], arguments, watch)
    else:
        kb = load_inputs(arguments, watch)
    reason_over(kb, watch)
    with kb:
        serve_stdio(kb, updates=arguments.updates)
    return 0
