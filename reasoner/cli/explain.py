"""``reasoner explain``: tell why a triple holds."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from reasoner.cli.errors import naming
from reasoner.cli.inputs import add_full_iris_option, add_input_options, load_inputs, reason_over, short_terms
from reasoner.cli.parser import Parser, local_place, one_of
from reasoner.cli.watch import Watch
from reasoner.explanation.explain import Proof, proof_tree
from reasoner.rules.parser import parse_triple
from reasoner.rules.prefixes import COMMON, ShortTerms

_WRITERS: dict[str, Callable[[Proof], str]] = {
    "json": Proof.to_json,
    "turtle": Proof.to_turtle,
    "svg": Proof.to_svg,
    "html": Proof.to_html,
}
_TEXT = "text"
_FORMS = (_TEXT, *_WRITERS)
_ENDINGS = {".txt": "text", ".json": "json", ".ttl": "turtle", ".svg": "svg", ".html": "html", ".htm": "html"}


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Show why a triple holds: the shortest proof, down to asserted facts. Every step names its rule and its\n"
        "axiom, and steps of equality are written out."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner explain data.ttl --triple ':eve a :Parent'\n"
        "  reasoner explain data.nt -O ontology.owl -t 'PREFIX e: <http://e.org/> e:a owl:sameAs e:b' -o why.html\n"
        "exit status: 0, 1 if the triple does not hold, 2 for an error"
    )
    add_input_options(parser)
    parser.add_argument(
        "--triple",
        "-t",
        metavar="T",
        required=True,
        help="the triple, such as ':eve a :Parent'; it may use the prefixes of the data, or begin with PREFIX lines",
    )
    add_full_iris_option(parser.add_argument)
    parser.add_argument(
        "--as",
        dest="form",
        metavar="F",
        type=one_of("form", _FORMS),
        help=f"how to write the proof: {', '.join(_FORMS)} (text, or what the name of the output says)",
    )
    parser.add_argument(
        "--output", "-o", metavar="FILE", type=local_place, help="where to write it to, instead of standard output"
    )


def run(arguments: Namespace) -> int:
    """Load, materialise, and write the proof."""
    watch = Watch(arguments.quiet)
    kb = load_inputs(arguments, watch)
    names = short_terms(kb, arguments, arguments.triple)
    triple = parse_triple(arguments.triple, {**COMMON, **kb.prefixes}, file="--triple")
    reason_over(kb, watch)
    with watch.stage("explaining"):
        proof = kb.explain(triple)
    if proof is None:
        print(f"{names.triple(triple)} does not hold", file=sys.stderr)
        return 1
    _write(proof, names, arguments)
    return 0


def _write(proof: Proof, names: ShortTerms, arguments: Namespace) -> None:
    name = arguments.output
    ending = Path(name).suffix.lower() if name else ""
    form = arguments.form or _ENDINGS.get(ending, _TEXT)
    if form == _TEXT and name in (None, "-") and sys.stdout.isatty():
        from reasoner.cli.demo import Page

        Page(names).proof(proof, sources=True)
        return
    text = "\n".join(map(str, proof_tree(proof, names))) if form == _TEXT else _WRITERS[form](proof)
    if name in (None, "-"):
        print(text)
        return
    with naming(f"cannot write {name}"):
        Path(name).write_text(f"{text}\n", encoding="utf-8")
