"""``reasoner vacuum``: remove old versions of a store on disk, and the files that were only theirs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from reasoner.cli.parser import Parser, store_place
from reasoner.cli.table import counted


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Remove old versions of a store on disk, and the files that only they needed or that a killed process left."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner vacuum STORE\n"
        "  reasoner vacuum STORE --keep 10\n"
        "exit status: 0, or 2 for an error, such as another process that writes to the store"
    )
    parser.add_argument("store", metavar="STORE", type=store_place, help="the folder of the store, or its URL")
    parser.add_argument(
        "--keep", metavar="N", type=int, default=1, help="how many of the last versions to keep (default: 1)"
    )


def run(arguments: Namespace) -> int:
    """Remove what is not needed, and tell."""
    from reasoner.store.file_system import place_of
    from reasoner.store.folder import WriterLock, require_store
    from reasoner.store.vacuum import vacuum

    folder = place_of(arguments.store)
    require_store(folder)
    lock = WriterLock(folder)
    try:
        removed = vacuum(folder, arguments.keep)
    finally:
        lock.release()
    versions, files = counted(removed.versions, "version"), counted(removed.files, "file")
    print(f"removed {versions} and {files} of {removed.bytes:,} bytes")
    return 0
