"""Evolution scripts on a reasoner: read, rehearsed, carried out, and taken back.

A fork of the reasoner is changed before the reasoner itself, which stays as it is if the fork shows a reason to.
Recorded steps are taken back exactly, and judged as steps of a script are.

One step taken: its transaction, recorded if there is a journal, and what it did.

What a step does, measured: the state before it, its delta, the state after it.

What static rules read in axioms: under OWL 2 RL and RDFS axioms are data, and no rule comes or goes with them.

The rules of these profiles have atoms about axioms, such as ``?c rdfs:subClassOf ?d``. With an axiom in its place what
is left of the rule is the one that description logic programs make of the axiom (``ontologies.dlp``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING

from loaders.local_path import local_path
from ontologies.axioms import Axiom, ClassAssertion, DataPropertyAssertion, ObjectPropertyAssertion, Ontology
from ontologies.evolution.blank_parts import parts_of
from ontologies.evolution.compile_step import compile_step
from ontologies.evolution.find_structure import occurrences, stands_alone
from ontologies.evolution.script import AddRules, Remark, Script, Step
from ontologies.evolution.working import StepChange, Working
from ontologies.write_functional import write_functional
from reasoner.evolution.apply_change import ExactChange, StoreFacts, apply_exact, exact
from reasoner.evolution.journal import Journal, JournalEntry, took_effect
from reasoner.evolution.report import Evolution, FactChange, InconsistentEvolutionError, Sizes, StepReport
from reasoner.maintenance.update import Work
from reasoner.rules.errors import ReasonerError, UnstratifiableError
from reasoner.rules.prefixes import PREDECLARED
from reasoner.rules.printer import print_rule
from reasoner.rules.rule import Rule
from reasoner.rules.stratify import stratify
from reasoner.state.constraint_policy import explained_now
from reasoner.terms.term import OWL, RDF, RDF_TYPE, TextTriple

if TYPE_CHECKING:
    from reasoner.state.delta import Delta
    from reasoner.state.session import KnowledgeBase


@dataclass(frozen=True, slots=True)
class Course:
    """How steps are taken: by which strategy, under which policy about constraints, and on which record.

    Without a journal a step is rehearsed on a store that is to be thrown away; so what proves its violations is taken
    out of it there and then, if they are to be explained. ``between_rounds`` is called between the rounds of
    maintenance; what it raises takes the step back.
    """

    strategy: str = "auto"
    constraints: str | None = None
    journal: Journal | None = None
    explain: bool = True
    between_rounds: Callable[[], None] = lambda: None


def take_step(kb: KnowledgeBase, step: Step, script: Script, course: Course) -> StepReport:
    """Take one step of a script."""
    kb.session.settle()
    change = compile_step(step, StoreFacts(kb))
    whole = exact(kb, change)
    prefixes, journal = dict(script.prefixes), course.journal
    recorded: AbstractContextManager[None] = nullcontext()
    if journal is not None and change:
        recorded = journal.recording(kb, step.name, script.file, whole, prefixes)
    try:
        return _taken(kb, step.name, change, whole, prefixes, course, recorded)
    except UnstratifiableError as error:
        raise _placed(error, kb, step) from error


def take_back(kb: KnowledgeBase, entry: JournalEntry, change: ExactChange, course: Course) -> StepReport:
    """Take a recorded step back; ``change`` is what it did, in the terms of the store."""
    inverse, journal = change.inverse, course.journal
    added, removed = (tuple((s, p, o) for s, p, o, _ in side) for side in (inverse.added, inverse.removed))
    told = StepChange(added, removed, inverse.rules_added, inverse.rules_removed)
    recorded: AbstractContextManager[None] = nullcontext() if journal is None else journal.undoing(kb, entry)
    return _taken(kb, entry.name, told, inverse, dict(entry.prefixes), course, recorded)


def _taken(
    kb: KnowledgeBase,
    name: str,
    change: StepChange,
    whole: ExactChange,
    prefixes: Mapping[str, str],
    course: Course,
    recorded: AbstractContextManager[None],
) -> StepReport:
    before = moment(kb)
    with recorded:
        course.between_rounds()
        work = Work(between_rounds=course.between_rounds)
        delta = apply_exact(kb, whole, course.strategy, course.constraints, work)
    report = measured(name, change, before, delta, moment(kb), dict(prefixes))
    if course.journal is not None:
        return report
    found = report.violations_appeared
    known = explained_now(found) if course.explain else [replace(violation, explainer=None) for violation in found]
    return replace(report, violations_appeared=tuple(known))


def _placed(error: UnstratifiableError, kb: KnowledgeBase, step: Step) -> ReasonerError:
    """Say where in the script the rule is with which the rules cannot be stratified, as far as that can be told."""
    rules = list(kb.session.rules())
    adding = [statement for statement in step.statements if isinstance(statement, AddRules)]
    for statement in adding:
        rules += statement.rules
        try:
            stratify(rules, equality=kb.session.settings.equality == "rewrite")
        except UnstratifiableError:
            return statement.place.error(str(error), print_rule(statement.rules[0]))
    # It takes other changes of the step as well.
    blamed = (*adding[-1:], *(statement for statement in step.statements if not isinstance(statement, Remark)))
    return blamed[0].place.error(f"after the step {step.name!r}, {error}")


# A store's facts of these kinds are counted, not listed as axioms.
_DATA = (ClassAssertion, ObjectPropertyAssertion, DataPropertyAssertion)
# What a delta tells apart; a fact that only became explicit is one asserted fact more, and one inferred fact less.
_PARTS = {
    "asserted_added": ("asserted_added",),
    "asserted_removed": ("asserted_removed",),
    "inferred_added": ("inferred_added", "became_inferred"),
    "inferred_removed": ("inferred_removed", "became_explicit"),
    "gained": ("gained",),
    "lost": ("lost",),
}
_MOST_VIOLATIONS = 1000


@dataclass(frozen=True, slots=True)
class StoreMoment:
    """A store at one time, as far as a report compares it."""

    sizes: Sizes
    axioms: tuple[Axiom, ...]
    rules: tuple[Rule, ...]
    profile: str


def moment(kb: KnowledgeBase) -> StoreMoment:
    """Look at a store as it is now."""
    from ontologies.read_rdf import ontology_of_triples
    from reasoner.state.rule_change import schema_triples

    axioms = tuple(
        axiom for axiom in ontology_of_triples(schema_triples(kb.store)).axioms if not isinstance(axiom, _DATA)
    )
    rules, counts = kb.session.rules(), kb.store.counts()
    violations = len(kb.session.violations(_MOST_VIOLATIONS))
    sizes = Sizes(len(axioms), len(rules), counts["explicit"], counts["inferred"], counts["classes"], violations)
    return StoreMoment(sizes, axioms, rules, kb.session.settings.profile)


def measured(
    name: str, change: StepChange, before: StoreMoment, delta: Delta, after: StoreMoment, prefixes: dict[str, str]
) -> StepReport:
    """Return the report of a step."""
    rules_gained, rules_lost = _only_in(after.rules, before.rules), _only_in(before.rules, after.rules)
    readings_gained, readings_lost = reading_changes(after.profile, before.axioms, after.axioms)
    return StepReport(
        name=name,
        change=change,
        before=before.sizes,
        after=after.sizes,
        axioms_gained=_axiom_texts(set(after.axioms) - set(before.axioms), prefixes),
        axioms_lost=_axiom_texts(set(before.axioms) - set(after.axioms), prefixes),
        rules_gained=_rule_texts(rules_gained, prefixes),
        rules_lost=_rule_texts(rules_lost, prefixes),
        readings_gained=_rule_texts(readings_gained, prefixes),
        readings_lost=_rule_texts(readings_lost, prefixes),
        is_read_as_data=after.profile in STATIC_PROFILES,
        profile=after.profile,
        facts=_fact_changes(delta),
        classes_merged=delta.classes_merged,
        classes_split=delta.classes_split,
        violations_appeared=delta.violations_appeared,
        violations_went=delta.violations_went,
        strategy=delta.strategy,
        reason=delta.reason,
        seconds=delta.seconds,
    )


def _only_in(rules: Iterable[Rule], others: Iterable[Rule]) -> list[Rule]:
    """Return the rules that are not among others; which axioms they come from, and are named after, does not count."""
    known = Counter(_said(rule) for rule in others)
    return [rule for rule in rules if not known[_said(rule)]]


def _said(rule: Rule) -> tuple[object, ...]:
    return rule.head, rule.body, rule.negative, rule.conditions


def _axiom_texts(axioms: Iterable[Axiom], prefixes: dict[str, str]) -> tuple[str, ...]:
    return tuple(sorted(write_functional(axiom, prefixes) for axiom in axioms))


def _rule_texts(rules: Iterable[Rule], prefixes: dict[str, str]) -> tuple[str, ...]:
    known = {**PREDECLARED, **prefixes}
    return tuple(sorted(print_rule(replace(rule, sources=()), known) for rule in rules))


def _fact_changes(delta: Delta) -> tuple[FactChange, ...]:
    counts: defaultdict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    for name, parts in _PARTS.items():
        for part in parts:
            for key, number in Counter(map(_split_key, delta.iterate(part))).items():
                counts[key][name] += number
    changes = [FactChange(name, is_class, **counted) for (name, is_class), counted in counts.items()]
    return tuple(sorted(changes, key=lambda item: (-item.size, item.name)))


def _split_key(triple: TextTriple) -> tuple[str, bool]:
    _, predicate, obj = triple
    return (obj, True) if predicate == RDF_TYPE else (predicate, False)


# Of more rules than these, all axioms are read rather than looked through.
_FEW = 50

STATIC_PROFILES = ("owl2rl", "rdfs")


def reading_changes(
    profile: str, before: Collection[Axiom], after: Collection[Axiom]
) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """Return the readings that came and those that went with axioms; there are none but in profiles of static rules.

    A reading stays for as long as one of its axioms does.
    """
    if profile not in STATIC_PROFILES:
        return (), ()
    old, new = set(before), set(after)
    return _only_of(profile, new - old, old), _only_of(profile, old - new, new)


def _only_of(profile: str, changed: set[Axiom], others: set[Axiom]) -> tuple[Rule, ...]:
    found = _readings(profile, changed)
    if not found:
        return ()
    known = {_said(rule) for rule in _readings(profile, _alike(found, others))}
    return tuple(rule for rule in found if _said(rule) not in known)


def _alike(rules: tuple[Rule, ...], axioms: set[Axiom]) -> set[Axiom]:
    """Return the axioms that may be read as one of some rules, because they mention all that it does."""
    if len(rules) > _FEW:
        return axioms
    mentioned = [_names(rule) for rule in rules]
    texts = ((axiom, repr(axiom)) for axiom in axioms)
    return {axiom for axiom, text in texts if any(all(term in text for term in terms) for terms in mentioned)}


def _names(rule: Rule) -> set[str]:
    """Return the names in a rule that its axiom must have too; those of OWL itself may be implied."""
    terms = {term for atom in (rule.head, *rule.body) if atom for term in atom if isinstance(term, str)}
    return {term for term in terms if term.startswith("<") and not term.startswith((f"<{RDF}", f"<{OWL}"))}


def _readings(profile: str, axioms: set[Axiom]) -> tuple[Rule, ...]:
    """Translate the axioms that a profile has rules for."""
    from ontologies.dlp import translate_dlp
    from ontologies.profile import check_profile
    from ontologies.write_functional import write_functional

    outside = {item.axiom_text for item in check_profile(Ontology(tuple(axioms)), profile)}
    inside = tuple(axiom for axiom in axioms if write_functional(axiom) not in outside)
    return translate_dlp(Ontology(inside)).rules


EXTENSION = ".evolve"


def evolve(
    kb: KnowledgeBase,
    journal: Journal,
    script: str | PathLike[str] | Script,
    steps: list[str] | None,
    asked: EvolutionRequest,
) -> Evolution:
    """Change ontology and data together, by a script that is rehearsed, recorded, and can be undone.

    >>> from reasoner import Reasoner
    >>> kb = Reasoner(profile="dlp")
    >>> kb.add([("<http://e.org/tom>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e.org/Cat>")])
    1
    >>> script = "prefix : <http://e.org/>  add SubClassOf(:Cat :Animal)  rename :Cat to :Feline"
    >>> kb.evolve(script, dry_run=True).steps[0].after.inferred
    1
    >>> kb.evolve(script).applied
    True
    >>> kb.select("?x a <http://e.org/Animal>")
    [{'x': '<http://e.org/tom>'}]
    >>> kb.undo_evolutions().steps[0].name, kb.select("?x a <http://e.org/Animal>")
    ('main', [])
    """
    read = read_script(script)
    chosen = _chosen(read, steps)
    return carry_out(
        kb,
        journal,
        asked,
        lambda kb, course: [take_step(kb, step, read, course) for step in chosen],
        lambda reports, applied: Evolution(read.file, reports, applied, read.prefixes),
    )


def read_script(script: str | PathLike[str] | Script) -> Script:
    """Return a script that is given as a path, as its text, or ready; a string that ends in .evolve is a path."""
    from ontologies.evolution.parse_script import parse_script
    from ontologies.evolution.script import Script

    if isinstance(script, Script):
        return script
    if isinstance(script, str) and ("\n" in script or not script.endswith(EXTENSION)):
        return parse_script(script)
    path = local_path(script)
    try:
        text = path.read_bytes().decode("utf-8")  # Line ends inside literals stay what they are.
    except UnicodeDecodeError as error:
        raise ReasonerError(f"cannot read {path}: {error}; a script is UTF-8 text") from None
    return parse_script(text, file=str(path))


def _chosen(script: Script, names: list[str] | None) -> list[Step]:
    if names is None:
        return list(script.steps)
    from difflib import get_close_matches

    for name in names:
        if name not in script.step_names:
            near = get_close_matches(name, script.step_names, n=1, cutoff=0.4)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(map(repr, script.step_names))}"
            raise ReasonerError(f"{script.file} has no step {name!r}; {hint}")
    return [step for step in script.steps if step.name in names]


if TYPE_CHECKING:
    from reasoner.evolution.journal import Journal
    from reasoner.evolution.report import Evolution, StepReport
    from reasoner.state.session import KnowledgeBase

    Take = Callable[[KnowledgeBase, Course], Iterable[StepReport]]
    Tell = Callable[[tuple[StepReport, ...], bool], Evolution]


@dataclass(frozen=True, slots=True)
class EvolutionRequest:
    """What is asked of an evolution: only to rehearse it, to bear with violations, to be able to explain these.

    ``while_rehearsing`` is called between the rounds of a rehearsal, and may give it up by an error.
    """

    dry_run: bool = False
    allow_inconsistent: bool = False
    explain: bool = True
    strategy: str = "auto"
    while_rehearsing: Callable[[], None] = lambda: None


def carry_out(kb: KnowledgeBase, journal: Journal, asked: EvolutionRequest, take: Take, tell: Tell) -> Evolution:
    """Take steps on a fork, and if that brings no violation, on the reasoner itself and on the record.

    ``take`` takes them, and ``tell`` reports what came of it, applied or not. Nobody else commits in between.
    """
    session = kb.session
    with session.lock:
        session.make_ready()
        if asked.dry_run or not asked.allow_inconsistent:
            with session.rehearsal() as fork:
                twin = kb.with_session(fork, constraints="warn")
                course = Course(asked.strategy, explain=asked.explain, between_rounds=asked.while_rehearsing)
                rehearsed = tell(tuple(take(twin, course)), False)
            if asked.dry_run:
                return rehearsed
            if not rehearsed.is_consistent:
                raise InconsistentEvolutionError(rehearsed)
        policy = "warn" if asked.allow_inconsistent else None
        return tell(tuple(take(kb, Course(asked.strategy, policy, journal))), True)


def undo(kb: KnowledgeBase, journal: Journal, last: int, asked: EvolutionRequest) -> Evolution:
    """Take the last standing steps back, the latest first, and return what that did.

    What they brought must still be there, and nothing of what they took may have come back. A store that was written to
    a file and read again has other labels for blank nodes; there, structures are found by what they say.
    """
    with kb.session.lock:
        kb.session.settle()
        entries = _last(journal, kb, last)
        return carry_out(
            kb,
            journal,
            asked,
            lambda store, course: [_taken_back(store, entry, course) for entry in entries],
            lambda reports, applied: _told(entries, reports, applied),
        )


def _last(journal: Journal, kb: KnowledgeBase, count: int) -> list[JournalEntry]:
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


def _told(entries: list[JournalEntry], reports: tuple[StepReport, ...], applied: bool) -> Evolution:
    scripts = dict.fromkeys(entry.script for entry in entries)
    prefixes = {name: namespace for entry in entries for name, namespace in entry.prefixes}
    return Evolution(", ".join(scripts), reports, applied, tuple(prefixes.items()), is_undo=True)


def _taken_back(kb: KnowledgeBase, entry: JournalEntry, course: Course) -> StepReport:
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


def _has_context(kb: KnowledgeBase, entry: JournalEntry) -> bool:
    """Tell whether what stayed as it was of the structures of a step is there with the labels that were recorded.

    A fact that was taken away is missing under any label: its absence alone does not show that labels are right.
    """
    facts = StoreFacts(kb)
    return all(facts.matching(*triple) for triple in entry.context or ())


def _lacks_nodes(kb: KnowledgeBase, entry: JournalEntry) -> bool:
    """Tell whether a step would bring facts back about blank nodes that stayed when it was taken, and are not there."""
    stayed = {term for triple in entry.context or () for term in triple if term.startswith("_:")}
    wanted = {term for s, _, o, _ in entry.change.removed for term in (s, o)} & stayed
    facts = StoreFacts(kb)
    return any(not facts.matching(s=node) and not facts.matching(o=node) for node in wanted)


def _labels(kb: KnowledgeBase, entry: JournalEntry) -> dict[str, str] | None:
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


def _relabelled(kb: KnowledgeBase, change: ExactChange, labels: dict[str, str]) -> ExactChange:
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
