"""What the demonstration prints: headings, tables, answers and proofs, coloured on a terminal and plain elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reasoner.explain import Proof, proof_tree
from reasoner.short_terms import ShortTerms
from reasoner.violation import TextTriple

_WIDTH_OF_A_FILE = 120


class Page:
    """Standard output, with terms written by prefixes."""

    def __init__(self, names: ShortTerms) -> None:
        console = Console()
        self._console = console if console.is_terminal else Console(width=_WIDTH_OF_A_FILE)
        self._names = names

    def heading(self, text: str) -> None:
        self._console.print(Text(f"\n{text}", style="bold cyan"))

    def line(self, text: str = "", aside: str = "") -> None:
        """Print a line; ``aside`` follows it dimmed."""
        self._console.print(Text(text) + Text(aside, style="dim"), soft_wrap=True)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print rows; numbers in the first column stand to the right."""
        numbers = all(row[0].replace(",", "").isdigit() for row in rows)
        headed = any(heads)
        table = Table(box=box.SIMPLE_HEAD if headed else None, show_header=headed, padding=(0, 1))
        for place, head in enumerate(heads):
            table.add_column(head, justify="right" if numbers and place == 0 else "left", overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        self._console.print(table)

    def answers(self, answers: Sequence[Mapping[str, str]], most: int) -> None:
        """Print the first answers to a query, and how many there are."""
        if not answers:
            self.line("  no answer")
            return
        heads = [f"?{name}" for name in answers[0]]
        self.table(heads, [[self.term(term) for term in answer.values()] for answer in answers[:most]])
        if len(answers) > most:
            self.line(f"  ... {len(answers):,} answers in all")

    def proof(self, proof: Proof, *, sources: bool = False) -> None:
        """Print a proof as a tree, each step above what it rests on, perhaps with the axioms behind the rules."""
        for line in proof_tree(proof, self._names, sources=sources):
            reason = Text(f"   {line.reason}", style="green" if line.asserted else "yellow")
            self._console.print(Text(line.guide, style="dim") + Text(line.fact) + reason, soft_wrap=True)

    def triple(self, triple: TextTriple) -> str:
        """Write a triple for people."""
        return self._names.triple(triple)

    def term(self, term: str) -> str:
        """Write a term for people."""
        return self._names.term(term)
