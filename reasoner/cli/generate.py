"""``reasoner generate``: write a data set of a chosen size.

The generators are inside the installed package, and beside it in a checkout.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import reasoner
from reasoner.cli.errors import naming
from reasoner.cli.parser import Parser, did_you_mean, local_place
from reasoner.cli.table import counted
from reasoner.cli.watch import Watch
from reasoner.rules.errors import ReasonerError


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command, with the parameters of the generator that ``words`` begin with."""
    parser.description = "Write a generated data set as N-Triples, and its ontology beside it."
    parser.epilog = (
        "examples:\n"
        "  reasoner generate --list\n"
        "  reasoner generate lubm --help\n"
        "  reasoner generate lubm --universities 10 --seed 1 -o lubm10.nt.zst\n"
        "  reasoner generate bach | reasoner materialise -\n"
        "exit status: 0, or 2 for an error"
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="the data set; it comes first")
    parser.add_argument("--list", action="store_true", help="list the data sets and their parameters")
    parser.add_argument(
        "--seed", metavar="S", type=int, default=0, help="the seed of the random generator (default: 0)"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=local_place,
        help=".nt, .nt.gz or .nt.zst (default: standard output, with the ontology before the facts)",
    )
    parser.add_argument(
        "--ontology",
        metavar="FILE",
        type=local_place,
        help="the file for the ontology (default: FILE-ontology.nt for FILE.nt)",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="print no summary")
    if not words or words[0].startswith("-"):
        return
    generator = _generator(words[0])
    parser.description = f"{generator.name}: {generator.description}."
    group = parser.add_argument_group(f"parameters of {generator.name}")
    for parameter in generator.parameters:
        group.add_argument(
            "--" + parameter.name.replace("_", "-"),
            metavar="|".join(parameter.choices) or "N",
            dest=f"parameter_{parameter.name}",
            help=f"{parameter.help} ({parameter.default})",
        )


def run(arguments: Namespace) -> int:
    """Generate, or list what can be generated."""
    if arguments.list:
        _list()
        return 0
    if arguments.name is None:
        raise ReasonerError("name a data set, such as lubm, right after the command; --list shows all of them")
    datasets = load_generators()
    generator = _generator(arguments.name)
    is_stdout = arguments.output in (None, "-")
    target = "standard output" if is_stdout else arguments.output
    try:
        with Watch(arguments.quiet).stage("generating"), naming(f"cannot write {target}"):
            written = datasets.write(
                arguments.name,
                sys.stdout.buffer if is_stdout else arguments.output,
                seed=arguments.seed,
                ontology=arguments.ontology,
                **_parameters(generator, arguments),
            )
            sys.stdout.flush()
    except datasets.DatasetError as error:
        raise ReasonerError(str(error)) from error
    if not arguments.quiet:
        place = written.ontology_path or target
        facts, axioms = counted(written.triples, "triple"), counted(written.ontology_triples, "triple")
        print(f"{facts} to {target}, an ontology of {axioms} to {place}", file=sys.stderr)
    return 0


def _generator(name: str) -> Any:
    generators = load_generators().GENERATORS
    if name not in generators:
        raise ReasonerError(f"unknown data set {name!r}{did_you_mean(name, generators)}")
    return generators[name]


def _parameters(generator: Any, arguments: Namespace) -> dict[str, int | str]:
    given = {parameter: getattr(arguments, f"parameter_{parameter.name}", None) for parameter in generator.parameters}
    return {parameter.name: parameter.parse(text) for parameter, text in given.items() if text is not None}


def _list() -> None:
    for generator in load_generators().GENERATORS.values():
        print(f"{generator.name}: {generator.description}")
        for parameter in generator.parameters:
            choices = f", one of {', '.join(parameter.choices)}" if parameter.choices else ""
            print(f"    --{parameter.name.replace('_', '-')} {parameter.default}: {parameter.help}{choices}")


_NAME = "reasoner_datasets"


def load_generators(folder: Path | None = None) -> ModuleType:
    """Return the ``datasets`` folder of the package, or of the checkout, as a module.

    It is loaded by path and under another name, because ``datasets`` is the import name of another project.
    """
    if _NAME in sys.modules and folder is None:
        return sys.modules[_NAME]
    folder = folder or _folder()
    start = folder / "__init__.py"
    specification = spec_from_file_location(_NAME, start, submodule_search_locations=[str(folder)])
    if not start.is_file() or specification is None or specification.loader is None:
        raise ReasonerError(f"no generators in {folder}: the installation is not whole; install it again")
    module = module_from_spec(specification)
    # Before it runs, because its files import one another relative to it.
    sys.modules[_NAME] = module
    try:
        specification.loader.exec_module(module)
    except BaseException:
        del sys.modules[_NAME]
        raise
    return module


def _folder() -> Path:
    package = Path(reasoner.__file__).resolve().parent
    inside = package / "datasets"
    return inside if inside.is_dir() else package.parent / "datasets"
