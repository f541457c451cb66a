"""An evolution script as values: named steps, each a sequence of statements about axioms, triples, names and rules.

The printer of evolution scripts: what it writes, the parser reads back as the same script.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TypeAlias

from loaders.terms import escape
from ontologies.axioms import Annotation, Axiom, AxiomAnnotation, Triple
from ontologies.build import Place
from ontologies.expressions import ClassExpression
from ontologies.vocabulary import PREFIXES
from ontologies.write_functional import write_functional
from reasoner.rules.parser import Body
from reasoner.rules.printer import print_atom, print_builtin, print_rule, print_rule_name, print_term
from reasoner.rules.rule import Rule
from reasoner.terms.term import RDF_TYPE

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
class SplitPart(Statement):
    """What one part of a split takes: what an expression defines, what a pattern finds, or the rest.

    ``condition`` is a class expression; ``pattern`` are triple patterns over ?x, and ?y for a property. With neither
    the part takes all that no pattern finds.
    """

    name: str
    condition: ClassExpression | None = None
    pattern: Body | None = None


@dataclass(frozen=True, slots=True)
class SplitTerm(Statement):
    """A class or property gets parts, and hands what it says explicitly over to them."""

    whole: str
    parts: tuple[SplitPart, ...]


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


Named: TypeAlias = Rename | Merge | SplitTerm | Move | Deprecate


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


def print_script(script: Script) -> str:
    """Write a script: prefixes, then step by step, one statement after another.

    >>> from ontologies.evolution.parse_script import parse_script
    >>> print(print_script(parse_script('prefix :<urn:x:> step "s" move :A under :B add SubClassOf( :A :C )')), end="")
    prefix : <urn:x:>
    <BLANKLINE>
    step "s"
      move :A under :B
      add SubClassOf(:A :C)
    """
    writer = _Writer({**PREFIXES, **dict(script.prefixes)})
    lines = [f"prefix {name}: <{namespace}>" for name, namespace in script.prefixes]
    for step in script.steps:
        lines += ["", f'step "{escape(step.name)}"'] if lines else [f'step "{escape(step.name)}"']
        for statement in step.statements:
            lines += [f"  {line}" if line else "" for line in writer.statement(statement)]
    return "\n".join([*lines, ""])


def print_statement(statement: Statement, prefixes: Mapping[str, str]) -> str:
    """Write one statement for people to read in a message."""
    return " ".join(line.strip() for line in _Writer({**PREFIXES, **prefixes}).statement(statement))


class _Writer:
    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self.prefixes = prefixes

    def statement(self, statement: Statement) -> Iterator[str]:
        match statement:
            case Remark(text):
                yield f"# {text}".rstrip()
            case AddAxioms(axioms, annotations):
                yield from self.axioms("add", axioms, annotations)
            case RemoveAxioms(axioms, annotations):
                yield from self.axioms("remove", axioms, annotations)
            case AddTriples(triples):
                yield from self.triples("add", triples)
            case RemoveTriples(triples):
                yield from self.triples("remove", triples)
            case AddRules(rules):
                yield from self.rules("add", rules)
            case RemoveRules(rules):
                yield from self.rules("remove", rules)
            case RemoveRuleNamed(name):
                yield f"remove rule {print_rule_name(name)}"
            case Rename(old, new):
                yield f"rename {self.term(old)} to {self.term(new)}"
            case Merge(old_names, new):
                yield f"merge {', '.join(map(self.term, old_names))} into {self.term(new)}"
            case SplitTerm(whole, parts):
                yield f"split {self.term(whole)} into"
                for number, part in enumerate(parts, 1):
                    yield f"  {self.part(part)}" + ("," if number < len(parts) else "")
            case Move(name, under, origin):
                yield f"move {self.term(name)} under {self.term(under)}" + (
                    f" from {self.term(origin)}" if origin else ""
                )
            case Deprecate(name, replacement, reason):
                replaced = f" replaced by {self.term(replacement)}" if replacement else ""
                yield f"deprecate {self.term(name)}{replaced}" + ("" if reason is None else f' "{escape(reason)}"')

    def axioms(self, verb: str, axioms: tuple[Axiom, ...], annotations: tuple[AxiomAnnotation, ...]) -> Iterator[str]:
        remarks: dict[Axiom, tuple[Annotation, ...]] = {}
        for item in annotations:
            remarks[item.axiom] = (*remarks.get(item.axiom, ()), *item.annotations)
        texts = [self.axiom(axiom, remarks.get(axiom, ())) for axiom in axioms]
        if len(texts) == 1:
            yield f"{verb} {texts[0]}"
            return
        yield verb
        yield from (f"  {text}" for text in texts)

    def axiom(self, axiom: Axiom, annotations: tuple[Annotation, ...]) -> str:
        text = write_functional(axiom, self.prefixes)
        if not annotations:
            return text
        name, _, arguments = text.partition("(")
        return f"{name}({' '.join(write_functional(remark, self.prefixes) for remark in annotations)} {arguments}"

    def triples(self, verb: str, triples: tuple[Triple, ...]) -> Iterator[str]:
        yield verb + " {"
        for s, p, o in triples:
            predicate = "a" if p == RDF_TYPE else self.term(p)
            yield f"  {self.term(s)} {predicate} {self.term(o)} ."
        yield "}"

    def rules(self, verb: str, rules: tuple[Rule, ...]) -> Iterator[str]:
        """Write rules; those that one text with several heads became are one text again."""
        for _, group in groupby(rules, lambda rule: (rule.name, rule.body, rule.negative, rule.conditions)):
            same = [replace(rule, sources=()) for rule in group]
            heads = [rule.head for rule in same]
            yield f"{verb} rule {print_rule(same[0], self.prefixes, heads=heads)}"

    def part(self, part: SplitPart) -> str:
        if part.condition is not None:
            return f"{self.term(part.name)} where {write_functional(part.condition, self.prefixes)}"
        if part.pattern is not None:
            return f"{self.term(part.name)} where {{ {print_patterns(part.pattern, self.prefixes)} }}"
        return f"{self.term(part.name)} otherwise"

    def term(self, term: str) -> str:
        return print_term(term, self.prefixes)


def print_patterns(patterns: Body, prefixes: Mapping[str, str]) -> str:
    """Write triple patterns and their conditions."""
    positive, negative, conditions = patterns
    return ", ".join(
        [
            *(print_atom(atom, prefixes) for atom in positive),
            *("not " + print_atom(atom, prefixes) for atom in negative),
            *(print_builtin(condition, prefixes) for condition in conditions),
        ]
    )
