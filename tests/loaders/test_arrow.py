"""Arrow arrays are made and read without pandas."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.arrow import flag_column, mask_array, number_array, number_column, text_array, text_list

PROGRAM = """
import sys
from reasoner import Reasoner

kb = Reasoner()
kb.add([(f"<http://e.org/{n}>", "<http://e.org/p>", f'"{n}"') for n in range(100)])
kb.load(sys.argv[1])
kb.materialise()
with kb.transaction() as change:
    change.remove(("<http://e.org/5>", "<http://e.org/p>", '"5"'))
assert len(kb.query("SELECT * { ?s <http://e.org/p> ?o }")) == 100
print("pandas" in sys.modules)
"""


def test_loading_reasoning_updating_and_asking_do_not_import_pandas(tmp_path):
    pytest.importorskip("pandas")
    data = tmp_path / "data.nt"
    data.write_text('<http://e.org/é> <http://e.org/p> "\\u00e9" .\n', encoding="utf-8")
    command = [sys.executable, "-c", PROGRAM, str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False"]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5)), st.integers(0, 3))
def test_texts_go_there_and_back(texts, start):
    array = text_array(texts)

    assert array.equals(pa.array(texts, pa.string()))
    assert text_list(array.slice(start)) == texts[start:]


@given(st.lists(st.booleans(), max_size=40), st.integers(0, 20))
def test_masks_go_there_and_back(flags, start):
    array = mask_array(np.array(flags, dtype=np.bool_))

    assert array.to_pylist() == flags
    assert flag_column(array.slice(start)).tolist() == flags[start:]


@given(st.lists(st.integers(-(2**31), 2**31 - 1)), st.sampled_from([np.int32, np.int64]), st.integers(0, 3))
def test_numbers_go_there_and_back(numbers, dtype, start):
    array = number_array(np.array(numbers, dtype=dtype))

    assert array.to_pylist() == numbers
    assert number_column(array.slice(start)).tolist() == numbers[start:]
    assert number_column(pa.chunked_array([array, array])).tolist() == numbers * 2


def test_every_second_number_is_not_taken_for_its_neighbour():
    assert number_array(np.arange(10)[::2]).to_pylist() == [0, 2, 4, 6, 8]


def test_half_of_a_surrogate_pair_is_refused():
    with pytest.raises(UnicodeEncodeError):
        text_array(["a", "\ud800"])
