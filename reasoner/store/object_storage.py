"""S3, and what speaks its protocol: objects that are written whole, and created by one writer only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from reasoner.store.file_system import StorageError

if TYPE_CHECKING:
    from reasoner.store.file_system import Place

# What is read at once of a file that is read in ranges.
_BLOCK = 1 << 20
_REMEDY = (
    "see that AWS_ENDPOINT_URL, AWS_REGION and the credentials of the environment or of ~/.aws are those of the "
    "bucket, and that the bucket is there"
)


class ObjectStorage:
    """The objects of buckets; see ``FileSystem``.

    An object is there for good, and for every reader, once a request to write it has been answered. Which server is
    asked, and as whom, is said as for every client of AWS, by the environment or by ~/.aws.
    """

    def read(self, path: Place) -> pa.Buffer:
        """Return all bytes of an object."""
        with _translated(path, reads=True):
            return pa.py_buffer(self._client.cat_file(_key(path)))

    def open(self, path: Place) -> Any:
        """Return a file of Arrow, of which ranges are read as they are asked for."""
        with _translated(path, reads=True):
            return pa.PythonFile(self._client.open(_key(path), "rb", block_size=_BLOCK), mode="r")

    def size(self, path: Place) -> int | None:
        """Return how many bytes an object has; None if there is none."""
        with _translated(path, reads=True):
            try:
                found = self._client.info(_key(path))
            except FileNotFoundError:
                return None
            return int(found["size"]) if found["type"] == "file" else None

    def write_new(self, path: Place, data: Any) -> None:
        """Write an object."""
        with _translated(path):
            self._client.pipe_file(_key(path), bytes(data))

    def sync(self, paths: Iterable[Place]) -> None:
        """Do nothing: what was written is there for good."""

    def replace(self, path: Place, data: Any) -> None:
        """Write an object in the place of another one."""
        self.write_new(path, data)

    def create(self, path: Place, data: Any) -> bool:
        """Write an object unless there is one, which the server decides (``If-None-Match: *``)."""
        with _translated(path):
            try:
                self._client.pipe_file(_key(path), bytes(data), mode="create")
            except FileExistsError:
                return False
            except OSError as error:
                # The server has answered 412, or 409 because of another writer at the same moment.
                if not isinstance(error, FileNotFoundError | PermissionError) and self.size(path) is not None:
                    return False
                raise
        return True

    def files(self, folder: Place) -> Mapping[str, int]:
        """Return the objects whose names begin with that of a folder, with their sizes."""
        key = _key(folder)
        with _translated(folder):
            found = self._client.find(key, detail=True)
        return {name.removeprefix(f"{key}/"): int(each["size"]) for name, each in found.items() if name != key}

    def make_folder(self, folder: Place) -> None:
        """Do nothing: names of objects need no folders."""

    def delete(self, path: Place) -> None:
        """Remove an object; one that is not there is no error."""
        with _translated(path):
            self._client.call_s3("delete_object", **_bucket_and_key(path))

    def delete_folder(self, folder: Place) -> None:
        """Remove all objects whose names begin with that of a folder."""
        with _translated(folder):
            if self._client.find(_key(folder)):
                self._client.rm(_key(folder), recursive=True)

    def move(self, path: Place, target: Place) -> None:
        """Copy an object on the server, and remove it under its former name."""
        with _translated(path):
            self._client.cp_file(_key(path), _key(target))
        self.delete(path)

    @cached_property
    def _client(self) -> Any:
        try:
            from s3fs import S3FileSystem
        except ImportError:
            raise StorageError(
                "stores on S3 need s3fs, which is not installed; "
                "pip install '.[s3]' (in a checkout of reasoner-rdf) brings it"
            ) from None
        # Others write as well: what was listed once says nothing about now.
        return S3FileSystem(use_listings_cache=False, skip_instance_cache=True, default_cache_type="readahead")


@contextmanager
def _translated(path: Place, *, reads: bool = False) -> Iterator[None]:
    """Raise errors of the client as ``StorageError`` with the remedy; who reads a file may also find it missing."""
    try:
        yield
    except StorageError:
        raise
    except Exception as error:
        if reads and isinstance(error, FileNotFoundError):
            raise
        if not isinstance(error, OSError) and type(error).__module__.partition(".")[0] not in _CLIENTS:
            raise
        raise StorageError(f"{path}: {error or type(error).__name__}; {_REMEDY}") from error


_CLIENTS = {"botocore", "aiobotocore", "aiohttp", "s3fs", "fsspec"}


def _key(path: Place) -> str:
    return str(path).removeprefix("s3://").rstrip("/")


def _bucket_and_key(path: Place) -> dict[str, str]:
    bucket, _, key = _key(path).partition("/")
    return {"Bucket": bucket, "Key": key}
