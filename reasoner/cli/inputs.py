"""The options that say what to load and how to reason, and loading it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import PurePath

from reasoner.cli.errors import naming
from reasoner.cli.parser import Parser, one_of
from reasoner.cli.watch import Watch
from reasoner.errors import ReasonerError
from reasoner.reasoner import EQUALITY, PROFILES, Reasoner

_OWL_SYNTAXES = {".ofn": "functional", ".owx": "owlxml"}
_ERRORS_SHOWN = 10


def add_input_options(parser: Parser) -> None:
    """Add what every command that loads data takes."""
    group = parser.add_argument_group("input")
    group.add_argument(
        "data",
        metavar="DATA",
        nargs="*",
        help="a file, glob or folder of RDF, plain or compressed; - is standard input",
    )
    group.add_argument(
        *("--ontology", "-O"),
        metavar="FILE",
        action="append",
        default=[],
        help="an ontology in any RDF syntax, OWL/XML or functional syntax; without one, the data are the ontology",
    )
    group.add_argument(
        "--rules", metavar="FILE", action="append", default=[], help="rules of your own, in addition to the ontology's"
    )
    group.add_argument("--format", metavar="F", help="the syntax of the data, if names and content do not tell it")
    group.add_argument("--base", metavar="IRI", help="what relative IRIs are resolved against (the file's own place)")
    group.add_argument("--skip-errors", action="store_true", help="report malformed statements and go on")
    group = parser.add_argument_group("reasoning")
    add_profile_option(group.add_argument)
    group.add_argument(
        "--equality",
        metavar="E",
        type=one_of("equality", EQUALITY),
        help="owl:sameAs by rewriting ('rewrite', the default), by its axioms as rules ('axiomatise'), or like any "
        "other property ('none', the default for rdfs)",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress and no summary")


def add_profile_option(add_argument: Callable[..., object]) -> None:
    """Add the choice of a profile to a parser or a group of its options."""
    add_argument(
        *("--profile", "-p"),
        metavar="P",
        type=one_of("profile", PROFILES),
        default="owl2rl",
        help=f"how an ontology becomes rules: {', '.join(PROFILES)} (owl2rl)",
    )


def load_inputs(arguments: Namespace, watch: Watch, *, may_be_empty: bool = False) -> Reasoner:
    """Return a reasoner with all that was asked for loaded, and nothing materialised yet."""
    data, ontologies = arguments.data, arguments.ontology
    if not (data or ontologies or may_be_empty):
        raise ReasonerError("nothing to load: name a file, or - for standard input")
    if [*data, *ontologies, *arguments.rules].count("-") > 1:
        raise ReasonerError("standard input can be read only once: write - in one place")
    kb = Reasoner(arguments.profile, equality=arguments.equality)
    for path in arguments.rules:
        _load_rules(kb, path)
    for source in ontologies:
        with watch.stage(f"reading {source}"):
            kb.load_ontology(source, base=arguments.base)
    plain = []
    for source in data:
        syntax = _OWL_SYNTAXES.get(PurePath(source).suffix.lower(), arguments.format)
        if syntax in _OWL_SYNTAXES.values():
            kb.load_ontology(source, format=syntax, base=arguments.base)
        else:
            plain.append(source)
    if plain:
        _load_data(kb, plain, arguments, watch)
    return kb


def report_imports(kb: Reasoner) -> None:
    """Name the imports of a materialised store that nothing was loaded for: none is ever followed."""
    missing = kb.select("?x owl:imports ?imported, not ?imported a owl:Ontology", ["imported"])
    for name in sorted(answer["imported"] for answer in missing):
        print(f"not followed: the import of {name}; give it with --ontology", file=sys.stderr)


def _load_rules(kb: Reasoner, path: str) -> None:
    with naming(f"cannot read {path}"):
        if path == "-":
            kb.add_rules(sys.stdin.read(), file="<stdin>")
        else:
            kb.load_rules(path)


def _load_data(kb: Reasoner, sources: list[str], arguments: Namespace, watch: Watch) -> None:
    with watch.stage("loading") as news:
        report = kb.load(
            *sources,
            format=arguments.format,
            base=arguments.base,
            skip_errors=arguments.skip_errors,
            progress=news,
        )
    for error in report.errors[:_ERRORS_SHOWN]:
        print(f"skipped: {error}", file=sys.stderr)
    if report.skipped > _ERRORS_SHOWN:
        print(f"skipped: {report.skipped - _ERRORS_SHOWN:,} more", file=sys.stderr)
