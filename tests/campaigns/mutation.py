"""Changes of the code of rules and maintenance that a test should notice, sampled: ``make mutation``.

A mutant differs from the code in one place: a comparison, a boolean, a number, an operator or a condition is another
one, or a statement is left out. It is written into a copy of the project, in which the tests of its part run until one
fails. A mutant that no test notices is printed with its place, and is either harmless or a test that is missing.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.campaigns.record import ROOT, Record

# What is changed, and the tests that should notice, the quickest first.
PARTS = {
    "reasoner/rules": ("tests/rules", "tests/test_rule.py", "tests/test_agreement.py", "tests/maintenance"),
    "reasoner/reasoning/materialise.py": (
        "tests/test_agreement.py",
        "tests/maintenance/test_updates.py",
        "tests/test_explain.py",
    ),
    "reasoner/maintenance": ("tests/maintenance",),
}
SECONDS = 900.0
_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.Mult: ast.Add,
}


def main(arguments: list[str] | None = None) -> int:
    """Try mutants until the sample is complete or the time is over; the share that was killed is the last line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.mutation", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--sample", type=int, default=20, help="mutants of this run (20)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin none after this")
    options = parser.parse_args(arguments)
    record = Record("mutation")
    places = [(path, number) for path in sorted(_files()) for number in range(len(list(_sites(path))))]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "project"
        leave = shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, copy, ignore=leave)
        for _ in range(options.sample):
            if time.monotonic() - began > options.minutes * 60:
                break
            seed = record.next_seed
            path, number = random.Random(seed).choice(places)
            record.add(seed, {try_mutant(copy, path, number): 1})
    print(record.summary("mutants"), flush=True)
    total = record.total.total()
    print(f"mutation: {100 * record.total['killed'] / max(1, total):.0f} % of {total} mutants killed", flush=True)
    return 0


def try_mutant(copy: Path, path: Path, number: int) -> str:
    """Write one mutant into the copy of the project and run its tests; return whether it was killed or survived."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    before, line = ast.unparse(tree), _mutate(tree, number)
    ast.fix_missing_locations(tree)
    changed = ast.unparse(tree)
    target = copy / path
    original = target.read_text(encoding="utf-8")
    target.write_text(changed, encoding="utf-8")
    try:
        outcome = "killed" if _fails(copy, _tests_of(path)) else "survived"
    finally:
        target.write_text(original, encoding="utf-8")
    shown = next(
        (f"{old.strip()} -> {new.strip()}" for old, new in _lines(before, changed) if old != new), "a statement is gone"
    )
    print(f"{outcome}: {path}:{line}: {shown[:200]}", flush=True)
    return outcome


def _lines(before: str, after: str) -> Iterator[tuple[str, str]]:
    yield from zip(before.splitlines(), after.splitlines(), strict=False)


def _files() -> Iterator[Path]:
    for part in PARTS:
        path = ROOT / part
        yield from (one.relative_to(ROOT) for one in ([path] if path.is_file() else path.rglob("*.py")))


def _tests_of(path: Path) -> tuple[str, ...]:
    return next(tests for part, tests in PARTS.items() if path.as_posix().startswith(part))


def _fails(copy: Path, tests: tuple[str, ...]) -> bool:
    """Run tests until one fails; what takes too long counts as noticed."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in tests:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", name]
        try:
            done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return True
        if done.returncode not in (0, 5):
            return True
    return False


def _sites(path: Path) -> Iterator[ast.AST]:
    """Yield the nodes of a file that a mutant may change, in the order of the tree."""
    yield from _sites_of(ast.parse((ROOT / path).read_text(encoding="utf-8")))


def _sites_of(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        compared = isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED
        operated = isinstance(node, ast.BinOp) and type(node.op) in _OPERATED
        number = isinstance(node, ast.Constant) and type(node.value) in (bool, int)
        dropped = isinstance(node, (ast.Expr, ast.AugAssign)) and not (
            isinstance(node, ast.Expr) and isinstance(node.value, (ast.Constant, ast.Yield, ast.YieldFrom))
        )
        if compared or operated or number or dropped or isinstance(node, (ast.BoolOp, ast.If, ast.IfExp)):
            yield node


def _mutate(tree: ast.Module, number: int) -> int:
    """Change the site of a number in place, and return its line."""
    site = list(_sites_of(tree))[number]
    match site:
        case ast.Compare():
            site.ops[0] = _COMPARED[type(site.ops[0])]()
        case ast.BinOp():
            site.op = _OPERATED[type(site.op)]()
        case ast.BoolOp():
            site.op = ast.Or() if isinstance(site.op, ast.And) else ast.And()
        case ast.If() | ast.IfExp():
            site.test = ast.UnaryOp(ast.Not(), site.test)
        case ast.Constant(value=bool()):
            site.value = not site.value
        case ast.Constant(value=int()):
            site.value += 1
        case _:
            _replace(tree, site)
    return int(getattr(site, "lineno", 0))


def _replace(tree: ast.Module, site: ast.AST) -> None:
    """Put ``pass`` in the place of a statement."""
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list):
                value[:] = [ast.copy_location(ast.Pass(), one) if one is site else one for one in value]


if __name__ == "__main__":
    sys.exit(main())
