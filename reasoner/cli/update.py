"""``reasoner update``: change data in SPARQL, and write what they became."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from reasoner.cli.errors import naming
from reasoner.cli.inputs import add_input_options, load_inputs
from reasoner.cli.parser import Parser, one_of
from reasoner.cli.table import counted, print_table
from reasoner.cli.target import Target
from reasoner.cli.watch import Watch
from reasoner.errors import ReasonerError
from reasoner.reasoner import STRATEGIES, Reasoner


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Apply a SPARQL 1.1 Update, all of it or nothing, and write the explicit triples that it leaves as N-Triples.\n"
        "WHERE is asked of everything that data and ontology entail. What changed can be written as RDF Patch."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner update data.ttl --update change.ru -o data-after.nt --patch change.rdfp\n"
        "  reasoner update data.nt -O ontology.owl -U 'DELETE WHERE { ?x a <http://e.org/Cat> }' --closure -o out.nt\n"
        "exit status: 0, or 2 for an error"
    )
    add_input_options(parser)
    group = parser.add_argument_group("update")
    group.add_argument("--update", metavar="FILE", help="the file of the update; - is standard input")
    group.add_argument("--text", "-U", metavar="UPDATE", help="the update itself")
    group.add_argument(
        "--strategy",
        metavar="S",
        type=one_of("strategy", STRATEGIES),
        default="auto",
        help=f"how the closure follows: {', '.join(STRATEGIES)} (auto)",
    )
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o", "--output", metavar="FILE", help="N-Triples, compressed if named .gz, .bz2 or .zst (standard output)"
    )
    group.add_argument(
        "--closure", action="store_true", help="write, and compare, closures instead of explicit triples"
    )
    group.add_argument("--patch", metavar="FILE", help="what changed, as RDF Patch; - is standard output")


def run(arguments: Namespace) -> int:
    """Load, materialise, change, write, tell."""
    from reasoner.sparql import update
    from reasoner.sparql.translate_update import translate_update

    target = Target(arguments.output)
    patch = None if arguments.patch is None else Target(arguments.patch)
    if patch is not None and patch.is_stdout and target.is_stdout:
        raise ReasonerError("triples and patch cannot both go to standard output; name a file with -o or --patch")
    text, base = _update_text(arguments), arguments.base or ""
    # A malformed update is an error before anything is loaded.
    translate_update(text, base=base)
    watch = Watch(arguments.quiet)
    kb = load_inputs(arguments, watch, may_be_empty=True)
    with watch.stage("reasoning") as news:
        kb.materialise(progress=news)
    with watch.stage("updating"):
        delta = update(kb, text, strategy=arguments.strategy, base=base)
    with watch.stage("writing"):
        written = kb if arguments.closure else _explicit_only(kb)
        count = target.write(written, inferred_only=False, reflexive=False)
        if patch is not None:
            with naming(f"cannot write {patch}"):
                delta.write_patch(sys.stdout.buffer if patch.is_stdout else patch.path, inferred=arguments.closure)
    if not arguments.quiet:
        rows = [*delta.rows(), ("written", f"{counted(count, 'triple')} to {target}")]
        print_table("Updated", rows, sys.stderr)
    return 0


def _update_text(arguments: Namespace) -> str:
    if (arguments.update is None) == (arguments.text is None):
        raise ReasonerError("give the update once: --update FILE, or --text UPDATE")
    if arguments.text is not None:
        return str(arguments.text)
    if arguments.update == "-" and "-" in (*arguments.data, *arguments.ontology, *arguments.rules):
        raise ReasonerError("standard input can be read only once: write - in one place")
    with naming(f"cannot read {arguments.update}"):
        return sys.stdin.read() if arguments.update == "-" else Path(arguments.update).read_text(encoding="utf-8")


def _explicit_only(kb: Reasoner) -> Reasoner:
    """Return a store whose closure is the explicit facts of another one: it has no rules, and no equality."""
    plain = Reasoner("none", equality="none")
    plain.add(kb.store.texts(kb.store.state.explicit))
    return plain
