"""The value that an explanation is: steps that share what they rest on, down to explicit facts.

Proofs as JSON and as RDF.

JSON: an object with ``goal``, the id of the step that concludes, and ``steps``, each after those that it rests on::

    {"id": "s3", "triple": ["<a>", "<p>", "<b>"], "kind": "rule", "rule": "prp-trp", "sources": ["..."],
     "binding": {"x": "<a>"}, "premises": ["s1", "s2"], "absent": [["<a>", "<q>", "<b>"]], "conditions": ["..."]}

An explicit step has ``id``, ``triple`` and ``kind`` only; empty lists are left out. Terms are written as in N-Triples.
The object of a step about a part of an axiom's expression is that part, as text.

RDF: the vocabulary ``urn:reasoner:proof#`` (prefix ``proof:``) beside W3C PROV and RDF reification:

- each step is an ``rdf:Statement`` and a ``prov:Entity``, with ``rdf:subject``, ``rdf:predicate`` and ``rdf:object``,
  and a ``proof:Explicit``, ``proof:RuleStep`` or ``proof:EqualityStep``; the conclusion is a ``proof:Goal`` as well;
- ``prov:wasDerivedFrom`` names the premises in no order, ``proof:premises`` lists them in the order of the body;
- ``proof:rule`` is the name of the rule, ``proof:source`` an axiom that it comes from;
- ``proof:absent`` is a statement that does not hold, ``proof:condition`` a condition that does, as text.

A proof as a tree for people: every step above what it rests on, terms with prefixes.

What an inconsistency is: a constraint with a match.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from reasoner.rules.prefixes import ShortTerms
from reasoner.rules.printer import print_builtin
from reasoner.rules.rule import Atom, Builtin, Rule, is_auxiliary, meaning_of
from reasoner.terms.term import RDF_TYPE, Term, TextTriple, Variable
from reasoner.terms.value import escape, literal_text

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
    identity, because comparing graphs step by step can take exponential time. ``prefixes`` are for pictures and
    notebooks, and known to the conclusion only.
    """

    triple: TextTriple
    rule: str | None = None
    sources: tuple[str, ...] = ()
    premises: tuple[Proof, ...] = ()
    origin: Rule | None = None
    binding: tuple[tuple[str, str], ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict, repr=False)

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
        """Write the proof as JSON; ``reasoner.explanation.proof`` says what it looks like."""

        return proof_as_json(self)

    def to_turtle(self) -> str:
        """Write the proof as RDF, in the vocabulary of ``reasoner.explanation.proof``."""

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
        from reasoner.explanation.picture import proof_as_fold

        return proof_as_fold(self)


def _reason(step: Proof) -> str:
    if step.rule is None:
        return "explicit"
    return f"by {step.rule}" + (f" ({'; '.join(step.sources)})" if step.sources else "")


def _noted(note: str) -> str:
    return f"{note}    [{'does not hold' if note.startswith('not ') else 'holds'}]"


NAMESPACE = "urn:reasoner:proof#"

