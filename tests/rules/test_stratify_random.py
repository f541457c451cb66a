"""Random programs: strata satisfy the definition, and rejection means a cycle through negation."""

import itertools
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from reasoner.rules.errors import UnstratifiableError
from reasoner.rules.rule import Rule
from reasoner.rules.stratify import Split, Vocabulary, splits_of, stratify
from reasoner.terms.term import SAME_AS
from tests.rules.strategies import small_programs


class GroundDependencies:
    """The dependency relation spelt out over pairs of splits, and its transitive closure."""

    def __init__(self, rules: list[Rule], equality: bool, by_object: Iterable[str] = ()) -> None:
        found = Vocabulary.of_rules(rules, by_object)
        self.vocabulary = replace(found, predicates=found.predicates | ({SAME_AS} if equality else set()))
        self.equality = equality
        self.splits = self.vocabulary.splits
        self.direct: set[tuple[Split, Split]] = set()
        self.strict: set[tuple[Split, Split]] = set()
        if equality:
            self.direct |= {(Split(SAME_AS), split) for split in self.splits}
        for rule in rules:
            if rule.head is not None:
                written = self.written(rule)
                self.direct |= set(itertools.product(self.read(rule) | self.negated(rule), written))
                self.strict |= set(itertools.product(self.negated(rule), written))
        self.reach = set(self.direct) | {(split, split) for split in self.splits}
        for middle, first, last in itertools.product(self.splits, repeat=3):
            if (first, middle) in self.reach and (middle, last) in self.reach:
                self.reach.add((first, last))

    def written(self, rule: Rule) -> frozenset[Split]:
        return splits_of(rule.head, self.vocabulary)

    def read(self, rule: Rule) -> frozenset[Split]:
        return frozenset().union(*(splits_of(atom, self.vocabulary) for atom in rule.body))

    def negated(self, rule: Rule) -> frozenset[Split]:
        negated = frozenset().union(*(splits_of(atom, self.vocabulary) for atom in rule.negative))
        tells_apart = self.equality and any(condition.name == "!=" for condition in rule.conditions)
        return negated | ({Split(SAME_AS)} if tells_apart else set())

    def mutual(self, first: Split, second: Split) -> bool:
        return (first, second) in self.reach and (second, first) in self.reach

    def is_stratifiable(self) -> bool:
        return not any((head, read) in self.reach for read, head in self.strict)

    def level(self, split: Split) -> int:
        below = [read for read, head in self.direct if self.mutual(head, split) and not self.mutual(read, split)]
        return max((self.level(read) + 1 for read in set(below)), default=0)


@given(small_programs(), st.booleans())
@settings(max_examples=400, deadline=None)
def test_strata_satisfy_the_definition_or_there_is_a_cycle_through_negation(rules, equality):
    ground = GroundDependencies(rules, equality)
    if not ground.is_stratifiable():
        finest = GroundDependencies(rules, equality, ground.vocabulary.predicates - ({SAME_AS} if equality else set()))
        if not finest.is_stratifiable():
            event("rejected")
            with pytest.raises(UnstratifiableError):
                stratify(rules, equality=equality)
            return
        event("objects tell splits apart")
        ground = GroundDependencies(rules, equality, stratify(rules, equality=equality).vocabulary.objects)
        assert ground.vocabulary.objects

    program = stratify(rules, equality=equality)

    assert program.vocabulary == ground.vocabulary
    assert program.levels == {split: ground.level(split) for split in ground.splits}
    assert program.constraints == tuple(rule for rule in rules if rule.head is None)
    assert sorted(map(id, program.rules)) == sorted(id(rule) for rule in rules if rule.head is not None)
    for level, stratum in enumerate(program.strata):
        for rule in (*stratum.nonrecursive, *stratum.recursive):
            assert min(program.levels[split] for split in ground.written(rule)) == level
            assert all(program.levels[split] < level for split in ground.negated(rule))
        for rule in stratum.nonrecursive:
            assert all(program.levels[split] < level for split in ground.read(rule))
        for rule in stratum.recursive:
            assert all(program.levels[split] <= level for split in ground.read(rule))
            assert any(ground.mutual(*pair) for pair in itertools.product(ground.read(rule), ground.written(rule)))
