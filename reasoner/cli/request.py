"""The text of a query or an update: an option, a file, standard input, or the last word of the command."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable
from pathlib import Path

from reasoner.cli.errors import naming
from reasoner.cli.inputs import require_sources
from reasoner.cli.parser import data_source
from reasoner.rules.errors import ReasonerError
from reasoner.rules.prefixes import declared_in

_KEYWORDS = "SELECT|ASK|CONSTRUCT|DESCRIBE|PREFIX|BASE|INSERT|DELETE|WITH|LOAD|CLEAR|DROP|CREATE|ADD|MOVE|COPY"
_REQUEST = re.compile(rf"\s*(?:{_KEYWORDS})\s|.*\{{", re.IGNORECASE | re.DOTALL)

_WITH_PREFIXES = (".ttl", ".turtle", ".trig", ".n3", ".rdf", ".owl", ".xml", ".jsonld", ".ofn", ".owx")
_HEAD = 1 << 16


def add_data_option(add_argument: Callable[..., object]) -> None:
    """Add the data as an option, for those who like to name everything."""
    add_argument(
        "--data", metavar="FILE", type=data_source, dest="more", action="append", default=[], help="the same as DATA"
    )


def add_limit_options(add_argument: Callable[..., object], what: str) -> None:
    """Add the limits of a query or an update."""
    add_argument("--timeout", metavar="S", type=_positive(float), help=f"stop the {what} after S seconds")
    add_argument(
        "--most-rows",
        metavar="N",
        type=_positive(int),
        help="stop if a step returns more than N rows (default: 50 million)",
    )


def take_request(arguments: Namespace, what: str) -> str:
    """Return the text of the ``what``, and leave the data that come with it, those of ``--data`` included.

    The last word is the text if there is no such file, and it looks like one or follows a store.
    """
    from reasoner.store.folder import is_store

    path = getattr(arguments, what)
    after_store = len(arguments.data) > 1 and is_store(arguments.data[0])
    given = [text for text in (arguments.text, _last_word(arguments, after_store and path is None)) if text is not None]
    arguments.data = [*arguments.data, *arguments.more]
    if not after_store:
        require_sources(arguments.data, engine=arguments.engine)
    if len(given) + (path is not None) != 1:
        raise ReasonerError(f"give the {what} once: --{what} FILE, --text {what.upper()}, or as the last word")
    if given and given != ["-"]:
        return str(given[0])
    if path not in (None, "-"):
        with naming(f"cannot read {path}"):
            return Path(path).read_text(encoding="utf-8")
    if "-" in (*arguments.data, *arguments.ontology, *arguments.rules):
        raise ReasonerError("standard input can be read only once: write - in one place")
    with naming("cannot read standard input"):
        text = sys.stdin.read()
    if not text.strip():
        raise ReasonerError(f"standard input is empty: there is no {what} in it")
    return text


def declared_prefixes(arguments: Namespace) -> dict[str, str]:
    """Return the prefixes of files and stores of this run; those that they disagree on are left out.

    What a user reads in a file may be written in a question about it.
    """
    from reasoner.store.file_system import place_of
    from reasoner.store.folder import is_store, read_namespaces

    found: dict[str, set[str]] = {}
    for name in (*arguments.data, *arguments.ontology):
        path, declared = Path(name), dict[str, str]()
        if is_store(name):
            declared = read_namespaces(place_of(name))
        elif path.suffix.lower() in _WITH_PREFIXES and path.is_file():
            with path.open("rb") as file:
                declared = declared_in(file.read(_HEAD))
        for prefix, namespace in declared.items():
            found.setdefault(prefix, set()).add(namespace)
    return {prefix: namespaces.pop() for prefix, namespaces in found.items() if len(namespaces) == 1}


def _last_word(arguments: Namespace, after_store: bool) -> str | None:
    data = arguments.data
    # A query can be too long for a name, which is no error here.
    if not data or os.path.exists(data[-1]):  # noqa: PTH110
        return None
    is_text = (after_store and arguments.text is None) or _REQUEST.match(data[-1])
    return str(data.pop()) if is_text else None


def _positive(kind: type[int] | type[float]) -> Callable[[str], float]:
    def convert(word: str) -> float:
        try:
            number = kind(word)
        except ValueError:
            number = kind(0)
        if not number > 0:
            raise ArgumentTypeError(f"{word} is not a number above 0")
        return number

    return convert
