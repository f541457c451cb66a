"""One writer at a time: a lock file that names the process that writes."""

from __future__ import annotations

import os
import socket
import weakref
from pathlib import Path

from reasoner.store.errors import StoreError

LOCK = "LOCK"


class WriterLock:
    """Holds a store for writing, until it is released or its process ends, however that happens.

    The operating system holds the lock, on the file ``LOCK``; what is written in it only tells whom to ask. So a file
    that a killed process has left behind is no obstacle.
    """

    def __init__(self, folder: Path) -> None:
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
        self._release = weakref.finalize(self, _release, handle)

    def release(self) -> None:
        """Let others write; again is no error."""
        self._release()


def _release(handle: int) -> None:
    os.ftruncate(handle, 0)
    os.close(handle)
