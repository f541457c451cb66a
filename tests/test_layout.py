"""The layout: dependencies point one way, folders name their files, files stay short."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("reasoner", "ontologies", "loaders")
OURS = (*PACKAGES, "datasets", "tests", "benchmarks")
# One concept a file, however long it naturally is; beyond this it is mostly two.
LONGEST = 800
# The class that users meet is a list of short methods, most of whose lines are docstrings.
FACADE, LONGEST_FACADE = "reasoner.reasoner", 1000
MOST_BASES = 3
VAGUE = {"utils", "util", "misc", "helpers", "helper", "common"}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def files_of(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


FILES = {module_name(path): path for path in files_of(*PACKAGES, "datasets")}
FOLDERS = sorted(path.parent for path in files_of(*PACKAGES, "datasets") if path.name == "__init__.py")


def imports(path: Path) -> Iterator[str]:
    """Yield the full name of everything that a file imports, wherever in the file, also if for type checkers only."""
    return (name for _, name in lines_of_imports(path))


def lines_of_imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield each import with the number of its line."""
    module = module_name(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            source = ".".join([*parents, *([node.module] if node.module else [])])
            # What is imported from a folder may be one of its files.
            for alias in node.names:
                full = f"{source}.{alias.name}"
                yield node.lineno, full if full in FILES else source


def is_within(module: str, folders: tuple[str, ...]) -> bool:
    return any(module == folder or module.startswith(folder + ".") for folder in folders)


def offences(folders: tuple[str, ...], allowed: tuple[str, ...]) -> list[str]:
    """List the imports of ours in some folders that are not among the allowed ones."""
    return [
        f"{module} imports {name}"
        for module, path in FILES.items()
        if is_within(module, folders)
        for name in imports(path)
        if is_within(name, OURS) and not is_within(name, allowed)
    ]


def importers(library: str) -> list[str]:
    return [module for module, path in FILES.items() if any(is_within(name, (library,)) for name in imports(path))]


def test_the_test_sees_imports_wherever_they_stand():
    assert "reasoner.columnar.store" in set(imports(FILES["reasoner.reasoner"]))
    assert "datasets.lubm" in set(imports(FILES["datasets.registry"]))
    assert len(FILES) > 50


def test_loaders_import_nothing_of_ours():
    assert offences(("loaders",), ("loaders",)) == []


def test_terms_import_loaders_only():
    assert offences(("reasoner.terms",), ("reasoner.terms", "loaders")) == []


def test_the_rule_representation_imports_no_engine():
    assert offences(("reasoner.rules",), ("reasoner.rules", "reasoner.terms", "loaders")) == []


def test_ontologies_import_rules_terms_and_loaders_only():
    allowed = ("ontologies", "reasoner.rules", "reasoner.terms", "loaders")

    assert offences(("ontologies",), allowed) == []


def test_algorithms_know_engines_by_their_protocol_only():
    allowed = (
        "reasoner.reasoning",
        "reasoner.maintenance",
        "reasoner.rules",
        "reasoner.terms",
        "loaders",
        "ontologies",
    )

    assert offences(("reasoner.reasoning", "reasoner.maintenance"), allowed) == []
    proofs = offences(("reasoner.explanation",), ())
    assert [name for name in proofs if "imports reasoner.columnar" in name or "imports reasoner.spark" in name] == []


def test_the_format_of_the_store_on_disk_knows_no_engine():
    allowed = ("reasoner.store", "reasoner.rules.errors", "reasoner.terms.term", "loaders.local_path", "loaders.arrow")

    assert offences(("reasoner.store",), allowed) == []


def test_the_state_knows_nothing_of_what_is_built_on_it():
    below = (
        *("reasoner.state", "reasoner.columnar", "reasoner.maintenance", "reasoner.reasoning", "reasoner.explanation"),
        *("reasoner.rules", "reasoner.terms", "ontologies", "loaders"),
        # Where versions are kept.
        "reasoner.store",
        # What a delta is as a frame of Spark, where a session of Spark writes, and what its failures mean.
        *("reasoner.spark.platform", "reasoner.spark.query"),
        # What a state answers to patterns.
        "reasoner.sparql",
    )

    assert offences(("reasoner.state",), below) == []


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for module, path in FILES.items():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                yield module, node


def test_the_class_that_users_meet_is_put_together_of_parts_and_no_class_of_many_bases():
    assert [node.bases for module, node in classes() if module == FACADE] == [[]]
    assert [f"{module}.{node.name}" for module, node in classes() if len(node.bases) > MOST_BASES] == []


def test_every_public_class_name_means_one_thing():
    homes: dict[str, list[str]] = {}
    for module, path in FILES.items():
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and is_within(module, PACKAGES):
                homes.setdefault(node.name, []).append(module)

    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_nobody_reads_private_fields_of_a_reasoner_a_session_or_a_draft():
    private = re.compile(r"\b(?:kb|reasoner|session|fork|draft|twin)\._[a-z]\w*")
    found = [
        f"{module}: {field}"
        for module, path in FILES.items()
        for field in private.findall(path.read_text(encoding="utf-8"))
    ]
    # A method that makes an object of its own class fills it in.
    own = {f"{FACADE}: kb._{name}" for name in ("journal", "assemble")}
    own |= {f"reasoner.state.session: session._{name}" for name in ("open", "most")}

    assert sorted(set(found) - own) == []


# The rooms of the house, from the ground up: a room imports those above it in this list, and none below it.
ROOMS = (
    "loaders",
    "reasoner.terms",
    "reasoner.rules",
    "ontologies",
    "ontologies.evolution",
    "reasoner.reasoning",
    "reasoner.maintenance",
    "reasoner.explanation",
    "reasoner.store",
    "reasoner.columnar",
    "reasoner.sparql",
    "reasoner.spark.platform",
    "reasoner.spark.loading",
    "reasoner.spark",
    "reasoner.spark.query",
    "reasoner.state",
    "reasoner.documents",
    "reasoner.dynamic",
    "reasoner.requests",
    "reasoner.spark.streaming",
    "reasoner.subscriptions",
    "reasoner.entailment",
    "reasoner.evolution",
    "reasoner.export",
    "reasoner",
    "reasoner.interop",
    "reasoner.mcp",
    "reasoner.server.backend",
    "reasoner.server.api",
    "reasoner.server.workbench",
    "reasoner.server",
    "reasoner.cli",
)


def room_of(module: str) -> str:
    return max((room for room in ROOMS if is_within(module, (room,))), key=len)


def test_a_room_imports_only_rooms_below_it():
    floor = {room: number for number, room in enumerate(ROOMS)}
    upwards = [
        f"{path.relative_to(ROOT)}:{line}: {room_of(module)} imports {name}, which is above it"
        for module, path in FILES.items()
        for line, name in lines_of_imports(path)
        if is_within(module, PACKAGES)
        and name in FILES
        and not is_within(name, ("datasets",))
        and floor[room_of(name)] > floor[room_of(module)]
    ]

    assert upwards == []


def test_every_folder_is_a_room_in_the_order():
    rooms = {module_name(folder / "__init__.py") for folder in FOLDERS} - {"datasets"}

    assert rooms == set(ROOMS)


def test_nothing_below_the_command_line_imports_it():
    above = ("reasoner.cli", "reasoner.__main__")
    importing = [
        module
        for module, path in FILES.items()
        if not is_within(module, above) and any(is_within(name, ("reasoner.cli",)) for name in imports(path))
    ]

    assert importing == []


def test_the_command_line_talks_to_the_class_and_not_to_an_engine():
    allowed = (
        *(
            "reasoner.cli",
            "reasoner.reasoner",
            "reasoner.terms",
            "reasoner.rules.errors",
            "reasoner.explanation.proof",
            "reasoner.explanation.explain",
        ),
        *(
            "reasoner.server",
            "reasoner.mcp",
            "reasoner.spark.platform.jars",
            "loaders.errors",
            "reasoner.documents",
            "reasoner.rules.prefixes",
        ),
        *("reasoner.rules", "reasoner.sparql", "reasoner.requests", "reasoner.store"),
        *("reasoner.evolution", "ontologies"),
        *("reasoner.subscriptions", "reasoner.export", "reasoner.state.constraint_policy", "loaders.local_path"),
    )
    found = [offence for offence in offences(("reasoner.cli",), allowed) if not offence.endswith(" imports reasoner")]

    assert found == []


def test_numpy_is_used_by_the_columnar_engine_queries_over_its_columns_and_the_loaders_only():
    allowed = ("reasoner.columnar", "reasoner.sparql", "reasoner.requests", "reasoner.spark.loading", "loaders")
    assert [name for name in importers("numpy") if not is_within(name, allowed)] == []
    assert [name for name in importers("scipy") if not is_within(name, ("reasoner.columnar",))] == []


def test_pyspark_is_used_by_the_spark_engine_and_the_distributed_loader_only():
    assert [name for name in importers("pyspark") if not is_within(name, ("reasoner.spark",))] == []


def test_the_generators_import_nothing_of_ours_and_one_another_relatively():
    assert offences(("datasets",), ("datasets",)) == []
    absolute = [
        f"{module}:{node.lineno}"
        for module, path in FILES.items()
        if is_within(module, ("datasets",))
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom) and node.level == 0 and is_within(node.module or "", ("datasets",))
    ]
    assert absolute == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_the_docstring_of_a_folder_names_its_files(folder):
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
    folders = {path.parent.name for path in folder.glob("*/__init__.py")}

    # A folder may name a family of files by what their names begin with, as in "the ``owl2rl`` files".
    families = tuple(word for word in files if f"the ``{word}`` files" in docstring)
    unnamed = {name for name in files | folders if f"``{name}``" not in docstring and not name.startswith(families)}
    assert unnamed == set()


@pytest.mark.parametrize("module", FILES)
def test_a_file_opens_with_what_it_is_for_and_stays_short(module):
    text = FILES[module].read_text(encoding="utf-8")

    assert ast.get_docstring(ast.parse(text)), "a docstring is missing"
    assert len(text.splitlines()) <= (LONGEST_FACADE if module == FACADE else LONGEST)


def test_no_file_has_a_vague_name():
    assert [module for module in FILES if module.rpartition(".")[2] in VAGUE] == []


def test_the_oracle_shares_no_code_with_the_engine():
    allowed = ("reasoner.rules.rule", "reasoner.terms.term", "tests")
    found = [name for name in imports(ROOT / "tests" / "oracle.py") if is_within(name, OURS)]

    assert [name for name in found if not is_within(name, allowed)] == []
