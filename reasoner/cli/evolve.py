"""``reasoner evolve``: change an ontology and its data by a script, see what that would do, or take it back."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from reasoner.cli.errors import naming
from reasoner.cli.evolution_output import DataRun, print_report
from reasoner.cli.inputs import add_full_iris_option, add_input_options, add_strategy_option, engine_of, load_inputs
from reasoner.cli.parser import Parser, data_source, local_place
from reasoner.cli.watch import Watch
from reasoner.errors import ReasonerError
from reasoner.reasoner import Reasoner
from reasoner.short_terms import ShortTerms

if TYPE_CHECKING:
    from ontologies.evolution.script import Script

_EXTENSION = ".evolve"
_DATA = (
    *(".nt", ".nq", ".ttl", ".trig", ".n3", ".rdf", ".owl", ".xml", ".jsonld", ".json", ".ofn", ".owx"),
    *(".gz", ".bz2", ".zst"),
)


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.usage = "reasoner evolve [STORE | DATA...] SCRIPT [options], or reasoner evolve [STORE | DATA...] --undo"
    parser.description = (
        "Apply an evolution script: axioms, triples and rules in and out, names changed, merged, split, moved or\n"
        "deprecated; every step is one transaction. Tell what came and went with it. A script that would make the\n"
        "store inconsistent is not applied. Every step is recorded with its inverse, and can be taken back, which is\n"
        "reported and refused in the same way."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner evolve STORE change.evolve --dry-run --picture change.svg\n"
        "  reasoner evolve STORE change.evolve\n"
        "  reasoner evolve STORE --undo\n"
        "  reasoner evolve data.nt -O ontology.ttl change.evolve -o after.nt\n"
        "  reasoner evolve after.nt --undo -o before.nt\n"
        "A script, in part:\n"
        '  prefix : <http://e.org/>   step "staff"\n'
        "  add SubClassOf(:Tutor :Staff)   rename :Prof to :Professor   move :Dean under :Staff from :Person\n"
        "exit status: 0; 1 if it makes, or would make, the store inconsistent; 2 for an error"
    )
    add_input_options(parser)
    group = parser.add_argument_group("evolution")
    group.add_argument(
        "--data",
        dest="more_data",
        metavar="FILE",
        type=data_source,
        nargs="+",
        action="extend",
        default=[],
        help="the same as DATA",
    )
    group.add_argument("--dry-run", "-n", action="store_true", help="tell what would happen, and change nothing")
    group.add_argument(
        "--step", metavar="NAME", action="append", help="take this step only; may be given several times"
    )
    group.add_argument("--allow-inconsistent", action="store_true", help="go ahead whatever is violated")
    group.add_argument("--undo", action="store_true", help="take the last applied step back")
    group.add_argument("--last", metavar="N", type=int, default=1, help="with --undo: take so many steps back (1)")
    add_strategy_option(group.add_argument)
    group = parser.add_argument_group("output")
    group.add_argument("--explain", action="store_true", help="prove the triples of violations that appear")
    group.add_argument("--json", action="store_true", help="the report as JSON")
    add_full_iris_option(group.add_argument)
    group.add_argument("--most", metavar="N", type=int, default=12, help="list at most so many changes of a kind (12)")
    group.add_argument("--picture", metavar="FILE", type=local_place, help="draw what happened, as SVG")
    group.add_argument(
        "-o", "--output", metavar="FILE", type=local_place, help="for DATA: where the triples go; N-Triples, or .nq"
    )
    group.add_argument(
        "--journal", metavar="FILE", type=local_place, help="for DATA: the record of steps (beside the output)"
    )
    group.add_argument(
        "--write-rules", metavar="FILE", type=local_place, help="for DATA: where your own rules go if they change"
    )


def run(arguments: Namespace) -> int:
    """Open or load, evolve or undo, write, tell."""
    script = _arrange(arguments)
    folder = _store_folder(arguments)
    watch = Watch(arguments.quiet)
    if folder is not None:
        with closing(Reasoner.open(folder, read_only=arguments.dry_run, **engine_of(arguments))) as kb:
            return _evolve(kb, script, arguments, watch)
    output = DataRun(arguments)
    kb = load_inputs(arguments, watch)
    kb.keep_evolutions_in(output.journal())
    status = _evolve(kb, script, arguments, watch)
    if not arguments.dry_run and (status == 0 or arguments.allow_inconsistent):
        with watch.stage("writing"):
            output.write(kb)
    return status


def _arrange(arguments: Namespace) -> str | None:
    """Sort out which words are data and which is the script; return the script, None to undo."""
    words = [*arguments.data, *arguments.more_data]
    if arguments.undo:
        if arguments.step:
            raise ReasonerError("--undo takes the last steps back: leave out --step, and say how many with --last")
        arguments.data = words
        return None
    named = [word for word in words if word.lower().endswith(_EXTENSION)]
    if len(named) > 1:
        raise ReasonerError(f"one script at a time: {named[0]} or {named[1]}")
    script = named[0] if named else arguments.data[-1] if arguments.data else None
    if script is None or (not named and _is_data(script, alone=len(words) == 1 and not arguments.ontology)):
        given = f"{script} is what to change, and no script is named" if script else "no script is named"
        raise ReasonerError(f"{given}: write one, such as change{_EXTENSION}, after the store or the data, or --undo")
    words.remove(script)
    arguments.data = words
    return str(script)


def _is_data(word: str, *, alone: bool) -> bool:
    """Tell whether the last word, not named like a script, is data: a folder, a file of RDF, or all that there is."""
    return alone or Path(word).is_dir() or PurePath(word).name.lower().endswith(_DATA)


def _store_folder(arguments: Namespace) -> Path | None:
    from reasoner.store.folder import is_store

    stores = [word for word in arguments.data if word != "-" and is_store(Path(word))]
    if not stores:
        return None
    if len(arguments.data) > 1 or arguments.ontology or arguments.rules or arguments.output or arguments.journal:
        raise ReasonerError("a store is changed in place: give no other data, ontology, rules, output or journal")
    return Path(stores[0])


def _evolve(kb: Reasoner, source: str | None, arguments: Namespace, watch: Watch) -> int:
    """Apply a script, or take steps back if there is none, and tell what that did or would have done."""
    from reasoner.evolution.report import InconsistentEvolutionError

    script = None if source is None else _read(source)
    how = {
        "dry_run": arguments.dry_run,
        "allow_inconsistent": arguments.allow_inconsistent,
        "explain": arguments.explain,
        "strategy": arguments.strategy,
    }
    refused = False
    with watch.stage("evolving" if script else "taking back"):
        try:
            if script is None:
                evolution = kb.undo_evolutions(arguments.last, **how)
            else:
                evolution = kb.evolve(script, steps=arguments.step, **how)
        except InconsistentEvolutionError as error:
            evolution, refused = error.evolution, True
    if arguments.picture is not None:
        with naming(f"cannot write {arguments.picture}"):
            Path(arguments.picture).write_text(evolution.to_svg(), encoding="utf-8")
    names = ShortTerms({**kb.prefixes, **dict(evolution.prefixes)}, full=arguments.full_iris)
    print_report(evolution, names, arguments)
    if refused:
        done, does = ("applied", "applies it") if script else ("taken back", "takes it back")
        sys.stdout.flush()  # The report comes first, also where both go to one file.
        print(f"reasoner: not {done}; --allow-inconsistent {does} regardless", file=sys.stderr)
    return 0 if evolution.is_consistent or arguments.allow_inconsistent else 1


def _read(source: str) -> Script:
    from ontologies.evolution.parse_script import parse_script

    with naming(f"cannot read {source}"):
        # Bytes, so that line ends inside literals stay what they are.
        text = (sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()).decode("utf-8")
    return parse_script(text, file="<stdin>" if source == "-" else source)
