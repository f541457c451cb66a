"""Which statements and branches the tests run, without tracing: ``pytest -p tests.statement_coverage``.

Before Python 3.12 a tracer is called for every line that runs, and the tests take three times as long. Here every
statement of ours is compiled with a mark before it, the store of one byte, while it is imported, which costs a tenth.
A statement counts as run if its mark was reached, so that the figure means what that of coverage.py means, but for
the lines of ``except`` and ``case``, which are no statements; ``tests/test_statement_coverage.py`` compares the two.
An ``if``, a ``for`` and a ``while`` have two branches each: into the body, and past it. What runs in other processes is
not seen, so the figures are lower bounds.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

PACKAGES = ("reasoner", "ontologies", "loaders")
FAIL_UNDER = 90.0
_MARKS = "__marks__"
_SHOWN = 15


@dataclass(frozen=True, slots=True)
class Marked:
    """A file with the lines of its statements and then of its branches, and one byte for each that is 1 once it ran."""

    path: Path
    lines: tuple[int, ...]
    branches: tuple[int, ...]
    reached: bytearray

    @classmethod
    def of(cls, path: Path, lines: tuple[int, ...], branches: tuple[int, ...]) -> Marked:
        """Return a file of which nothing has run."""
        return cls(path, lines, branches, bytearray(len(lines) + len(branches)))

    @property
    def missing(self) -> list[int]:
        """The lines of statements that did not run."""
        return sorted(line for line, ran in zip(self.lines, self.reached, strict=False) if not ran)

    @property
    def taken(self) -> int:
        """How many branches were taken."""
        return sum(self.reached[len(self.lines) :])


MARKED: dict[str, Marked] = {}


def marked_code(text: bytes, path: str) -> tuple[CodeType, tuple[int, ...], tuple[int, ...]]:
    """Compile a file with a mark before each of its statements and in each branch; return the lines of these too.

    >>> code, lines, branches = marked_code(b"def f(x):\\n    if x:\\n        return 1\\n    return 2\\n", "f.py")
    >>> names = {_MARKS: bytearray(len(lines) + len(branches))}
    >>> exec(code, names)
    >>> names["f"](True), sorted(zip(lines, names[_MARKS]))
    (1, [(1, 1), (2, 1), (3, 1), (4, 0)])
    >>> branches, list(names[_MARKS][len(lines) :])
    ((2, 2), [1, 0])
    """
    tree = ast.parse(text, path)
    lines: list[int] = []
    branches: list[int] = []
    forks = list(_forks(tree))
    for suite in list(_suites(tree)):
        suite[:] = [node for statement in suite for node in _with_mark(statement, lines)]
    for fork in forks:
        for suite in (fork.body, fork.orelse):
            suite.insert(0, _mark(fork, len(lines) + len(branches)))
            branches.append(fork.lineno)
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True), tuple(lines), tuple(branches)


def _forks(tree: ast.AST) -> Iterator[ast.If | ast.For | ast.While]:
    """Yield the statements that have two branches; those that always go one way are none."""
    for suite in _suites(tree):
        for statement in suite:
            always = isinstance(getattr(statement, "test", None), ast.Constant)
            if isinstance(statement, (ast.If, ast.For, ast.While)) and not always and not _says_nothing(statement):
                yield statement


def _suites(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements of a tree, without what only type checkers read, outer ones first."""
    if isinstance(tree, ast.If) and isinstance(tree.test, ast.Name) and tree.test.id == "TYPE_CHECKING":
        return
    for _, value in ast.iter_fields(tree):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                yield from _suites(node)


def _with_mark(statement: ast.stmt, lines: list[int]) -> Sequence[ast.stmt]:
    if _says_nothing(statement):
        return (statement,)
    mark = _mark(statement, len(lines))
    lines.append(_line(statement))
    return (mark, statement)


