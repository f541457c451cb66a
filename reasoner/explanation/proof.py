"""The value that an explanation is: steps that share what they rest on, down to explicit facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reasoner.literals.text import literal_text
from reasoner.rules.auxiliary import is_auxiliary, meaning_of
from reasoner.rules.printer import print_builtin
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.term import RDF_TYPE, Term, Variable
from reasoner.violation import TextTriple

EXPLICIT, RULE, EQUALITY = "explicit", "rule", "equality"


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """One step, with the steps that it rests on: ``triple`` holds by ``rule`` because of the premises.

    There are three kinds. A step without a rule is explicit. A step with an ``origin`` is an instance of that rule
    under ``binding``, with one premise for each body atom, in their order. Any other step is one of equality, named by
    the W3C rules that it takes together:

    - ``eq-ref``: c = c, because of a fact that mentions c;
    - ``eq-sym``, ``eq-trans``: the ends of a chain are equal, whose links are the premises, in either direction;
    - ``eq-rep-s``, ``eq-rep-p``, ``eq-rep-o``: terms of the first premise are replaced by terms that the other premises
      say are equal, one premise for each place, in the order subject, predicate, object;
    - ``dt-eq``: two literals denote one value.

    A premise that is used twice is one object, so that a proof is a graph without cycles. Proofs are compared by
    identity, because comparing graphs step by step can take exponential time.
    """

    triple: TextTriple
    rule: str | None = None
    sources: tuple[str, ...] = ()
    premises: tuple[Proof, ...] = ()
    origin: Rule | None = None
    binding: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> TextTriple:
        """The triple as it is shown: that x belongs to an auxiliary class says which expression x belongs to."""
        s, p, o = self.triple
        return (s, RDF_TYPE, literal_text(meaning_of(p))) if is_auxiliary(p) else (s, p, o)

    @property
    def kind(self) -> str:
        """``explicit``, ``rule`` or ``equality``."""
        if self.rule is None:
            return EXPLICIT
        return EQUALITY if self.origin is None else RULE

    @property
    def absent(self) -> tuple[TextTriple, ...]:
        """The facts that this step needs not to hold: the negated atoms of its rule."""
        return tuple(self.instance_of(atom) for atom in self.origin.negative) if self.origin else ()

    @property
    def conditions(self) -> tuple[Builtin, ...]:
        """The conditions of this step's rule, over the terms of this step."""
        if self.origin is None:
            return ()
        return tuple(Builtin(part.name, tuple(map(self.value_of, part.arguments))) for part in self.origin.conditions)

    @property
    def notes(self) -> tuple[str, ...]:
        """What this step needs besides facts, as text: that something does not hold, that a condition does."""
        missing = [f"not {' '.join(triple)}" for triple in self.absent]
        return (*missing, *(print_builtin(condition, {}) for condition in self.conditions))

    def value_of(self, term: Term) -> str:
        """Return what a term of the rule stands for in this step."""
        return dict(self.binding)[term.name] if isinstance(term, Variable) else term

    def instance_of(self, atom: Atom) -> TextTriple:
        """Return what an atom of the rule stands for in this step."""
        return self.value_of(atom.subject), self.value_of(atom.predicate), self.value_of(atom.object)

    @property
    def steps(self) -> tuple[Proof, ...]:
        """All steps, each once and after those that it rests on; the last one is the proof itself."""
        done: dict[Proof, None] = {}
        waiting: list[tuple[Proof, Iterator[Proof]]] = [(self, iter(self.premises))]
        while waiting:
            step, premises = waiting[-1]
            following = next((premise for premise in premises if premise not in done), None)
            if following is None:
                done[step] = None
                waiting.pop()
            else:
                waiting.append((following, iter(following.premises)))
        return tuple(done)

    @property
    def leaves(self) -> tuple[TextTriple, ...]:
        """The explicit facts that the proof rests on, each once."""
        return tuple(dict.fromkeys(step.triple for step in self.steps if step.rule is None))

    @property
    def height(self) -> int:
        """The most instances of rules between the conclusion and an explicit fact; steps of equality do not count."""
        heights: dict[Proof, int] = {}
        for step in self.steps:
            below = max((heights[premise] for premise in step.premises), default=0)
            heights[step] = below + (step.kind == RULE)
        return heights[self]

    @property
    def size(self) -> int:
        """How many steps are not explicit."""
        return sum(step.rule is not None for step in self.steps)

    def lines(self) -> Iterator[str]:
        """Yield the proof as an indented tree; what was shown already is not shown again."""
        shown: set[Proof] = set()
        waiting: list[tuple[int, Proof | str]] = [(0, self)]
        while waiting:
            depth, step = waiting.pop()
            if isinstance(step, str):
                yield "  " * depth + step
                continue
            reason = _reason(step)
            if step in shown and step.premises:
                reason = "shown above"
            yield f"{'  ' * depth}{' '.join(step.shown)}    [{reason}]"
            if step not in shown:
                shown.add(step)
                below: list[Proof | str] = [*dict.fromkeys(step.premises), *map(_noted, step.notes)]
                waiting += [(depth + 1, item) for item in reversed(below)]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def to_json(self) -> str:
        """Write the proof as JSON; ``reasoner.explanation.formats`` says what it looks like."""
        from reasoner.explanation.formats import proof_as_json

        return proof_as_json(self)

    def to_turtle(self) -> str:
        """Write the proof as RDF, in the vocabulary of ``reasoner.explanation.formats``."""
        from reasoner.explanation.formats import proof_as_turtle

        return proof_as_turtle(self)

    def to_svg(self) -> str:
        """Draw the proof: the conclusion on the left, what it rests on to the right, explicit facts in green."""
        from reasoner.explanation.picture import proof_as_svg

        return proof_as_svg(self)

    def to_html(self) -> str:
        """Write a page with the picture and a table of the steps, which needs no other file."""
        from reasoner.explanation.picture import proof_as_html

        return proof_as_html(self)

    def _repr_html_(self) -> str:
        return f'<div style="overflow:auto">{self.to_svg()}</div>'


def _reason(step: Proof) -> str:
    if step.rule is None:
        return "explicit"
    return f"by {step.rule}" + (f" ({'; '.join(step.sources)})" if step.sources else "")


def _noted(note: str) -> str:
    return f"{note}    [{'does not hold' if note.startswith('not ') else 'holds'}]"
