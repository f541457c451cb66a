"""The workbench in a real browser: every panel, on stores of three kinds, by keyboard alone, light and dark."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest

from tests.browser.conftest import university
from tests.browser.install import AXE

By = pytest.importorskip("selenium.webdriver.common.by", reason="selenium is not installed").By
Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
Wait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait

E = "http://e.org/"
UB = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
EVE = f"<{E}eve>"
PROVED = {"s": f"<{E}hawwah>", "p": f"<{E}ancestor>", "o": f"<{E}kenan>"}
STUDENT = "<http://www.Department0.University0.edu/GraduateStudent5>"
PANELS = {
    "people": {
        "overview": "#/",
        "resource": f"#/resource?{urlencode({'term': EVE})}",
        "why": f"#/why?{urlencode(PROVED)}",
        "query": f"#/query?q={quote('SELECT ?x ?y { ?x <http://e.org/ancestor> ?y }')}",
        "ontology": "#/ontology",
        "live": "#/live",
    },
    "empty": {
        "overview": "#/",
        "query": f"#/query?q={quote('SELECT * { ?s ?p ?o }')}",
        "ontology": "#/ontology",
        "live": "#/live",
    },
    "university": {
        "overview": "#/",
        "resource": f"#/resource?{urlencode({'term': STUDENT})}",
        "query": f"#/query?q={quote('SELECT ?c (COUNT(*) AS ?n) { ?x a ?c } GROUP BY ?c ORDER BY DESC(?n)')}",
        "ontology": "#/ontology",
    },
}
EVERY = [(store, panel) for store, panels in PANELS.items() for panel in panels]


class Page:
    """A browser at one server, with ways to say what a person does and sees."""

    def __init__(self, driver: Any, address: str) -> None:
        self.driver = driver
        self.address = address

    def open(self, path: str) -> None:
        self.driver.get("about:blank")
        self.driver.get(f"{self.address}/{path}")
        self.settled()

    def settled(self) -> None:
        """Wait until nothing is loading any more."""
        self.until(lambda: self.all("main h1") and not self.all("main .loading"))

    def until(self, holds: Callable[[], Any]) -> Any:
        return Wait(self.driver, 30, 0.05).until(lambda _: holds())

    def all(self, css: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css: str) -> Any:
        return self.until(lambda: self.all(css))[0]

    def button(self, text: str) -> Any:
        found = lambda: [each for each in self.all("button") if text in each.text and each.is_displayed()]  # noqa: E731
        return self.until(found)[0]

    def text(self, css: str = "main") -> str:
        return str(self.driver.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", css))

    def type(self, *keys: str) -> None:
        """Press keys wherever the focus is."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def chord(self, modifier: str, key: str) -> None:
        """Press a key together with another one."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def focused(self) -> str:
        return str(self.driver.execute_script("return document.activeElement?.id || document.activeElement?.tagName"))

    def colours(self, scheme: str) -> None:
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def complaints(self) -> list[str]:
        """Return what the browser has to say against the page: errors, refusals by the policy."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.fixture
def page_of(driver, address_of) -> Callable[[str], Page]:
    def made(store: str) -> Page:
        page = Page(driver, address_of(store))
        page.complaints()
        return page

    return made


