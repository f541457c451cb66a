"""Everything that a reasoner holds at one moment.

What a materialisation was and cost, as numbers that a user can check.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ontologies.collector import Translation
    from ontologies.separable import TranslationChange
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import Snapshot
    from reasoner.maintenance.program import MaintenanceProgram
    from reasoner.reasoning.arrange import Prepared
    from reasoner.reasoning.program import EncodedProgram
    from reasoner.rules.rule import Rule
    from reasoner.state.request import OwnRules


@dataclass(frozen=True, slots=True)
class Configuration:
    """How a reasoner reads its ontology and keeps its closure; the same for its whole life."""

    profile: str
    equality: str
    modules: bool
    maintenance: str | None


@dataclass(frozen=True, slots=True)
class StreamProgress:
    """The last batch of a stream, and the id of the query that numbers its batches; None if that was not kept."""

    batch: int
    query: str | None = None


def progress_to_keep(streams: Mapping[str, StreamProgress]) -> dict[str, dict[str, Any]]:
    """Return where streams are as the settings of a version on disk have it."""
    return {name: asdict(progress) for name, progress in streams.items()}


def kept_progress(kept: Mapping[str, Any]) -> dict[str, StreamProgress]:
    """Return where the streams are by the settings of a version on disk; earlier stores have the batch alone."""
    return {name: StreamProgress(**at) if isinstance(at, dict) else StreamProgress(at) for name, at in kept.items()}


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Everything that holds at one moment; nothing in it ever changes, so that sharing it costs nothing.

    ``snapshot`` has the explicit facts with their graphs, (pi, I), the equalities of literals, and what a strategy
    remembers; ``terms`` is how many terms of the dictionary it may mention. With ``user_rules`` and ``streams``, the
    last batch of every stream that was followed, this is all that cannot be computed anew.

    ``is_materialised`` says whether (pi, I) follows from the explicit facts and the rules as they are. The other fields
    are compiled from rules and facts, or measured, when somebody first asks for them.
    """

    snapshot: Snapshot
    terms: int
    user_rules: tuple[Rule, ...] = ()
    streams: Mapping[str, StreamProgress] = field(default_factory=dict)
    is_materialised: bool = False

    translation: Translation | None = None
    # The translation with its rules by what they say, from one change of the ontology to the next.
    translated: TranslationChange | None = None
    # The user rules by what they say.
    own: OwnRules | None = None
    # The rules by which those of the ontology compare literals by value.
    joins: tuple[Rule, ...] | None = None
    program: EncodedProgram | None = None
    prepared: Prepared[Plans] | None = None
    maintenance: MaintenanceProgram[FactSet, Plans, Representatives] | None = None

    # The seconds that compiling took, and the rounds and seconds of the last materialisation.
    preparation: float = 0.0
    work: tuple[int, float] = (0, 0.0)
    summary: Summary | None = None

    def uncompiled(self) -> State:
        """Return the state without what was computed from facts and rules, which are about to change."""
        return replace(
            self,
            is_materialised=False,
            translation=None,
            joins=None,
            program=None,
            prepared=None,
            maintenance=None,
            summary=None,
        )


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

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {number}" for name, number in rows)

    def _repr_html_(self) -> str:
        from reasoner.explanation.notebook import framed, named_rows

        return framed(named_rows(self.rows()))
