"""Rows of names and values for people: ruled on a terminal, plain and aligned elsewhere.

Violations are shown with the proofs of their facts if asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

from reasoner.explanation.explain import proof_tree
from reasoner.explanation.proof import Violation
from reasoner.rules.prefixes import ShortTerms


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


def print_violations(
    violations: Iterable[Violation], stream: TextIO, names: ShortTerms, *, explain: bool = False
) -> None:
    """Print the rule, the triples that break it, the axioms behind the rule, and perhaps why each triple holds."""
    for violation in violations:
        print(f"{violation.rule}:", file=stream)
        if explain and violation.explainer is not None:
            for proof in violation.explain():
                for line in proof_tree(proof, names):
                    print(f"    {line}", file=stream)
        else:
            for triple in violation.triples:
                print(f"    {names.triple(triple)}", file=stream)
        for source in violation.sources:
            print(f"    by {names.text(' '.join(source.split()))}", file=stream)
