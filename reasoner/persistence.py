"""A reasoner that lives on disk: opening a folder, keeping every commit in it, going back to earlier versions."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, cast

from loaders.local_path import local_path
from reasoner.store.errors import StoreError

if TYPE_CHECKING:
    from typing import Self

    from ontologies.translation import Translation
    from reasoner.columnar.home import Home, Kept
    from reasoner.columnar.rule_home import Reasoned, RuleHome
    from reasoner.columnar.store import ColumnarStore, Snapshot
    from reasoner.maintenance.cost import CostModel
    from reasoner.reasoner import Reasoner
    from reasoner.rules.rule import Rule
    from reasoner.store.manifest import Manifest
    from reasoner.store.vacuum import Vacuumed

_log = logging.getLogger("reasoner.store")

_SETTINGS = ("profile", "equality", "modules", "maintenance")
# The policy about constraints may be another one for an opening; one that nobody asked for is not written.
_POLICY, _USUAL_POLICY = "constraints", "warn"

# What starting over is taken to cost a fact, in seconds, if whoever wrote a store has not measured it.
_SCRATCH = 1e-6


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a store on disk: its number, when it was made, what it holds and what it takes on disk."""

    number: int
    created: str
    counts: Mapping[str, int]
    files: int
    bytes: int


class Persistence:
    """What a reasoner does with a folder; one that was made without a folder is in memory only."""

    store: ColumnarStore
    profile: str
    equality: str
    prefixes: dict[str, str]
    _kept_prefixes: Mapping[str, str] = MappingProxyType({})
    _home: Home | None = None
    # The rules of the store that facts in memory come from, as long as they may be others than those of the ontology.
    _origin: RuleHome | None = None
    _printed: tuple[tuple[Rule, ...], tuple[str, ...]] = ((), ())

    if TYPE_CHECKING:
        _user_rules: list[Rule]
        _up_to_date: bool
        _committing: threading.RLock
        _costs: CostModel
        _kept_constraints: str

        def _materialised(self) -> None: ...

        def translation(self) -> Translation: ...

        def _value_joins(self, translation: Translation) -> tuple[Rule, ...]: ...

    @classmethod
    def open(
        cls,
        folder: str | PathLike[str],
        *,
        create: bool = False,
        read_only: bool = False,
        version: int | None = None,
        profile: str | None = None,
        equality: str | None = None,
        modules: bool | None = None,
        maintenance: str | None = None,
        constraints: str | None = None,
        literals: str = "written",
        engine: str = "columnar",
        session: object = None,
        master: str | None = None,
        scratch: str | PathLike[str] | None = None,
    ) -> Self:
        """Open a store on disk; every commit is then a new version of it, on disk before the commit returns.

        ``create`` makes a store where there is none, with the settings that are given; a store that is there has its
        own. One process writes at a time, any number may read: ``read_only`` never writes anything, and neither does
        who opens an earlier ``version``. What ``add``, ``load`` and ``add_rules`` bring is kept when it is next
        reasoned over, at the latest by ``close``. Nothing is materialised anew. ``constraints`` is a policy for this
        opening alone; a store keeps the one that it was made with, or that was set later (``kb.constraints = ...``).
        ``literals``, ``engine``, ``session``, ``master`` and ``scratch`` are those of ``Reasoner``; on a cluster the
        scratch folder is beside the store unless it is named. Either engine opens what the other has written.

        >>> from tempfile import TemporaryDirectory
        >>> from reasoner import Reasoner
        >>> fact = ("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")
        >>> with TemporaryDirectory() as folder:
        ...     with Reasoner.open(folder, create=True, profile="none") as kb:
        ...         kb.add([fact])
        ...     with Reasoner.open(folder) as kb:
        ...         kb.version, list(kb.triples()) == [fact]
        1
        (2, True)
        """
        from reasoner.store.folder import is_store, require_free, require_store
        from reasoner.store.lock import WriterLock

        path = local_path(folder)
        given = {"profile": profile, "equality": equality, "modules": modules, "maintenance": maintenance}
        given[_POLICY] = constraints
        place = {"literals": literals, "engine": engine, "session": session, "master": master, "scratch": scratch}
        read_only = read_only or version is not None
        if read_only or not create:
            require_store(path)
        elif not is_store(path):
            require_free(path)
            path.mkdir(parents=True, exist_ok=True)
        lock = None if read_only else WriterLock(path)
        try:
            if engine == "spark":
                from reasoner.spark.session import spark_session
                from reasoner.spark.shared_folder import scratch_beside

                place["scratch"] = scratch_beside(path, spark_session(cast(Any, session), master=master), scratch)
            if is_store(path):
                return cast("Self", _opened(cast("type[Reasoner]", cls), path, version, given, place, lock))
            return cast("Self", _created(cast("type[Reasoner]", cls), path, given, place, lock))
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    def save(self, folder: str | PathLike[str]) -> None:
        """Write a copy of all this holds to a new store in a folder; the reasoner itself stays where it is."""
        from reasoner.columnar.home import NOTHING
        from reasoner.store.folder import require_free
        from reasoner.store.lock import WriterLock
        from reasoner.store.manifest import Manifest
        from reasoner.store.namespaces import write_namespaces

        path = local_path(folder)
        require_free(path)
        with self._committing:
            self._materialised()
            path.mkdir(parents=True, exist_ok=True)
            lock = WriterLock(path)
            try:
                # What is marked in the dictionary is what the reasoner's own folder has of it.
                marked = self.store.dictionary.marked
                home = _home(self.store, path, Manifest(0), NOTHING, lock)
                home.keep(self.store.state, self.store.dictionary, self._kept())
                self.store.dictionary.mark(marked)
                if self.prefixes:
                    write_namespaces(path, self.prefixes)
            finally:
                lock.release()

    def close(self) -> None:
        """Keep what was added and not reasoned over yet, and let others write; questions can still be asked."""
        if self._home is not None and self._home.lock is not None:
            self._materialised()
            self._home.close()

    def remove_store(self) -> None:
        """Remove the store on disk, all its versions and files, and go on in memory only."""
        if self._home is not None:
            from reasoner.store.vacuum import remove_store

            self._require_writable(self._home)
            self._doubt_facts_of_other_rules()
            remove_store(self._home.folder)
            self.detach()
            self._origin = None

    def detach(self) -> None:
        """Go on in memory only: what changes from now on is not kept, and the store on disk is free for others."""
        if self._home is not None:
            self._home.close()
            self._origin = self._home.rules
            self._home = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.close()
        finally:
            if self._home is not None:
                self._home.close()

    @property
    def version(self) -> int | None:
        """The version on disk that the reasoner has last written or read; None if it is in memory only."""
        return None if self._home is None else self._home.manifest.version

    def versions(self) -> list[Version]:
        """Return the versions that can be opened, oldest first."""
        from reasoner.store.folder import read_manifest, versions

        folder = self._required_home().folder
        return [_described(read_manifest(folder, number)) for number in versions(folder)]

    def vacuum(self, *, keep: int = 1) -> Vacuumed:
        """Remove all but the last ``keep`` versions and the files that only they needed; return what was removed."""
        from reasoner.store.vacuum import vacuum

        home = self._required_home()
        with self._committing:
            self._materialised()
            self._require_writable(home)
            self._keep()
            return vacuum(home.folder, keep)

    @property
    def is_materialised(self) -> bool:
        """Whether all that follows is there, so that a question is answered at once."""
        return self._up_to_date

    def _ready_to_change(self) -> None:
        """Materialise what is not materialised yet, or was with other rules than the ontology has now.

        Facts of a store on disk may follow from rules of an earlier release, by which no change can be maintained.
        """
        self._doubt_facts_of_other_rules()
        self._materialised()

    def _doubt_facts_of_other_rules(self) -> None:
        """Let everything be reasoned anew if the version on disk follows from other rules; compare them only once."""
        home = self._home
        if not self._up_to_date or (home is not None and (home.lock is None or home.owner is not self)):
            return
        rules = self._origin if home is None else home.rules
        if rules is None:
            return
        came, went = rules.compare(self._reasoned(), self.store.dictionary)
        if came or went:
            _log.warning(
                "%s was reasoned with other rules than its ontology has now (%d came, %d went): it is reasoned anew",
                *(rules.folder, came, went),
            )
            self._up_to_date = False
        self._origin = None

    def _keep(self, state: Snapshot | None = None, kept: Kept | None = None) -> None:
        """Write a state, the present one if none is given, as a new version, if this reasoner lives on disk.

        Copies that work ahead of a reasoner have its home too, and do not write to it; what else they keep is ``kept``.
        """
        home = self._home
        if home is None or home.owner is not self:
            return
        with self._committing:
            state = state or self.store.state
            if home.lock is None:
                if self._differs(home, state):
                    self._require_writable(home)
                return
            home.keep(state, self.store.dictionary, kept or self._kept())
            self._keep_prefixes(home.folder)

    def _keep_prefixes(self, folder: Path) -> None:
        """Write new prefixes to the folder; those that it has come first, and may be of rdflib."""
        if self.prefixes != self._kept_prefixes:
            from reasoner.short_terms import declare
            from reasoner.store.namespaces import read_namespaces, write_namespaces

            there = read_namespaces(folder)
            if declare(there, self.prefixes):
                write_namespaces(folder, there)
            self._kept_prefixes = dict(self.prefixes)

    def _refuse_if_read_only(self) -> None:
        """Undo a change of explicit facts or rules that cannot be kept, and say so."""
        home = self._home
        if home is None or home.owner is not self or home.lock is not None:
            return
        if self._differs(home, self.store.state):
            self.store.state = home.state
            self._user_rules = home.rules.own_rules()
            self._require_writable(home)

    def _differs(self, home: Home, state: Snapshot) -> bool:
        known = home.state
        facts = state.explicit is known.explicit and state.graphs is known.graphs
        return not facts or self._rule_texts() != home.rules.own

    def _required_home(self) -> Home:
        if self._home is None:
            raise StoreError("the reasoner is in memory only; save it to a folder, and open that")
        return self._home

    def _require_writable(self, home: Home) -> None:
        if home.lock is None:
            raise StoreError(
                f"{home.folder} is open for reading only, or closed; open it without read_only and version to change it"
            )

    def _kept(self) -> Kept:
        from reasoner.columnar.home import Kept

        settings = {name: getattr(self, name) for name in _SETTINGS}
        if self._kept_constraints != _USUAL_POLICY:
            settings[_POLICY] = self._kept_constraints
        return Kept(settings, self._reasoned(), {"scratch": self._costs.scratch or _SCRATCH})

    def _reasoned(self) -> Reasoned:
        """Return the rules to keep; those of the ontology are translated only if somebody has to see them."""
        from reasoner.columnar.rule_home import Reasoned
        from reasoner.equality_axioms import EQUALITY_AXIOMS

        axioms = EQUALITY_AXIOMS if self.equality == "axiomatise" else ()

        def others() -> tuple[tuple[Rule, ...], ...]:
            translation = self.translation()
            return translation.rules, self._value_joins(translation), axioms

        return Reasoned(self._rule_texts(), others)

    def _rule_texts(self) -> tuple[str, ...]:
        """Return the text of every rule of one's own, without sources; they are printed when they have changed."""
        rules = tuple(self._user_rules)
        if self._printed[0] != rules:
            from reasoner.rules.printer import print_rule

            self._printed = (rules, tuple(print_rule(replace(rule, sources=())) for rule in rules))
        return self._printed[1]


