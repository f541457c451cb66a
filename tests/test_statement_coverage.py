"""The statements and branches that are counted as run are those that coverage.py counts."""

from __future__ import annotations

import json
from collections import Counter
from importlib import import_module

import pytest

from tests.statement_coverage import marked_code

SAMPLE = '''\
"""A module with statements of most kinds."""
from __future__ import annotations
import functools
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import decimal


@functools.cache
def cached(x: int) -> int:
    """Say it."""
    return x


class Shape(Protocol):
    """No statement."""

    sides: int = 3

    def area(self) -> float: ...


def walk(items: list[int], way: str) -> list[int]:
    seen = []
    for item in items:
        if item < 0:
            continue
        elif item == 7:
            break
        seen.append(
            item
        )
    else:
        seen.append(-1)
    try:
        if way == "error":
            raise ValueError
        seen[0]
    except ValueError:
        seen.clear()
    except IndexError:
        return []
    finally:
        done = True
    while way == "loop":
        way = ""
    match way:
        case "a":
            seen.append(1)
        case _:
            with open("/dev/null"):
                pass

    def inner() -> int:
        return 3

    def never() -> int:
        return 4

    assert done and inner()
    return seen
'''


@pytest.mark.parametrize(
    "call", [None, ([], "a"), ([1, -1, 7, 2], "b"), ([1], "error"), ([1, 2], "loop")], ids=lambda call: str(call)
)
def test_marks_and_tracing_agree_on_what_ran(call, tmp_path):
    coverage = import_module("coverage")
    path = tmp_path / "sample.py"
    path.write_text(SAMPLE, encoding="utf-8")
    tracer = coverage.Coverage(data_file=None, include=[str(path)], config_file=False, branch=True)
    tracer.exclude("if TYPE_CHECKING:")
    tracer.exclude(r": \.\.\.$")

    with tracer.collect():
        plain: dict[str, object] = {"__name__": "sample"}
        exec(compile(SAMPLE, str(path), "exec"), plain)
        expected = call and plain["walk"](*call)
    code, lines, branches = marked_code(SAMPLE.encode(), str(path))
    marks = bytearray(len(lines) + len(branches))
    marked: dict[str, object] = {"__name__": "sample", "__marks__": marks}
    exec(code, marked)
    found = call and marked["walk"](*call)

    _, statements, _, missing, _ = tracer.analysis2(str(path))
    assert found == expected
    assert sorted(set(missing) & set(lines)) == sorted(line for line, ran in zip(lines, marks, strict=False) if not ran)
    others = {SAMPLE.splitlines()[line - 1].split()[0] for line in set(statements) - set(lines)}
    # What coverage.py counts beyond ours: parts of statements, and the one of the future.
    assert others <= {"except", "case", "def", "from"}

    report = tmp_path / "report.json"
    tracer.json_report(outfile=str(report))
    (traced,) = json.loads(report.read_text())["files"].values()
    assert Counter(line for line, _ in traced["missing_branches"] if line in branches) == Counter(
        line for line, ran in zip(branches, marks[len(lines) :], strict=True) if not ran
    )