def obstacles(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """Return what axe-core finds: rules of accessibility, all or some, that the page breaks, and where."""
    if not AXE.exists():
        pytest.skip("axe-core is not there: make sure of npm, and run python -m tests.browser.install")
    page.driver.execute_script(AXE.read_text(encoding="utf-8"))
    run = "axe.run(arguments[0]).then(found => arguments[1](JSON.stringify(found.violations)))"
    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = json.loads(page.driver.execute_async_script(run, options))
    return [f"{each['id']}: {[node['target'] for node in each['nodes']][:3]}" for each in found]


@pytest.mark.parametrize(("store", "panel"), EVERY)
def test_every_panel_shows_without_error_or_obstacle(page_of, store, panel):
    page = page_of(store)
    page.colours("light")
    page.open(PANELS[store][panel])

    assert page.one("main").get_attribute("data-panel") == panel
    assert not page.all("main p.problem[role=alert]"), page.text()
    assert obstacles(page) == []
    page.colours("dark")
    assert obstacles(page, ("color-contrast",)) == []
    assert page.complaints() == []


def test_light_and_dark_follow_the_system_and_the_button(page_of):
    page = page_of("people")
    ground = "return getComputedStyle(document.body).backgroundColor"
    page.colours("light")
    page.open("#/")
    light = page.driver.execute_script(ground)
    page.colours("dark")
    dark = page.driver.execute_script(ground)

    assert light == "rgb(255, 255, 255)" and dark != light
    page.one("#theme").click()
    assert page.driver.execute_script(ground) == light
    page.one("#theme").click()
    page.one("#theme").click()
    assert page.driver.execute_script(ground) == dark


def test_the_overview_tells_what_there_is(page_of):
    page = page_of("people")
    page.open("#/")
    page.until(lambda: page.all(".violations li"))

    assert "asserted facts" in page.text() and "has ancestor <b>" in page.text() and "cax-dw" in page.text()
    assert "The store is empty" not in page.text()
    empty = page_of("empty")
    empty.open("#/")
    empty.until(lambda: "The store is empty" in empty.text())


def test_text_of_the_data_never_becomes_markup(page_of):
    page = page_of("people")
    for path in ("#/", f"#/resource?{urlencode({'term': f'<{E}trap>'})}"):
        page.open(path)
    page.one("#search").send_keys("script")
    page.until(lambda: "<script>" in page.text("#found"))
    term = '"<img src=x onerror=alert(1)>"'
    page.open(f"#/resource?{urlencode({'term': term})}")

    assert not page.driver.execute_script("return window.broken")
    assert (
        page.driver.execute_script("return document.querySelectorAll('main script, main img, #found img').length") == 0
    )


def test_scripts_that_get_into_the_page_are_stopped_by_the_policy(page_of):
    page = page_of("people")
    page.open("#/")
    page.driver.execute_script(
        "const s = document.createElement('div'); s.innerHTML = '<img src=x onerror=\"window.broken = true\">';"
        "document.body.append(s)"
    )
    page.until(lambda: any("Content Security Policy" in line for line in page.complaints()))

    assert not page.driver.execute_script("return window.broken")


def test_search_to_proof_to_rehearsal_with_the_keyboard_alone(page_of):
    page = page_of("people")
    page.open("#/")
    page.type("/")
    assert page.focused() == "search"
    page.type("haww")
    page.until(lambda: "Hawwah" in page.text("#found"))
    page.type(Keys.ENTER)
    page.until(lambda: page.one("main").get_attribute("data-panel") == "resource" and "Names (2)" in page.text())
    assert "prp-ifp" in page.until(lambda: page.text(".reason"))
    assert page.focused() == "main"

    for _ in range(60):
        page.type(Keys.TAB)
        label = page.driver.execute_script("return document.activeElement.getAttribute('aria-label') ?? ''")
        if label.startswith("why?") and "ancestor" in label and "kenan" in label:
            break
    page.type(Keys.ENTER)
    page.until(lambda: "prp-trp" in page.text())

    page.driver.execute_script("document.querySelector('[role=tab]').focus()")
    page.type(Keys.ARROW_RIGHT)
    page.until(lambda: page.all("svg .step"))
    steps = len(page.all("svg .step"))
    page.driver.execute_script("document.querySelector('svg .step').focus()")
    page.type(Keys.ENTER)
    page.until(lambda: len(page.all("svg .step")) == 1)
    page.type(" ")
    page.until(lambda: len(page.all("svg .step")) == steps)

    page.driver.execute_script("document.querySelectorAll('[role=tab]')[1].focus()")
    page.type(Keys.ARROW_LEFT)
    page.until(lambda: page.all(".proof .leaf button"))
    page.driver.execute_script("document.querySelector('.proof .leaf button').focus()")
    page.type(Keys.ENTER)
    page.until(lambda: "would go in all" in page.text("#dialog"))
    page.type(Keys.ESCAPE)
    page.until(lambda: not page.driver.execute_script("return document.getElementById('dialog').open"))
    page.type("4")
    page.until(lambda: page.one("main").get_attribute("data-panel") == "live")
    page.type("?")
    page.until(lambda: "Keyboard" in page.text("#dialog"))


def test_a_proof_has_folds_and_other_proofs(page_of):
    page = page_of("people")
    page.open(f"#/why?{urlencode({'s': EVE, 'p': f'<{E}ancestor>', 'o': f'<{E}kenan>'})}")
    page.button("Fold all").click()
    assert not page.driver.execute_script("return document.querySelector('.proof .fold').ariaExpanded == 'true'")
    page.button("Unfold all").click()
    page.button("Other proofs").click()
    choice = page.one("#proof")

    assert len(choice.find_elements(By.TAG_NAME, "option")) >= 2


def test_a_query_is_completed_run_drawn_and_shared(page_of):
    page = page_of("people")
    page.open("#/query")
    page.driver.execute_script("localStorage.clear()")
    page.open("#/query")
    page.until(lambda: page.focused() == "editor")
    page.chord(Keys.CONTROL, "a")
    page.type(Keys.DELETE, "SELECT ?x ?y { ?x ances")
    page.until(lambda: page.all("#completions li") and "ancestor" in page.text("#completions"))
    page.type(Keys.ENTER, " ?y }")
    page.chord(Keys.CONTROL, Keys.ENTER)
    page.until(lambda: "rows in" in page.text(".answer"))

    assert page.one("#editor").get_attribute("value").startswith("PREFIX org: <http://e.org/>")
    assert len(page.all(".answers tbody tr")) == 9
    page.button("Graph").click()
    page.until(lambda: page.all("svg .node"))
    page.button("Plan").click()
    page.until(lambda: "Project" in page.text("[role=tabpanel]"))
    shared = page.driver.current_url
    page.driver.get("about:blank")
    page.driver.get(shared)
    page.until(lambda: len(page.all(".answers tbody tr")) == 9)
    assert "ancestor" in page.text("#history")


def test_numbers_are_drawn_as_bars_and_answers_are_downloaded(page_of, driver, tmp_path):
    page = page_of("university")
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    page.open(PANELS["university"]["query"])
    page.until(lambda: page.all(".answers tbody tr"))
    page.button("Chart").click()
    assert len(page.all("svg rect.bar")) > 10
    for name in ("CSV", "JSON", "XML", "TSV"):
        page.button(f"↓ {name}").click()
    page.until(lambda: {path.suffix for path in tmp_path.iterdir()} == {".csv", ".json", ".xml", ".tsv"})

    assert f"{UB}Course" in (tmp_path / "answers.csv").read_text(encoding="utf-8")


def test_a_large_class_comes_in_pages(page_of):
    page = page_of("university")
    page.open(f"#/resource?{urlencode({'term': f'<{UB}Course>'})}")
    before = len(page.all(".statements li"))
    page.button("Next 50").click()
    page.until(lambda: len(page.all(".statements li")) == before + 50)


def test_a_script_is_rehearsed_applied_and_undone(page_of):
    page = page_of("people")
    page.open("#/ontology")
    page.button("Evolution").click()
    area = page.one("#script")
    area.clear()
    area.send_keys('prefix : <http://e.org/>\nstep "women"\n  add SubClassOf(:Mother :Woman)\n')
    page.button("Rehearse").click()
    page.until(lambda: "nothing was changed" in page.text())
    page.button("Apply").click()
    page.until(lambda: "Applied." in page.text() and page.all(".journal li"))
    assert obstacles(page) == []
    page.all(".journal button.danger")[0].click()
    page.until(lambda: "No step was applied" in page.text())


def test_commits_and_violations_come_and_go_while_one_looks(page_of):
    page = page_of("empty")
    page.open("#/live")
    page.until(lambda: "Listening" in page.text())
    with httpx.Client(base_url=page.address, trust_env=False) as client:
        client.post("/update", data={"update": f"INSERT DATA {{ <{E}a> <{E}p> <{E}b> }}"})
        page.until(lambda: "commit 1" in page.text())
        client.post("/update", data={"update": f"DELETE DATA {{ <{E}a> <{E}p> <{E}b> }}"})
        page.until(lambda: "commit 2" in page.text())
    people = page_of("people")
    people.open("#/live")
    with httpx.Client(base_url=people.address, trust_env=False) as client:
        client.post("/update", data={"update": f"INSERT DATA {{ <{E}seth> a <{E}Rock> , <{E}Mother> }}"})
        people.until(lambda: "1 violation came" in people.text())
        client.post("/update", data={"update": f"DELETE DATA {{ <{E}seth> a <{E}Rock> , <{E}Mother> }}"})
        people.until(lambda: "1 violation went" in people.text())


def test_an_update_from_the_page_takes_effect(page_of):
    page = page_of("empty")
    page.open(f"#/query?q={quote(f'INSERT DATA {{ <{E}x> <{E}y> 1 }}')}")
    page.until(lambda: "Done: version" in page.text())
    with httpx.Client(base_url=page.address, trust_env=False) as client:
        assert client.get("/sparql", params={"query": f"ASK {{ <{E}x> <{E}y> 1 }}"}).json()["boolean"] is True
        client.post("/update", data={"update": "DROP ALL"})


_TIMES = """
const done = arguments[0];
(async () => {
  const ask = async (text) => {
    const began = performance.now();
    const found = await (await fetch("/api/search?q=" + encodeURIComponent(text))).json();
    return [text, performance.now() - began, found.results.length];
  };
  const times = [];
  for (const text of ["", "graduate", "g", "prof", "course1", "department0.university3", "assistant", "xyzzy"])
    times.push(await ask(text));
  done(times);
})();
"""


@pytest.mark.slow
def test_a_million_facts_are_looked_at_and_searched(driver, tmp_path, capsys):
    from reasoner.server import Settings, background

    with background(university(tmp_path, 10), Settings(port=0)) as address:
        page = Page(driver, address)
        page.complaints()
        began = time.perf_counter()
        page.open("#/")
        first = time.perf_counter() - began
        searches = driver.execute_async_script(_TIMES)
        began = time.perf_counter()
        page.open(PANELS["university"]["resource"])
        resource = time.perf_counter() - began
        with capsys.disabled():
            print(f"\nfirst view {first:.2f} s, a resource {resource:.2f} s, searches in ms: {searches}")

        assert all(found for text, _, found in searches if text not in ("", "xyzzy"))
        assert "Takes course" in page.text() or "takesCourse" in page.text()
        assert page.complaints() == []
