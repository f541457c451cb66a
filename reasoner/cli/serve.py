"""``reasoner serve``: answer SPARQL over HTTP."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
from reasoner.reasoner import Reasoner
from reasoner.rules.errors import ReasonerError

if TYPE_CHECKING:
    from reasoner.server import Settings

TOKEN_VARIABLE = "REASONER_TOKEN"


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    from reasoner.server.backend.settings import Settings

    usual = Settings()
    parser.description = (
        "Serve everything that follows from data and ontology: the workbench for a browser that opens the address,\n"
        "and the SPARQL 1.1 Protocol and the Graph Store Protocol for programs.\n"
        "Queries see the last commit, and never wait for the next one. Updates are off by default; those of a\n"
        "store on disk are durable before they are answered."
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
    group.add_argument(
        "--host", metavar="H", default=usual.host, help=f"the address to listen at (default: {usual.host})"
    )
    group.add_argument(
        "--port", metavar="N", type=int, default=usual.port, help=f"the port; 0 is any free one (default: {usual.port})"
    )
    group.add_argument(
        "--cors",
        metavar="ORIGIN",
        action="append",
        default=[],
        help="a web site whose pages may send requests; * is all",
    )
    group.add_argument("--access-log", action="store_true", help="write a line about every request to standard error")
    group = parser.add_argument_group("updates")
    group.add_argument("--update", action="store_true", help="accept updates")
    group.add_argument("--read-only", action="store_true", help="accept no updates (default)")
    group.add_argument(
        "--token",
        metavar="T",
        help=f"the bearer token that updates must carry (default: the variable {TOKEN_VARIABLE})",
    )
    add_constraints_option(group.add_argument, "an update")
    for title, limits in _LIMITS.items():
        group = parser.add_argument_group(title)
        for limit in limits:
            limit.add_to(group, getattr(usual, limit.setting))


@dataclass(frozen=True, slots=True)
class _Limit:
    """An option that sets a number: its name, the setting, and what is told about it."""

    option: str
    setting: str
    metavar: str
    help: str

    def add_to(self, group: Any, usual: float) -> None:
        shown = f"{usual >> 20} MB" if isinstance(usual, int) and self.metavar == "BYTES" else f"{usual:,}"
        shown = f"{usual:g}" if isinstance(usual, float) else shown
        group.add_argument(
            self.option,
            metavar=self.metavar,
            dest=self.setting,
            type=type(usual),
            default=usual,
            help=f"{self.help} (default: {shown})",
        )


_LIMITS = {
    "limits": (
        _Limit("--timeout", "timeout", "S", "seconds that a query may take"),
        _Limit("--max-rows", "most_rows", "N", "rows that an answer may have"),
        _Limit("--max-body", "most_body", "BYTES", "bytes that a request may have"),
        _Limit("--max-query", "most_query", "BYTES", "bytes of the text of a query"),
        _Limit("--max-bodies", "most_bodies", "BYTES", "bytes of all requests at a time, and of all answers"),
        _Limit("--max-memory", "most_memory", "BYTES", "bytes that a query takes on its way to an answer"),
        _Limit("--max-total-memory", "most_total_memory", "BYTES", "bytes that long queries and updates take together"),
        _Limit("--max-characters", "most_characters", "N", "characters of a string that a query computes"),
        _Limit("--max-digits", "most_digits", "N", "digits of a number that a query computes"),
        _Limit("--document-memory", "document_memory", "BYTES", "bytes that reading an uploaded document takes"),
        _Limit("--grace", "grace", "S", "seconds that requests may still take once the server is told to stop"),
    ),
    "shares": (
        _Limit("--readers", "readers", "N", "queries at the same time"),
        _Limit("--time-slice", "time_slice", "S", "seconds of work after which a query counts as a long one"),
        _Limit("--short-memory", "short_memory", "BYTES", "bytes from which on a query counts as a long one"),
        _Limit("--slow-readers", "slow_readers", "N", "long queries at the same time, besides the others"),
        _Limit("--max-waiting", "most_waiting", "N", "requests that wait for their turn"),
    ),
    "connections": (
        _Limit("--max-connections", "connections", "N", "connections at the same time"),
        _Limit(
            "--max-connections-per-address",
            "connections_per_address",
            "N",
            "connections of one client at the same time",
        ),
        _Limit("--head-timeout", "head_timeout", "S", "seconds for the head of a request to come"),
        _Limit("--body-timeout", "body_timeout", "S", "seconds for the body of a request to come"),
        _Limit("--idle-timeout", "idle_timeout", "S", "seconds between two requests of a connection"),
        _Limit("--send-timeout", "send_timeout", "S", "seconds within which a client has to take some of its answer"),
    ),
}


def run(arguments: Namespace) -> int:
    """Load, materialise, and serve until told to stop."""
    from reasoner.server import UnfinishedError, serve

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
        try:
            serve(kb, settings, announce=announce)
        except UnfinishedError as error:
            # What is under way would be waited for by everything that ends in an orderly way.
            print(f"error: {error}", file=sys.stderr, flush=True)
            os._exit(2)
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
        origins=tuple(arguments.cors),
        access_log=arguments.access_log,
        **{limit.setting: getattr(arguments, limit.setting) for limits in _LIMITS.values() for limit in limits},
    )


def _updates(settings: Settings) -> str:
    if not settings.updates:
        return "off"
    return "on, with the token" if settings.token else "on, for everybody on this machine"
