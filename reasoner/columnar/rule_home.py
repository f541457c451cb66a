"""The rules of the version that a home has last written or read; they are read from its tables when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from loaders.dictionary import Dictionary
from reasoner.columnar.kept_rules import KeptRules, Parts
from reasoner.errors import ReasonerError
from reasoner.rules.parser import parse_rules
from reasoner.rules.rule import Rule
from reasoner.store.errors import StoreError
from reasoner.store.folder import manifest_path
from reasoner.store.manifest import Manifest
from reasoner.store.read_rules import damaged, read_own_rules, read_rule_rows
from reasoner.store.rule_rows import RuleRows


@dataclass(frozen=True, slots=True)
class Reasoned:
    """What a version is reasoned with: the texts of one's own rules, and what returns all others when it is asked."""

    own: tuple[str, ...]
    others: Callable[[], Parts]


class RuleHome:
    """What is known of the rules of a version; ``is_compared`` once they are known to be those of the owner."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self._manifest = manifest
        self._own: tuple[str, ...] | None = None
        self._known: KeptRules | None = None
        # What was never materialised follows from no rules, and of a store of an earlier format they are not known.
        self.is_compared = "facts" not in manifest.tables or not self.is_known

    @property
    def is_known(self) -> bool:
        """Whether the version has tables of rules."""
        return "rules" in self._manifest.tables

    @property
    def own(self) -> tuple[str, ...]:
        """The texts of one's own rules, in their order."""
        if self._own is None:
            self._own = tuple(read_own_rules(self.folder, self._manifest).values())
        return self._own

    def own_rules(self) -> list[Rule]:
        """Return one's own rules, or raise a ``StoreError`` if one of them cannot be read."""
        rules: list[Rule] = []
        for position, text in enumerate(self.own):
            try:
                rules += parse_rules(text, file=f"version {self._manifest.version}")
            except ReasonerError as error:
                raise self._unreadable(position, error) from error
        return rules

    @property
    def known(self) -> KeptRules:
        """The rules with their rows."""
        if self._known is None:
            rows = read_rule_rows(self.folder, self._manifest) if self.is_known else RuleRows()
            self._known = KeptRules.of_rows(rows)
        return self._known

    def compare(self, rules: Reasoned, dictionary: Dictionary) -> tuple[int, int]:
        """Count the rules that came and those that went, by what they say, since the version was reasoned."""
        if self.is_compared:
            return 0, 0
        known = self.known.known_as(rules.others(), dictionary)
        came, went = known.difference(dictionary, self.folder, self._manifest)
        if not came and not went:
            self._known, self.is_compared = known, True
        return came, went

    def after(self, rules: Reasoned, dictionary: Dictionary, *, materialised: bool, anew: bool) -> KeptRules:
        """Return other rules with their rows: the known ones where identity tells that nothing changed.

        ``anew`` is to be asked for when ids that were written may mean other terms by now.
        """
        parts = rules.others() if materialised else ()
        known = KeptRules.of_rows(self.known.rows) if anew else self.known
        if rules.own == self.own and known.is_of(parts):
            return known
        return known.known_as(parts, dictionary).with_rows(rules.own)

    def take(self, rules: KeptRules | None, own: tuple[str, ...], manifest: Manifest) -> None:
        """Go over to a version that was written; its rules are those so far if none are given."""
        self._manifest, self._own = manifest, own
        if rules is not None:
            self._known, self.is_compared = rules, True

    def _unreadable(self, position: int, error: ReasonerError) -> StoreError:
        """Return the error for a rule of one's own, with the file that it is in."""
        manifest = self._manifest
        if self.is_known:
            rule = list(read_own_rules(self.folder, manifest))[position]
            return damaged(self.folder, manifest, "rules", rule, f"rule {rule} cannot be read: {error}")
        path = manifest_path(self.folder, manifest.version)
        return StoreError(f"{path} has a rule that cannot be read: {error}; open an earlier version (version=N)")
