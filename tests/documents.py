"""Pages whose code is run as it is written: Python in order, commands with what they print, files that they need.

- A ``python`` block runs in the names of those before it.
- A ``console`` block holds commands after ``$`` with their output; ``...`` in it stands for anything.
- A block with a ``title`` is a file of that name, unless it is Python, which is run as well.
- A ``sh`` block is not run: what it calls is outside, such as make or a server. Its calls of ours are parsed.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from doctest import ELLIPSIS, OutputChecker
from math import inf
from pathlib import Path
from unittest.mock import patch

from reasoner.cli import command_module, main
from reasoner.cli.parser import COMMANDS, command_parser

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = {"python", "console", "sh", "text", "datalog", "turtle", "sparql"}
_BLOCK = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', flags=re.MULTILINE | re.DOTALL)
_SHELL = set("|&;<>$`")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of code on a page, with the line that it begins at."""

    language: str
    title: str | None
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """Return the code of a page, from its top to its end."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2], found[3], text.count("\n", 0, found.start()) + 2) for found in _BLOCK.finditer(text)
    ]


def run_page(page: Path, folder: Path) -> int:
    """Run the code of a page in a folder, compare what it prints, and return how many blocks ran."""
    names: dict[str, object] = {"__name__": page.stem}
    ran = 0
    with chdir(folder):
        for block in blocks(page):
            if block.title:
                Path(block.title).write_text(block.text, encoding="utf-8")
            if block.language == "python":
                _run_python(page, block, names)
            elif block.language == "console":
                for command, expected in commands(block):
                    printed = run_command(command)
                    assert OutputChecker().check_output(expected, printed, ELLIPSIS), (
                        f"{page.name}:{block.line}: $ {command}\nexpected:\n{expected}\nprinted:\n{printed}"
                    )
            ran += block.language in ("python", "console")
    return ran


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Yield the commands of a console block, each with the output that follows it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = command[:-1] + more.removeprefix("> ")
        yield command, expected


def run_command(command: str) -> str:
    """Run a command and return what it prints; ours within this process, unless it needs a shell."""
    words = shlex.split(command, comments=True)
    bare = re.sub(r"'[^']*'", "", command)
    if words[0] == "reasoner" and not _SHELL & set(bare):
        # Some commands write bytes, which have to come between the right lines of text.
        printed = io.BytesIO()
        out = io.TextIOWrapper(printed, encoding="utf-8", write_through=True)
        # A slow machine would tell how long a stage takes.
        with redirect_stdout(out), redirect_stderr(out), patch("reasoner.cli.watch.PATIENCE", inf):
            main(words[1:])
        return printed.getvalue().decode("utf-8").replace("\r\n", "\n")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    # A slow machine tells how long a stage takes.
    return re.sub(r"^[a-z][^:\n]*: [0-9]+\.[0-9] s\n", "", done.stdout, flags=re.MULTILINE)


def check_calls(block: Block) -> int:
    """Parse the calls of ours in a block without running them, and return how many there are."""
    calls = [line for line in block.text.splitlines() if re.match(r"(\$ )?reasoner ", line)]
    for line in calls:
        words = shlex.split(line.removeprefix("$ "), comments=True)
        name, rest = words[1], [word for word in words[2:] if word != "&"]
        assert name in COMMANDS, line
        parser = command_parser(name)
        command_module(name).add_options(parser, rest)
        parser.parse_intermixed_args(rest)
    return len(calls)


def _run_python(page: Path, block: Block, names: dict[str, object]) -> None:
    # Lines before the block keep the numbers of the page in tracebacks.
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    with redirect_stdout(io.StringIO()):
        exec(code, names)
