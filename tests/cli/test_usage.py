"""What the command line does when it is used badly, interrupted, or asked for help."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import reasoner.cli.classes
from reasoner.cli import main
from reasoner.cli.parser import COMMANDS


def assert_one_line(outcome, *parts: str) -> None:
    assert outcome.status == 2
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1, outcome.err
    for part in parts:
        assert part in outcome.err


def test_help_names_every_command(run):
    outcome = run("--help")

    assert outcome.status == 0
    for name, summary in COMMANDS.items():
        assert name in outcome.out
        assert summary in outcome.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_its_exit_status(run, command):
    outcome = run(command, "--help")

    assert outcome.status == 0
    assert outcome.out.startswith(f"usage: reasoner {command}")
    assert "exit status" in outcome.out


def test_the_version_is_that_of_the_package(run):
    from importlib.metadata import version

    assert run("--version").out == f"reasoner {version('reasoner-rdf')}\n"


def test_no_command_at_all_is_bad_usage(run):
    assert_one_line(run(), "a command is needed", "materialise")


def test_an_unknown_command_is_corrected(run):
    assert_one_line(run("materialize", "x.nt"), "'materialize'", "did you mean materialise?")


def test_a_command_like_no_other_gets_the_list(run):
    assert_one_line(run("xyzzy"), "choose one of materialise, check")


def test_an_unknown_profile_is_corrected(run, family):
    assert_one_line(run("materialise", family, "--profile", "owl-rl"), "unknown profile 'owl-rl'", "mean owl2rl?")


def test_an_unknown_equality_is_corrected(run, family):
    assert_one_line(run("check", family, "--equality", "rewriting"), "did you mean rewrite?")


def test_an_unknown_option_is_named(run, family):
    assert_one_line(run("materialise", family, "--fast"), "--fast")


def test_options_are_not_abbreviated(run, family):
    assert_one_line(run("materialise", family, "--infer"), "--infer")


def test_an_unknown_format_is_bad_usage(run, family):
    assert_one_line(run("materialise", family, "--format", "tutle"), "unknown format 'tutle'")


@pytest.mark.parametrize("command", ["materialise", "check", "classes", "rules", "profile"])
def test_a_missing_file_is_bad_usage(run, command, tmp_path):
    assert_one_line(run(command, tmp_path / "missing.nt"), "missing.nt")


@pytest.mark.parametrize("command", ["materialise", "check", "classes"])
def test_nothing_to_load_is_bad_usage(run, command):
    assert_one_line(run(command), "nothing to load")


def test_standard_input_is_read_only_once(run):
    assert_one_line(run("materialise", "-", "--ontology", "-"), "standard input")


def test_a_malformed_file_gives_its_place(run, tmp_path):
    data = tmp_path / "bad.nt"
    data.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n<http://e.org/a> nonsense\n")

    assert_one_line(run("materialise", data), f"{data}:2:")


def test_an_error_of_syntax_shows_its_place_on_lines_of_its_own(run, family):
    outcome = run("query", family, "SELECT ?x {\n  ?x a ?y FILTER( }")

    assert outcome.status == 2
    assert outcome.err.splitlines() == [
        "reasoner: error: line 2, column 19: unexpected '}'",
        "    ?x a ?y FILTER( }",
        "                    ^",
    ]


def test_missing_rules_are_bad_usage(run, family, tmp_path):
    assert_one_line(run("materialise", family, "--rules", tmp_path / "none.txt"), "none.txt", "No such file")


def test_rules_in_another_encoding_are_bad_usage(run, family, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_bytes(b"# caf\xe9\n")

    assert_one_line(run("rules", "--rules", rules), "rules.txt", "not UTF-8")


def test_unsafe_rules_name_the_variable(run, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text("?x a <http://e.org/A> :- ?y a <http://e.org/B> .")

    assert_one_line(run("rules", "--rules", rules), "rules.txt:1:1", "?x")


def test_unstratifiable_rules_name_the_cycle(run, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text("?x a <http://e.org/A> :- ?x a <http://e.org/B>, not ?x a <http://e.org/A> .")

    assert_one_line(run("rules", "--profile", "none", "--rules", rules), "cannot be stratified", "A")


def test_debug_shows_the_traceback_and_still_the_line(run, tmp_path):
    outcome = run("check", tmp_path / "missing.nt", "--debug")

    assert outcome.status == 2
    assert "Traceback" in outcome.err
    assert outcome.err.splitlines()[-1].startswith("reasoner: error: ")


def test_debug_may_come_before_the_command(run, family):
    assert run("--debug", "check", family).status == 0


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "out of memory"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (PermissionError(13, "Permission denied", "secret.nt"), "secret.nt: Permission denied"),
    ],
)
def test_what_the_system_refuses_takes_one_line(run, family, monkeypatch, error, message):
    def fail(*_: object) -> int:
        raise error

    monkeypatch.setattr(reasoner.cli.classes, "run", fail)

    assert_one_line(run("classes", family), message)


def test_an_interrupt_gives_130_and_one_line(run, family, monkeypatch):
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(reasoner.cli.classes, "run", interrupt)
    outcome = run("classes", family)

    assert (outcome.status, outcome.err) == (130, "reasoner: interrupted\n")


def test_files_may_come_before_and_after_options(run, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.nt").write_text(f"<http://e.org/{name}> <http://e.org/p> <http://e.org/o> .\n")

    outcome = run("materialise", tmp_path / "a.nt", "--profile", "none", tmp_path / "b.nt")

    assert len(outcome.lines) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def _wait_until_idle(pid: int) -> None:
    """Wait until a process does nothing: it waits for standard input, which stays silent."""
    before: list[str] = []
    for _ in range(200):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        # The state, and the time in the process and in the kernel.
        now = [fields[0], fields[11], fields[12]]
        if now == before and now[0] == "S":
            return
        before = now
        time.sleep(0.3)


def test_ctrl_c_ends_the_process_with_130():
    script = (
        "import sys, reasoner.columnar.store, loaders.load; from reasoner.cli import main;"
        "print('ready', flush=True); sys.exit(main(['materialise', '-']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        _wait_until_idle(process.pid)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err == b"reasoner: interrupted\n"


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="there are no broken pipes to meet")
def test_a_reader_that_leaves_early_causes_no_noise(tmp_path):
    data = tmp_path / "data.nt"
    data.write_text("".join(f"<http://e.org/{n}> <http://e.org/p> <http://e.org/o> .\n" for n in range(20_000)))
    reading, writing = os.pipe()
    os.close(reading)
    try:
        process = subprocess.run(
            [sys.executable, "-m", "reasoner", "materialise", str(data), "--profile", "none", "-q"],
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)

    assert (process.returncode, process.stderr) == (141, b"")


def test_main_reads_the_words_of_the_process_by_default(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["reasoner", "--version"])

    assert main() == 0
    assert capsys.readouterr().out.startswith("reasoner ")
