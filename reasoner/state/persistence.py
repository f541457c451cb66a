"""A reasoner that lives on disk: opening a folder, keeping every commit in it, going back to earlier versions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from reasoner.state.early_imports import held_interrupts
from reasoner.state.state import State, kept_progress, progress_to_keep
from reasoner.store.file_system import StoreError, place_of

if TYPE_CHECKING:
    from reasoner.columnar.home import Home, Reasoned, RuleHome, VersionMetadata
    from reasoner.columnar.store import ColumnarStore
    from reasoner.rules.rule import Rule
    from reasoner.state.constraint_policy import ConstraintPolicy
    from reasoner.state.draft import Draft
    from reasoner.state.session import Session
    from reasoner.store.file_system import Place
    from reasoner.store.manifest import Manifest
    from reasoner.store.vacuum import Vacuumed

_log = logging.getLogger("reasoner.store")

_SETTINGS = ("profile", "equality", "modules", "maintenance")
# The policy about constraints may be another one for an opening; one that nobody asked for is not written.
_POLICY, _USUAL_POLICY = "constraints", "warn"
_STREAMS = "streams"

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
    """What a reasoner has on disk; one that was made without a folder is in memory only, and has no ``home``.

    ``prefixes`` are what documents call their namespaces; they are kept beside the versions. ``journal_mark``
    says how far the journal of evolutions goes, for a version to come; None if there is none.
    """

    def __init__(self, policy: ConstraintPolicy, prefixes: dict[str, str]) -> None:
        self.home: Home | None = None
        self.journal_mark: Callable[[], tuple[int, int] | None] = lambda: None
        self.prefixes = prefixes
        self._policy = policy
        self._kept_prefixes: Mapping[str, str] = {}
        # The rules of the store that facts in memory come from, as long as they may differ from those of the ontology.
        self._origin: RuleHome | None = None
        self._printed: tuple[tuple[Rule, ...], tuple[str, ...]] = ((), ())

    def live_in(self, home: Home, prefixes: Mapping[str, str]) -> None:
        """Keep every state in a folder from now on, which has some prefixes already."""
        self.home = home
        self.prefixes.update(prefixes)
        self._kept_prefixes = dict(prefixes)

    def save(self, session: Session, folder: str | PathLike[str]) -> None:
        """Write a copy of all that a session holds to a new store in a folder."""
        from reasoner.columnar.home import NOTHING
        from reasoner.store.file_system import file_system
        from reasoner.store.folder import WriterLock, require_free, write_namespaces
        from reasoner.store.manifest import Manifest

        path = place_of(folder)
        require_free(path)
        with session.lock:
            session.settle()
            file_system(path).make_folder(path)
            lock = WriterLock(path)
            try:
                # What is marked in the dictionary is what the reasoner's own folder has of it.
                draft = session.draft()
                marked = draft.store.dictionary.marked
                home = _home(draft.store, path, Manifest(0), NOTHING, lock)
                home.keep(draft.store, self.kept(draft))
                draft.store.dictionary.mark(marked)
                if self.prefixes:
                    write_namespaces(path, self.prefixes)
            finally:
                lock.release()

    def close(self, session: Session) -> None:
        """Keep what was added and not reasoned over yet, and let others write."""
        if self.home is not None and self.home.lock is not None:
            session.settle()
            self.home.close()

    def remove_store(self, session: Session) -> None:
        """Remove the store on disk, all its versions and files, and go on in memory only."""
        if self.home is not None:
            from reasoner.store.vacuum import remove_store

            self._require_writable(self.home)
            session.doubt()
            remove_store(self.home.folder)
            self.detach()
            self._origin = None

    def detach(self) -> None:
        """Go on in memory only: what changes from now on is not kept, and the store on disk is free for others."""
        if self.home is not None:
            self.home.close()
            self._origin = self.home.rules
            self.home = None

    @property
    def version(self) -> int | None:
        """The version on disk that was last written or read; None if the reasoner is in memory only."""
        return None if self.home is None else self.home.manifest.version

    def versions(self) -> list[Version]:
        """Return the versions that can be opened, oldest first."""
        from reasoner.store.folder import read_manifest, versions

        folder = self._required_home().folder
        return [_described(read_manifest(folder, number)) for number in versions(folder)]

    def vacuum(self, session: Session, keep: int) -> Vacuumed:
        """Remove all but the last versions and the files that only they needed; return what was removed."""
        from reasoner.store.vacuum import vacuum

        home = self._required_home()
        with session.lock:
            session.settle()
            self._require_writable(home)
            session.keep()
            return vacuum(home.folder, keep)

    @property
    def is_compared(self) -> bool:
        """Whether there are no rules on disk that those of the ontology are to be compared with."""
        rules = self._origin if self.home is None else self.home.rules
        return rules is None or rules.is_compared or (self.home is not None and self.home.lock is None)

    def has_other_rules(self, draft: Draft) -> bool:
        """Tell whether the version on disk follows from other rules than those of the draft; compare them only once."""
        rules = self._origin if self.home is None else self.home.rules
        if rules is None:
            return False
        came, went = rules.compare(self._reasoned(draft), draft.store.dictionary)
        if came or went:
            _log.warning(
                "%s was reasoned with other rules than its ontology has now (%d came, %d went): it is reasoned anew",
                *(rules.folder, came, went),
            )
        self._origin = None
        return bool(came or went)

    def keep(self, draft: Draft) -> None:
        """Write a draft as a new version, if the reasoner lives on disk."""
        home = self.home
        if home is None:
            return
        if home.lock is None:
            self.require_keepable(draft)
            return
        _import_for_versions()
        home.keep(draft.store, replace(self.kept(draft), journal=self.journal_mark()), moves=True)
        self._keep_prefixes(home.folder)

    def _keep_prefixes(self, folder: Place) -> None:
        """Write new prefixes to the folder; those that it has come first, and may be of rdflib."""
        if self.prefixes != self._kept_prefixes:
            from reasoner.rules.prefixes import declare
            from reasoner.store.folder import read_namespaces, write_namespaces

            there = read_namespaces(folder)
            if declare(there, self.prefixes):
                write_namespaces(folder, there)
            self._kept_prefixes = dict(self.prefixes)

    def require_keepable(self, draft: Draft) -> None:
        """Raise an error if explicit facts or rules have changed in a store that is open for reading only."""
        home, state = self.home, draft.store.state
        if home is None or home.lock is not None:
            return
        facts = state.explicit is home.state.explicit and state.graphs is home.state.graphs
        if not facts or self._rule_texts(draft.state.user_rules) != home.rules.own:
            self._require_writable(home)

    def _required_home(self) -> Home:
        if self.home is None:
            raise StoreError("the reasoner is in memory only; save it to a folder, and open that")
        return self.home

    def _require_writable(self, home: Home) -> None:
        if home.lock is None:
            raise StoreError(
                f"{home.folder} is open for reading only, or closed; open it without read_only and version to change it"
            )

    def kept(self, draft: Draft) -> VersionMetadata:
        """Return what is kept of a draft beside its facts."""
        from reasoner.columnar.home import VersionMetadata

        settings: dict[str, Any] = asdict(draft.settings)
        if self._policy.kept != _USUAL_POLICY:
            settings[_POLICY] = self._policy.kept
        if draft.state.streams:
            settings[_STREAMS] = progress_to_keep(draft.state.streams)
        return VersionMetadata(settings, self._reasoned(draft), {"scratch": draft.costs.scratch or _SCRATCH})

    def _reasoned(self, draft: Draft) -> Reasoned:
        """Return the rules to keep; those of the ontology are translated only if somebody has to see them."""
        from reasoner.columnar.home import Reasoned
        from reasoner.rules.value_joins import EQUALITY_AXIOMS

        axioms = EQUALITY_AXIOMS if draft.settings.equality == "axiomatise" else ()

        def others() -> tuple[tuple[Rule, ...], ...]:
            return draft.translation().rules, draft.value_joins(), axioms

        return Reasoned(self._rule_texts(draft.state.user_rules), others)

    def _rule_texts(self, rules: tuple[Rule, ...]) -> tuple[str, ...]:
        """Return the text of every user rule, without sources; they are printed when they have changed."""
        if self._printed[0] != rules:
            from reasoner.rules.printer import print_rule

            self._printed = (rules, tuple(print_rule(replace(rule, sources=())) for rule in rules))
        return self._printed[1]


class PersistentKnowledgeBase(Protocol):
    """Whatever is made of a session, its policy about constraints and its place on disk."""

    @property
    def session(self) -> Session:
        """The session that holds the facts."""

    @property
    def constraint_policy(self) -> ConstraintPolicy:
        """What judges the commits."""

    @property
    def persistence(self) -> Persistence:
        """What keeps the commits."""


K = TypeVar("K", bound=PersistentKnowledgeBase)


def open_store(
    make: Callable[..., K],
    folder: str | PathLike[str],
    *,
    create: bool,
    read_only: bool,
    version: int | None,
    given: Mapping[str, Any],
    place: Mapping[str, Any],
) -> K:
    """Open a store on disk, or create it: ``make`` makes what holds it of its settings and those of ``place``."""
    from reasoner.store.file_system import file_system
    from reasoner.store.folder import WriterLock, is_store, require_free, require_store

    path = place_of(folder)
    read_only = read_only or version is not None
    if read_only or not create:
        require_store(path)
    elif not is_store(path):
        require_free(path)
        file_system(path).make_folder(path)
    lock = None if read_only else WriterLock(path)
    try:
        if place["engine"] == "spark":
            from reasoner.spark.platform.session import spark_session
            from reasoner.spark.platform.shared_folder import scratch_beside

            session = spark_session(place["session"], master=place["master"])
            place = {**place, "scratch": scratch_beside(path, session, place["scratch"])}
        if is_store(path):
            return _opened(make, path, version, given, place, lock)
        return _created(make, path, given, place, lock)
    except BaseException:
        if lock is not None:
            lock.release()
        raise


def _home(store: ColumnarStore, *parts: Any) -> Home:
    """Return the place on disk of a store; an engine may write in a way of its own."""
    from reasoner.columnar.home import Home

    make = getattr(store, "home", Home)
    home: Home = make(*parts)
    return home


def _created(make: Callable[..., K], folder: Place, given: Mapping[str, Any], place: Mapping[str, Any], lock: Any) -> K:
    from reasoner.columnar.home import NOTHING
    from reasoner.store.manifest import Manifest

    kb = make(**{name: value for name, value in given.items() if value is not None}, **place)
    draft = kb.session.draft()
    home = _home(draft.store, folder, Manifest(0), NOTHING, lock)
    home.keep(draft.store, kb.persistence.kept(draft), materialised=False)
    kb.persistence.live_in(home, {})
    return kb


def _opened(
    make: Callable[..., K],
    folder: Place,
    version: int | None,
    given: Mapping[str, Any],
    place: Mapping[str, Any],
    lock: Any,
) -> K:
    from reasoner.store.folder import current_version, latest_version, read_manifest, read_namespaces

    while True:
        number = latest_version(folder) if version is None else version
        try:
            manifest = read_manifest(folder, number)
            kb = make(**_settings(folder, manifest, given), **place)
            store = _read(kb.session, folder, manifest)
            home = _home(store, folder, manifest, store.state, lock)
            rules = tuple(home.rules.own_rules())
            break
        except StoreError:
            # A reader may have been overtaken by a commit and a vacuum.
            if version is not None or current_version(folder) == number:
                raise
    streams = kept_progress(manifest.settings.get(_STREAMS) or {})
    kb.session.use(store, State(store.state, len(store.dictionary), rules, streams, home.is_materialised))
    kb.session.costs.scratch = float(manifest.costs.get("scratch", _SCRATCH))
    kb.persistence.live_in(home, read_namespaces(folder))
    kb.constraint_policy.open_with(manifest.settings.get(_POLICY, _USUAL_POLICY), given.get(_POLICY), kb.session)
    return kb


def _settings(folder: Place, manifest: Manifest, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a version, which those that are given must not contradict."""
    settings = {name: manifest.settings[name] for name in _SETTINGS if name in manifest.settings}
    for name in _SETTINGS:
        value = given.get(name)
        if value is not None and value != settings.get(name, value):
            raise StoreError(f"{folder} was made with {name} {settings[name]!r}, not {value!r}; open it without {name}")
    return settings


def _read(session: Session, folder: Place, manifest: Manifest) -> ColumnarStore:
    """Return a store that holds what a version holds, in the way of a new session's own store."""
    from reasoner.columnar.home import read_state
    from reasoner.columnar.store import ColumnarStore

    equality, store = session.settings.equality == "rewrite", session.store
    take_version = getattr(store, "take_version", None)
    if take_version is not None:
        take_version(folder, manifest, equality=equality)
        return store
    state, dictionary = read_state(folder, manifest)
    return ColumnarStore(dictionary, state, equality=equality, axioms=store.axioms)


def _described(manifest: Manifest) -> Version:
    return Version(manifest.version, manifest.created, manifest.counts, len(manifest.paths), manifest.size)


@cache
def _import_for_versions() -> None:
    """Import what a version on disk is written with, once; an interrupt waits until it is there."""
    with held_interrupts():
        import pyarrow.parquet  # noqa: F401

        import reasoner.columnar.home
        import reasoner.store.folder  # noqa: F401
