"""What a reasoner does with evolution scripts."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

from reasoner.errors import ReasonerError

if TYPE_CHECKING:
    from ontologies.evolution.script import Script, Step
    from reasoner.evolution.journal import Entry, Journal
    from reasoner.evolution.report import Evolution, StepReport
    from reasoner.reasoner import Reasoner
    from reasoner.rules.rule import Rule

EXTENSION = ".evolve"


class Evolving:
    """The part of a reasoner that changes ontology and data together, by scripts that can be rehearsed and undone.

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
    >>> kb.undo_evolution().name, kb.select("?x a <http://e.org/Animal>")
    ('main', [])
    """

    _journal: Journal | None = None

    def evolve(
        self,
        script: str | PathLike[str] | Script,
        *,
        dry_run: bool = False,
        steps: list[str] | None = None,
        allow_inconsistent: bool = False,
        strategy: str = "auto",
    ) -> Evolution:
        """Apply an evolution script, every step as one transaction, and return what it did.

        ``script`` is a path, the text of a script, or a parsed one; ``steps`` names the steps to take, all of them
        without it. The script is rehearsed first: an error anywhere in it, or a violation that it would bring, leaves
        the store as it is. ``allow_inconsistent`` does without: violations are reported and kept, and an error in a
        later step leaves the earlier ones applied. ``dry_run`` only rehearses. Every applied step is recorded with its
        inverse; ``undo_evolution`` takes the last one back.
        """
        from reasoner.evolution.rehearse import twin_of
        from reasoner.evolution.report import Evolution, InconsistentEvolutionError

        kb = cast("Reasoner", self)
        read = read_script(script)
        chosen = _chosen(read, steps)
        if dry_run or not allow_inconsistent:
            with twin_of(kb) as twin:
                reports = [_take(twin, step, read, strategy, None) for step in chosen]
            rehearsed = Evolution(read.file, tuple(reports), False, read.prefixes)
            if dry_run:
                return rehearsed
            if not rehearsed.is_consistent:
                raise InconsistentEvolutionError(rehearsed)
        with kb._committing:
            reports = [_take(kb, step, read, strategy, self.evolution_journal()) for step in chosen]
        return Evolution(read.file, tuple(reports), True, read.prefixes)

    def undo_evolution(self, *, strategy: str = "auto") -> Entry:
        """Take the last applied step back, exactly: its facts and rules come and go the other way round."""
        from reasoner.evolution.undo import undo

        return undo(cast("Reasoner", self), self.evolution_journal(), strategy)

    def evolutions(self) -> list[Entry]:
        """Return the steps that were applied and not taken back, the oldest first."""
        return self.evolution_journal().standing(cast("Reasoner", self))

    def evolution_journal(self) -> Journal:
        """Return the journal of applied steps: a file in the folder of a store on disk, else a list in memory."""
        from reasoner.evolution.journal import FILE, Journal

        if self._journal is None:
            home = cast("Reasoner", self)._home
            self._journal = Journal(None if home is None else home.folder / FILE)
        return self._journal

    def keep_evolutions_in(self, journal: str | PathLike[str] | Journal) -> None:
        """Record applied steps in a file, or in a journal at hand, for a store that is in memory only."""
        from reasoner.evolution.journal import Journal

        if cast("Reasoner", self)._home is not None:
            raise ReasonerError("a store on disk keeps its evolutions in its own folder; name no other file")
        self._journal = journal if isinstance(journal, Journal) else Journal(Path(journal))

    def own_rules(self) -> tuple[Rule, ...]:
        """Return the rules of one's own, without those of the ontology."""
        return tuple(cast("Reasoner", self)._user_rules)


def read_script(script: str | PathLike[str] | Script) -> Script:
    """Return a script that is given as a path, as its text, or ready; a string that ends in .evolve is a path."""
    from ontologies.evolution.parse_script import parse_script
    from ontologies.evolution.script import Script

    if isinstance(script, Script):
        return script
    if isinstance(script, str) and ("\n" in script or not script.endswith(EXTENSION)):
        return parse_script(script)
    path = Path(script)
    try:
        text = path.read_text(encoding="utf-8")
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


def _take(kb: Reasoner, step: Step, script: Script, strategy: str, journal: Journal | None) -> StepReport:
    """Take one step, and record it if there is a journal."""
    from ontologies.evolution.compile_step import compile_step
    from reasoner.evolution.apply_change import apply_exact, exact
    from reasoner.evolution.measure import measured, moment
    from reasoner.evolution.store_facts import StoreFacts

    kb._materialised()
    before = moment(kb)
    change = compile_step(step, StoreFacts(kb))
    whole = exact(kb, change)
    if journal is None or not change:
        delta = apply_exact(kb, whole, strategy)
    else:
        with journal.recording(kb, step.name, script.file, whole):
            delta = apply_exact(kb, whole, strategy)
    return measured(step.name, change, before, delta, moment(kb), dict(script.prefixes))
