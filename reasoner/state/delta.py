"""What a change did: to the facts, to equality, to the constraints, and at what cost.

What a change did to graphs: which of them assert what they did not, and the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO
from uuid import uuid4

from reasoner.columnar.store import ColumnarStore, Snapshot
from reasoner.explanation.proof import Violation
from reasoner.maintenance.update import Work
from reasoner.rules.encode import EncodedRule
from reasoner.rules.errors import ReasonerError
from reasoner.rules.rule import Rule
from reasoner.terms.term import TextTriple

if TYPE_CHECKING:
    from reasoner.terms.quads import TextQuad


class QuadChanges:
    """The part of a delta that tells graphs apart.

    A quad is subject, predicate, object and the name of a graph, None for the default graph. A quad that comes or goes
    need not be a change of the explicit facts: another graph may assert the same triple.
    """

    store: ColumnarStore
    before: Snapshot
    after: Snapshot
    asked_to_remove: Sequence[TextTriple]

    @property
    def has_graphs(self) -> bool:
        """Whether there were named graphs before the change, or are any after it."""
        return bool(self.before.graphs or self.after.graphs)

    @cached_property
    def still_explicit(self) -> tuple[TextTriple, ...]:
        """What was to leave a graph, and is explicit still because another graph asserts it."""
        known = self.store.are_explicit(self.asked_to_remove, self.after) if self.has_graphs else ()
        return tuple(triple for triple, explicit in zip(self.asked_to_remove, known, strict=False) if explicit)

    @cached_property
    def quads_added(self) -> tuple[TextQuad, ...]:
        return tuple(self._quads_only_in(self.after, self.before))

    @cached_property
    def quads_removed(self) -> tuple[TextQuad, ...]:
        return tuple(self._quads_only_in(self.before, self.after))

    def _quads_only_in(self, one: Snapshot, other: Snapshot) -> Iterator[TextQuad]:
        from reasoner.columnar.graphs import lost_by_graphs

        for id, facts in lost_by_graphs((one.explicit, one.graphs), (other.explicit, other.graphs)):
            name = None if id < 0 else self.store.dictionary.text(id)
            yield from ((s, p, o, name) for s, p, o in self.store.texts(facts))


if TYPE_CHECKING:
    from os import PathLike

    from reasoner.columnar.compare import Comparison
    from reasoner.columnar.factset import FactSet
    from reasoner.explanation.proof import Proof
    from reasoner.spark.query.dataframe import DataFrame, SparkSession

    Target = str | PathLike[str] | BinaryIO

# What ``Delta.iterate`` can be asked for.
PARTS = (
    *("asserted_added", "asserted_removed", "inferred_added", "inferred_removed", "became_explicit"),
    *("became_inferred", "normal_added", "normal_removed", "gained", "lost"),
)

# The classes of a group before the change, and those after it.
Regrouped = tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many facts, and groups of classes, a change touched; ``gained`` and ``lost`` are those of the closure."""

    asserted_added: int
    asserted_removed: int
    inferred_added: int
    inferred_removed: int
    became_explicit: int
    became_inferred: int
    normal_added: int
    normal_removed: int
    gained: int
    lost: int
    classes_merged: int
    classes_split: int

    def as_dict(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)


