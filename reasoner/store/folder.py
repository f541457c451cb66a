"""The folder of a store: which version is current, which others there are, and how a new one takes over.

On the local disk a lock lets one process write, and the file CURRENT, which a rename replaces, names the version. Other
file systems have no such lock, and some no such rename. There the manifest with the highest number is the current
version. Creating the next one, which fails for all writers but one, is the commit: whoever began from a version that is
not current any more cannot commit. Every data file has a name of its own, so that no writer touches those of another.

One writer at a time: a lock file that names the process that writes, where the file system has locks.

The prefixes that documents of a store declared, in a file beside its versions; they are for output alone.
"""

from __future__ import annotations

import json
import os
import re
import socket
import weakref
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from reasoner.store.file_system import Address, Place, StoreError, address_of, file_system
from reasoner.store.manifest import Manifest

CURRENT = "CURRENT"
MANIFESTS = "manifests"
DATA = "data"

# A version and the checksum of its number; stores of earlier releases, and whoever repairs one by hand, leave it out.
_CURRENT_LINE = re.compile(r"([0-9]{1,18})(?: ([0-9a-f]{8}))?")


def is_store(path: str | os.PathLike[str] | Address) -> bool:
    """Tell whether a path or a URL is the folder of a store."""
    address = None if isinstance(path, Path) else address_of(path)
    if address is not None:
        return bool(_numbers(address))
    assert not isinstance(path, Address)
    # What is no name of a file at all, such as a long text, is no store either.
    return os.path.isfile(os.path.join(path, CURRENT))  # noqa: PTH113, PTH118


def require_store(folder: Place) -> None:
    """Raise an error if a folder is no store."""
    if not is_store(folder):
        if isinstance(folder, Address):
            _refuse_copy(folder)
            raise StoreError(f"{folder} is no store: it has no manifest; name a store, or create one (create=True)")
        what = "does not exist" if not folder.exists() else "is no store: it has no file CURRENT"
        raise StoreError(f"{folder} {what}; name the folder of a store, or create one (create=True, reasoner load)")


def require_no_links(folder: Path) -> None:
    """Raise an error if something in the folder of a store is a symbolic link, which would be read or written."""
    inside = [folder / name for name in (CURRENT, MANIFESTS, DATA, "LOCK", "namespaces.json", "evolution.jsonl")]
    for path in [*inside, *(folder / DATA).glob("*"), *(folder / DATA).glob("*/*"), *(folder / MANIFESTS).glob("*")]:
        if path.is_symlink():
            raise StoreError(f"{path} is a symbolic link, and a store follows none; put what it names in its place")


def require_free(folder: Place) -> None:
    """Raise an error if a new store cannot be made in a folder."""
    if is_store(folder):
        raise StoreError(f"{folder} is a store already; open it, or name another folder")
    if isinstance(folder, Address):
        # Of a store whose first commit was cut short there is data only.
        left = (f"{DATA}/", f"{MANIFESTS}/.")
        if any(not name.startswith(left) for name in file_system(folder).files(folder)):
            raise StoreError(f"{folder} holds other files; name a new or an empty folder for the store")
        return
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file; name a folder for the store")
    # A store whose first commit was cut short has everything but CURRENT.
    if folder.exists() and {path.name for path in folder.iterdir()} - {MANIFESTS, DATA, "LOCK", ".CURRENT.new"}:
        raise StoreError(f"{folder} holds other files; name a new or an empty folder for the store")


def current_version(folder: Place) -> int:
    """Return the number of the current version; raise ``StoreError`` if CURRENT is not as it was written."""
    if isinstance(folder, Address):
        numbers = _numbers(folder)
        if not numbers:
            require_store(folder)
        return max(numbers)
    require_store(folder)
    path = folder / CURRENT
    text = path.read_text(encoding="utf-8", errors="replace").strip()
    found = _CURRENT_LINE.fullmatch(text)
    if found is None or (found[2] is not None and found[2] != _checksum(int(found[1]))):
        last = max(_numbers(folder), default=0)
        raise StoreError(
            f"{path} is damaged: {text[:40]!r} is no version; write the number of one into it, such as {last}"
        )
    return int(found[1])


