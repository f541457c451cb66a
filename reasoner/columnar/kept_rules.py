"""Rules as the rows of a version on disk, made at a cost that follows the change, and compared by what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from loaders.dictionary import Dictionary
from ontologies.separable import key_of
from reasoner.errors import ReasonerError
from reasoner.rules.abstract import abstracted, filled
from reasoner.rules.parser import parse_template
from reasoner.rules.printer import print_rule
from reasoner.rules.rule import Rule
from reasoner.store.manifest import Manifest
from reasoner.store.read_rules import damaged
from reasoner.store.rule_rows import Key, RuleRows

# Rules in tuples that nobody changes: one that is the same tuple as before is not gone through again.
Parts = tuple[tuple[Rule, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class KeptRules:
    """The rows of a version, and which of them each rule of ``parts`` is, by the identity of that."""

    rows: RuleRows
    parts: Parts = ()
    keys: Mapping[int, Key] = field(default_factory=dict)

    def is_of(self, parts: Parts) -> bool:
        """Tell whether rules are those of the rows, as far as their identity tells."""
        return len(parts) == len(self.parts) and all(map(lambda new, old: new is old, parts, self.parts))

    def known_as(self, parts: Parts, dictionary: Dictionary) -> KeptRules:
        """Return the same rows with rules whose keys are known; only those that are new are abstracted and printed."""
        # By identity: to compare all rules by what they say would cost as much as to abstract them.
        new = [rule for rule in chain(*parts) if id(rule) not in self.keys]
        keys = {**self.keys, **dict(zip(map(id, new), _keys_of(new, dictionary), strict=True))}
        return KeptRules(self.rows, parts, {id(rule): keys[id(rule)] for rule in chain(*parts)})

    def with_rows(self, own: Sequence[str]) -> KeptRules:
        """Return the rows of just these rules, and of rules of one's own; what stays keeps its numbers."""
        return KeptRules(self.rows.after(own, dict.fromkeys(self.keys.values())), self.parts, self.keys)

    def difference(self, dictionary: Dictionary, folder: Path, manifest: Manifest) -> tuple[int, int]:
        """Count the rules that came and those that went since the rows were written, by what they say.

        Names, sources and the order of rules and atoms do not matter, so that rules are compared by their content where
        they are not written alike. ``folder`` and ``manifest`` are where the rows are from, for errors.
        """
        now = set(self.keys.values())
        if now == self.rows.rows.keys():
            return 0, 0
        rules = {self.keys[id(rule)]: rule for rule in chain(*self.parts)}
        new = {key_of(rule) for rule in rules.values()}
        old = set()
        for key in self.rows.rows:
            old.add(key_of(rules[key] if key in rules else _rule_of(key, self.rows, dictionary, folder, manifest)))
        return len(new - old), len(old - new)


def _keys_of(rules: Sequence[Rule], dictionary: Dictionary) -> Iterable[Key]:
    """Return how rules are written; the ids of their constants are looked up together."""
    pairs = [abstracted(rule) for rule in rules]
    constants = list(dict.fromkeys(constant for _, row in pairs for constant in row))
    ids = dict(zip(constants, dictionary.encode(constants).tolist(), strict=True)) if constants else {}
    texts = {shape: print_rule(shape) for shape in dict.fromkeys(shape for shape, _ in pairs)}
    return [(texts[shape], tuple(ids[constant] for constant in row)) for shape, row in pairs]


def _rule_of(key: Key, rows: RuleRows, dictionary: Dictionary, folder: Path, manifest: Manifest) -> Rule:
    """Return the rule that is written as a key."""
    text, ids = key
    try:
        return filled(parse_template(text), [dictionary.text(id) for id in ids])
    except (ReasonerError, ValueError) as error:
        number = rows.templates[text]
        raise damaged(folder, manifest, "rules", number, f"rule {number} cannot be read: {error}") from error
