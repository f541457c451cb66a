"""Data sets for benchmarks, generated once and kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DataFiles:
    """The facts and the ontology of a data set, as N-Triples files."""

    facts: Path
    ontology: Path

    def arguments(self) -> dict[str, str]:
        """Return the paths as arguments of a measured system."""
        return {"facts": str(self.facts), "ontology": str(self.ontology)}


class DataFolder:
    """A folder of generated data sets; what is there already is not generated again.

    A file name tells the generator and its parameters, so that a change of either makes a new file.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, name: str, **parameters: int | str) -> DataFiles:
        """Return the files of a data set of ``datasets``, after generating them if they are missing."""
        from datasets import write

        stem = "-".join([name, *(f"{key}-{value}" for key, value in sorted(parameters.items()))])
        files = DataFiles(self.folder / f"{stem}.nt", self.folder / f"{stem}-ontology.nt")
        if not (files.facts.exists() and files.ontology.exists()):
            self.folder.mkdir(parents=True, exist_ok=True)
            write(name, files.facts, ontology=files.ontology, seed=0, **parameters)
        return files

    def first_lines(self, source: Path, count: int) -> Path:
        """Return a file of the first lines of another."""
        target = source.with_name(f"{source.stem}-first-{count}.nt")
        if not target.exists():
            with source.open(encoding="utf-8") as lines:
                text = "".join(line for _, line in zip(range(count), lines, strict=False))
            target.write_text(text, encoding="utf-8")
        return target


def under_name(path: Path, suffix: str) -> Path:
    """Return a link to a file under another suffix, for readers that go by it."""
    link = path.with_suffix(suffix)
    if not link.is_symlink():
        link.symlink_to(path.name)
    return link
