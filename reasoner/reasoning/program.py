"""A stratified program over ids, which can be stratified anew when its constants become equal.

A program after a change of a few rules, with the strata that it leaves alone as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from reasoner.rules.encode import EncodedRule, encode_rule, is_variable
from reasoner.rules.levels import Levels
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.stratify import stratify
from reasoner.terms.term import Term


@dataclass(frozen=True, slots=True, eq=False)
class EncodedStratum:
    """The rules of one stratum, those that read it and those that read only below it.

    ``readings`` are the rules over stored facts that these stand for, with and without equality, once they are known.
    """

    nonrecursive: tuple[EncodedRule, ...]
    recursive: tuple[EncodedRule, ...]
    constants: frozenset[int]
    level: int = 0
    readings: dict[bool, dict[EncodedRule, bool]] = field(default_factory=dict, repr=False)

    @property
    def rules(self) -> tuple[EncodedRule, ...]:
        return (*self.nonrecursive, *self.recursive)


@dataclass(frozen=True, slots=True)
class ProgramTerms:
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
    terms: ProgramTerms
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


def encode_program(rules: Iterable[Rule], terms: ProgramTerms, *, equality: bool) -> EncodedProgram:
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


# So many rules are found faster by looking through all than by making an index of all.
_FEW = 4

# The rules that leave a stratum, and those that join it.
_Exchange = tuple[list[EncodedRule], list[EncodedRule]]


@dataclass(frozen=True, slots=True)
class ProgramChange:
    """A program after a change; ``lost`` and ``gained`` are the rules in which it differs by what they say.

    ``keeps_levels`` says that its strata are those before the change, rules apart.
    """

    program: EncodedProgram
    lost: tuple[EncodedRule, ...]
    gained: tuple[EncodedRule, ...]
    keeps_levels: bool = False

    @classmethod
    def between(cls, before: EncodedProgram, after: EncodedProgram) -> ProgramChange:
        """Compare two programs, rule by rule."""
        was, now = dict.fromkeys(before.rules), dict.fromkeys(after.rules)
        lost = tuple(rule for rule in was if rule not in now)
        return cls(after, lost, tuple(rule for rule in now if rule not in was))


def change_program(before: EncodedProgram, going: Iterable[Rule], coming: Iterable[Rule]) -> ProgramChange | None:
    """Return a program after a change of rules that leaves its splits on their levels; None if that cannot be.

    A rule may go wherever it is: the levels stay right, if not as low as they could be. One may come if it reads
    nothing above the level that it writes and negates nothing on it. Names that are new to the program are on the level
    that they were on without being named. Takes the time of what changes, and of the strata that it is in.
    """
    old = [encode_rule(rule, before.terms.id_of) for rule in going]
    new = [encode_rule(rule, before.terms.id_of) for rule in coming]
    if any(rule.head is not None and before.levels.is_wild(rule.head) for rule in (*old, *new)):
        return None
    # Names are noted, so that it is noticed when they become equal to others.
    levels = before.levels.naming(atom for rule in new for atom in rule.atoms)
    if not all(_fits(rule, levels, equality=before.equality) for rule in new):
        return None
    exchanges: dict[int | None, _Exchange] = {}
    for rules, side in ((old, 0), (new, 1)):
        for rule in rules:
            level = None if rule.head is None else levels.highest(rule.head)
            exchanges.setdefault(level, ([], []))[side].append(rule)
    constraints = _exchanged(before.constraints, *exchanges.pop(None, ([], [])))
    strata = {stratum.level: stratum for stratum in before.strata}
    for level, exchange in exchanges.items():
        if level not in strata:
            return None
        strata[level] = _changed_stratum(strata[level], exchange, levels)
    after = replace(before, strata=tuple(strata.values()), constraints=constraints, levels=levels)
    return _difference(before, after, old, new)


def _difference(
    before: EncodedProgram, after: EncodedProgram, old: Sequence[EncodedRule], new: Sequence[EncodedRule]
) -> ProgramChange:
    """Tell which rules are in one program only: what goes may be said by another rule as well."""
    untouched = frozenset(before.strata).intersection(after.strata)
    was: Collection[EncodedRule]
    now: Collection[EncodedRule]
    was, now = (
        [
            *program.constraints,
            *(rule for stratum in program.strata if stratum not in untouched for rule in stratum.rules),
        ]
        for program in (before, after)
    )
    if len(old) + len(new) > _FEW:
        was, now = dict.fromkeys(was), dict.fromkeys(now)
    lost = tuple(rule for rule in dict.fromkeys(old) if rule in was and rule not in now)
    gained = tuple(rule for rule in dict.fromkeys(new) if rule not in was)
    return ProgramChange(after, lost, gained, keeps_levels=True)


def _fits(rule: EncodedRule, levels: Levels, *, equality: bool) -> bool:
    """Tell whether a rule reads only what is known once its level is reached."""
    if rule.head is None:
        return True
    level = levels.highest(rule.head)
    # Level 0 feeds owl:sameAs, which an inequality reads as a negation does.
    unequal = equality and any(name == "!=" and any(map(is_variable, terms)) for name, terms in rule.conditions)
    if unequal and level == 0:
        return False
    return all(levels.highest(atom) <= level for atom in rule.body) and all(
        levels.highest(atom) < level for atom in rule.negative
    )


def _changed_stratum(stratum: EncodedStratum, exchange: _Exchange, levels: Levels) -> EncodedStratum:
    leaving, joining = exchange
    recursive = [rule for rule in joining if any(levels.highest(atom) == stratum.level for atom in rule.body)]
    nonrecursive = [rule for rule in joining if rule not in recursive]
    constants = (constant for rule in joining for constant in rule.constants)
    return EncodedStratum(
        _exchanged(stratum.nonrecursive, leaving, nonrecursive),
        _exchanged(stratum.recursive, leaving, recursive),
        # That a constant is still named here by no rule does no harm.
        stratum.constants.union(constants),
        stratum.level,
    )


def _exchanged(
    rules: tuple[EncodedRule, ...], leaving: Iterable[EncodedRule], joining: Iterable[EncodedRule]
) -> tuple[EncodedRule, ...]:
    """Take one occurrence out for each rule that leaves; others may say the same."""
    left = list(rules)
    for rule in leaving:
        if rule in left:
            left.remove(rule)
    return (*left, *joining)
