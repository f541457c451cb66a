"""The local disk: bytes that are on disk once they are written, and survive the end of the process or the machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pyarrow as pa

if TYPE_CHECKING:
    from reasoner.store.file_system import Place


class LocalDisk:
    """The file system of this machine; see ``FileSystem``."""

    def read(self, path: Place) -> pa.Buffer:
        """Return all bytes of a file, which are read when they are looked at."""
        if self.size(path) == 0:
            return pa.py_buffer(b"")
        with self.open(path) as file:
            return file.read_buffer()

    def open(self, path: Place) -> Any:
        """Return a file of Arrow, mapped into memory."""
        return pa.memory_map(str(path))

    def size(self, path: Place) -> int | None:
        """Return how many bytes a file has; None if there is no such file."""
        local = Path(str(path))
        return local.stat().st_size if local.is_file() else None

    def write_new(self, path: Place, data: Any) -> None:
        """Write a file that nobody reads yet; ``sync`` must follow before anybody does.

        What a commit that was cut short has left in its place goes first, be it a link to somewhere else.
        """
        local = Path(str(path))
        local.parent.mkdir(parents=True, exist_ok=True)
        local.unlink(missing_ok=True)
        with local.open("xb", buffering=0) as stream:
            rest = memoryview(data)
            while rest:
                rest = rest[stream.write(rest) :]

    def sync(self, paths: Iterable[Place]) -> None:
        """Make sure that files and folders are on disk; of many, the first ones mostly take the others along."""
        for path in paths:
            handle = os.open(str(path), os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def replace(self, path: Place, data: Any) -> None:
        """Put a file in the place of another one: whoever reads it sees the old one or the new one, whole."""
        local = Path(str(path))
        temporary = local.with_name(f".{local.name}.new")
        self.write_new(temporary, data)
        self.sync([temporary])
        temporary.replace(local)
        self.sync([local.parent])

    def create(self, path: Place, data: Any) -> bool:
        """Write a file, whole and for good, unless there is one of this name, and return whether it was written."""
        local = Path(str(path))
        temporary = local.with_name(f".{local.name}.{uuid4().hex}")
        self.write_new(temporary, data)
        self.sync([temporary])
        try:
            local.hardlink_to(temporary)
        except FileExistsError:
            return False
        finally:
            temporary.unlink()
        self.sync([local.parent])
        return True

    def files(self, folder: Place) -> Mapping[str, int]:
        """Return the files below a folder, at any depth, by their names relative to it, with their sizes."""
        local = Path(str(folder))
        return {path.relative_to(local).as_posix(): path.stat().st_size for path in local.rglob("*") if path.is_file()}

    def make_folder(self, folder: Place) -> None:
        """Make a folder, and those around it."""
        Path(str(folder)).mkdir(parents=True, exist_ok=True)

    def delete(self, path: Place) -> None:
        """Remove a file; one that is not there is no error."""
        Path(str(path)).unlink(missing_ok=True)

    def delete_folder(self, folder: Place) -> None:
        """Remove a folder with all that is in it, if it is there."""
        shutil.rmtree(str(folder), ignore_errors=True)

    def move(self, path: Place, target: Place) -> None:
        """Give a file another name at once."""
        Path(str(path)).replace(str(target))
