"""Versions that nobody needs, and the files that were only theirs."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from reasoner.store.errors import StoreError
from reasoner.store.folder import CURRENT, DATA, MANIFESTS, current_version, manifest_path, read_manifest, versions
from reasoner.store.lock import LOCK
from reasoner.store.namespaces import FILE as NAMESPACES


@dataclass(frozen=True, slots=True)
class Vacuumed:
    """What was removed: versions, files of data, and the bytes of these."""

    versions: int
    files: int
    bytes: int


def vacuum(folder: Path, keep: int = 1) -> Vacuumed:
    """Remove all but the last ``keep`` versions, and every data file that none of these needs.

    Only who holds the lock may do so: the files of a commit under way belong to no version yet. Manifests go first, so
    that an interruption leaves no version without its files.
    """
    if keep < 1:
        raise StoreError(f"{folder}: keep={keep} would remove the current version; keep 1 or more")
    numbers = versions(folder)
    kept = numbers[-keep:]
    needed = {path for number in kept for path in read_manifest(folder, number).paths}
    current = current_version(folder)
    for path in (folder / MANIFESTS).glob("*.json"):
        # What has a higher number than the current version is left of a commit that never was.
        if path.stem.isdigit() and (int(path.stem) > current or int(path.stem) not in kept):
            manifest_path(folder, int(path.stem)).unlink(missing_ok=True)
    files = size = 0
    for path in (folder / DATA).rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in needed:
            size += path.stat().st_size
            path.unlink()
            files += 1
    return Vacuumed(len(numbers) - len(kept), files, size)


def remove_store(folder: Path) -> None:
    """Remove a store, and the folder too if nothing else is in it; only who holds the lock may do so."""
    (folder / CURRENT).unlink()
    for name in (MANIFESTS, DATA):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in (NAMESPACES, LOCK):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
