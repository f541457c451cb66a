"""Writing N-Triples: what is written is read back, and a path changes all at once."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.dictionary import Dictionary
from loaders.load import parse_text, read_triples
from loaders.terms import literal_text
from loaders.write import write_ntriples

SUBJECT, PREDICATE = "<http://a/s>", "<http://a/p>"


def encoded(objects: list[str]) -> tuple[Dictionary, list[np.ndarray]]:
    dictionary = Dictionary()
    columns = [[SUBJECT] * len(objects), [PREDICATE] * len(objects), objects]
    return dictionary, [dictionary.encode(column) for column in columns]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=6))
def test_what_is_written_is_read_back(texts):
    objects = [literal_text(text) for text in texts]
    dictionary, columns = encoded(objects)
    stream = io.BytesIO()

    assert write_ntriples(stream, dictionary, *columns) == len(texts)
    assert parse_text(stream.getvalue(), "ntriples") == [(SUBJECT, PREDICATE, term) for term in objects]


@pytest.mark.parametrize(
    ("extension", "magic"), [("", b"<h"), (".gz", b"\x1f\x8b"), (".bz2", b"BZ"), (".zst", b"\x28\xb5")]
)
def test_paths_are_compressed_as_their_extension_says(tmp_path, extension, magic):
    objects = [f'"{number}"' for number in range(70_000)]
    dictionary, columns = encoded(objects)
    path = tmp_path / f"out.nt{extension}"

    assert write_ntriples(path, dictionary, *columns) == 70_000
    assert path.read_bytes().startswith(magic)
    assert [o for _, _, o in read_triples(path)] == objects
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.nt"
    path.write_text("old")
    path.chmod(0o640)
    dictionary, columns = encoded(['"x"'])

    with pytest.raises(IndexError):
        write_ntriples(path, dictionary, columns[0], columns[1], np.array([99]))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]

    write_ntriples(str(path), dictionary, *columns)
    assert path.read_text() == f'{SUBJECT} {PREDICATE} "x" .\n'
    assert path.stat().st_mode & 0o777 == 0o640
