"""``reasoner query``: ask data and ontology in SPARQL."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from reasoner.cli.errors import naming
from reasoner.cli.inputs import add_input_options, load_inputs, reason_over, text_after_store
from reasoner.cli.parser import Parser, one_of
from reasoner.cli.watch import Watch
from reasoner.errors import ReasonerError
from reasoner.violation import TextTriple

_FORMATS = ("table", "json", "xml", "csv", "tsv", "nt", "turtle")


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Answer a SPARQL 1.1 query (SELECT, ASK, CONSTRUCT or DESCRIBE) over everything that data and ontology entail."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner query data.ttl --ontology ontology.owl -Q 'SELECT ?x { ?x a <http://e.org/Person> }'\n"
        "  reasoner query data.nt --query question.rq --out csv > answers.csv\n"
        "  reasoner query STORE 'ASK { ?x a <http://e.org/Person> }'\n"
        "exit status: 0, or 2 for an error"
    )
    add_input_options(parser)
    group = parser.add_argument_group("query")
    group.add_argument("--query", metavar="FILE", help="the file of the query; - is standard input")
    group.add_argument("--text", "-Q", metavar="QUERY", help="the query itself")
    group.add_argument(
        "--data", metavar="FILE", dest="more", action="append", default=[], help="the same as DATA, as an option"
    )
    group.add_argument(
        "--graph",
        metavar="IRI=FILE",
        action="append",
        default=[],
        help="a named graph for GRAPH and FROM, asked as it is and not reasoned over, in place of those of the data",
    )
    group.add_argument(
        "--out", metavar="F", type=one_of("format", _FORMATS), default="table", help=f"{', '.join(_FORMATS)} (table)"
    )
    group.add_argument("--timeout", metavar="S", type=float, help="stop the query after so many seconds")
    group.add_argument("--representatives", action="store_true", help="answer with one term for each set of equal ones")
    group.add_argument("--explain", action="store_true", help="show what the query did instead of its answers")
    group.add_argument("--parse-only", action="store_true", help="only check the syntax of the query")


def run(arguments: Namespace) -> int:
    """Load, materialise, ask, and print the answers."""
    from reasoner.sparql import explain_plan, query
    from reasoner.sparql.scope import reads_graphs
    from reasoner.sparql.translate import translate

    text = _query_text(arguments)
    translated = translate(text)
    if arguments.parse_only:
        return 0
    arguments.data = [*arguments.data, *arguments.more]
    watch = Watch(arguments.quiet)
    kb = load_inputs(arguments, watch, may_be_empty=bool(arguments.graph))
    graphs = dict(_named_graph(given, number) for number, given in enumerate(arguments.graph)) or None
    reason_over(kb, watch)
    if not graphs and not kb.graphs() and reads_graphs(translated.node):
        print("there are no named graphs for GRAPH; load quads, or give one with --graph", file=sys.stderr)
    expand, timeout = not arguments.representatives, arguments.timeout
    if arguments.explain:
        print(explain_plan(kb, text, expand=expand, timeout=timeout, graphs=graphs))
        return 0
    result = query(kb, text, expand=expand, timeout=timeout, graphs=graphs, terms="text")
    out = arguments.out
    if out == "table":
        out = "nt" if translated.form in ("CONSTRUCT", "DESCRIBE") else "table"
    elif out == "json" and translated.form in ("CONSTRUCT", "DESCRIBE"):
        out = "nt"
    if out == "table":
        _print_table(result.variables, result.rows(), translated.form)
    else:
        data = result.serialize(format=out)
        assert data is not None
        print(data.decode(), end="" if out in ("nt", "csv", "tsv", "xml", "turtle") else "\n")
    return 0


def _query_text(arguments: Namespace) -> str:
    if arguments.query is None and arguments.text is None:
        arguments.text = text_after_store(arguments)
    if (arguments.query is None) == (arguments.text is None):
        raise ReasonerError("give the query once: --query FILE, or --text QUERY")
    if arguments.text is not None:
        return str(arguments.text)
    with naming(f"cannot read {arguments.query}"):
        return sys.stdin.read() if arguments.query == "-" else Path(arguments.query).read_text(encoding="utf-8")


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


def _print_table(names: Sequence[str], rows: Sequence[Sequence[str | None]], form: str) -> None:
    if form == "ASK":
        print("yes" if rows[0] else "no")
        return
    cells = [[f"?{name}" for name in names], *([text or "" for text in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(names))]
    for row in cells:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
    print(f"{len(rows):,} answer{'' if len(rows) == 1 else 's'}", file=sys.stderr)
