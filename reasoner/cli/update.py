"""``reasoner update``: change data in SPARQL, and write what they became."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reasoner.cli.errors import naming
from reasoner.cli.inputs import (
    add_constraints_option,
    add_full_iris_option,
    add_input_options,
    add_strategy_option,
    load_inputs,
    open_store,
    reason_over,
    short_terms,
)
from reasoner.cli.parser import Parser, local_place
from reasoner.cli.request import add_data_option, add_limit_options, declared_prefixes, take_request
from reasoner.cli.table import counted, print_table, print_violations
from reasoner.cli.target import OutputTarget
from reasoner.cli.watch import Watch
from reasoner.reasoner import Reasoner
from reasoner.rules.errors import ReasonerError
from reasoner.rules.prefixes import ShortTerms
from reasoner.state.constraint_policy import InconsistentError

if TYPE_CHECKING:
    from reasoner import Delta


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Apply a SPARQL 1.1 Update, completely or not at all, and write the resulting explicit triples as N-Triples,\n"
        "or as N-Quads or TriG with their graphs if the output has such a name.\n"
        "WHERE matches everything that data and ontology entail. --patch writes the changes as RDF Patch.\n"
        "A store on disk is changed itself, and its triples are written only if you name a file with -o."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner update data.ttl --update change.ru -o data-after.nt --patch change.rdfp\n"
        "  reasoner update data.nt -O ontology.owl -U 'DELETE WHERE { ?x a <http://e.org/Cat> }' --closure -o out.nt\n"
        "  reasoner update STORE 'INSERT DATA { <http://e.org/tom> a <http://e.org/Cat> }'\n"
        "exit status: 0, or 2 for an error"
    )
    add_input_options(parser)
    group = parser.add_argument_group("update")
    group.add_argument("--update", metavar="FILE", type=local_place, help="the file of the update; - is standard input")
    group.add_argument("--text", "-U", metavar="UPDATE", help="the update itself; it may also be the last argument")
    add_data_option(group.add_argument)
    add_limit_options(group.add_argument, "update")
    add_strategy_option(group.add_argument)
    add_constraints_option(group.add_argument, "the update")
    group.add_argument("--explain", action="store_true", help="prove the triples of new violations")
    group = parser.add_argument_group("output")
    group.add_argument(
        *("-o", "--output"),
        metavar="FILE",
        type=local_place,
        help="N-Triples, or quads if named .nq or .trig, compressed if named .gz, .bz2 or .zst (standard output)",
    )
    group.add_argument("--quads", action="store_true", help="write N-Quads, as for a file named .nq")
    group.add_argument(
        "--closure", action="store_true", help="write the closure, and for --patch its changes, not explicit triples"
    )
    add_full_iris_option(group.add_argument)
    group.add_argument(
        "--patch", metavar="FILE", type=local_place, help="write the changes as RDF Patch; - is standard output"
    )


def run(arguments: Namespace) -> int:
    """Load, materialise, change, write, tell."""
    from reasoner.sparql.translate_update import translate_update

    text, base = take_request(arguments, "update"), arguments.base
    prefixes = declared_prefixes(arguments)
    store = _store(arguments)
    target = None if store is not None and arguments.output is None else OutputTarget(arguments.output)
    patch = None if arguments.patch is None else OutputTarget(arguments.patch)
    if target is not None and patch is not None and patch.is_stdout and target.is_stdout:
        raise ReasonerError("triples and patch cannot both go to standard output; name a file with -o or --patch")
    # A malformed update is an error before anything is loaded.
    translate_update(text, base=base, prefixes=prefixes)
    watch = Watch(arguments.quiet)
    if store is None:
        kb = load_inputs(arguments, watch, may_be_empty=True)
        reason_over(kb, watch)
        kb.constraints = arguments.constraints or kb.constraints
    else:
        kb = open_store(store, arguments, watch)
    with kb:
        with watch.stage("updating"):
            delta = _updated(kb, text, prefixes, arguments)
        rows = delta.rows()
        _warn(delta, short_terms(kb, arguments, text), arguments)
        with watch.stage("writing"):
            if target is not None:
                rows.append(("written", _write(kb, target, arguments)))
            if patch is not None:
                with naming(f"cannot write {patch}"):
                    delta.write_patch(sys.stdout.buffer if patch.is_stdout else patch.path, inferred=arguments.closure)
        if store is not None:
            rows.append(("store", f"version {kb.version} of {store}"))
    if not arguments.quiet:
        print_table("Updated", rows, sys.stderr)
    return 0


def _updated(kb: Reasoner, text: str, prefixes: dict[str, str], arguments: Namespace) -> Delta:
    """Apply the update; explain why it is rejected if it is."""
    from reasoner.requests import update
    from reasoner.sparql.budget import MOST_ROWS

    try:
        return update(
            kb,
            text,
            strategy=arguments.strategy,
            base=arguments.base,
            prefixes=prefixes,
            timeout=arguments.timeout,
            most_rows=arguments.most_rows or MOST_ROWS,
        )
    except InconsistentError as refusal:
        if arguments.explain:
            print_violations(refusal.violations, sys.stderr, short_terms(kb, arguments, text), explain=True)
        raise


def _warn(delta: Delta, names: ShortTerms, arguments: Namespace) -> None:
    """Tell of violations that the update brought, once for all of it."""
    if (found := delta.violations_appeared) and not arguments.quiet:
        hint = "" if arguments.explain else "; --explain tells why"
        print(f"warning: the update brought {counted(len(found), 'violation')} of constraints{hint}", file=sys.stderr)
        print_violations(found, sys.stderr, names, explain=arguments.explain)


def _write(kb: Reasoner, target: OutputTarget, arguments: Namespace) -> str:
    """Write what the update left, and return what to tell of it."""
    format = "nquads" if arguments.quads else target.quad_format
    if format is not None and not arguments.closure:
        return f"{counted(target.write_quads(kb, format), 'quad')} to {target}"
    if kb.graphs() and not arguments.closure:
        print("N-Triples have no graphs: to keep their names, write to a .nq file or use --quads", file=sys.stderr)
    written = kb if arguments.closure else _explicit_only(kb)
    return f"{counted(target.write(written, inferred_only=False, reflexive=False), 'triple')} to {target}"


def _store(arguments: Namespace) -> str | None:
    """Return the store that is to be changed, if there is one; it comes alone."""
    from reasoner.store.folder import is_store

    stores: list[str] = [source for source in arguments.data if is_store(source)]
    others = [*arguments.data, *arguments.ontology, *arguments.rules]
    if stores and len(others) > 1:
        others.remove(stores[0])
        raise ReasonerError(f"{stores[0]} is changed by the update alone; add {others[0]} with 'reasoner load' first")
    return stores[0] if stores else None


def _explicit_only(kb: Reasoner) -> Reasoner:
    """Return a store whose closure is the explicit facts of another one: it has no rules, and no equality."""
    plain = Reasoner("none", equality="none")
    plain.prefixes = kb.prefixes
    plain.add(kb.store.texts(kb.store.state.explicit))
    return plain
