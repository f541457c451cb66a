"""``reasoner info``: tell what a store on disk consists of."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from reasoner.cli.parser import Parser, store_place
from reasoner.cli.table import counted, print_table

if TYPE_CHECKING:
    from reasoner.store.file_system import Place
    from reasoner.store.manifest import Manifest


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = "Show the settings, the versions and the files of a store on disk."
    parser.epilog = (
        "examples:\n"
        "  reasoner info STORE\n"
        "  reasoner info STORE --files\n"
        "  reasoner info STORE --json | jq '.tables | map_values(length)'\n"
        "exit status: 0, or 2 for an error"
    )
    parser.add_argument("store", metavar="STORE", type=store_place, help="the folder of the store, or its URL")
    parser.add_argument("--files", action="store_true", help="list the files of the current version")
    parser.add_argument("--json", action="store_true", help="print the manifest of the current version")


def run(arguments: Namespace) -> int:
    """Read manifests, and no data."""
    from reasoner.store.file_system import place_of
    from reasoner.store.folder import read_manifest, versions

    folder = place_of(arguments.store)
    current = read_manifest(folder)
    if arguments.json:
        print(current.to_json().decode(), end="")
        return 0
    manifests = [read_manifest(folder, number) for number in versions(folder)]
    print_table(str(folder), [*_settings(current), *_sizes(folder, current)], sys.stdout)
    print_table("Versions, oldest first", [(str(each.version), _line(each)) for each in manifests], sys.stdout)
    if arguments.files:
        rows = [
            (segment.path, f"{segment.kind}, {counted(segment.rows, 'row')}, {segment.bytes:,} bytes")
            for segments in current.tables.values()
            for segment in segments
        ]
        print_table(f"Files of version {current.version}", rows, sys.stdout)
    return 0


def _settings(manifest: Manifest) -> list[tuple[str, str]]:
    rows = [(name, str(value)) for name, value in manifest.settings.items() if value is not None]
    counts = manifest.counts
    rows.append(("user rules", f"{counts.get('own rules', len(manifest.own_rules)):,}"))
    if "facts" in manifest.tables and "templates" in counts:
        rows.append(("reasoned with", _rules(counts)))
    return rows


def _rules(counts: Mapping[str, int]) -> str:
    """Tell how many rules a version was reasoned with, user rules included."""
    templates = counts["templates"]
    return f"{counted(counts['rules'], 'rule')}" + (f", {counted(templates, 'template')}" if templates else "")


def _sizes(folder: Place, manifest: Manifest) -> list[tuple[str, str]]:
    from reasoner.store.file_system import file_system

    sizes = file_system(folder).files(folder).values()
    return [
        ("current version", str(manifest.version)),
        ("terms", f"{manifest.counts.get('terms', 0):,}"),
        ("explicit facts", f"{manifest.counts.get('explicit', 0):,}"),
        ("facts over representatives", f"{manifest.counts.get('facts', 0):,}"),
        ("its files", f"{counted(len(manifest.paths), 'file')}, {manifest.size:,} bytes"),
        ("all files", f"{counted(len(sizes), 'file')}, {sum(sizes):,} bytes"),
    ]


def _line(manifest: Manifest) -> str:
    counts = manifest.counts
    return f"{manifest.created}: {counts.get('explicit', 0):,} explicit, {counts.get('facts', 0):,} facts"