@dataclass(frozen=True, eq=False, repr=False)
class Delta(QuadChanges):
    """The difference that a change made.

    The explicit facts E and the closure C, as ``Reasoner.triples`` gives it, became E' and C':

    - ``asserted_added`` is E' - E; the facts among them that C held already are ``became_explicit``.
    - ``asserted_removed`` is E - E'; the facts among them that C' still holds are ``became_inferred``.
    - ``inferred_added`` is C' - C without what was asserted, ``inferred_removed`` C - C' without what had been.
    - ``gained`` is C' - C and ``lost`` is C - C', so that a fact that only became explicit is in neither.
    - ``normal_added`` and ``normal_removed`` are the facts over representatives that joined and left I.

    Nothing is written out before it is asked for: ``counts`` is found by arithmetic over equality classes, ``iterate``
    gives facts piece by piece, and the properties give them as tuples. ``classes_merged`` and ``classes_split`` hold
    (old classes, new classes) of terms that were regrouped, a term alone as a class of one; where terms changed sides,
    the group is in both. ``violations_appeared`` and ``violations_went`` compare what ``Reasoner.violations`` gives.

    ``quads_added`` and ``quads_removed`` are what graphs assert now and did not, and the other way round.

    ``rules_gained`` and ``rules_lost`` are the rules, constraints included, that the program has now and had not, and
    the other way round; a rule that only comes from other axioms than before is in neither.

    ``strategy`` is how the materialisation was brought up to date, and ``reason`` why so. ``done`` says what did it
    where: a strategy is for the strata above equality, and what feeds owl:sameAs, the core, is maintained under
    rewriting by B/F or DRed, whatever the strategy. ``work`` are the rule instances considered in each phase.
    """

    store: ColumnarStore
    before: Snapshot
    after: Snapshot
    strategy: str
    reason: str = ""
    work: Work = field(default_factory=Work)
    seconds: float = 0.0
    asked_to_add: Sequence[TextTriple] = ()
    asked_to_remove: Sequence[TextTriple] = ()
    constraints_before: Sequence[EncodedRule] = ()
    constraints_after: Sequence[EncodedRule] = ()
    rules_gained: Sequence[Rule] = ()
    rules_lost: Sequence[Rule] = ()
    # Proves facts of the state after the change.
    explainer: Callable[[TextTriple], Proof | None] | None = None
    # For output that people read.
    prefixes: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"<Delta {self}>"

    @cached_property
    def id(self) -> str:
        """A name for this delta in logs of patches."""
        return f"uuid:{uuid4()}"

    @property
    def rounds(self) -> int:
        """The rounds of evaluation of all phases."""
        return self.work.rounds

    @property
    def done(self) -> dict[str, str]:
        """What maintained the ``core`` of equality, and what the ``strata`` above it; without those that it left alone.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add_rules("?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
        >>> kb.add([("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")])
        1
        >>> kb.remove(("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>"), strategy="declarative").done
        {'strata': 'declarative'}
        """
        if self.strategy in ("none", "rematerialise"):
            return {}
        parts = {"core": self.work.core, "strata": self.strategy if self.work.above else ""}
        return {part: method for part, method in parts.items() if method}

    def iterate(self, part: str) -> Iterator[TextTriple]:
        """Yield one of the ``PARTS`` of the difference, written out piece by piece."""
        if part not in PARTS:
            raise ReasonerError(f"a delta has no part {part!r}: choose one of {', '.join(PARTS)}")
        return self.store.decoded(self._comparison.pieces(part))

    @cached_property
    def counts(self) -> Counts:
        """The sizes of all parts, found without writing them out."""
        return Counts(**self._comparison.counts())

    @cached_property
    def asserted_added(self) -> tuple[TextTriple, ...]:
        return tuple(self.iterate("asserted_added"))

    @cached_property
    def asserted_removed(self) -> tuple[TextTriple, ...]:
        return tuple(self.iterate("asserted_removed"))

    @cached_property
    def inferred_added(self) -> tuple[TextTriple, ...]:
        return tuple(self.iterate("inferred_added"))

    @cached_property
    def inferred_removed(self) -> tuple[TextTriple, ...]:
        return tuple(self.iterate("inferred_removed"))

    @cached_property
    def became_explicit(self) -> tuple[TextTriple, ...]:
        return tuple(self.iterate("became_explicit"))

    @cached_property
    def became_inferred(self) -> tuple[TextTriple, ...]:
        return tuple(self.iterate("became_inferred"))

    @cached_property
    def normal_added(self) -> tuple[TextTriple, ...]:
        return tuple(self.iterate("normal_added"))

    @cached_property
    def normal_removed(self) -> tuple[TextTriple, ...]:
        return tuple(self.iterate("normal_removed"))

    @cached_property
    def not_explicit(self) -> tuple[TextTriple, ...]:
        """What was to be removed and was not explicit."""
        known = self.store.are_explicit(self.asked_to_remove, self.before)
        return tuple(triple for triple, explicit in zip(self.asked_to_remove, known, strict=True) if not explicit)

    @cached_property
    def already_explicit(self) -> tuple[TextTriple, ...]:
        """What was to be added and was explicit already."""
        known = self.store.are_explicit(self.asked_to_add, self.before)
        return tuple(triple for triple, explicit in zip(self.asked_to_add, known, strict=True) if explicit)

    @cached_property
    def classes_merged(self) -> tuple[Regrouped, ...]:
        return tuple(map(self._named, self._comparison.regrouping.merged()))

    @cached_property
    def classes_split(self) -> tuple[Regrouped, ...]:
        return tuple(map(self._named, self._comparison.regrouping.split()))

    @cached_property
    def violations_appeared(self) -> tuple[Violation, ...]:
        return self._violations[0]

    @cached_property
    def violations_went(self) -> tuple[Violation, ...]:
        return self._violations[1]

    def to_patch(self, *, inferred: bool = False, previous: str | None = None) -> str:
        """Return the delta as RDF Patch: of the explicit facts, or of the closure if ``inferred``."""
        from reasoner.state.delta_formats import patch_lines

        return "".join(patch_lines(self, inferred=inferred, previous=previous))

    def write_patch(self, target: Target, *, inferred: bool = False, previous: str | None = None) -> int:
        """Write the delta as RDF Patch, line by line, and return the number of lines.

        A file is compressed by its extension, and written whole or not at all.
        """
        from reasoner.state.delta_formats import patch_lines, write_lines

        return write_lines(target, patch_lines(self, inferred=inferred, previous=previous))

    def to_json(self, *, inferred: bool = True) -> str:
        """Return the delta as one JSON object, with the inferred facts unless told otherwise."""
        from reasoner.state.delta_formats import json_lines

        return "".join(json_lines(self, inferred=inferred))

    def write_json(self, target: Target, *, inferred: bool = True) -> int:
        """Write the delta as JSON, line by line, and return the number of lines."""
        from reasoner.state.delta_formats import json_lines, write_lines

        return write_lines(target, json_lines(self, inferred=inferred))

    def to_dataframe(self, *, terms: str = "plain", session: SparkSession | None = None) -> DataFrame:
        """Return what the closure gained and lost as a frame of Spark, computed where the facts are.

        The column change is added or removed; ``terms`` are shown as by ``Reasoner.dataframe``. The frame can be read
        for as long as the delta is there.
        """
        from reasoner.spark.query.frames import delta_frame

        return delta_frame(self, self._normal_changes, terms, session)

    def rows(self) -> list[tuple[str, str]]:
        """Return what there is to tell, with names, for a table."""
        counts = self.counts
        rows = [
            ("asserted", f"+{counts.asserted_added:,} -{counts.asserted_removed:,}"),
            ("inferred", f"+{counts.inferred_added:,} -{counts.inferred_removed:,}"),
            ("quads", f"+{len(self.quads_added):,} -{len(self.quads_removed):,}" if self.has_graphs else "+0 -0"),
            ("only became explicit, inferred", f"{counts.became_explicit:,}, {counts.became_inferred:,}"),
            ("facts over representatives", f"+{counts.normal_added:,} -{counts.normal_removed:,}"),
            ("classes merged, split", f"{counts.classes_merged:,}, {counts.classes_split:,}"),
            ("rules", f"+{len(self.rules_gained):,} -{len(self.rules_lost):,}"),
            ("violations", f"+{len(self.violations_appeared):,} -{len(self.violations_went):,}"),
            ("still explicit by another graph", f"{len(self.still_explicit):,}"),
            ("already explicit, not explicit", f"{len(self.already_explicit):,}, {len(self.not_explicit):,}"),
            ("work", str(self.work)),
            ("rounds", f"{self.rounds:,}"),
            ("strategy", f"{self._course} ({self.reason})" if self.reason else self._course),
            ("time", f"{self.seconds:.3f} s"),
        ]
        return [(name, value) for name, value in rows if value not in ("0", "0, 0", "+0 -0")]

    def __str__(self) -> str:
        return "; ".join(f"{name}: {value}" for name, value in self.rows())

    def _repr_html_(self) -> str:
        from reasoner.state.delta_formats import delta_as_html

        return delta_as_html(self)

    @property
    def _course(self) -> str:
        """The strategy, and what did the work where if that was not the strategy everywhere."""
        done, names = self.done, {"core": "the core of equality", "strata": "the strata above"}
        if all(method == self.strategy for method in done.values()):
            return self.strategy
        return f"{self.strategy}, {' and '.join(f'{names[part]} by {method}' for part, method in done.items())}"

    @cached_property
    def _normal_changes(self) -> tuple[FactSet, FactSet]:
        """The facts over representatives that came and went; kept, because frames read them."""
        difference, old, new = self.store.engine.difference, self.before.facts, self.after.facts
        return difference(new, old), difference(old, new)

    @cached_property
    def _comparison(self) -> Comparison:
        return self.store.comparison(self.before, self.after)

    def _named(self, group: tuple[list[list[int]], list[list[int]]]) -> Regrouped:
        text = self.store.dictionary.text
        old, new = (tuple(tuple(map(text, members)) for members in classes) for classes in group)
        return old, new

    @cached_property
    def _violations(self) -> tuple[tuple[Violation, ...], tuple[Violation, ...]]:
        appeared, went = self.store.violation_changes(
            self.constraints_before, self.before, self.constraints_after, self.after
        )
        return tuple(replace(violation, explainer=self.explainer) for violation in appeared), went