def latest_version(folder: Place) -> int:
    """Return the number of the current version, and make sure that none was committed after it.

    A commit that was cut short leaves the manifest of the next version. Manifests beyond that one say that CURRENT was
    set back, so that further commits would overwrite what is there.
    """
    if isinstance(folder, Address):
        _refuse_copy(folder)
        return current_version(folder)
    require_no_links(folder)
    while True:
        current = current_version(folder)
        last = max(_numbers(folder), default=current)
        if last <= current + 1:
            return current
        # Others may have committed since CURRENT was read.
        if current_version(folder) == current:
            raise StoreError(
                f"{folder / CURRENT} says version {current}, but {manifest_path(folder, last)} is there: write {last} "
                f"into CURRENT, or remove the manifests after {current} to go back to that version for good"
            )


def versions(folder: Place) -> list[int]:
    """Return the numbers of the versions that can be read, oldest first."""
    current = current_version(folder)
    return sorted(number for number in _numbers(folder) if number <= current)


def manifest_path(folder: Place, version: int) -> Place:
    """Return where the manifest of a version is."""
    return folder / MANIFESTS / f"{version:08d}.json"


def read_manifest(folder: Place, version: int | None = None) -> Manifest:
    """Return the manifest of a version, the current one if none is named."""
    number = current_version(folder) if version is None else version
    path = manifest_path(folder, number)
    if number <= current_version(folder) and file_system(folder).size(path) is not None:
        # A vacuum may remove it before it is read.
        with suppress(FileNotFoundError):
            return _checked_manifest(file_system(folder).read(path).to_pybytes(), path, number)
    known = versions(folder)
    shown = ", ".join(map(str, known[-10:])) or "none"
    raise StoreError(f"{path} is missing: {folder} has no version {number}; it has {shown}")


def _checked_manifest(content: bytes, path: Place, number: int) -> Manifest:
    found = Manifest.from_json(content, path)
    if found.version != number:
        raise StoreError(
            f"{path} is the manifest of version {found.version} and not of {number}: files were exchanged; restore it "
            "from a copy, or open an earlier version (version=N)"
        )
    return found


def require_parent(folder: Place, parent: int) -> None:
    """Raise ``StoreError`` if the current version is not the one that a commit began from."""
    if is_store(folder) and (current := current_version(folder)) != parent:
        raise _overtaken(folder, current, parent)


def publish(folder: Place, manifest: Manifest, before: Manifest | None = None, *, parent: int | None = None) -> None:
    """Make a new version the current one, for good; its data files must have been written.

    1. The manifest is written; nobody reads it yet.
    2. It is made to last, with all files that the version ``before`` did not have, and the folders that they are in;
       for the first version, the folder that the store is in as well.
    3. CURRENT is replaced, which is the moment of the commit, if the version ``parent`` is current still.

    Elsewhere than on the local disk, the manifest is created if there is none with its number, which is the commit.
    """
    if isinstance(folder, Address):
        return _create_manifest(folder, manifest, manifest.version - 1 if parent is None else parent)
    files_on_disk = file_system(folder)
    path = folder / MANIFESTS / f"{manifest.version:08d}.json"
    files_on_disk.write_new(path, manifest.to_json())  # 1
    known = {folder / name for name in before.paths} if before is not None else set()
    files = {folder / name for name in manifest.paths} - known | {path}
    folders = {file.parent for file in files}
    made = folders - {file.parent for file in known}
    if known:
        made.discard(path.parent)
    around = {parent for each in made for parent in each.parents if parent == folder or folder in parent.parents}
    outside = set() if known else {folder.absolute().parent}
    files_on_disk.sync([*sorted(files), *sorted(folders | around | outside)])  # 2
    if parent is not None:
        require_parent(folder, parent)
    files_on_disk.replace(folder / CURRENT, f"{manifest.version} {_checksum(manifest.version)}\n".encode())  # 3
    return None


@contextmanager
def writing(folder: Place, version: int) -> Iterator[None]:
    """Say in the message of a system error what was being done, and that nothing is lost."""
    try:
        yield
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        raise StoreError(
            f"{folder}: version {version} cannot be written: {error.strerror or error}{place}; the store is as it was, "
            "remove the cause and commit again"
        ) from error


def _checksum(version: int) -> str:
    return f"{zlib.crc32(str(version).encode()):08x}"


def _numbers(folder: Place) -> list[int]:
    """Return the numbers of the manifests that there are."""
    if isinstance(folder, Address):
        found = file_system(folder).files(folder / MANIFESTS)
        names = [name.removesuffix(".json") for name in found if name.endswith(".json")]
    else:
        names = [path.stem for path in (folder / MANIFESTS).glob("*.json")]
    return [int(name) for name in names if name.isascii() and name.isdigit()]


