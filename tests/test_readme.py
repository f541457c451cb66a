"""The README's Python runs as it is written, its rules parse, and its commands exist."""

import re
from pathlib import Path

import pytest

from reasoner.cli.parser import COMMANDS
from reasoner.rules.parser import parse_rules

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_the_python_of_the_readme_runs(code):
    names: dict[str, object] = {}

    exec(compile(code, "README.md", "exec"), names)

    assert "kb" in names


def test_the_rules_of_the_readme_parse():
    (text,) = blocks("datalog")

    assert [rule.name for rule in parse_rules(text)] == ["grandparent", "adult", "childless", "key", "apart"]


def test_the_commands_of_the_readme_exist():
    used = re.findall(r"^\$ reasoner (\w+)", README, flags=re.MULTILINE)

    assert used
    assert set(used) <= set(COMMANDS)
