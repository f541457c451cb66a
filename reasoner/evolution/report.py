"""What an evolution did, or would do: values that need no store, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field

from ontologies.evolution.working import Change
from reasoner.delta import Regrouped
from reasoner.errors import ReasonerError
from reasoner.violation import Violation


@dataclass(frozen=True, slots=True)
class FactChange:
    """How the facts of one class or property changed: asserted and inferred apart.

    ``gained`` and ``lost`` count the facts that hold now and did not, and the other way round: a fact that only became
    explicit, or only inferred, is in neither.
    """

    name: str
    is_class: bool
    asserted_added: int = 0
    asserted_removed: int = 0
    inferred_added: int = 0
    inferred_removed: int = 0
    gained: int = 0
    lost: int = 0

    @property
    def size(self) -> int:
        return self.asserted_added + self.asserted_removed + self.inferred_added + self.inferred_removed


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much there is of everything, before a step or after it."""

    axioms: int
    rules: int
    asserted: int
    inferred: int
    classes: int
    violations: int


@dataclass(frozen=True, slots=True)
class StepReport:
    """What one step did.

    ``axioms_*`` are texts in functional-style syntax, ``rules_*`` rules as text. ``facts`` are the classes and
    properties with facts that came, went, or became explicit or inferred. ``change`` is what the step came down to in
    explicit facts and rules.
    Where rules are static and read axioms as data, ``readings_*`` are what they read, as rules, and ``is_read_as_data``
    tells so.
    """

    name: str
    change: Change
    before: Sizes
    after: Sizes
    axioms_gained: tuple[str, ...]
    axioms_lost: tuple[str, ...]
    rules_gained: tuple[str, ...]
    rules_lost: tuple[str, ...]
    readings_gained: tuple[str, ...]
    readings_lost: tuple[str, ...]
    is_read_as_data: bool
    profile: str
    facts: tuple[FactChange, ...]
    classes_merged: tuple[Regrouped, ...]
    classes_split: tuple[Regrouped, ...]
    violations_appeared: tuple[Violation, ...]
    violations_went: tuple[Violation, ...]
    strategy: str
    reason: str
    seconds: float

    @property
    def affected(self) -> tuple[FactChange, ...]:
        """The classes and properties whose extension changes: other things are of the class, or have the property."""
        return tuple(fact for fact in self.facts if fact.gained or fact.lost)


@dataclass(frozen=True, slots=True)
class Evolution:
    """The report of a script, or of steps taken back: ``applied`` says whether the store has changed."""

    script: str
    steps: tuple[StepReport, ...]
    applied: bool
    prefixes: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    is_undo: bool = False

    @property
    def is_consistent(self) -> bool:
        """Whether no step brings a violation that was not there before it."""
        return not any(step.violations_appeared for step in self.steps)

    def __str__(self) -> str:
        from reasoner.evolution.report_tables import report_text

        return report_text(self)

    def to_json(self, *, explain: bool = False) -> str:
        """Return the report as one JSON object, with the proofs of violations if asked for."""
        from reasoner.evolution.report_json import report_as_json

        return report_as_json(self, explain=explain)

    def to_svg(self) -> str:
        """Return a drawing of what each step did."""
        from reasoner.evolution.picture import evolution_as_svg

        return evolution_as_svg(self)

    def _repr_svg_(self) -> str:
        return self.to_svg()


class InconsistentEvolutionError(ReasonerError):
    """A script that would bring violations; nothing of it was applied. ``evolution`` tells what it would have done."""

    def __init__(self, evolution: Evolution) -> None:
        self.evolution = evolution
        step = next(step for step in evolution.steps if step.violations_appeared)
        count = len(step.violations_appeared)
        what = f"taking the step {step.name!r} back" if evolution.is_undo else f"the step {step.name!r}"
        super().__init__(
            f"{what} would make the store inconsistent: {count} new violation{'s' * (count > 1)}, "
            f"such as {step.violations_appeared[0]}; nothing was changed, allow_inconsistent=True applies it regardless"
        )
