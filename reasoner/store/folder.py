"""The folder of a store: which version is current, which others there are, and how a new one takes over."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reasoner.store.durable_file import replace, sync, write_new
from reasoner.store.errors import StoreError
from reasoner.store.manifest import Manifest

CURRENT = "CURRENT"
MANIFESTS = "manifests"
DATA = "data"

# A version and the checksum of its number; stores of earlier releases, and whoever repairs one by hand, leave it out.
_CURRENT_LINE = re.compile(r"([0-9]{1,18})(?: ([0-9a-f]{8}))?")


def is_store(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is the folder of a store."""
    # What is no name of a file at all, such as a long text, is no store either.
    return os.path.isfile(os.path.join(path, CURRENT))  # noqa: PTH113, PTH118


def require_store(folder: Path) -> None:
    """Raise an error if a folder is no store."""
    if not is_store(folder):
        what = "does not exist" if not folder.exists() else "is no store: it has no file CURRENT"
        raise StoreError(f"{folder} {what}; name the folder of a store, or create one (create=True, reasoner load)")


def require_no_links(folder: Path) -> None:
    """Raise an error if something in the folder of a store is a symbolic link, which would be read or written."""
    inside = [folder / name for name in (CURRENT, MANIFESTS, DATA, "LOCK")]
    for path in [*inside, *(folder / DATA).glob("*"), *(folder / DATA).glob("*/*"), *(folder / MANIFESTS).glob("*")]:
        if path.is_symlink():
            raise StoreError(f"{path} is a symbolic link, and a store follows none; put what it names in its place")


def require_free(folder: Path) -> None:
    """Raise an error if a new store cannot be made in a folder."""
    if is_store(folder):
        raise StoreError(f"{folder} is a store already; open it, or name another folder")
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file; name a folder for the store")
    # A store whose first commit was cut short has everything but CURRENT.
    if folder.exists() and {path.name for path in folder.iterdir()} - {MANIFESTS, DATA, "LOCK", ".CURRENT.new"}:
        raise StoreError(f"{folder} holds other files; name a new or an empty folder for the store")


def current_version(folder: Path) -> int:
    """Return the number of the current version; raise ``StoreError`` if CURRENT is not as it was written."""
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


def latest_version(folder: Path) -> int:
    """Return the number of the current version, and make sure that none was committed after it.

    A commit that was cut short leaves the manifest of the next version. Manifests beyond that one say that CURRENT was
    set back, so that further commits would overwrite what is there.
    """
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


def versions(folder: Path) -> list[int]:
    """Return the numbers of the versions that can be read, oldest first."""
    current = current_version(folder)
    return sorted(number for number in _numbers(folder) if number <= current)


def manifest_path(folder: Path, version: int) -> Path:
    """Return where the manifest of a version is."""
    return folder / MANIFESTS / f"{version:08d}.json"


def read_manifest(folder: Path, version: int | None = None) -> Manifest:
    """Return the manifest of a version, the current one if none is named."""
    number = current_version(folder) if version is None else version
    path = manifest_path(folder, number)
    if number > current_version(folder) or not path.is_file():
        known = versions(folder)
        shown = ", ".join(map(str, known[-10:])) or "none"
        raise StoreError(f"{path} is missing: {folder} has no version {number}; it has {shown}")
    return Manifest.from_json(path.read_bytes(), path)


def require_parent(folder: Path, parent: int) -> None:
    """Raise ``StoreError`` if the current version is not the one that a commit began from."""
    if is_store(folder) and (current := current_version(folder)) != parent:
        raise StoreError(
            f"{folder}: version {current} is current and not {parent}, from which this commit began: somebody else has "
            "written to the store; nothing of theirs is changed, open the store again and repeat the change"
        )


def publish(folder: Path, manifest: Manifest, before: Manifest | None = None, *, parent: int | None = None) -> None:
    """Make a new version the current one, for good; its data files must have been written.

    1. The manifest is written; nobody reads it yet.
    2. It is made to last, with all files that the version ``before`` did not have, and the folders that they are in;
       for the first version, the folder that the store is in as well.
    3. CURRENT is replaced, which is the moment of the commit, if the version ``parent`` is current still.
    """
    path = manifest_path(folder, manifest.version)
    write_new(path, manifest.to_json())  # 1
    known = {folder / name for name in before.paths} if before is not None else set()
    files = {folder / name for name in manifest.paths} - known | {path}
    folders = {file.parent for file in files}
    made = folders - {file.parent for file in known}
    if known:
        made.discard(path.parent)
    around = {parent for each in made for parent in each.parents if parent == folder or folder in parent.parents}
    outside = set() if known else {folder.absolute().parent}
    sync([*sorted(files), *sorted(folders | around | outside)])  # 2
    if parent is not None:
        require_parent(folder, parent)
    replace(folder / CURRENT, f"{manifest.version} {_checksum(manifest.version)}\n".encode())  # 3


@contextmanager
def writing(folder: Path, version: int) -> Iterator[None]:
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


def _numbers(folder: Path) -> list[int]:
    names = (path.stem for path in (folder / MANIFESTS).glob("*.json"))
    return [int(name) for name in names if name.isascii() and name.isdigit()]
