"""Taking recorded steps back, exactly, and judged as steps of a script are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ontologies.evolution.blank_parts import parts_of
from ontologies.evolution.find_structure import occurrences, stands_alone
from ontologies.evolution.working import Working
from reasoner.errors import ReasonerError
from reasoner.evolution.apply_change import ExactChange
from reasoner.evolution.journal import Entry, Journal, took_effect
from reasoner.evolution.rehearse import Asked, carry_out
from reasoner.evolution.report import Evolution
from reasoner.evolution.store_facts import StoreFacts
from reasoner.evolution.take_step import Course, take_back

if TYPE_CHECKING:
    from reasoner.evolution.report import StepReport
    from reasoner.reasoner import Reasoner
    from reasoner.violation import TextTriple


def undo(kb: Reasoner, journal: Journal, last: int, asked: Asked) -> Evolution:
    """Take the last standing steps back, the latest first, and return what that did.

    What they brought must still be there, and nothing of what they took may have come back. A store that was written to
    a file and read again has other labels for blank nodes; there, structures are found by what they say.
    """
    with kb._committing:
        kb._materialised()
        entries = _last(journal, kb, last)
        return carry_out(
            kb,
            journal,
            asked,
            lambda store, course: [_taken_back(store, entry, course) for entry in entries],
            lambda reports, applied: _told(entries, reports, applied),
        )


def _last(journal: Journal, kb: Reasoner, count: int) -> list[Entry]:
    """Return the last standing steps, the latest first."""
    if count < 1:
        raise ReasonerError(f"taking {count} steps back takes nothing back: give 1 or more")
    standing = journal.standing(kb)
    where = f" in {journal.path}" if journal.path is not None else ""
    if not standing:
        raise ReasonerError(f"there is no step to take back: none is recorded{where}")
    if count > len(standing):
        raise ReasonerError(f"there are not {count} steps to take back: {len(standing)} recorded{where}")
    return standing[: -count - 1 : -1]


def _told(entries: list[Entry], reports: tuple[StepReport, ...], applied: bool) -> Evolution:
    scripts = dict.fromkeys(entry.script for entry in entries)
    prefixes = {name: namespace for entry in entries for name, namespace in entry.prefixes}
    return Evolution(", ".join(scripts), reports, applied, tuple(prefixes.items()), is_undo=True)


def _taken_back(kb: Reasoner, entry: Entry, course: Course) -> StepReport:
    change = entry.change
    if not took_effect(kb, change) or not _has_context(kb, entry):
        labels = _labels(kb, entry)
        change = _relabelled(kb, change, labels) if labels is not None else change
        if not took_effect(kb, change) or (labels is None and _lacks_nodes(kb, entry)):
            raise ReasonerError(
                f"the step {entry.name!r} cannot be taken back: facts or rules that it brought are gone, or some "
                "that it took are back; undo what was done since, or go back to an earlier version of the store"
            )
    return take_back(kb, entry, change, course)


def _has_context(kb: Reasoner, entry: Entry) -> bool:
    """Tell whether what stayed as it was of the structures of a step is there with the labels that were recorded.

    A fact that was taken away is missing under any label: its absence alone does not show that labels are right.
    """
    facts = StoreFacts(kb)
    return all(facts.matching(*triple) for triple in entry.context or ())


def _lacks_nodes(kb: Reasoner, entry: Entry) -> bool:
    """Tell whether a step would bring facts back about blank nodes that stayed when it was taken, and are not there."""
    stayed = {term for triple in entry.context or () for term in triple if term.startswith("_:")}
    wanted = {term for s, _, o, _ in entry.change.removed for term in (s, o)} & stayed
    facts = StoreFacts(kb)
    return any(not facts.matching(s=node) and not facts.matching(o=node) for node in wanted)


def _labels(kb: Reasoner, entry: Entry) -> dict[str, str] | None:
    """Find the blank nodes of a recorded step in a store where they have other labels; None if they are not there."""
    if entry.context is None:
        return None
    added: list[TextTriple] = [(s, p, o) for s, p, o, _ in entry.change.added]
    facts = StoreFacts(kb)
    labels: dict[str, str] = {}
    for part in parts_of([*entry.context, *added])[1]:
        taken = set(labels.values())
        found = next(
            (
                one
                for one in occurrences(facts, part.triples)
                if taken.isdisjoint(one.nodes.values()) and stands_alone(facts, one)
            ),
            None,
        )
        if found is None:
            return None
        labels.update(found.nodes)
    return labels


def _relabelled(kb: Reasoner, change: ExactChange, labels: dict[str, str]) -> ExactChange:
    """Write a change with the labels of a store; blank nodes that it took away get new ones."""
    working = Working(StoreFacts(kb))
    known = dict(labels)
    for s, _, o, _ in change.removed:
        for term in (s, o):
            if term.startswith("_:") and term not in known:
                ((known[term], _, _),) = working.with_new_nodes([(term, "", "")])
    added, removed = (
        tuple((known.get(s, s), p, known.get(o, o), graph) for s, p, o, graph in side)
        for side in (change.added, change.removed)
    )
    return ExactChange(added, removed, change.rules_added, change.rules_removed)
