"""A reasoner over HTTP: the SPARQL 1.1 Protocol, the Graph Store Protocol, and what those who run it need.

Files, in reading order:

- ``backend``: what the endpoints share.
- ``sparql_protocol``, ``graph_store``, ``events``: the endpoints.
- ``api``: what the workbench shows, as JSON.
- ``workbench``: the page for browsers.
- ``connections``: how many clients there may be, and how long each may take to say what it wants.
- ``run``: the table of routes, and the application in the foreground or in the background.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.errors import install_command
from reasoner.rules.errors import ReasonerError

if TYPE_CHECKING:
    from reasoner.server.backend.settings import Settings
    from reasoner.server.run import UnfinishedError, background, serve

__all__ = ["Settings", "UnfinishedError", "background", "serve"]

_HOMES = {"Settings": "backend.settings", "UnfinishedError": "run", "background": "run", "serve": "run"}


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
