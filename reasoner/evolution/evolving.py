"""What a reasoner does with evolution scripts."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, cast

from loaders.local_path import local_path
from reasoner.errors import ReasonerError

if TYPE_CHECKING:
    from ontologies.evolution.script import Script, Step
    from reasoner.evolution.journal import Entry, Journal
    from reasoner.evolution.report import Evolution
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
    >>> kb.undo_evolutions().steps[0].name, kb.select("?x a <http://e.org/Animal>")
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
        explain: bool = True,
        strategy: str = "auto",
    ) -> Evolution:
        """Apply an evolution script, every step as one transaction, and return what it did.

        ``script`` is a path, the text of a script, or a parsed one; ``steps`` names the steps to take, all of them
        without it. The script is rehearsed first: an error anywhere in it, or a violation that it would bring, leaves
        the store as it is. ``allow_inconsistent`` does without: violations are reported and kept, and an error in a
        later step leaves the earlier ones applied. ``dry_run`` only rehearses. The first violations of a rehearsal can
        be explained later, unless ``explain`` is off, which saves the time of finding proofs. Every applied step is
        recorded with its inverse; ``undo_evolutions`` takes the last ones back.
        """
        from reasoner.evolution.rehearse import Asked, carry_out
        from reasoner.evolution.report import Evolution
        from reasoner.evolution.take_step import take_step

        read = read_script(script)
        chosen = _chosen(read, steps)
        return carry_out(
            cast("Reasoner", self),
            self.evolution_journal(),
            Asked(dry_run, allow_inconsistent, explain, strategy),
            lambda kb, course: [take_step(kb, step, read, course) for step in chosen],
            lambda reports, applied: Evolution(read.file, reports, applied, read.prefixes),
        )

    def undo_evolutions(
        self,
        last: int = 1,
        *,
        dry_run: bool = False,
        allow_inconsistent: bool = False,
        explain: bool = True,
        strategy: str = "auto",
    ) -> Evolution:
        """Take the last applied steps back, exactly: their facts and rules come and go the other way round.

        That is rehearsed, refused and reported as ``evolve`` does it: what came into the store since may contradict
        what a step took away.
        """
        from reasoner.evolution.rehearse import Asked
        from reasoner.evolution.undo import undo

        asked = Asked(dry_run, allow_inconsistent, explain, strategy)
        return undo(cast("Reasoner", self), self.evolution_journal(), last, asked)

    def undo_evolution(self, *, allow_inconsistent: bool = False, strategy: str = "auto") -> Entry:
        """Take the last applied step back as ``undo_evolutions`` does, and return what is recorded of it."""
        with cast("Reasoner", self)._committing:
            recorded = self.evolutions()
            self.undo_evolutions(allow_inconsistent=allow_inconsistent, strategy=strategy)
            return recorded[-1]

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
        self._journal = journal if isinstance(journal, Journal) else Journal(local_path(journal))

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
