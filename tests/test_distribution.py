"""The name of the distribution is written in one place, and all that says what to install agrees with it."""

import re
import tomllib
from pathlib import Path

from loaders.errors import NAME, install_command
from tests.documents import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*")]
CODE = [path for folder in ("reasoner", "ontologies", "loaders") for path in (ROOT / folder).rglob("*.py")]


def test_the_code_and_the_project_file_call_the_distribution_the_same():
    assert PROJECT["name"] == NAME


def test_the_extras_that_are_named_are_there():
    named = {
        extra
        for path in (*PAGES, *CODE)
        if path.is_file()
        for found in re.findall(r"pip install '?(?!pyspark)[\w.-]*\[([\w,]+)\]", path.read_text(encoding="utf-8"))
        for extra in found.split(",")
    }
    asked = {
        extra for path in CODE for extra in re.findall(r"install_command\(['\"](\w+)", path.read_text(encoding="utf-8"))
    }

    assert {"spark", "server", "export"} <= named | asked
    assert named | asked <= set(PROJECT["optional-dependencies"])


def test_nothing_tells_to_install_the_package_of_another_project():
    for path in (*PAGES, *CODE):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"pip install '?reasoner\[", text), path


def test_nothing_tells_to_install_extras_from_an_index_where_nothing_is_published():
    for path in filter(Path.is_file, (*PAGES, *CODE)):
        assert not re.search(rf"pip install ['\"]?{NAME}\[", path.read_text(encoding="utf-8")), path


def test_an_error_about_something_missing_says_what_to_type():
    assert install_command("server").startswith("pip install '.[server]'")
