"""Running the command line inside the test, and small files for it to read."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from reasoner.cli import main


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run the command line with some words, each turned into text."""

    def run(*words: object) -> Outcome:
        status = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Give a text to whoever reads standard input."""

    def give(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return give


@pytest.fixture
def family(tmp_path: Path) -> Path:
    """Four facts and three axioms: a subclass, a transitive property, and two names for one person."""
    path = tmp_path / "family.ttl"
    path.write_text(
        """@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :Mother rdfs:subClassOf :Parent . :ancestor a owl:TransitiveProperty .
        :eve a :Mother ; :ancestor :seth . :seth :ancestor :enos . :eve owl:sameAs :eva .
        """
    )
    return path


@pytest.fixture
def contradiction(tmp_path: Path) -> Path:
    """Somebody who is of two disjoint classes."""
    path = tmp_path / "contradiction.ttl"
    path.write_text(
        """@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        :Cat owl:disjointWith :Dog . :tom a :Cat, :Dog .
        """
    )
    return path