_PREFIXES = f"""\
@prefix proof: <{NAMESPACE}> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""
_CLASSES = {EXPLICIT: "proof:Explicit", RULE: "proof:RuleStep", EQUALITY: "proof:EqualityStep"}


def proof_as_json(proof: Proof) -> str:
    """Write a proof as JSON."""
    names = _named(proof, "s")
    steps = []
    for step, name in names.items():
        members: dict[str, object] = {"id": name, "triple": step.shown, "kind": step.kind, "rule": step.rule}
        members["sources"] = step.sources
        members["binding"] = dict(step.binding)
        members["premises"] = [names[premise] for premise in step.premises]
        members["absent"] = step.absent
        members["conditions"] = [_condition(condition) for condition in step.conditions]
        steps.append({key: value for key, value in members.items() if value})
    return json.dumps({"goal": names[proof], "steps": steps}, indent=1, ensure_ascii=False)


def proof_as_turtle(proof: Proof) -> str:
    """Write a proof as Turtle; steps are blank nodes with labels that no term of the proof has."""
    prefix = "step"
    taken = {term[2:] for step in proof.steps for term in step.triple if term.startswith("_:")}
    while any(label.startswith(prefix) for label in taken):
        prefix += "x"
    names = _named(proof, f"_:{prefix}")
    return _PREFIXES + "".join(f"\n{text}" for step in names for text in _statements(step, proof, names))


def _statements(step: Proof, goal: Proof, names: dict[Proof, str]) -> Iterator[str]:
    classes = ["rdf:Statement", "prov:Entity", _CLASSES[step.kind], *(["proof:Goal"] if step is goal else [])]
    parts = [f"a {', '.join(classes)}", *_reified(step.shown)]
    if step.rule is not None:
        parts.append(f"proof:rule {_literal(step.rule)}")
    parts += [f"proof:source {_literal(source)}" for source in step.sources]
    if step.premises:
        parts.append(f"prov:wasDerivedFrom {', '.join(names[premise] for premise in dict.fromkeys(step.premises))}")
        parts.append(f"proof:premises ( {' '.join(names[premise] for premise in step.premises)} )")
    parts += [f"proof:absent [ a rdf:Statement ; {' ; '.join(_reified(triple))} ]" for triple in step.absent]
    parts += [f"proof:condition {_literal(_condition(condition))}" for condition in step.conditions]
    yield f"{names[step]} " + " ;\n    ".join(parts) + " .\n"


def _reified(triple: TextTriple) -> list[str]:
    return [f"rdf:{place} {term}" for place, term in zip(("subject", "predicate", "object"), triple, strict=True)]


def _named(proof: Proof, prefix: str) -> dict[Proof, str]:
    return {step: f"{prefix}{number}" for number, step in enumerate(proof.steps, 1)}


def _condition(condition: Builtin) -> str:
    return print_builtin(condition, {})


def _literal(text: str) -> str:
    return f'"{escape(text)}"'


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One line: what draws the tree, the fact or the condition, and why it holds."""

    guide: str
    fact: str
    reason: str
    asserted: bool = False

    def __str__(self) -> str:
        return f"{self.guide}{self.fact}   {self.reason}"


def proof_tree(proof: Proof, names: ShortTerms, *, sources: bool = True) -> Iterator[TreeLine]:
    """Yield the lines of a proof; what was shown already is not shown again, and ``sources`` names the axioms."""
    shown: set[Proof] = set()
    waiting: list[tuple[Proof | str, str, str]] = [(proof, "", "")]
    while waiting:
        step, guide, below = waiting.pop()
        if isinstance(step, str):
            holds = "does not hold" if step.startswith("not ") else "holds"
            yield TreeLine(guide, names.text(step), holds)
            continue
        again = step in shown and bool(step.premises)
        yield TreeLine(
            guide, names.triple(step.shown), reason_of(step, names, again=again, sources=sources), step.rule is None
        )
        if step in shown:
            continue
        shown.add(step)
        items: list[Proof | str] = [*dict.fromkeys(step.premises), *step.notes]
        last = len(items) - 1
        waiting += [
            (item, below + ("└── " if at == last else "├── "), below + ("    " if at == last else "│   "))
            for at, item in reversed(list(enumerate(items)))
        ]


def reason_of(step: Proof, names: ShortTerms, *, again: bool = False, sources: bool = True) -> str:
    """Say in a few words why a step holds, or that it was shown ``again``."""
    if again:
        return "shown above"
    if step.rule is None:
        return "asserted"
    because = "; ".join(names.text(" ".join(source.split())) for source in step.sources) if sources else ""
    # The rule of an axiom is mostly called like it.
    if because.startswith(f"{step.rule}("):
        return f"by {because}"
    return f"by {step.rule}: {because}" if because else f"by {step.rule}"


@dataclass(frozen=True, slots=True)
class Violation:
    """A match of a constraint: the rule's name, the facts that match its body, and the axioms behind the rule.

    ``explainer`` proves facts of the state that the violation was found in; it is no part of what a violation is.
    """

    rule: str
    triples: tuple[TextTriple, ...]
    sources: tuple[str, ...] = ()
    explainer: Callable[[TextTriple], Proof | None] | None = field(default=None, compare=False, repr=False)

    def explain(self) -> tuple[Proof, ...]:
        """Return a proof of each of the facts that together break the constraint."""
        if self.explainer is None:
            from reasoner.rules.errors import ReasonerError

            raise ReasonerError(
                f"this violation of {self.rule} cannot be explained: it went with its commit, or too many were "
                "rejected at once; ask Reasoner.violations, or look at the first of those that were rejected"
            )
        return tuple(proof for triple in self.triples if (proof := self.explainer(triple)) is not None)

    def as_dict(self) -> dict[str, object]:
        """Return what is violated, for JSON."""
        return {"rule": self.rule, "triples": self.triples, "sources": self.sources}

    def __str__(self) -> str:
        facts = "; ".join(" ".join(triple) for triple in self.triples)
        because = f" ({', '.join(self.sources)})" if self.sources else ""
        return f"{self.rule}: {facts}{because}"
