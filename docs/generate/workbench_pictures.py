"""``python -m docs.generate.workbench_pictures``: photograph the workbench with a headless Chromium.

No two photographs are equal byte for byte, so that they are made when the page has changed, and not by every test.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from selenium import webdriver

from datasets.university_identities import generate
from reasoner import Reasoner
from reasoner.server import Settings, background

FOLDER = Path(__file__).resolve().parents[1] / "images"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
SAME = "<http://www.w3.org/2002/07/owl#sameAs>"
QUERY = "SELECT ?class (COUNT(*) AS ?members) {\n  ?x a ?class\n}\nGROUP BY ?class\nORDER BY DESC(?members)\nLIMIT 8"
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--window-size=1080,860", "--hide-scrollbars"),
)


def main() -> None:
    """Write the pictures of the page about the workbench."""
    made = generate()
    kb = Reasoner()
    kb.add(list(made.ontology_triples()))
    kb.add(list(made.fact_triples()))
    kb.materialise()
    names = next(members for members in kb.classes() if len(members) == 3)
    about = [
        triple for triple in kb.triples(inferred_only=True) if triple[0] in names and triple[1] not in (TYPE, SAME)
    ]
    proofs = [proof for triple in about if (proof := kb.explain(triple)) is not None]
    s, p, o = max(proofs, key=lambda proof: (proof.size <= 3, proof.height, proof.size)).triple
    with background(kb, Settings(port=0, updates=True)) as address, tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
        try:
            _photograph(driver, f"{address}/#/resource?{urlencode({'term': names[0]})}", "workbench-resource.png")
            _photograph(
                driver, f"{address}/#/why?{urlencode({'s': s, 'p': p, 'o': o})}", "workbench-why.png", tab="Graph"
            )
            media = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            _photograph(driver, f"{address}/#/query?{urlencode({'q': QUERY})}", "workbench-query.png", tab="Chart")
        finally:
            driver.quit()


def _photograph(driver: webdriver.Chrome, address: str, name: str, tab: str = "") -> None:
    driver.get("about:blank")
    driver.get(address)
    time.sleep(2)
    if tab:
        driver.find_element("xpath", f"//button[text()='{tab}']").click()
        time.sleep(0.5)
    driver.execute_script("document.activeElement.blur()")
    driver.save_screenshot(str(FOLDER / name))


if __name__ == "__main__":
    main()
