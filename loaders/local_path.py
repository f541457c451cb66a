"""Where an argument leads that names a file or a folder: to a place on this machine, or to one that is refused."""

from __future__ import annotations

import os
import re
from pathlib import Path

from loaders.errors import LoadError

# Two letters or more: one letter is the drive of a path.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")


def local_path(place: str | os.PathLike[str]) -> Path:
    """Return the path that an argument names, which is a name of this machine or a URL of the scheme ``file``.

    Raise ``LoadError`` for an address of any other scheme, and for a file of another machine.

    >>> local_path("data/a:b.nt").as_posix(), local_path("file:///tmp/a%20b.nt").as_posix()
    ('data/a:b.nt', '/tmp/a b.nt')
    """
    return Path(local_name(place))


def local_name(place: str | os.PathLike[str]) -> str:
    """Return what ``local_path`` returns as a text; a name stays as it is, with a slash at its end if it has one.

    >>> local_name("out/"), local_name("file:/out/")
    ('out/', '/out/')
    >>> local_name("hdfs://host/store")
    Traceback (most recent call last):
        ...
    loaders.errors.LoadError: hdfs://host/store has the scheme hdfs, and only local paths and file:// URLs can be used \
here; copy it to this machine, or mount its file system and name the path
    """
    text = os.fspath(place)
    scheme = scheme_of(place)
    if scheme is None:
        return text
    if scheme != "file":
        raise LoadError(
            f"{text} has the scheme {scheme}, and only local paths and file:// URLs can be used here; copy it to this "
            "machine, or mount its file system and name the path"
        )
    return _path_of_url(text)


def scheme_of(place: str | os.PathLike[str]) -> str | None:
    """Return the scheme of an address in small letters; None if the argument is a name of this machine.

    A name with a colon is one if it has no slash behind the colon, or if there is such a file.

    >>> scheme_of("s3a://bucket/data.nt"), scheme_of("FILE:/data.nt"), scheme_of("a:b.nt"), scheme_of("c:/data.nt")
    ('s3a', 'file', None, None)
    """
    text = os.fspath(place)
    found = _SCHEME.match(text)
    if found is None:
        return None
    scheme, rest = found[1].lower(), text[found.end() :]
    # A path made of an address has lost one of its slashes.
    is_address = rest.startswith("//") or (rest.startswith("/") and not os.path.lexists(text))
    return scheme if is_address else None


def _path_of_url(url: str) -> str:
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise LoadError(f"{url} is no address of a file: {error}; name the file by its path") from None
    if parts.netloc not in ("", "localhost"):
        raise LoadError(f"{url} names a file of the machine {parts.netloc}; copy it to this one, and name the copy")
    if parts.query or parts.fragment:
        raise LoadError(f"{url} has a query or a fragment; write ? as %3F and # as %23 if they are part of the name")
    path = url2pathname(parts.path)
    if "\0" in path:
        raise LoadError(f"{url} has a zero byte in its path; name a file")
    return path
