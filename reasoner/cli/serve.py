"""``reasoner serve``: answer SPARQL over HTTP."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reasoner.cli.inputs import (
    add_constraints_option,
    add_input_options,
    load_inputs,
    open_store,
    reason_over,
)
from reasoner.cli.parser import Parser, data_source
from reasoner.cli.table import counted, print_table
from reasoner.cli.watch import Watch
from reasoner.errors import ReasonerError
from reasoner.reasoner import Reasoner

if TYPE_CHECKING:
    from reasoner.server import Settings

TOKEN_VARIABLE = "REASONER_TOKEN"


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    from reasoner.server.settings import MEGABYTE, Settings

    usual = Settings()
    parser.description = (
        "Serve what data and ontology entail by the SPARQL 1.1 Protocol and the Graph Store Protocol.\n"
        "A browser that opens the address gets the workbench.\n"
        "Queries see the last commit, and never wait for the next one. Updates are off unless asked for; those of a\n"
        "store on disk are there for good before they are answered."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner serve data.ttl --ontology ontology.owl\n"
        "  reasoner serve STORE --update\n"
        "  reasoner serve --data data.nt --update --token secret --port 8080\n"
        f"  {TOKEN_VARIABLE}=secret reasoner serve data.nt --update --host 0.0.0.0\n"
        "  curl -H 'Accept: text/csv' --data-urlencode 'query=SELECT * { ?s ?p ?o } LIMIT 10' "
        f"http://{usual.host}:{usual.port}/sparql\n"
        "exit status: 0, or 2 for an error"
    )
    add_input_options(parser)
    parser.add_argument(
        "--data",
        metavar="FILE",
        type=data_source,
        dest="more",
        action="append",
        default=[],
        help="the same as DATA, as an option",
    )
    group = parser.add_argument_group("server")
    group.add_argument("--host", metavar="H", default=usual.host, help=f"the address to listen at ({usual.host})")
    group.add_argument(
        "--port", metavar="N", type=int, default=usual.port, help=f"the port; 0 is any that is free ({usual.port})"
    )
    group.add_argument(
        "--cors", metavar="ORIGIN", action="append", default=[], help="a web site that may ask; * is all"
    )
    group.add_argument("--access-log", action="store_true", help="write a line about every request to standard error")
    group = parser.add_argument_group("updates")
    group.add_argument("--update", action="store_true", help="take updates")
    group.add_argument("--read-only", action="store_true", help="take no updates, which is the default")
    group.add_argument(
        "--token", metavar="T", help=f"what updates must bring as a bearer token (the variable {TOKEN_VARIABLE})"
    )
    add_constraints_option(group.add_argument, "an update")
    group = parser.add_argument_group("limits")
    group.add_argument(
        "--timeout", metavar="S", type=float, default=usual.timeout, help=f"seconds of a query ({usual.timeout:g})"
    )
    group.add_argument(
        "--max-rows", metavar="N", type=int, default=usual.most_rows, help=f"rows of an answer ({usual.most_rows:,})"
    )
    group.add_argument(
        "--max-body",
        metavar="BYTES",
        type=int,
        default=usual.most_body,
        help=f"bytes of a request ({usual.most_body // MEGABYTE} MB)",
    )
    group.add_argument(
        "--readers", metavar="N", type=int, default=usual.readers, help=f"queries at the same time ({usual.readers})"
    )


def run(arguments: Namespace) -> int:
    """Load, materialise, and serve until told to stop."""
    from reasoner.server import serve

    settings = _settings(arguments)
    arguments.data = [*arguments.data, *arguments.more]
    watch = Watch(arguments.quiet)
    kb = _served(arguments, settings, watch)
    reason_over(kb, watch)
    if kb.version is None:
        kb.constraints = arguments.constraints or kb.constraints

    def announce(address: str) -> None:
        if not arguments.quiet:
            state = kb.store.state
            rows = [
                ("explicit", counted(len(state.explicit), "fact")),
                ("stored", f"{counted(len(state.facts), 'fact')} over representatives"),
                ("updates", _updates(settings)),
                ("workbench", f"{address}/ in a browser"),
            ]
            print_table("Serving", rows, sys.stderr)
        print(f"{address}/sparql", flush=True)

    with kb:
        serve(kb, settings, announce=announce)
    return 0


def _served(arguments: Namespace, settings: Settings, watch: Watch) -> Reasoner:
    """Return what to serve; a store on disk that takes updates comes alone, and is open for writing."""
    from reasoner.store.folder import is_store

    stores = [source for source in arguments.data if is_store(source)]
    if not stores or not settings.updates:
        return load_inputs(arguments, watch, may_be_empty=settings.updates)
    others = [*(source for source in arguments.data if source != stores[0]), *arguments.ontology, *arguments.rules]
    if others:
        raise ReasonerError(f"{stores[0]} is served with updates alone; add {others[0]} with 'reasoner load' first")
    return open_store(stores[0], arguments, watch)


def _settings(arguments: Namespace) -> Settings:
    from reasoner.server import Settings

    if arguments.update and arguments.read_only:
        raise ReasonerError("--update and --read-only contradict each other; give one of them")
    if arguments.token is not None and not arguments.update:
        raise ReasonerError("--token is for updates, which are off; add --update")
    if arguments.constraints is not None and not arguments.update:
        raise ReasonerError("--constraints is for updates, which are off; add --update")
    token = arguments.token if arguments.token is not None else os.environ.get(TOKEN_VARIABLE)
    return Settings(
        host=arguments.host,
        port=arguments.port,
        updates=arguments.update,
        token=(token or None) if arguments.update else None,
        timeout=arguments.timeout,
        most_rows=arguments.max_rows,
        most_body=arguments.max_body,
        readers=arguments.readers,
        origins=tuple(arguments.cors),
        access_log=arguments.access_log,
    )


def _updates(settings: Settings) -> str:
    if not settings.updates:
        return "off"
    return "on, with the token" if settings.token else "on, for everybody on this machine"
