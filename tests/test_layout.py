"""The layout: dependencies point one way, folders name their files, files stay short."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("reasoner", "ontologies", "loaders")
OURS = (*PACKAGES, "datasets", "tests", "benchmarks")
# One concept a file, however long it naturally is; beyond this it is mostly two.
LONGEST = 800
VAGUE = {"utils", "util", "misc", "helpers", "helper", "common"}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def files_of(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


FILES = {module_name(path): path for path in files_of(*PACKAGES, "datasets")}
FOLDERS = sorted(path.parent for path in files_of(*PACKAGES, "datasets") if path.name == "__init__.py")


def imports(path: Path) -> Iterator[str]:
    """Yield the full name of everything that a file imports, wherever in the file, also if for type checkers only."""
    module = module_name(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            source = ".".join([*parents, *([node.module] if node.module else [])])
            # What is imported from a folder may be one of its files.
            yield from (
                f"{source}.{alias.name}" if f"{source}.{alias.name}" in FILES else source for alias in node.names
            )


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


def test_ontologies_import_rules_literals_errors_and_loaders_only():
    allowed = ("ontologies", "reasoner.rules", "reasoner.literals", "reasoner.errors", "loaders")

    assert offences(("ontologies",), allowed) == []


def test_the_rule_representation_imports_no_engine():
    assert (
        offences(("reasoner.rules",), ("reasoner.rules", "reasoner.literals", "reasoner.errors", "reasoner.vocabulary"))
        == []
    )


def test_literals_import_no_engine():
    allowed = ("reasoner.literals", "reasoner.rules.term", "reasoner.errors", "loaders.terms")

    assert offences(("reasoner.literals",), allowed) == []


def test_algorithms_know_engines_by_their_protocol_only():
    algorithms = tuple(
        f"reasoner.{name}"
        for name in (
            "engine",
            "materialise",
            "modules",
            "program",
            "arrange",
            *(f"maintenance.{path.stem}" for path in (ROOT / "reasoner/maintenance").glob("*.py")),
            "explain",
            "explanation",
            "schema",
            "vocabulary",
        )
    )
    engines = [name for name in offences(algorithms, ()) if "imports reasoner.columnar" in name]

    assert engines == []


def test_the_format_of_the_store_on_disk_knows_no_engine():
    allowed = ("reasoner.store", "reasoner.errors", "reasoner.vocabulary")

    assert offences(("reasoner.store",), allowed) == []


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
        *("reasoner.cli", "reasoner.reasoner", "reasoner.errors", "reasoner.violation", "reasoner.explain"),
        *(
            "reasoner.server",
            "reasoner.spark.jars",
            "reasoner.distribution",
            "reasoner.ontology_loading",
            "reasoner.short_terms",
        ),
        *("reasoner.rules", "reasoner.sparql", "reasoner.store", "reasoner.dump"),
        *("ontologies.read", "ontologies.profile"),
        *("reasoner.evolution", "ontologies.evolution"),
        *("reasoner.subscriptions", "reasoner.export", "reasoner.constraint_policy", "loaders.local_path"),
    )
    found = [offence for offence in offences(("reasoner.cli",), allowed) if not offence.endswith(" imports reasoner")]

    assert found == []


def test_numpy_is_used_by_the_columnar_engine_queries_over_its_columns_and_the_loaders_only():
    allowed = ("reasoner.columnar", "reasoner.sparql", "reasoner.spark.loading", "loaders")
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
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
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
    assert len(text.splitlines()) <= LONGEST


def test_no_file_has_a_vague_name():
    assert [module for module in FILES if module.rpartition(".")[2] in VAGUE] == []


def test_the_oracle_shares_no_code_with_the_engine():
    allowed = ("reasoner.rules.rule", "reasoner.rules.term", "tests")
    found = [name for name in imports(ROOT / "tests" / "oracle.py") if is_within(name, OURS)]

    assert [name for name in found if not is_within(name, allowed)] == []
