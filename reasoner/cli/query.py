"""``reasoner query``: ask data and ontology in SPARQL."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from reasoner.cli.inputs import (
    add_full_iris_option,
    add_input_options,
    add_literals_option,
    load_inputs,
    reason_over,
    short_terms,
)
from reasoner.cli.parser import Parser, local_place, one_of
from reasoner.cli.request import add_data_option, add_limit_options, declared_prefixes, take_request
from reasoner.cli.watch import Watch
from reasoner.rules.errors import ReasonerError
from reasoner.rules.prefixes import ShortTerms
from reasoner.terms.term import TextTriple

_ROWS = ("table", "json", "xml", "csv", "tsv")
# What the formats of triples are called by the library that writes them.
_TRIPLES = {"table": "nt", "nt": "nt", "turtle": "turtle", "xml": "xml", "json": "json-ld"}
_FORMATS = tuple(dict.fromkeys((*_ROWS, *_TRIPLES)))
_SYNTAXES = ("nt", "ntriples", "nq", "nquads", "ttl", "turtle", "trig", "rdf", "rdfxml", "jsonld", "json-ld")
_ONTOLOGY_SYNTAXES = ("functional", "owlxml")


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Answer a SPARQL 1.1 query (SELECT, ASK, CONSTRUCT or DESCRIBE) over everything that data and ontology entail."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner query data.ttl --ontology ontology.owl 'SELECT ?x { ?x a <http://e.org/Person> }'\n"
        "  reasoner query data.nt --query question.rq --format csv > answers.csv\n"
        "  reasoner query STORE 'ASK { ?x a <http://e.org/Person> }'\n"
        "exit status: 0, or 2 for an error"
    )
    add_input_options(parser, ("--input-format",))
    group = parser.add_argument_group("query")
    group.add_argument("--query", metavar="FILE", type=local_place, help="the file of the query; - is standard input")
    group.add_argument("--text", "-Q", metavar="QUERY", help="the query itself; it may also be the last argument")
    add_data_option(group.add_argument)
    group.add_argument(
        "--graph",
        metavar="IRI=FILE",
        action="append",
        default=[],
        help="use a file as a named graph for GRAPH and FROM, without reasoning, instead of the graphs of the data",
    )
    group.add_argument(
        "--format",
        dest="word",
        metavar="F",
        type=one_of("format", dict.fromkeys((*_FORMATS, *_SYNTAXES, *_ONTOLOGY_SYNTAXES))),
        help=f"the format of rows: {', '.join(_ROWS)} (default: table); of triples: {', '.join(list(_TRIPLES)[1:])} "
        "(default: nt); any other value names the syntax of the data",
    )
    group.add_argument(
        "--out", metavar="F", type=one_of("format", _FORMATS), help="the format of the answers, whatever --format says"
    )
    add_limit_options(group.add_argument, "query")
    add_literals_option(group.add_argument)
    group.add_argument(
        "--representatives", action="store_true", help="answer with one representative for each set of equal terms"
    )
    group.add_argument(
        *("--explain", "--explain-plan"),
        action="store_true",
        help="show the plan and what each operator did, instead of the answers",
    )
    add_full_iris_option(group.add_argument, "in a table, write IRIs and numbers in full, as in N-Triples")
    group.add_argument("--parse-only", action="store_true", help="only check the syntax of the query")


def run(arguments: Namespace) -> int:
    """Load, materialise, ask, and print the answers."""
    from reasoner.requests import explain_plan, query
    from reasoner.sparql.budget import MOST_ROWS
    from reasoner.sparql.scope import reads_graphs
    from reasoner.sparql.translate import translate

    text = take_request(arguments, "query")
    settings: dict[str, Any] = {"prefixes": declared_prefixes(arguments), "base": arguments.base or ""}
    translated = translate(text, **settings)
    if arguments.parse_only:
        return 0
    out = _format(arguments, translated.form)
    watch = Watch(arguments.quiet)
    kb = load_inputs(arguments, watch, may_be_empty=bool(arguments.graph))
    graphs = dict(_named_graph(given, number) for number, given in enumerate(arguments.graph)) or None
    reason_over(kb, watch)
    if not graphs and not kb.graphs() and reads_graphs(translated.node):
        print("there are no named graphs for GRAPH; load quads, or give one with --graph", file=sys.stderr)
    settings |= {"expand": not arguments.representatives, "graphs": graphs}
    settings |= {"timeout": arguments.timeout, "most_rows": arguments.most_rows or MOST_ROWS}
    if arguments.explain:
        print(explain_plan(kb, text, **settings))
        return 0
    result = query(kb, text, terms="text", **settings)
    if out == "table":
        _print_table(result.variables, result.rows(), translated.form, short_terms(kb, arguments, text))
    else:
        data = result.serialize(format=out)
        assert data is not None
        print(data.decode(), end="\n" if out.startswith("json") else "")
    return 0


def _format(arguments: Namespace, form: str) -> str:
    """Return the format of the answers to a form of query; a word that is none for it may be the syntax of the data."""
    known = _TRIPLES if form in ("CONSTRUCT", "DESCRIBE") else dict(zip(_ROWS, _ROWS, strict=True))
    word, out = arguments.word, arguments.out
    if word is not None and word not in known and word in (*_SYNTAXES, *_ONTOLOGY_SYNTAXES):
        if arguments.format not in (None, word):
            raise ReasonerError(f"the data are either {word} or {arguments.format}; give one of them")
        arguments.format = word
    elif word is not None:
        if out not in (None, word):
            raise ReasonerError(f"the answers are either {word} or {out}; give one of them")
        out = word
    if out is not None and out not in known:
        raise ReasonerError(f"{form} has no answers in the format {out}; choose one of {', '.join(known)}")
    return known[out or "table"]


def _named_graph(given: str, number: int) -> tuple[str, list[TextTriple]]:
    """Read a named graph; its blank nodes are its own."""
    from reasoner.reasoner import Reasoner

    name, found, path = given.rpartition("=")
    if not found or not name:
        raise ReasonerError(f"--graph needs IRI=FILE, not {given!r}")
    graph = Reasoner(profile="none", equality="none")
    graph.load(path)
    own = f"_:g{number}"
    return name, [
        (s.replace("_:", own, 1) if s[0] == "_" else s, p, o.replace("_:", own, 1) if o[0] == "_" else o)
        for s, p, o in graph.triples()
    ]


def _print_table(names: Sequence[str], rows: Sequence[Sequence[str | None]], form: str, terms: ShortTerms) -> None:
    if form == "ASK":
        print("yes" if rows[0] else "no")
        return
    cells = [[f"?{name}" for name in names], *([terms.cell(text) if text else "" for text in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(names))]
    for row in cells:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
    print(f"{len(rows):,} answer{'' if len(rows) == 1 else 's'}", file=sys.stderr)
