"""A reasoner over HTTP: the SPARQL 1.1 Protocol, the Graph Store Protocol, and what those who run it need.

Files, in reading order:

- ``settings``: what a server may do, and how much of it.
- ``refusal``: requests that are not served, and what their senders are told.
- ``committed``: the last commit, for readers that never wait for the next one.
- ``lanes``: turns for queries, so that long ones leave room for short ones.
- ``workers``: queries and updates at work, within limits.
- ``child``, ``parsing``, ``documents``: reading texts and documents in processes of their own.
- ``metrics``, ``observed``: what is counted, and where.
- ``commit_log``, ``kept``: what is remembered of commits, and from one request to the next.
- ``service``: what the endpoints share.
- ``message``, ``negotiation``, ``access``: what a request says, what it wants to hear, and what it may do.
- ``rdf_syntaxes``, ``answer``: graphs and answers by media type.
- ``sparql_protocol``, ``graph_store``, ``events``, ``description``: the endpoints.
- ``api``: what the workbench shows, as JSON.
- ``workbench``: the page for browsers.
- ``routes``: the table of them, and the application.
- ``connections``: how many clients there may be, and how long each may take to say what it wants.
- ``run``: in the foreground or in the background.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoner.distribution import install_command
from reasoner.errors import ReasonerError

if TYPE_CHECKING:
    from reasoner.server.run import UnfinishedError, background, serve
    from reasoner.server.settings import Settings

__all__ = ["Settings", "UnfinishedError", "background", "serve"]

_HOMES = {"Settings": "settings", "UnfinishedError": "run", "background": "run", "serve": "run"}


def __getattr__(name: str) -> object:
    """Import on first use, and say what is missing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'reasoner.server' has no attribute {name!r}")
    from importlib import import_module

    try:
        return getattr(import_module(f"reasoner.server.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name in ("starlette", "uvicorn"):
            raise ReasonerError(f"the server needs {error.name}: {install_command('server')}") from error
        raise
