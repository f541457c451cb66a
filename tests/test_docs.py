"""The code of the documentation runs, its pages hang together, and what is generated is current."""

import re

import pytest

from docs.generate.cli_page import cli_page
from docs.generate.pictures import PICTURES
from reasoner import Reasoner
from tests.documents import LANGUAGES, ROOT, blocks, check_calls, run_page

DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("decisions/*.md")])
# Run in tests/spark, where there is a session.
ELSEWHERE = {"spark.md", "scale.md"}
RUN = [
    page
    for page in PAGES
    if page.name not in ELSEWHERE and any(block.language in ("python", "console") for block in blocks(page))
]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs_and_prints_what_it_says(page, tmp_path):
    assert run_page(page, tmp_path) > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_a_title_known_languages_and_calls_that_parse(page):
    assert page.read_text(encoding="utf-8").startswith("# ")
    assert {block.language for block in blocks(page)} <= LANGUAGES | {""}
    assert all(check_calls(block) >= 0 for block in blocks(page) if block.language == "sh")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_links_to_files_that_are_there(page):
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))

    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r"([\w/-]+\.md)", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))

    assert {page.relative_to(DOCS).as_posix() for page in PAGES} == listed


def test_the_page_of_commands_is_what_the_commands_say():
    written = (DOCS / "cli.md").read_text(encoding="utf-8")

    assert written == cli_page(), "run make docs-generate"


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_its_code_draws(name):
    assert (DOCS / "images" / name).read_text(encoding="utf-8") == PICTURES[name](), "run make docs-generate"


def test_the_page_of_python_names_methods_that_are_there():
    named = set(re.findall(r"\bkb\.(\w+)", (DOCS / "python-api.md").read_text(encoding="utf-8")))

    assert len(named) > 40
    assert {name for name in named if not hasattr(Reasoner, name)} <= {"version"}


def test_the_table_of_algorithms_names_modules_and_tests_that_are_there():
    rows = (DOCS / "algorithms.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:reasoner|ontologies|tests)/[\w/*.]+)`", rows)

    assert len(named) > 30
    assert [name for name in named if not list(ROOT.glob(name))] == []
