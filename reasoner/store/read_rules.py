"""The rules of a version, read from its tables and checked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from reasoner.store.content import read_table
from reasoner.store.errors import StoreError
from reasoner.store.manifest import Manifest
from reasoner.store.rule_rows import Key, RuleRows
from reasoner.store.segment import read_segment

_REMEDY = "restore the file from a copy, or open an earlier version (version=N)"


def read_own_rules(folder: Path, manifest: Manifest) -> dict[int, str]:
    """Return the texts of one's own rules by their numbers, in their order; only their table is read."""
    if "rules" not in manifest.tables:
        return dict(enumerate(manifest.own_rules))
    return _texts(folder, manifest)[0]


def read_rule_rows(folder: Path, manifest: Manifest) -> RuleRows:
    """Return all rules that a version was reasoned with, or raise a ``StoreError`` if they do not fit together."""
    own, templates = _texts(folder, manifest)
    constants: dict[tuple[int, int], list[int]] = {}
    table = read_table(folder, manifest, "parameters")
    terms = sum(segment.rows for segment in manifest.segments("dictionary"))
    for rule, row, position, id in zip(*(column.to_pylist() for column in table.columns), strict=True):
        ids = constants.setdefault((rule, row), [])
        if rule not in templates:
            raise damaged(folder, manifest, "parameters", rule, f"rule {rule} has constants, and is no template")
        if position != len(ids) + 1:
            raise damaged(folder, manifest, "parameters", rule, f"row {row} of rule {rule} lacks a constant or has two")
        if not 0 <= id < terms:
            raise damaged(folder, manifest, "parameters", rule, f"rule {rule} has {id}, which is the id of no term")
        ids.append(id)
    rows: dict[Key, int] = {}
    for (rule, row), ids in constants.items():
        if rows.setdefault((templates[rule], tuple(ids)), row) != row:
            raise damaged(folder, manifest, "parameters", rule, f"row {row} of rule {rule} is there twice")
    without = templates.keys() - {rule for rule, _ in constants}
    # A template without places is one rule, which has no row in the table.
    free = 1 + max((row for _, row in constants), default=-1)
    rows |= {(templates[rule], ()): row for row, rule in enumerate(sorted(without), free)}
    return RuleRows(own, {text: rule for rule, text in templates.items()}, rows, Counter(text for text, _ in rows))


def damaged(folder: Path, manifest: Manifest, table: str, rule: int, what: str) -> StoreError:
    """Return the error for what is wrong with a rule, with the last file that has it."""
    segments = manifest.segments(table)
    found = [each for each in segments if rule in read_segment(folder, table, each)["rule"].to_pylist()]
    path = folder / (found or segments)[-1].path
    return StoreError(f"{path} is damaged: {what}; {_REMEDY}")


def _texts(folder: Path, manifest: Manifest) -> tuple[dict[int, str], dict[int, str]]:
    """Return the texts of one's own rules and of templates, by number."""
    own: dict[int, str] = {}
    templates: dict[int, str] = {}
    table = read_table(folder, manifest, "rules")
    for rule, is_own, text in zip(*(column.to_pylist() for column in table.columns), strict=True):
        if rule in own or rule in templates:
            raise damaged(folder, manifest, "rules", rule, f"rule {rule} has two texts")
        (own if is_own else templates)[rule] = text
    if len(set(templates.values())) < len(templates):
        rule = max(templates)
        raise damaged(folder, manifest, "rules", rule, "two templates have the same text")
    return own, templates
