"""The one interface to the file systems that a store can be on, and which of them a folder is on.

What is wrong with a store.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol

from loaders.local_path import local_path, scheme_of
from reasoner.rules.errors import ReasonerError

if TYPE_CHECKING:
    import pyarrow as pa

# Other names of S3, as Hadoop knows it.
_SAME_AS = {"s3a": "s3", "s3n": "s3"}
SERVED = ("s3", "hdfs")


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """A file or a folder on another file system than the local disk; it is joined and printed like a path.

    >>> folder = Address("s3", "bucket", "data/kb")
    >>> str(folder / "manifests" / "00000001.json"), (folder / "CURRENT").parent == folder
    ('s3://bucket/data/kb/manifests/00000001.json', True)
    """

    scheme: str
    host: str
    path: str

    def __truediv__(self, name: str) -> Address:
        return Address(self.scheme, self.host, f"{self.path}/{name}" if self.path else name)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}/{self.path}"

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def parent(self) -> Address:
        return Address(self.scheme, self.host, self.path.rpartition("/")[0])


# A local path stays what it is, so that the local disk costs nothing more than its own calls.
Place = Path | Address


class FileSystem(Protocol):
    """What a store asks of a file system. Files are written once; whoever reads one sees all of it or none.

    Whatever fails is an ``OSError``: ``FileNotFoundError`` for a file that is not there, any other with the remedy.
    """

    def read(self, path: Place) -> pa.Buffer:
        """Return all bytes of a file."""
        ...

    def open(self, path: Place) -> Any:
        """Return a file of Arrow, of which ranges are read as they are asked for."""
        ...

    def size(self, path: Place) -> int | None:
        """Return how many bytes a file has; None if there is no such file."""
        ...

    def write_new(self, path: Place, data: Any) -> None:
        """Write a file that nobody reads yet, in the place of any that was left there; ``sync`` must follow."""
        ...

    def sync(self, paths: Iterable[Place]) -> None:
        """Make sure that what was written is there for good."""
        ...

    def replace(self, path: Place, data: Any) -> None:
        """Put a file in the place of another one, for good: a reader sees the old one or the new one, whole."""
        ...

    def create(self, path: Place, data: Any) -> bool:
        """Write a file, whole and for good, unless there is one of this name, and return whether it was written.

        Of any number of callers at once one gets True; this is what makes a commit.
        """
        ...

    def files(self, folder: Place) -> Mapping[str, int]:
        """Return the files below a folder, at any depth, by their names relative to it, with their sizes."""
        ...

    def make_folder(self, folder: Place) -> None:
        """Make a folder, and those around it, where a file system has such things."""
        ...

    def delete(self, path: Place) -> None:
        """Remove a file; one that is not there is no error."""
        ...

    def delete_folder(self, folder: Place) -> None:
        """Remove a folder with all that is in it, if it is there."""
        ...

    def move(self, path: Place, target: Place) -> None:
        """Give a file another name; whoever looks in between sees it under one of the two or both."""
        ...


def place_of(text: str | os.PathLike[str] | Address) -> Place:
    """Return where a name or a URL leads: to a path of this machine, or to an address that can be served.

    Raise ``LoadError`` for a URL of any other scheme.

    >>> str(place_of("s3a://bucket/kb/")), place_of("file:///tmp/kb").as_posix()
    ('s3://bucket/kb', '/tmp/kb')
    """
    return address_of(text) or local_path(text)  # type: ignore[arg-type]


def address_of(text: str | os.PathLike[str] | Address) -> Address | None:
    """Return the address that a URL names; None for a path of this machine, and for a scheme that is not served."""
    if isinstance(text, Address):
        return text
    scheme = scheme_of(text)
    scheme = _SAME_AS.get(scheme or "", scheme)
    if scheme not in SERVED:
        return None
    # A path made of a URL has lost one of its slashes.
    rest = os.fspath(text).partition(":")[2]
    host, _, path = rest.lstrip("/").partition("/")
    if not host or rest.startswith("///"):
        raise StoreError(f"{text} names no {'bucket' if scheme == 's3' else 'host'}; write {scheme}://HOST/FOLDER")
    parts = path.split("/")
    if ".." in parts:
        raise StoreError(f"{text} has .. in it; name the folder without")
    return Address(scheme, host, "/".join(part for part in parts if part not in ("", ".")))


def resolved(place: Place) -> Place:
    """Return a place by the one name that it has, wherever a program runs and whatever links lead there."""
    return place.resolve() if isinstance(place, Path) else place


def file_system(place: Place) -> FileSystem:
    """Return the file system that a place is on."""
    return _disk() if isinstance(place, Path) else _remote(place.scheme, place.host)


@cache
def _disk() -> FileSystem:
    from reasoner.store.local_disk import LocalDisk

    return LocalDisk()


@cache
def _remote(scheme: str, host: str) -> FileSystem:
    if scheme == "s3":
        from reasoner.store.object_storage import ObjectStorage

        return ObjectStorage()
    from reasoner.store.hadoop import HadoopFiles

    return HadoopFiles(f"{scheme}://{host}")


class StoreError(ReasonerError):
    """A folder that cannot be read or written as a store; the message names the file and the remedy."""


class StorageError(StoreError, OSError):
    """A file system beyond this machine that does not do what it is asked for; the message names the remedy."""
