"""Progress: silence for a second, then a live line on a terminal and a plain one elsewhere."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable

import pytest

import reasoner.cli.watch
from reasoner.cli.table import print_table
from reasoner.cli.watch import Watch


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def attach_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Terminal]:
    """Put a terminal in the place of standard error; to be called by the test, after the capture has begun."""

    def attach() -> Terminal:
        stream = Terminal()
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        return stream

    return attach


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasoner.cli.watch, "PATIENCE", 0.05)


def test_a_short_stage_is_silent(capsys):
    with Watch().stage("loading") as news:
        news("half way")

    assert capsys.readouterr().err == ""


def test_a_long_stage_ends_with_a_plain_line(capsys):
    with Watch().stage("loading") as news:
        news("half way")
        time.sleep(0.1)

    assert capsys.readouterr().err == "loading: 0.1 s\n"


def test_a_quiet_watch_never_speaks(capsys):
    with Watch(quiet=True).stage("loading") as news:
        news("half way")
        time.sleep(0.1)

    assert capsys.readouterr().err == ""


def test_a_long_stage_on_a_terminal_is_alive(attach_terminal):
    terminal = attach_terminal()
    with Watch().stage("loading") as news:
        news("half [way]")
        time.sleep(0.4)

    assert "loading: half [way]" in terminal.getvalue()


def test_a_short_stage_on_a_terminal_is_silent(attach_terminal):
    terminal = attach_terminal()
    with Watch().stage("loading"):
        pass

    assert terminal.getvalue() == ""


def test_a_stage_that_fails_on_a_terminal_cleans_up(attach_terminal):
    terminal = attach_terminal()
    with pytest.raises(ValueError, match="broken"), Watch().stage("loading"):
        time.sleep(0.2)
        raise ValueError("broken")

    hides, shows = "\x1b[?25l", "\x1b[?25h"
    assert terminal.getvalue().rindex(shows) > terminal.getvalue().rindex(hides)


def test_a_table_is_ruled_on_a_terminal_and_plain_elsewhere():
    plain, ruled = io.StringIO(), Terminal()
    rows = [("facts", "1"), ("rules [all]", "2")]

    print_table("Title", rows, plain)
    print_table("Title", rows, ruled)

    assert plain.getvalue() == "Title\n  facts        1\n  rules [all]  2\n"
    assert "rules [all]" in ruled.getvalue()
    assert "╭" in ruled.getvalue()
