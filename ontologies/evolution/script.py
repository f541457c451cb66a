"""An evolution script as values: named steps, each a sequence of statements about axioms, triples, names and rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ontologies.axioms import Axiom, AxiomAnnotation, Triple
from ontologies.expressions import ClassExpression
from ontologies.syntax_tree import Place
from reasoner.rules.parser import Body
from reasoner.rules.rule import Rule

NOWHERE = Place("<script>", 1, 1)


@dataclass(frozen=True, slots=True)
class Statement:
    """The base of all statements; ``place`` is where it stands, and no part of what it says."""

    place: Place = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Remark(Statement):
    """A comment on a line of its own; it does nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class AddAxioms(Statement):
    """Axioms in: those that are there already stay as they are."""

    axioms: tuple[Axiom, ...]
    annotations: tuple[AxiomAnnotation, ...] = ()


@dataclass(frozen=True, slots=True)
class RemoveAxioms(Statement):
    """Axioms out, every copy of each; one that is not there is an error."""

    axioms: tuple[Axiom, ...]
    annotations: tuple[AxiomAnnotation, ...] = ()


@dataclass(frozen=True, slots=True)
class AddTriples(Statement):
    """Triples in; their blank nodes are new ones."""

    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class RemoveTriples(Statement):
    """Triples out; blank nodes stand for what is said about them, and one such structure goes for each written."""

    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class AddRules(Statement):
    """Rules of one's own in."""

    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class RemoveRules(Statement):
    """Rules of one's own out, by what they say."""

    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class RemoveRuleNamed(Statement):
    """The rules of one's own that have a name out."""

    name: str


@dataclass(frozen=True, slots=True)
class Rename(Statement):
    """One name becomes another that nothing is called yet, wherever it occurs: axioms, data, rules."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Merge(Statement):
    """Several names become one, wherever they occur."""

    old: tuple[str, ...]
    new: str


@dataclass(frozen=True, slots=True)
class Part(Statement):
    """What one part of a split takes: what an expression defines, what a pattern finds, or the rest.

    ``condition`` is a class expression; ``pattern`` are triple patterns over ?x, and ?y for a property. With neither
    the part takes all that no pattern finds.
    """

    name: str
    condition: ClassExpression | None = None
    pattern: Body | None = None


@dataclass(frozen=True, slots=True)
class Split(Statement):
    """A class or property gets parts, and hands what it says explicitly over to them."""

    whole: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Move(Statement):
    """A class or property goes under another one: from one that it was under, or from all of them."""

    name: str
    under: str
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Deprecate(Statement):
    """A name is not to be used any more; what it says goes on to hold, of the replacement too."""

    name: str
    replacement: str | None = None
    reason: str | None = None


Named: TypeAlias = Rename | Merge | Split | Move | Deprecate


@dataclass(frozen=True, slots=True)
class Step:
    """What happens at once: all statements of a step take effect, or none does."""

    name: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """Steps, one after another; ``prefixes`` maps names to namespaces, and serves to write the script only."""

    steps: tuple[Step, ...]
    prefixes: tuple[tuple[str, str], ...] = ()
    file: str = field(default="<script>", compare=False)

    @property
    def step_names(self) -> tuple[str, ...]:
        return tuple(step.name for step in self.steps)
