"""A stratified program over ids, which can be stratified anew when its constants become equal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from reasoner.rules.encode import EncodedRule, encode_rule
from reasoner.rules.levels import Levels
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.stratify import stratify
from reasoner.rules.term import Term


@dataclass(frozen=True, slots=True, eq=False)
class EncodedStratum:
    """The rules of one stratum, those that read it and those that read only below it."""

    nonrecursive: tuple[EncodedRule, ...]
    recursive: tuple[EncodedRule, ...]
    constants: frozenset[int]
    level: int = 0

    @property
    def rules(self) -> tuple[EncodedRule, ...]:
        return (*self.nonrecursive, *self.recursive)


@dataclass(frozen=True, slots=True)
class Terms:
    """How a program finds the ids of its constants and the texts of ids."""

    id_of: Callable[[str], int]
    text: Callable[[int], str]


@dataclass(frozen=True, slots=True)
class EncodedProgram:
    """Strata in the order of evaluation, and the constraints, which come after all of them.

    With equality, all that feeds ``owl:sameAs`` is on level 0, and everything else above it.
    """

    strata: tuple[EncodedStratum, ...]
    constraints: tuple[EncodedRule, ...]
    terms: Terms
    equality: bool
    levels: Levels

    @property
    def rules(self) -> Iterator[EncodedRule]:
        """All rules, those of the strata in order and then the constraints."""
        for stratum in self.strata:
            yield from stratum.nonrecursive
            yield from stratum.recursive
        yield from self.constraints

    def restratified(
        self,
        done: list[EncodedStratum],
        open_strata: list[EncodedStratum],
        representative: Callable[[int], int],
    ) -> tuple[list[EncodedStratum], list[EncodedStratum]]:
        """Arrange strata anew under new representatives: return those that stay done, and those to evaluate.

        Splits are found by constants, so that predicates or classes that have become equal share a split from now
        on. A rule above may then feed one that was done below; in that case all rules are evaluated again. Raises
        ``UnstratifiableError`` if negation runs in a cycle.
        """
        strata = [*done, *open_strata]
        constants = {constant for stratum in strata for constant in stratum.constants}
        moved = {constant for constant in constants if representative(constant) != constant}
        if not moved or not open_strata:
            return done, open_strata
        texts = {self.terms.text(constant): self.terms.text(representative(constant)) for constant in moved}
        renamed = [_renamed(rule.origin, texts) for stratum in strata for rule in stratum.rules]
        fresh = list(encode_program(renamed, self.terms, equality=self.equality).strata)
        finished = {rule for stratum in done for rule in stratum.rules}
        finished = {rule.substituted(lambda term: term if term < 0 else representative(term)) for rule in finished}
        for position, stratum in enumerate(fresh):
            if not finished.issuperset(stratum.rules):
                later = {rule for above in fresh[position:] for rule in above.rules}
                return (fresh[:position], fresh[position:]) if not later & finished else ([], fresh)
        return fresh, []


def encode_program(rules: Iterable[Rule], terms: Terms, *, equality: bool) -> EncodedProgram:
    """Stratify rules and encode them."""
    program = stratify(tuple(rules), equality=equality)

    def encoded(group: Iterable[Rule]) -> tuple[EncodedRule, ...]:
        return tuple(encode_rule(rule, terms.id_of) for rule in group)

    strata = tuple(
        _stratum(encoded(stratum.nonrecursive), encoded(stratum.recursive), level)
        for level, stratum in enumerate(program.strata)
        if stratum.nonrecursive or stratum.recursive
    )
    levels = Levels.encoded(program.levels, terms.id_of)
    return EncodedProgram(strata, encoded(program.constraints), terms, equality, levels)


def _stratum(nonrecursive: tuple[EncodedRule, ...], recursive: tuple[EncodedRule, ...], level: int) -> EncodedStratum:
    constants = frozenset(constant for rule in (*nonrecursive, *recursive) for constant in rule.constants)
    return EncodedStratum(nonrecursive, recursive, constants, level)


def _renamed(rule: Rule, texts: dict[str, str]) -> Rule:
    def term(old: Term) -> Term:
        return texts.get(old, old) if isinstance(old, str) else old

    def atom(old: Atom) -> Atom:
        return Atom(term(old.subject), term(old.predicate), term(old.object))

    return Rule(
        rule.name,
        atom(rule.head) if rule.head else None,
        tuple(atom(part) for part in rule.body),
        tuple(atom(part) for part in rule.negative),
        tuple(Builtin(part.name, tuple(term(old) for old in part.arguments)) for part in rule.conditions),
        rule.sources,
    )
