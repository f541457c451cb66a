"""Rules as the rows of a version on disk, made at a cost that follows the change, and compared by what they say."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
    """The rows of a version, and the rules of ``parts``, with how each is written by its identity.

    ``written`` counts the rules that are written in one way. ``touched`` are the ways in which rules and rows may
    differ, or after ``with_rows`` those in which these rows differ from the ones before.
    """

    rows: RuleRows
    parts: Parts = ()
    keys: Mapping[int, Key] = field(default_factory=dict)
    written: Mapping[Key, int] = field(default_factory=dict)
    touched: tuple[Key, ...] = ()

    @classmethod
    def of_rows(cls, rows: RuleRows) -> KeptRules:
        """Take rows whose rules are not known yet."""
        return cls(rows, touched=tuple(rows.rows))

    def is_of(self, parts: Parts) -> bool:
        """Tell whether rules are those of the rows, as far as their identity tells."""
        return len(parts) == len(self.parts) and all(map(operator.is_, parts, self.parts))

    def known_as(self, parts: Parts, dictionary: Dictionary) -> KeptRules:
        """Return the same rows with other rules; only those that are new are abstracted and printed.

        What is new is told by identity, since to compare all rules by what they say would cost as much.
        """
        rules = {id(rule): rule for rule in chain(*parts)}
        new = [rule for number, rule in rules.items() if number not in self.keys]
        keys, written = dict(self.keys), Counter(self.written)
        going = [keys.pop(number) for number in self.keys.keys() - rules.keys()]
        coming = _keys_of(new, dictionary)
        keys.update(zip(map(id, new), coming, strict=True))
        written.subtract(going)
        written.update(coming)
        return KeptRules(self.rows, parts, keys, written, (*self.touched, *going, *coming))

    def with_rows(self, own: Sequence[str]) -> KeptRules:
        """Return the rows of just these rules, and of rules of one's own; what stays keeps its numbers."""
        touched = tuple(dict.fromkeys(self.touched))
        going = [key for key in touched if key in self.rows.rows and not self.written.get(key)]
        coming = [key for key in touched if key not in self.rows.rows and self.written.get(key)]
        rows = self.rows.after(own, going, coming)
        return KeptRules(rows, self.parts, self.keys, self.written, (*going, *coming))

    def difference(self, dictionary: Dictionary, folder: Path, manifest: Manifest) -> tuple[int, int]:
        """Count the rules that came and those that went since the rows were written, by what they say.

        Names, sources and the order of rules and atoms do not matter, so that rules are compared by their content where
        they are not written alike. ``folder`` and ``manifest`` are where the rows are from, for errors.
        """
        if self.rows.rows.keys() == set(self.keys.values()):
            return 0, 0
        rules = {self.keys[id(rule)]: rule for rule in chain(*self.parts)}
        others = [key for key in self.rows.rows if key not in rules]
        read = _rules_of(others, self.rows, dictionary, folder, manifest)
        old = {key_of(rules[key]) for key in self.rows.rows if key in rules} | set(map(key_of, read))
        new = set(map(key_of, rules.values()))
        return len(new - old), len(old - new)


def _keys_of(rules: Sequence[Rule], dictionary: Dictionary) -> list[Key]:
    """Return how rules are written; the ids of their constants are looked up together."""
    pairs = [abstracted(rule) for rule in rules]
    constants = list(dict.fromkeys(constant for _, row in pairs for constant in row))
    ids = dict(zip(constants, dictionary.encode(constants).tolist(), strict=True)) if constants else {}
    texts = {shape: print_rule(shape) for shape in dict.fromkeys(shape for shape, _ in pairs)}
    return [(texts[shape], tuple(ids[constant] for constant in row)) for shape, row in pairs]


def _rules_of(
    keys: Sequence[Key], rows: RuleRows, dictionary: Dictionary, folder: Path, manifest: Manifest
) -> Iterator[Rule]:
    """Yield the rules that are written in some ways; each text is parsed once, and constants are looked up together."""
    ids = list({id for _, row in keys for id in row})
    terms = dict(zip(ids, dictionary.decode(ids), strict=True))
    shapes: dict[str, Rule] = {}
    for text, row in keys:
        try:
            if text not in shapes:
                shapes[text] = parse_template(text)
            yield filled(shapes[text], [terms[id] for id in row])
        except (ReasonerError, ValueError) as error:
            number = rows.templates[text]
            raise damaged(folder, manifest, "rules", number, f"rule {number} cannot be read: {error}") from error
