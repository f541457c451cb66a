"""Documents on other file systems: fetched before they are read, and sent once they are written whole."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from loaders.errors import LoadError
from loaders.formats import promises_rdf
from loaders.sources import Source
from reasoner.store.file_system import Address, address_of, file_system

if TYPE_CHECKING:
    from collections.abc import Mapping

# What is fetched at once.
_PIECE = 1 << 24
_MAGIC = "*?["


@contextmanager
def fetched(sources: Iterable[object]) -> Iterator[list[Any]]:
    """Yield sources with copies on this machine in the place of URLs, which are there as long as they are read.

    A URL names a file, a folder, or files by a pattern, as a path does; a copy is called by its URL in errors, and
    relative IRIs in it are resolved against that.
    """
    listed = list(sources)
    if not any(_address(source) for source in listed):
        yield listed
        return
    with TemporaryDirectory(prefix="reasoner-") as folder:
        found: list[Any] = []
        for source in listed:
            address = _address(source)
            if address is None:
                found.append(source)
                continue
            for each in _documents(address):
                copy = Path(folder, str(len(found)), each.name)
                _fetch(each, copy)
                found.append(Source(str(each), copy, address=str(each)))
        yield found


@contextmanager
def sent(target: Any) -> Iterator[Any]:
    """Yield where to write: a target as it is, or for a URL a file of this machine, which is sent there at the end.

    A URL that ends with a slash is a folder of parts, which Spark writes by itself.
    """
    address = _address(target)
    if address is None or os.fspath(target).endswith("/"):
        yield target
        return
    with TemporaryDirectory(prefix="reasoner-") as folder:
        written = Path(folder, address.name)
        yield written
        files = file_system(address)
        files.make_folder(address.parent)
        files.replace(address, memoryview(written.read_bytes()))


def _address(source: object) -> Address | None:
    return address_of(source) if isinstance(source, (str, os.PathLike)) and source != "-" else None


def _documents(address: Address) -> list[Address]:
    """Return the files that a URL stands for, in the order of their names."""
    files = file_system(address)
    if files.size(address) is not None:
        return [address]
    if any(sign in address.path for sign in _MAGIC):
        folder = address
        while any(sign in folder.path for sign in _MAGIC):
            folder = folder.parent
        found = [name for name in files.files(folder) if _matches(folder / name, address)]
    else:
        folder = address
        listed: Mapping[str, int] = files.files(folder)
        found = [name for name in listed if promises_rdf(Path(name).name, b"") and not _is_hidden(name)]
    if not found:
        raise LoadError(f"{address} is no file, and no file of RDF is there; name a file, a folder or a pattern")
    return [folder / name for name in sorted(found)]


def _matches(file: Address, pattern: Address) -> bool:
    """Tell whether a file has a name as a pattern says, part by part."""
    parts, wanted = file.path.split("/"), pattern.path.split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in name.split("/"))


def _fetch(address: Address, copy: Path) -> None:
    copy.parent.mkdir(parents=True)
    with file_system(address).open(address) as file, copy.open("wb") as stream:
        while piece := file.read(_PIECE):
            stream.write(piece)
