"""The page for browsers: who gets it, what it may do, and what it weighs."""

from __future__ import annotations

import re

import pytest

from reasoner.server.workbench.page import FOLDER

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
FILES = sorted(path.name for path in FOLDER.iterdir())


def test_browsers_get_the_workbench_and_others_the_list_of_routes(serve):
    client = serve()
    page = client.get("/", headers={"Accept": BROWSER})

    assert page.headers["content-type"].startswith("text/html") and 'src="/workbench/app.js"' in page.text
    for accept in ("*/*", "", "text/plain", "application/json"):
        other = client.get("/", headers={"Accept": accept})
        assert other.headers["content-type"].startswith("text/plain") and "/sparql" in other.text, accept


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_served_with_its_type_and_the_policy(serve, name):
    answer = serve().get(f"/workbench/{name}")

    assert answer.status_code == 200 and answer.content == (FOLDER / name).read_bytes()
    assert answer.headers["x-content-type-options"] == "nosniff"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy


def test_a_file_is_not_sent_again_unless_it_changed(serve):
    client = serve()
    tag = client.get("/workbench/app.js").headers["etag"]

    assert client.get("/workbench/app.js", headers={"If-None-Match": tag}).status_code == 304
    assert client.get("/workbench/app.js", headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize("name", ["../page.py", "..%2fpage.py", "/etc/passwd", "page.py", "nothing.js", ""])
def test_no_other_file_of_the_machine_is_served(serve, name):
    assert serve().get(f"/workbench/{name}").status_code == 404


def test_the_whole_page_is_small_and_fetches_nothing_from_elsewhere():
    texts = {name: (FOLDER / name).read_text(encoding="utf-8") for name in FILES}

    assert sum(len(text.encode()) for text in texts.values()) < 500_000
    for name, text in texts.items():
        fetched = re.findall(r"""(?:src|href)=["'](https?:[^"']+)|@import|url\(\s*["']?https?:""", text)
        assert fetched == [], name
        assert not re.search(
            r"from\s+[\"']https?:|\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML", text
        ), name
    assert "onclick" not in texts["index.html"] and "<style" not in texts["index.html"]


def test_the_page_may_change_things_without_a_token_only_by_a_name_of_this_machine(serve):
    client = serve(updates=True)
    own = str(client.base_url).rstrip("/")
    insert = {"update": "INSERT DATA { <http://e.org/a> <http://e.org/b> <http://e.org/c> }"}

    assert client.post("/update", data=insert, headers={"Origin": own}).status_code == 200
    port = client.base_url.port
    for origin, host in [
        (f"http://127.0.0.1:{port + 1}", None),
        (f"http://evil.example:{port}", f"evil.example:{port}"),
        ("null", None),
        ("http://[", None),
    ]:
        headers = {"Origin": origin, **({"Host": host} if host else {})}
        assert client.post("/update", data=insert, headers=headers).status_code == 403, origin
