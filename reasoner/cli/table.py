"""Rows of names and values for people: ruled on a terminal, plain and aligned elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO


def print_table(title: str, rows: Sequence[tuple[str, str]], stream: TextIO) -> None:
    """Print two columns; the library that draws rules is loaded only for a terminal."""
    if not stream.isatty():
        width = max((len(name) for name, _ in rows), default=0)
        print(title, file=stream)
        for name, value in rows:
            print(f"  {name:{width}}  {value}", file=stream)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=box.ROUNDED, show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    Console(file=stream).print(table)


def counted(number: int, noun: str) -> str:
    """Write a number with its noun.

    >>> counted(1, "triple"), counted(2000, "triple")
    ('1 triple', '2,000 triples')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
