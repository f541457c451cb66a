"""What a materialisation was and cost, as numbers that a user can check."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a materialised store. ``facts`` are over representatives, ``expanded`` what they stand for."""

    explicit: int
    facts: int
    expanded: int
    inferred: int
    classes: int
    members: int
    largest_class: int
    rules: int
    constraints: int
    violations: int
    rounds: int
    instances: int
    preparation: float
    seconds: float
    terms: int
    fact_bytes: int
    text_bytes: int

    @property
    def bytes_per_fact(self) -> float:
        """Memory a stored fact, beyond the texts of terms."""
        return self.fact_bytes / max(1, self.facts)

    @property
    def rate(self) -> float:
        """Facts over representatives a second of reasoning."""
        return self.facts / max(self.seconds, 1e-9)

    def rows(self) -> list[tuple[str, str]]:
        """Return the numbers with their names, for a table."""
        return [
            ("explicit facts", f"{self.explicit:,}"),
            ("facts over representatives", f"{self.facts:,}"),
            ("facts in the closure", f"{self.expanded:,}"),
            ("of these inferred", f"{self.inferred:,}"),
            ("equality classes", f"{self.classes:,} of {self.members:,} terms, the largest of {self.largest_class:,}"),
            ("rules, constraints", f"{self.rules:,}, {self.constraints:,}"),
            ("violations", f"{self.violations:,}"),
            ("rounds, rule instances", f"{self.rounds:,}, {self.instances:,}"),
            ("translating and compiling", f"{self.preparation:.3f} s"),
            ("reasoning", f"{self.seconds:.3f} s, {self.rate:,.0f} facts/s"),
            ("memory", f"{self.bytes_per_fact:.1f} bytes a fact + {self.text_bytes / 1e6:.1f} MB of term texts"),
        ]

    def _repr_html_(self) -> str:
        from reasoner.notebook import rows_as_html

        return rows_as_html(self.rows())
