"""A wheel that is really built, installed into an empty environment and run outside the checkout."""

from __future__ import annotations

import ast
import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tests.documents import ROOT

INSIDE = ("loaders", "ontologies", "datasets")
FILES = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff")


def has_backend() -> bool:
    try:
        return int(version("setuptools").partition(".")[0]) >= 77
    except PackageNotFoundError:
        return False


pytestmark = pytest.mark.skipif(not has_backend(), reason="the build backend, setuptools 77 or newer, is not installed")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build from a copy, so that the checkout stays as it is."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in FILES:
        shutil.copy(ROOT / name, source / name)
    for name in ("reasoner", *INSIDE):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    call = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(target)]
    subprocess.run([*call, str(source)], check=True)
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an environment with nothing of ours but the wheel; the libraries that it needs are those of this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    call = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*call, "--no-compile", str(wheel)], check=True)
    # Files that name further folders, as an editable install has one, are read in the environment's own folder only.
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def run(folder: Path, *words: object) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=clean, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_wheel_has_one_package_its_type_marker_and_nobody_elses_names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        top = next(name for name in names if name.endswith("top_level.txt"))
        assert archive.read(top) == b"reasoner\n"
        code = {name: archive.read(name).decode() for name in names if name.endswith(".py")}

    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"reasoner"}
    assert "reasoner/py.typed" in names
    assert "reasoner/datasets/lubm.py" in code and "reasoner/ontologies/evolution/diff.py" in code
    assert not any("tests" in Path(name).parts for name in names)
    left = [
        f"{name}:{node.lineno}"
        for name, text in code.items()
        for node in ast.walk(ast.parse(text))
        for module in imported(node)
        if module.partition(".")[0] in INSIDE
    ]
    assert left == []


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []


def test_the_command_of_a_wheel_generates_loads_asks_and_tells_its_story(python, tmp_path):
    command = python.parent / "reasoner"
    run(tmp_path, command, "generate", "bach", "-o", "bach.nt", "--ontology", "bach-ontology.nt", "-q")
    run(tmp_path, command, "load", "family", "bach.nt", "--ontology", "bach-ontology.nt", "--profile", "dlp", "-q")
    count = "PREFIX : <http://example.org/bach#> SELECT (COUNT(*) AS ?n) { ?x :ancestorOf ?y }"

    assert run(tmp_path, command, "query", "family", "-q", count) == "?n\n24\n"
    assert "reasoner-rdf" not in run(tmp_path, command, "--version")
    assert "Why does a triple hold?" in run(tmp_path, command, "demo")


def test_files_of_a_user_with_the_names_of_our_folders_are_not_in_the_way(python, tmp_path):
    (tmp_path / "loaders.py").write_text("mine = 'loaders'\n")
    (tmp_path / "datasets.py").write_text("mine = 'datasets'\n")
    (tmp_path / "ontologies").mkdir()
    (tmp_path / "ontologies" / "__init__.py").write_text("mine = 'ontologies'\n")
    (tmp_path / "data.ttl").write_text("@prefix : <http://e.org/> . :A a :B . :B <http://e.org/p> :C .\n")
    (tmp_path / "script.py").write_text(
        "import loaders, datasets, ontologies\n"
        "from reasoner import Reasoner\n"
        "kb = Reasoner()\n"
        "kb.load('data.ttl')\n"
        "kb.load_ontology('data.ttl')\n"
        "kb.materialise()\n"
        "import reasoner\n"
        "print(loaders.mine, datasets.mine, ontologies.mine, reasoner.__file__)\n"
    )

    mine = run(tmp_path, python, "script.py").split()

    assert mine[:3] == ["loaders", "datasets", "ontologies"]
    assert Path(mine[3]).is_relative_to(python.parent.parent)


@pytest.mark.parametrize("name", ["loaders.py", "ontologies.py", "loaders/other.py"])
def test_in_a_checkout_the_file_in_the_way_is_named(tmp_path, name):
    """The folder without ``__init__.py`` would shadow nothing if ours were found first, and so must not be refused."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine = True\n")
    (tmp_path / "script.py").write_text(f"import sys; sys.path.append({str(ROOT)!r})\nimport reasoner\n")

    done = subprocess.run(
        [sys.executable, "-S", str(tmp_path / "script.py")], capture_output=True, text=True, check=False
    )

    if path.name == "other.py":
        assert done.returncode == 0
        return
    assert done.returncode == 1
    message = done.stderr.splitlines()[-1]
    assert message.startswith(f"ImportError: {path} is in the way of the package {path.stem}")
    assert "rename it" in message and len(done.stderr.splitlines()) < 20


def test_the_imports_of_our_code_can_be_rewritten():
    """A plain ``import loaders.terms`` binds a name that a wheel has not."""
    names = [
        f"{path}:{node.lineno}"
        for folder in ("reasoner", *INSIDE)
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.partition(".")[0] in INSIDE and (alias.asname is None or len(node.names) > 1)
    ]

    assert names == []


def test_rewriting_leaves_prose_and_other_names_alone(monkeypatch):
    monkeypatch.setattr("setuptools.setup", lambda **_: None)
    rewritten = runpy.run_path(str(ROOT / "setup.py"))["rewritten"]

    assert rewritten("from loaders.terms import escape\n") == "from reasoner.loaders.terms import escape\n"
    assert rewritten("    import ontologies.axioms as ax\n") == "    import reasoner.ontologies.axioms as ax\n"
    assert rewritten("    >>> from loaders import load\n") == "    >>> from reasoner.loaders import load\n"
    for same in (
        "from loaders that read files\n",
        "from loaders_of_mine import x\n",
        "from reasoner.loaders.x import y\n",
        "x = 'from loaders.terms import a'\n",
        "import datasets_of_mine as d\n",
    ):
        assert rewritten(same) == same
