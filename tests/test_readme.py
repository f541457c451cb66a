"""The README's code runs as it is written, its rules parse, its pictures and targets exist."""

import re

from reasoner.rules.parser import parse_rules
from tests.documents import ROOT, blocks, check_calls, run_page

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_the_code_of_the_readme_runs_and_prints_what_it_says(tmp_path):
    assert run_page(README, tmp_path) >= 5


def test_the_rules_of_the_readme_parse():
    (block,) = [block for block in blocks(README) if block.language == "datalog"]

    assert [rule.name for rule in parse_rules(block.text)] == ["grandparent", "adult", "childless", "key", "apart"]


def test_the_targets_of_the_readme_are_in_the_makefile():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", TEXT))

    assert {"demo", "test"} <= named <= targets


def test_calls_that_are_not_run_are_parsed():
    assert all(check_calls(block) >= 0 for block in blocks(README) if block.language == "sh")


def test_the_readme_links_to_files_that_are_there():
    links = [link for link in re.findall(r'(?:\]\(|src="|srcset=")([^)"#\s]+)', TEXT) if "://" not in link]

    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
