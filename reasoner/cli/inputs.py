"""The options that say what to load and how to reason, and loading it."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from glob import has_magic
from os import PathLike
from pathlib import Path, PurePath
from typing import Any

from loaders.local_path import local_name, scheme_of
from reasoner.cli.errors import naming
from reasoner.cli.parser import Parser, data_source, local_place, one_of
from reasoner.cli.table import counted
from reasoner.cli.watch import Watch
from reasoner.reasoner import ENGINES, EQUALITY, LITERALS, PROFILES, STRATEGIES, Reasoner
from reasoner.rules.errors import ReasonerError
from reasoner.rules.prefixes import ShortTerms, declared_in
from reasoner.state.constraint_policy import POLICIES
from reasoner.store.file_system import address_of

_OWL_SYNTAXES = {".ofn": "functional", ".owx": "owlxml"}
_ERRORS_SHOWN = 10
_FILES_SHOWN = 3


def add_input_options(parser: Parser, syntax: tuple[str, ...] = ("--format", "--input-format")) -> None:
    """Add what every command that loads data takes; ``syntax`` are the names of the option for that of the data."""
    group = parser.add_argument_group("input")
    group.add_argument(
        "data",
        metavar="DATA",
        type=data_source,
        nargs="*",
        help="a file, glob or folder of RDF, plain or compressed, or a store on disk; - is standard input",
    )
    group.add_argument(
        *("--ontology", "-O"),
        metavar="FILE",
        type=local_place,
        action="append",
        default=[],
        help="an ontology in any RDF syntax, OWL/XML or functional syntax (default: the axioms among the data)",
    )
    add_imports_option(group.add_argument)
    group.add_argument(
        "--rules",
        metavar="FILE",
        type=local_place,
        action="append",
        default=[],
        help="user rules, in addition to those of the ontology",
    )
    group.add_argument(
        *syntax, dest="format", metavar="F", help="the syntax of the data (default: by file name and content)"
    )
    group.add_argument("--base", metavar="IRI", help="the base of relative IRIs (default: the file itself)")
    group.add_argument(
        "--template",
        metavar="FILE",
        help="how a row of a .csv, .tsv or .parquet file becomes triples: Turtle with column names in braces, such as "
        "'<http://e.org/{id}> rdfs:label {name} .'; a file with the template, or the template itself",
    )
    group.add_argument("--skip-errors", action="store_true", help="report malformed statements and continue")
    group = parser.add_argument_group("reasoning")
    # A store on disk has its own.
    add_profile_option(group.add_argument, default=None)
    group.add_argument(
        "--equality",
        metavar="E",
        type=one_of("equality", EQUALITY),
        help="how owl:sameAs is treated: 'rewrite' keeps one term for each set of equal ones (default), 'axiomatise' "
        "uses ordinary rules, 'none' gives it no meaning (default for rdfs)",
    )
    add_engine_options(group.add_argument)
    parser.add_argument("--quiet", "-q", action="store_true", help="print no progress and no summary")


def add_imports_option(add_argument: Callable[..., object]) -> None:
    """Add the folders that imported ontologies are looked for in."""
    add_argument(
        "--imports",
        metavar="FOLDER",
        action="append",
        default=[],
        help="follow owl:imports to documents in this folder, found by a catalog-v001.xml or by their ontology IRI; "
        "nothing is downloaded (default: imports are not followed)",
    )


def add_full_iris_option(
    add_argument: Callable[..., object], help: str = "write IRIs in full, not with the prefixes of the input"
) -> None:
    """Add the choice of terms in full for output that people read."""
    add_argument("--full-iris", action="store_true", help=help)


def short_terms(kb: Reasoner, arguments: Namespace, question: str = "") -> ShortTerms:
    """Return how to write terms for people: with the prefixes of a question, then with those of what was loaded."""
    return ShortTerms({**kb.prefixes, **declared_in(question.encode())}, full=arguments.full_iris)


def add_engine_options(add_argument: Callable[..., object]) -> None:
    """Add the choice of an engine to a parser or a group of its options."""
    _add_choice(
        add_argument,
        ["--engine"],
        "engine",
        ENGINES,
        "the engine: in memory (columnar) or on Spark",
        default="columnar",
    )
    add_argument(
        "--master", metavar="M", help="where Spark runs, such as local[4] or spark://host:7077 (default: this machine)"
    )
    add_argument(
        "--scratch",
        metavar="FOLDER",
        type=local_place,
        help="a folder for Spark's intermediate files, shared by all machines of a cluster (default: REASONER_SCRATCH, "
        "beside the store on a cluster, or a temporary folder)",
    )
    add_argument(
        "--memory",
        metavar="SIZE",
        help="how much memory the process may hold, such as 500M or 4G; what would take more is refused by name before "
        "it begins (default: REASONER_MEMORY, or three quarters of what the machine has free)",
    )


def add_literals_option(add_argument: Callable[..., object]) -> None:
    """Add the choice of how answers give literals to a parser or a group of its options."""
    asked = "show literals as they were written, or all spellings of their value"
    _add_choice(add_argument, ["--literals"], "literals", LITERALS, asked, default="written")


def add_strategy_option(add_argument: Callable[..., object]) -> None:
    """Add the choice of a maintenance strategy to a parser or a group of its options."""
    _add_choice(
        add_argument,
        ["--strategy"],
        "strategy",
        STRATEGIES,
        "the algorithm that updates inferred facts",
        default="auto",
    )


def add_constraints_option(add_argument: Callable[..., object], what: str) -> None:
    """Add the choice of a policy about violations; ``what`` names what would bring them."""
    asked = f"what to do about violations that {what} causes"
    _add_choice(add_argument, ["--constraints"], "policy", POLICIES, asked, told="that of the store, or warn")


def add_profile_option(add_argument: Callable[..., object], default: str | None = "owl2rl") -> None:
    """Add the choice of a profile to a parser or a group of its options."""
    asked = "which part of OWL to reason with"
    _add_choice(add_argument, ["--profile", "-p"], "profile", PROFILES, asked, default=default, told="owl2rl")


def _add_choice(
    add_argument: Callable[..., object],
    names: Sequence[str],
    kind: str,
    values: Sequence[str],
    asked: str,
    *,
    default: str | None = None,
    told: str | None = None,
) -> None:
    """Add an option that takes one of some values of a kind; its help tells the default as ``told``."""
    help = f"{asked}: {', '.join(values)} (default: {told or default})"
    add_argument(*names, metavar=kind[0].upper(), type=one_of(kind, values), default=default, help=help)


def engine_of(arguments: Namespace) -> dict[str, Any]:
    """Return the engine that was asked for, as ``Reasoner`` takes it."""
    return {
        "engine": arguments.engine,
        "master": arguments.master,
        "scratch": arguments.scratch,
        "memory": arguments.memory,
    }


def open_store(store: str | PathLike[str], arguments: Namespace, watch: Watch, *, read_only: bool = False) -> Reasoner:
    """Open a store on disk with the settings that were asked for."""
    with watch.stage(f"opening {store}"):
        return Reasoner.open(
            store,
            read_only=read_only,
            profile=arguments.profile,
            equality=arguments.equality,
            constraints=getattr(arguments, "constraints", None),
            literals=getattr(arguments, "literals", "written"),
            **engine_of(arguments),
        )


def load_inputs(arguments: Namespace, watch: Watch, *, may_be_empty: bool = False) -> Reasoner:
    """Return a reasoner with all that was asked for loaded.

    Of data nothing is materialised yet. A store on disk is only read: what comes with it is added in memory.
    """
    from reasoner.store.folder import is_store

    require_sources(arguments.data, engine=arguments.engine)
    stores = [source for source in arguments.data if is_store(source)]
    if not stores:
        if not (arguments.data or arguments.ontology or may_be_empty):
            raise ReasonerError("nothing to load: name a file, or - for standard input")
        kb = Reasoner(
            arguments.profile or "owl2rl",
            equality=arguments.equality,
            literals=getattr(arguments, "literals", "written"),
            **engine_of(arguments),
        )
        add_inputs(kb, arguments, watch)
        return kb
    if len(stores) > 1:
        raise ReasonerError(f"one store at a time: {stores[0]} or {stores[1]}; dump one of them and load it")
    kb = open_store(stores[0], arguments, watch, read_only=True)
    kb.detach()
    arguments.data = [source for source in arguments.data if source not in stores]
    add_inputs(kb, arguments, watch)
    return kb


def add_inputs(kb: Reasoner, arguments: Namespace, watch: Watch, *, graph: str | None = None) -> None:
    """Add rules, ontologies and data to a reasoner; a named graph takes the data alone."""
    data, ontologies = arguments.data, arguments.ontology
    if [*data, *ontologies, *arguments.rules].count("-") > 1:
        raise ReasonerError("standard input can be read only once: write - in one place")
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
        _load_data(kb, plain, arguments, watch, graph)
    if arguments.imports:
        _follow_imports(kb, arguments, watch)


def reason_over(kb: Reasoner, watch: Watch) -> None:
    """Materialise what was loaded; a store on disk has that behind it."""
    if not kb.is_materialised:
        with watch.stage("reasoning") as news:
            kb.materialise(progress=news)


def require_sources(sources: Sequence[str], *, engine: str) -> None:
    """Refuse names that nothing has, and addresses that the engine does not read, before anything is read."""
    for source in sources:
        if scheme_of(source) is not None:
            if engine != "spark" and address_of(source) is None:
                local_name(source)
            continue
        # A pattern is for the loader to judge, and a name that is too long is no name of anything.
        if source != "-" and not has_magic(source) and not os.path.exists(source):  # noqa: PTH110
            raise ReasonerError(f"there is no such file or store: {source}")


def report_imports(kb: Reasoner, arguments: Namespace) -> None:
    """Tell of the imports that nothing was loaded for: in one line if none was to be followed, else one by one."""
    missing = sorted(kb.follow_imports(()).missing)
    if not missing:
        return
    if not arguments.imports:
        what = f"the import of {missing[0]}" if len(missing) == 1 else f"{len(missing)} imports, such as {missing[0]}"
        print(f"not followed: {what}; name a folder that has it with --imports", file=sys.stderr)
        return
    for name in missing:
        print(f"missing: the import of {name}", file=sys.stderr)
    folders = ", ".join(arguments.imports)
    print(
        f"no catalog-v001.xml and no ontology in {folders} has {'it' if len(missing) == 1 else 'these'}: put the "
        "document there, name its folder with another --imports, or the file with --ontology",
        file=sys.stderr,
    )


def _follow_imports(kb: Reasoner, arguments: Namespace, watch: Watch) -> None:
    from reasoner.documents.ontology_documents import folders_of

    with watch.stage("following imports"):
        report = kb.follow_imports(arguments.imports, beside=folders_of([*arguments.ontology, *arguments.data]))
    if report.followed and not watch.quiet:
        print(f"imported: {counted(len(report.followed), 'document')}", file=sys.stderr)


def _load_rules(kb: Reasoner, path: str) -> None:
    with naming(f"cannot read {path}"):
        if path == "-":
            kb.add_rules(sys.stdin.read(), file="<stdin>")
        else:
            kb.load_rules(path)


def _template(arguments: Namespace) -> str | None:
    """Return the text of the template: that of a file, or the option itself if it has braces and names none."""
    given: str | None = arguments.template
    if given is None or ("{" in given and not os.path.exists(given)):  # noqa: PTH110
        return given
    with naming(f"cannot read {given}"):
        return Path(given).read_text(encoding="utf-8")


def _load_data(kb: Reasoner, sources: list[str], arguments: Namespace, watch: Watch, graph: str | None) -> None:
    with watch.stage("loading") as news:
        report = kb.load(
            *sources,
            format=arguments.format,
            base=arguments.base,
            graph=graph,
            template=_template(arguments),
            skip_errors=arguments.skip_errors,
            progress=news,
        )
    for error in report.errors[:_ERRORS_SHOWN]:
        print(f"skipped: {error}", file=sys.stderr)
    if report.skipped > _ERRORS_SHOWN:
        print(f"skipped: {report.skipped - _ERRORS_SHOWN:,} more", file=sys.stderr)
    if report.passed_over and not watch.quiet:
        shown = ", ".join(PurePath(name).name for name in report.passed_over[:_FILES_SHOWN])
        more = ", ..." if len(report.passed_over) > _FILES_SHOWN else ""
        print(f"skipped, not RDF: {counted(len(report.passed_over), 'file')} ({shown}{more})", file=sys.stderr)
