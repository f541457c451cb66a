"""The command line.

Files, in reading order:

- ``parser``: arguments, with errors of one line and a guess at what was meant.
- ``errors``: what an error says in one line, or with its place.
- ``watch``: telling that work goes on, once it takes over a second.
- ``table``: rows of names and values for people.
- ``inputs``: the options that say what to load, and loading it.
- ``request``: the text of a query or an update.
- ``target``: where a closure is written to.
- ``materialise``, ``check``, ``entails``, ``profile``, ``rules``, ``classes``, ``query``, ``update``, ``explain``,
  ``generate``, ``load``, ``dump``, ``info``, ``vacuum``, ``demo``, ``evolve``, ``diff``, ``watch_query``,
  ``export``, ``serve``, ``mcp``,
  ``spark_setup``: one file a command, each with ``add_options`` and ``run``.

Start-up counts: this file and ``parser`` import next to nothing, a command is imported only when it is asked for, and
so is everything that the command needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from types import ModuleType

from reasoner.cli.errors import described
from reasoner.cli.parser import COMMANDS, command_parser, did_you_mean, top_parser
from reasoner.rules.errors import ReasonerError

# The commands whose file has another name.
_FILES = {"watch": "watch_query"}

_BAD_USAGE = 2
_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; ``argv`` is what follows the name of the program.

    Errors that a user can cause take one line on standard error and give 2, and those of syntax show the place below
    it; ``--debug`` adds the traceback.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    _tolerate_any_character()
    try:
        status = _run(words)
        sys.stdout.flush()
        return status
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    except KeyboardInterrupt:
        print("reasoner: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader, such as head, has seen enough.
        _drop_output()
        return _BROKEN_PIPE
    except (ReasonerError, OSError, UnicodeDecodeError, MemoryError) as error:
        if "--debug" in words:
            import traceback

            traceback.print_exc()
        _drop_output()
        print(f"reasoner: error: {described(error)}", file=sys.stderr)
        return _BAD_USAGE


def _run(words: Sequence[str]) -> int:
    place = next((place for place, word in enumerate(words) if not word.startswith("-")), len(words))
    top = top_parser()
    top.parse_args(words[:place])
    if place == len(words):
        top.error(f"a command is needed: {', '.join(COMMANDS)}")
    name, rest = words[place], words[place + 1 :]
    if name not in COMMANDS:
        top.error(f"unknown command {name!r}{did_you_mean(name, COMMANDS)}")
    command = command_module(name)
    parser = command_parser(name)
    command.add_options(parser, rest)
    status: int = command.run(parser.parse_intermixed_args(rest))
    return status


def command_module(name: str) -> ModuleType:
    """Return the module of a command, with its ``add_options`` and ``run``."""
    return import_module(f"reasoner.cli.{_FILES.get(name, name.replace('-', '_'))}")


def _tolerate_any_character() -> None:
    """Escape what a terminal of another encoding cannot show, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _drop_output() -> None:
    """Keep the interpreter from flushing at its end what can no longer be written."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        return
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