def _create_manifest(folder: Address, manifest: Manifest, parent: int) -> None:
    """Commit a version by creating its manifest.

    1. Whoever has been overtaken already does not even try.
    2. Of all writers that make this version, one creates its manifest. An answer that was lost on the way, so that the
       request was sent again, makes a writer fail on what it has written itself.
    3. If other versions have been committed and removed again since step 1, the number was free and is an old one.
    """
    files, path, data = file_system(folder), manifest_path(folder, manifest.version), manifest.to_json()
    if (current := max(_numbers(folder), default=0)) != parent:  # 1
        raise _overtaken(folder, current, parent)
    if not files.create(path, data) and files.read(path).to_pybytes() != data:  # 2
        raise _overtaken(folder, max(_numbers(folder)), parent)
    if (current := max(_numbers(folder))) > manifest.version:  # 3
        files.delete(path)
        raise _overtaken(folder, current, parent)


def _overtaken(folder: Place, current: int, parent: int) -> StoreError:
    return StoreError(
        f"{folder}: version {current} is current and not {parent}, from which this commit began: somebody else has "
        "written to the store; nothing of theirs is changed, open the store again and repeat the change"
    )


def _refuse_copy(folder: Address) -> None:
    """Raise an error if a folder was copied from a local disk, where manifests may be there without their commit."""
    if file_system(folder).size(folder / CURRENT) is not None:
        raise StoreError(
            f"{folder} has a file {CURRENT}, so it is a copy of a store on a local disk; open the store there, and "
            "save it here"
        )


LOCK = "LOCK"


class WriterLock:
    """Holds a store for writing, until it is released or its process ends, however that happens.

    The operating system holds the lock, on the file ``LOCK``; what is written in it only tells whom to ask. So a file
    that a killed process has left behind is no obstacle. Beyond the local disk any number may hold a store: there the
    first to commit wins, and the commits of the others fail.
    """

    def __init__(self, folder: Place) -> None:
        if not isinstance(folder, Path):
            self._release: weakref.finalize[[], WriterLock] = weakref.finalize(self, lambda: None)
            return
        import fcntl

        path = folder / LOCK
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        except OSError as error:
            raise StoreError(
                f"{path} cannot be written: {error.strerror}; open the store with read_only=True, or get the rights"
            ) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.read(handle, 200).decode(errors="replace").strip() or "another process"
            os.close(handle)
            raise StoreError(
                f"{folder} is being written by {owner} (see {path}); wait until that has ended or is closed, "
                "or open the store with read_only=True"
            ) from None
        os.ftruncate(handle, 0)
        os.write(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        # Whoever forgets to close a store gives it up when it is forgotten itself.
        self._release = weakref.finalize(self, partial(_release, handle))

    def release(self) -> None:
        """Let others write; again is no error."""
        self._release()


def _release(handle: int) -> None:
    os.ftruncate(handle, 0)
    os.close(handle)


FILE = "namespaces.json"
_PREFIXES = "prefixes"


def read_namespaces(folder: Place) -> dict[str, str]:
    """Return the prefixes of a store with their namespaces; none if it has no record of them."""
    path = folder / FILE
    files = file_system(folder)
    if files.size(path) is None:
        return {}
    try:
        kept = json.loads(files.read(path).to_pybytes())
        if isinstance(kept.get(_PREFIXES), dict):
            # Stores of earlier releases have the prefixes alone, without a checksum.
            prefixes, checksum = kept[_PREFIXES], kept["crc"]
            if checksum != _checksum_of_namespaces(prefixes):
                raise ValueError
            kept = prefixes
        if not all(isinstance(namespace, str) for namespace in kept.values()):
            raise ValueError
    except (ValueError, KeyError, AttributeError, RecursionError):
        raise StoreError(
            f"{path} is no record of prefixes; restore it from a copy, or remove it, after which they are unknown"
        ) from None
    return dict(kept)


def write_namespaces(folder: Place, prefixes: Mapping[str, str]) -> None:
    """Write the prefixes of a store; only who holds the lock may do so."""
    kept = {_PREFIXES: dict(prefixes), "crc": _checksum_of_namespaces(prefixes)}
    file_system(folder).replace(folder / FILE, json.dumps(kept, indent=1, ensure_ascii=False).encode())


def _checksum_of_namespaces(prefixes: Mapping[str, str]) -> int:
    return zlib.crc32(json.dumps(prefixes, ensure_ascii=False, sort_keys=True).encode())
