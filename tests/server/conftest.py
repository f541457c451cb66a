"""Real servers on loopback, and a small store for them to serve."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest

from reasoner import Reasoner
from reasoner.server import Settings, background

TOKEN = "open-sesame"
FAMILY = """@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Mother rdfs:subClassOf :Parent . :ancestor a owl:TransitiveProperty .
:eve a :Mother ; :ancestor :seth . :seth :ancestor :enos .
"""


def family() -> Reasoner:
    from loaders.load import parse_text

    kb = Reasoner()
    kb.add(parse_text(FAMILY, "turtle"))
    return kb


def chain(length: int) -> Reasoner:
    """A store whose queries can be made to take long."""
    kb = Reasoner(profile="none")
    kb.add([(f"<http://e.org/n{n}>", "<http://e.org/next>", f"<http://e.org/n{n + 1}>") for n in range(length)])
    return kb


Serve = Callable[..., httpx.Client]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server and return a client for it: a store (the family unless another is given) and settings."""
    with ExitStack() as stack:

        def start(kb: Reasoner | None = None, **settings: object) -> httpx.Client:
            served = Settings(port=0, **settings)  # type: ignore[arg-type]
            address = stack.enter_context(background(kb or family(), served))
            headers = {"Authorization": f"Bearer {served.token}"} if served.token else {}
            return stack.enter_context(httpx.Client(base_url=address, timeout=30, headers=headers, trust_env=False))

        yield start


@pytest.fixture
def client(serve: Serve) -> httpx.Client:
    """A client of a server of the family that takes updates from whoever has the token, as this client does."""
    return serve(updates=True, token=TOKEN)
