"""Arguments: the commands, parsers whose errors take one line, and a guess at what was meant by an unknown word."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from loaders.local_path import local_name, scheme_of
from reasoner.rules.errors import ReasonerError
from reasoner.store.file_system import address_of

COMMANDS = {
    "materialise": "compute everything that follows from data and ontology, and write it",
    "check": "list contradictions between data and ontology",
    "entails": "say whether a conclusion follows from data and ontology",
    "profile": "list the axioms that a profile cannot express, and why",
    "rules": "print the rules that an ontology is translated to",
    "classes": "list the terms that are equal to one another",
    "query": "answer a SPARQL query",
    "update": "change a store or data with a SPARQL update",
    "load": "create a store on disk from data and ontology, or add to one",
    "dump": "write the triples of a store on disk to a file",
    "info": "show the settings, versions and files of a store on disk",
    "vacuum": "remove old versions of a store on disk",
    "watch": "print the answers that every commit adds to a query and removes from it",
    "export": "write everything that follows to SQLite, DuckDB or Parquet",
    "serve": "open the workbench in a browser, and answer SPARQL over HTTP",
    "mcp": "give an assistant tools to query, explain and rehearse (Model Context Protocol)",
    "evolve": "change an ontology and its data with a script, rehearse the script, or undo it",
    "diff": "write the script that turns one version of an ontology into another",
    "explain": "show why a triple holds, as a proof",
    "generate": "write a synthetic data set of a chosen size",
    "spark-setup": "download the Java libraries of GraphFrames for Spark",
    "demo": "show what the reasoner does, with a small university",
}

_EXAMPLES = """
examples:
  reasoner demo
  reasoner serve data.ttl --ontology ontology.owl
  reasoner check data.ttl --ontology ontology.owl
  reasoner materialise data.ttl --ontology ontology.owl -o closure.nt.gz

'reasoner COMMAND --help' explains a command.
"""


class Parser(argparse.ArgumentParser):
    """A parser that takes no abbreviations and puts an error on one line."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(
            prog, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, add_help=False, **settings
        )
        self.add_argument("-h", "--help", action="help", help="show this help and exit")

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def top_parser() -> Parser:
    """Return the parser of what comes before the command."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:{width}}  {summary}" for name, summary in COMMANDS.items())
    parser = Parser(
        "reasoner",
        usage="reasoner [-h] [--version] [--debug] COMMAND ...",
        description="An RDF/OWL reasoner: it computes, explains and maintains what follows from data.",
        epilog=f"commands:\n{commands}\n{_EXAMPLES}",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    _add_debug(parser)
    return parser


def command_parser(name: str) -> Parser:
    """Return the parser of what comes after a command; the command adds its options."""
    parser = Parser(f"reasoner {name}")
    _add_debug(parser)
    return parser


def one_of(what: str, known: Iterable[str]) -> Callable[[str], str]:
    """Return a converter that takes the known words only, and names the nearest to any other.

    >>> one_of("profile", ("owl2rl", "dlp"))("owl2-rl")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: unknown profile 'owl2-rl', did you mean owl2rl?
    """
    words = tuple(known)

    def convert(word: str) -> str:
        if word not in words:
            raise argparse.ArgumentTypeError(f"unknown {what} {word!r}{did_you_mean(word, words)}")
        return word

    return convert


def local_place(word: str) -> str:
    """Convert a word that names a file or a folder of this machine; refuse an address of any other."""
    try:
        return word if word == "-" else local_name(word)
    except ReasonerError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def store_place(word: str) -> str:
    """Convert a word that names a store: a folder of this machine, or a URL of S3 or HDFS; refuse any other."""
    return word if address_of(word) is not None else local_place(word)


def data_source(word: str) -> str:
    """Convert a word that names data: a ``file`` URL becomes a path, and other addresses are left to the loader."""
    return local_place(word) if scheme_of(word) == "file" else word


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown word: the nearest known one, or all of them.

    >>> did_you_mean("materialize", COMMANDS)
    ', did you mean materialise?'
    """
    from difflib import get_close_matches

    words = tuple(known)
    nearest = get_close_matches(word.lower(), words, n=1, cutoff=0.5)
    return f", did you mean {nearest[0]}?" if nearest else f"; choose one of {', '.join(words)}"


def _add_debug(parser: Parser) -> None:
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")


class _Version(argparse.Action):
    """Looks the version up when it is asked for: reading package metadata takes longer than all the rest."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from loaders.errors import installed_version

        print(f"reasoner {installed_version()}")
        parser.exit()
