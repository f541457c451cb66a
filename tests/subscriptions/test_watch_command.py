"""``reasoner watch``: changes from standard input, and versions that others commit."""

from __future__ import annotations

import json
import os
import threading

import pytest

from reasoner import Reasoner
from reasoner.cli.watch_query import follow_store
from reasoner.subscriptions.change_lines import apply_lines, as_they_come
from tests.cli.conftest import contradiction, family, run, stdin  # noqa: F401
from tests.notation import facts

E = "http://e.org/"


def test_triples_patches_and_updates_change_the_answers(run, stdin, family):  # noqa: F811
    stdin(f"""<{E}ann> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{E}Mother> .
# a comment

D <{E}ann> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{E}Mother> .
TX .
<{E}bob> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{E}Mother> .
A <{E}cat> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{E}Parent> .
TC .
PREFIX : <{E}>
INSERT DATA {{ :dan a :Mother }} ;
DELETE DATA {{
  :cat a :Parent
}}
""")
    outcome = run("watch", family, f"?x a <{E}Parent>", "-q")

    assert outcome.status == 0 and outcome.err == ""
    assert outcome.lines == [
        f"+ ?x=<{E}ann>",
        f"- ?x=<{E}ann>",
        f"+ ?x=<{E}bob>",
        f"+ ?x=<{E}cat>",
        f"- ?x=<{E}cat>",
        f"+ ?x=<{E}dan>",
    ]


def test_json_lines_tell_initial_answers_and_each_change(run, stdin, family):  # noqa: F811
    stdin(f"<{E}enos> <{E}ancestor> <{E}adam> .\n")

    outcome = run("watch", "--data", family, f"<{E}seth> <{E}ancestor> ?x", "--json", "--initial", "-q")

    first, second = map(json.loads, outcome.lines)
    assert first["initial"] and first["added"] == [{"x": f"<{E}enos>"}]
    assert second == {"number": 1, "initial": False, "added": [{"x": f"<{E}adam>"}], "removed": []}


def test_a_bad_line_is_told_and_the_rest_is_done(run, stdin, family):  # noqa: F811
    stdin(f"INSERT DATA {{ nonsense }}\n\n<{E}a> <{E}b> .\n<{E}enos> <{E}ancestor> <{E}adam> .\n")

    outcome = run("watch", family, f"<{E}enos> <{E}ancestor> ?x", "-q")

    assert outcome.status == 2 and outcome.lines == [f"+ ?x=<{E}adam>"]
    assert outcome.err.count("\n") == 2 and "line 1 of the changes" in outcome.err and "line 3" in outcome.err


def test_a_line_that_is_nothing_known_is_told_at_once_and_the_lines_after_it_are_applied(run, stdin, family):  # noqa: F811
    stdin(
        f"hello\n<{E}enos> <{E}ancestor> <{E}adam> .\nselect * {{}}\n"
        f"insert data {{ <{E}adam> <{E}ancestor> <{E}eden> }}\nADDED\nA <{E}eden> <{E}ancestor> <{E}last> .\n"
    )

    outcome = run("watch", family, f"<{E}enos> <{E}ancestor> ?x", "-q")

    assert outcome.status == 2
    assert outcome.lines == [f"+ ?x=<{E}adam>", f"+ ?x=<{E}eden>", f"+ ?x=<{E}last>"]
    told = outcome.err.splitlines()
    assert [line.split(": ")[1] for line in told] == [f"line {number} of the changes" for number in (1, 3, 5)]
    assert "'hello' is neither a triple" in told[0]


def test_every_keyword_of_sparql_begins_an_update():
    kb = Reasoner(profile="none")
    words = ("CLEAR ALL", "DROP SILENT ALL", "CREATE SILENT GRAPH <x:g>", "ADD SILENT <x:g> TO <x:h>")
    more = (
        "MOVE SILENT <x:h> TO <x:g>",
        "COPY SILENT <x:g> TO DEFAULT",
        "BASE <x:>",
        "WITH <x:g> INSERT {} WHERE {}",
        "DELETE WHERE { ?x ?y <x:z> }",
    )

    assert list(apply_lines(kb, [f"{line}\n" for line in (*words, *more)])) == [None] * (len(words) + len(more) - 1)


def test_a_block_with_a_bad_line_is_left_out_whole():
    kb = Reasoner(profile="none")

    (error, fine) = apply_lines(kb, ["TX .\n", "<a> <p> <b> .\n", "oops\n", "TC .\n", "<a> <p> <c> .\n"])

    assert "line 1 of the changes" in str(error) and "oops" in str(error) and fine is None
    assert set(kb.triples()) == set(facts("a p c"))


def test_changes_that_break_a_constraint_are_rejected_one_by_one(run, stdin, contradiction, tmp_path):  # noqa: F811
    assert run("load", tmp_path / "store", contradiction, "-q", "--constraints", "warn").status == 0
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    stdin("".join(f"<{E}kit> {kind} <{E}{name}> .\n" for name in ("Cat", "Dog", "Pet")))

    outcome = run("watch", tmp_path / "store", "--apply", f"<{E}kit> a ?x", "-q", "--constraints", "reject")

    assert outcome.status == 2 and "line 2 of the changes: the change is rejected" in outcome.err
    assert outcome.lines == [f"+ ?x=<{E}Cat>", f"+ ?x=<{E}Pet>"]
    followed = run("watch", tmp_path / "store", "?x ?p ?y", "--constraints", "reject")
    assert followed.status == 2 and "add --apply" in followed.err