def _mark(statement: ast.stmt, number: int) -> ast.stmt:
    place = ast.Subscript(ast.Name(_MARKS, ast.Load()), ast.Constant(number), ast.Store())
    return ast.copy_location(ast.Assign([place], ast.Constant(1)), statement)


def _line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def _says_nothing(statement: ast.stmt) -> bool:
    """Tell whether a statement is a docstring, an ellipsis, of the future, or for type checkers."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return True
    if isinstance(statement, ast.If) and isinstance(statement.test, ast.Name) and statement.test.id == "TYPE_CHECKING":
        return True
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


class _MarkingLoader(SourceFileLoader):
    """Compiles every time: what is cached has no marks, and what has marks must not be cached."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code, lines, branches = marked_code(self.get_data(path), path)
        MARKED[fullname] = Marked.of(Path(path), lines, branches)
        return code

    def exec_module(self, module: object) -> None:
        name = module.__name__  # type: ignore[attr-defined]
        code = self.get_code(name)
        module.__dict__[_MARKS] = MARKED[name].reached
        exec(code, module.__dict__)


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in PACKAGES:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _MarkingLoader(spec.loader.name, spec.loader.path)
        return spec


@cache
def _files(root: Path) -> list[Marked]:
    """Return every file of ours, those that nothing imported with no statement reached."""
    known = {marked.path.resolve(): marked for marked in MARKED.values()}
    found = []
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        if path not in known:
            _, lines, branches = marked_code(path.read_bytes(), str(path))
            known[path] = Marked.of(path, lines, branches)
        found.append(known[path])
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Begin before anything of ours is imported, which a conftest.py may do."""
    _begin()


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    """Begin in a process that runs a part of the tests, where plugins come after the first conftest.py."""
    _begin()


def _begin() -> None:
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if early := [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
        raise pytest.UsageError(f"{early[0]} is imported already, and cannot be measured")
    sys.meta_path.insert(0, _Finder())


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add what another process has run, which it tells when it ends."""
    for file, reached in getattr(node, "workeroutput", {}).get(_MARKS, {}).items():
        if file not in MARKED:
            path = Path(file)
            _, lines, branches = marked_code(path.read_bytes(), file)
            MARKED[file] = Marked.of(path, lines, branches)
        own = MARKED[file].reached
        own[:] = bytes(map(max, own, reached))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that passed but ran too little; ``--collect-only`` runs nothing."""
    if hasattr(session.config, "workeroutput"):
        told = {str(marked.path.resolve()): bytes(marked.reached) for marked in MARKED.values()}
        session.config.workeroutput[_MARKS] = told
    elif session.exitstatus == 0 and not session.config.option.collectonly:
        share = _share(_files(session.config.rootpath))
        if share < FAIL_UNDER:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the share of all statements and branches, and the files that miss most statements."""
    if config.option.collectonly:
        return
    files = _files(config.rootpath)
    terminalreporter.section("statements that ran")
    for marked in sorted(files, key=lambda marked: -len(marked.missing))[:_SHOWN]:
        missing = marked.missing
        if missing:
            name = marked.path.relative_to(config.rootpath)
            shown = ", ".join(map(str, missing[:12])) + (" ..." if len(missing) > 12 else "")
            terminalreporter.write_line(f"{name}: {len(missing)} of {len(marked.lines)} did not: {shown}")
    share = _share(files)
    verdict = "" if share >= FAIL_UNDER else f", which is less than {FAIL_UNDER:g} %"
    total = sum(len(marked.lines) for marked in files)
    terminalreporter.write_line(f"{share:.1f} % of {total:,} statements in {len(files)} files ran{verdict}")
    branches, taken = sum(len(marked.branches) for marked in files), sum(marked.taken for marked in files)
    terminalreporter.write_line(f"{100 * taken / max(1, branches):.1f} % of {branches:,} branches were taken")


def _share(files: Sequence[Marked]) -> float:
    total = sum(len(marked.lines) for marked in files)
    return 100.0 * sum(len(marked.lines) - len(marked.missing) for marked in files) / max(1, total)
