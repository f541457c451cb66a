"""``reasoner load``: make a store on disk of data and ontology, or add to one."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from reasoner.cli.inputs import (
    add_constraints_option,
    add_input_options,
    add_inputs,
    engine_of,
    open_store,
    report_imports,
)
from reasoner.cli.parser import Parser, store_place
from reasoner.cli.table import counted, print_table
from reasoner.cli.watch import Watch
from reasoner.reasoner import Reasoner
from reasoner.rules.errors import ReasonerError


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Load data and ontology into a store on disk, and compute what follows. A new store is created if there is\n"
        "none; otherwise the data are added to it. The store changes only if everything was read and reasoned over."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner load STORE data.ttl --ontology ontology.owl --profile dlp\n"
        "  reasoner load STORE 'parts/*.nt.gz' --skip-errors\n"
        "  curl http://e.org/data.nt | reasoner load STORE -\n"
        "  reasoner load STORE data.ttl --constraints reject\n"
        "A store keeps the policy about constraints that it was last loaded with, and later commits follow it.\n"
        "exit status: 0, also if inconsistent; 2 for an error, or if the store rejects new violations"
    )
    parser.add_argument("store", metavar="STORE", type=store_place, help="the folder of the store, or its URL")
    add_input_options(parser)
    parser.add_argument("--graph", "-g", metavar="IRI", help="the named graph that all of the data join")
    add_constraints_option(parser.add_argument, "the load")


def run(arguments: Namespace) -> int:
    """Load, materialise, write, tell."""
    from reasoner.store.file_system import place_of
    from reasoner.store.folder import is_store, require_free

    store, watch = place_of(arguments.store), Watch(arguments.quiet)
    if not (arguments.data or arguments.ontology or arguments.rules):
        raise ReasonerError(f"nothing to load into {store}: name a file, or - for standard input")
    graph = None if arguments.graph is None else f"<{arguments.graph.strip('<>')}>"
    if is_store(store):
        kb = open_store(arguments.store, arguments, watch)
    else:
        require_free(store)
        kb = Reasoner(
            arguments.profile or "owl2rl",
            equality=arguments.equality,
            constraints=arguments.constraints or "warn",
            **engine_of(arguments),
        )
    with kb:
        before = len(kb.store.state.explicit)
        add_inputs(kb, arguments, watch, graph=graph)
        with watch.stage("reasoning") as news:
            # What is small beside a store that was there is maintained while it is loaded.
            summary = kb.summary() if kb.is_materialised else kb.materialise(progress=news)
        if arguments.constraints is not None:
            # From now on it is the policy of the store.
            kb.constraints = arguments.constraints
        if kb.version is None:
            with watch.stage("writing"):
                kb.save(arguments.store)
        if not arguments.quiet:
            report_imports(kb, arguments)
            added = (
                f"{counted(summary.explicit - before, 'explicit fact')} more, in version {kb.version or 1} of {store}"
            )
            print_table("Loaded", [*summary.rows(), ("written", added)], sys.stderr)
    if summary.violations:
        print(f"INCONSISTENT: {counted(summary.violations, 'violation')}; 'reasoner check {store}' lists them")
    return 0