def test_a_store_is_changed_by_what_comes_in(run, stdin, tmp_path):  # noqa: F811
    Reasoner.open(tmp_path / "store", create=True, profile="none").close()
    stdin("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n")

    outcome = run("watch", tmp_path / "store", "--apply", "?x <http://e.org/p> ?y", "-q")

    assert outcome.lines == ["+ ?x=<http://e.org/a> ?y=<http://e.org/b>"]
    with Reasoner.open(tmp_path / "store", read_only=True) as kb:
        assert len(list(kb.triples())) == 1


def test_lines_that_are_there_at_once_share_a_commit_of_the_store(run, stdin, tmp_path):  # noqa: F811
    Reasoner.open(tmp_path / "store", create=True, profile="none").close()
    lines = "".join(f"<{E}a> <{E}p> <{E}b{n}> .\n" for n in range(9))
    stdin(f"{lines}oops\nD <{E}a> <{E}p> <{E}b0> .\nDELETE {{ ?x <{E}p> <{E}b1> }} WHERE {{ ?x <{E}p> <{E}b2> }}\n")

    outcome = run("watch", tmp_path / "store", "--apply", f"?x <{E}p> ?y", "-q", "--json")

    changes = [json.loads(line) for line in outcome.lines]
    assert outcome.status == 2 and "line 10 of the changes" in outcome.err
    assert len(changes) < 9
    with Reasoner.open(tmp_path / "store", read_only=True) as kb:
        assert {o for _, _, o in kb.triples()} == {f"<{E}b{n}>" for n in range(2, 9)}


def test_lines_of_a_pipe_are_applied_as_they_come(tmp_path):
    read, write = os.pipe()
    kb = Reasoner(profile="none")
    with os.fdopen(read) as stream:
        outcomes = apply_lines(kb, as_they_come(stream))
        for number in range(3):
            os.write(write, f"<{E}a> <{E}p> <{E}b{number}> .\n<{E}c> <{E}p> ".encode())
            assert next(outcomes) is None and len(list(kb.triples())) == 2 * number + 1
            os.write(write, f"<{E}d{number}> .\n".encode())
            assert next(outcomes) is None
        os.close(write)
        assert list(outcomes) == []


def test_versions_that_others_commit_are_followed(run, tmp_path):  # noqa: F811
    kb = Reasoner.open(tmp_path / "store", create=True, profile="none")
    kb.add(facts("a p b"))
    kb.materialise()

    def change() -> None:
        for text in ("a p c", "a p d"):
            with kb.transaction() as transaction:
                transaction.add(facts(text))

    timer = threading.Timer(0.3, change)
    timer.start()
    outcome = run("watch", tmp_path / "store", "<a> <p> ?x", "--poll", "0.05", "--count", "1", "--initial")
    timer.join()
    kb.close()

    assert outcome.status == 0
    assert outcome.lines[:2] == ["+ ?x=<b>", "+ ?x=<c>"]


def test_following_adds_up_over_skipped_versions(tmp_path):
    with Reasoner.open(tmp_path / "store", create=True, profile="none") as kb:
        kb.add(facts("a p b"))
        kb.materialise()
        steps = iter(["a p c", "a q b", "b same e"])

        def step(_: float) -> None:
            kb.update("DELETE DATA { <a> <p> <c> }")
            with kb.transaction() as transaction:
                transaction.add(facts(next(steps)))

        changes = follow_store(tmp_path / "store", "<a> <p> ?x", wait=step)
        first, second = next(changes), next(changes)

        assert (first.added, first.removed) == ((("<c>",),), ())
        assert (second.added, second.removed) == ((), (("<c>",),))
        assert next(changes).added == (("<e>",),)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "as the last word"),
        (["-", "?x ?p ?y"], "standard input is where changes come from"),
        (["--apply", "?x ?p ?y"], "none is named"),
        (["CONSTRUCT { ?x ?p ?y } WHERE { ?x ?p ?y }"], "use SELECT or ASK"),
    ],
)
def test_bad_usage_takes_one_line(run, stdin, words, message):  # noqa: F811
    stdin("")
    outcome = run("watch", *words)

    assert outcome.status == 2 and outcome.err.count("\n") == 1 and message in outcome.err


def test_check_and_update_explain_violations(run, contradiction):  # noqa: F811
    outcome = run("check", contradiction, "--explain")
    assert outcome.status == 1 and ":tom a :Cat   asserted" in outcome.out

    insert = f"INSERT DATA {{ <{E}kit> a <{E}Cat>, <{E}Dog> }}"
    told = run("update", contradiction, "-U", insert, "--explain")
    assert (
        told.status == 0
        and "warning: the update brought 1 violation" in told.err
        and ":kit a :Dog   asserted" in told.err
    )
    refused = run("update", contradiction, "-U", insert, "--constraints", "reject", "-q")
    assert refused.status == 2 and "rejected" in refused.err and refused.out == ""
    silent = run("update", contradiction, "-U", insert, "--constraints", "ignore")
    assert silent.status == 0 and "warning" not in silent.err


def test_a_watched_query_may_use_the_prefixes_of_the_data(run, stdin, tmp_path):  # noqa: F811
    data, store = tmp_path / "data.ttl", tmp_path / "store"
    data.write_text(f"@prefix e: <{E}> . e:a e:p e:b .")
    run("load", store, data, "-q")

    for source in (data, store):
        stdin(f"<{E}c> <{E}p> <{E}d> .\n")
        apply = ["--apply"] if source == store else []
        outcome = run("watch", source, *apply, "?x e:p ?y", "-q")
        assert outcome.lines == [f"+ ?x=<{E}c> ?y=<{E}d>"]
    followed = run("watch", store, "e:a e:p ?y", "--initial", "--count", "0", "-q")
    assert (followed.status, followed.lines) == (0, [])
    assert "did you mean" in run("watch", data, "?x ee:p ?y", "-q").err