def _home(store: ColumnarStore, *parts: Any) -> Home:
    """Return the place on disk of a store; an engine may write in a way of its own."""
    from reasoner.columnar.home import Home

    make = getattr(store, "home", Home)
    home: Home = make(*parts)
    return home


def _created(
    cls: type[Reasoner], folder: Path, given: Mapping[str, Any], place: Mapping[str, Any], lock: Any
) -> Reasoner:
    from reasoner.columnar.home import NOTHING
    from reasoner.store.manifest import Manifest

    kb = cls(**{name: value for name, value in given.items() if value is not None}, **place)
    home = _home(kb.store, folder, Manifest(0), NOTHING, lock)
    home.keep(kb.store.state, kb.store.dictionary, kb._kept(), materialised=False)
    kb._home, home.owner = home, kb
    return kb


def _opened(
    cls: type[Reasoner],
    folder: Path,
    version: int | None,
    given: Mapping[str, Any],
    place: Mapping[str, Any],
    lock: Any,
) -> Reasoner:
    from reasoner.store.folder import current_version, latest_version, read_manifest
    from reasoner.store.namespaces import read_namespaces

    while True:
        number = latest_version(folder) if version is None else version
        try:
            manifest = read_manifest(folder, number)
            kb = cls(**_settings(folder, manifest, given), **place)
            home = _home(kb.store, folder, manifest, _read(kb, folder, manifest), lock)
            kb._user_rules = home.rules.own_rules()
            break
        except StoreError:
            # A reader may have been overtaken by a commit and a vacuum.
            if version is not None or current_version(folder) == number:
                raise
    kb.prefixes = read_namespaces(folder)
    kb._kept_prefixes = dict(kb.prefixes)
    kb._costs.scratch = float(manifest.costs.get("scratch", _SCRATCH))
    kb._home, home.owner = home, kb
    kb._up_to_date = home.is_materialised
    kb._take_policy(manifest.settings.get(_POLICY, _USUAL_POLICY), given.get(_POLICY))
    return kb


def _settings(folder: Path, manifest: Manifest, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a version, which those that are given must not contradict."""
    settings = {name: manifest.settings[name] for name in _SETTINGS if name in manifest.settings}
    for name in _SETTINGS:
        value = given.get(name)
        if value is not None and value != settings.get(name, value):
            raise StoreError(f"{folder} was made with {name} {settings[name]!r}, not {value!r}; open it without {name}")
    return settings


def _read(kb: Reasoner, folder: Path, manifest: Manifest) -> Snapshot:
    """Let the store of a new reasoner hold what a version holds."""
    from reasoner.columnar.home import adopt, read_state

    equality = kb.equality == "rewrite"
    take_version = getattr(kb.store, "take_version", None)
    if take_version is not None:
        taken: Snapshot = take_version(folder, manifest, equality=equality)
        return taken
    state, dictionary = read_state(folder, manifest)
    adopt(kb.store, state, dictionary, equality=equality)
    return state


def _described(manifest: Manifest) -> Version:
    return Version(manifest.version, manifest.created, manifest.counts, len(manifest.paths), manifest.size)
