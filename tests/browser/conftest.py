"""One headless Chromium and one server for each store, shared by all tests; without a Chromium all are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from loaders.load import parse_text
from reasoner import Reasoner
from reasoner.server import Settings, background
from tests.server.test_api import PEOPLE

# A store with equality, a violation, and a label that would be a script if it were taken for HTML.
MARKUP = '<img src=x onerror="window.broken = true"><script>window.broken = true</script>'
MORE = f"""@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:eve a :Rock . :trap rdfs:label {MARKUP!r} ; a :Mother . :ancestor rdfs:label "has ancestor <b>" .
"""
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    "--window-size=1280,900",
)


def people() -> Reasoner:
    kb = Reasoner()
    kb.add(parse_text(PEOPLE, "turtle"))
    kb.add(parse_text(MORE, "turtle"))
    return kb


def university(folder: Path, universities: int = 1) -> Reasoner:
    from datasets.lubm import lubm

    made, data, ontology = lubm(universities=universities), folder / "lubm.nt", folder / "univ-bench.nt"
    data.write_text("".join(made.facts()), encoding="utf-8")
    ontology.write_text(made.ontology, encoding="utf-8")
    kb = Reasoner(profile="dlp")
    kb.load(data, ontology)
    return kb


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser, control = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or control is None:
        pytest.skip("there is no chromium with chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options, webdriver.ChromeService(control))
    started.set_script_timeout(60)
    yield started
    started.quit()


@pytest.fixture(scope="session")
def address_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Return the address of the server of a store, which is started when it is first asked for."""
    known: dict[str, str] = {}
    make = {
        "people": people,
        "empty": lambda: Reasoner(profile="none"),
        "university": lambda: university(tmp_path_factory.mktemp("university")),
    }
    with ExitStack() as stack:

        def address(name: str) -> str:
            if name not in known:
                known[name] = stack.enter_context(background(make[name](), Settings(port=0, updates=True)))
            return known[name]

        yield address
