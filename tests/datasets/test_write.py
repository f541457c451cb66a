"""Writing data sets: formats, places, errors, and that each line is canonical N-Triples."""

from __future__ import annotations

import doctest
import gzip
import importlib.util
import inspect
import io
import pkgutil
import sys
from importlib import import_module
from pathlib import Path

import pyoxigraph
import pytest
import zstandard

import datasets
from datasets import GENERATORS, DatasetError, write

SMALL = {
    "lubm": {"departments": 1},
    "university-identities": {"departments": 1},
    "subclass-axioms": {"instances": 100},
    "chain": {"length": 10},
    "dag": {"nodes": 10, "edges": 20},
    "cliques": {"count": 2, "size": 5},
    "equality-classes": {"classes": 2, "members": 5},
}


@pytest.mark.parametrize("name", GENERATORS)
def test_every_line_is_canonical_n_triples(name, tmp_path):
    written = write(name, tmp_path / "data.nt", **SMALL.get(name, {}))

    for path, count in ((tmp_path / "data.nt", written.triples), (written.ontology_path, written.ontology_triples)):
        content = path.read_bytes()
        parsed = list(pyoxigraph.parse(content, format=pyoxigraph.RdfFormat.N_TRIPLES))
        assert len(parsed) == content.count(b"\n") == count > 0
        assert [f"{quad.triple} ." for quad in parsed] == content.decode().splitlines()


@pytest.mark.parametrize("name", GENERATORS)
def test_the_registry_knows_the_parameters_of_each_function(name):
    generator = GENERATORS[name]
    signature = inspect.signature(generator.function).parameters

    assert {parameter.name: parameter.default for parameter in generator.parameters} == {
        parameter.name: parameter.default for parameter in signature.values() if parameter.name != "seed"
    }
    assert generator.seeded == ("seed" in signature)
    assert generator.name == name
    assert generator.description and all(parameter.help for parameter in generator.parameters)
    assert all(not parameter.choices or parameter.default in parameter.choices for parameter in generator.parameters)


def test_the_extension_chooses_the_compression(tmp_path):
    for suffix in (".nt", ".nt.gz", ".nt.zst"):
        write("bach", tmp_path / f"data{suffix}")
    plain = (tmp_path / "data.nt").read_bytes()

    assert plain.count(b"\n") == 18
    assert gzip.decompress((tmp_path / "data.nt.gz").read_bytes()) == plain
    with zstandard.ZstdDecompressor().stream_reader((tmp_path / "data.nt.zst").read_bytes()) as stream:
        assert stream.read() == plain


@pytest.mark.parametrize("suffix", [".nt", ".nt.gz", ".nt.zst"])
def test_the_same_arguments_give_the_same_bytes(tmp_path, suffix):
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    for path in (one, other):
        write("dag", path, nodes=50, edges=100, seed=9)

    assert one.read_bytes() == other.read_bytes()


def test_the_ontology_goes_beside_the_facts(tmp_path):
    written = write("bach", tmp_path / "family.nt.gz")

    assert written.ontology_path == tmp_path / "family-ontology.nt.gz"
    assert gzip.decompress(written.ontology_path.read_bytes()).count(b"\n") == written.ontology_triples == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["family-ontology.nt.gz", "family.nt.gz"]


def test_the_ontology_goes_where_it_is_told_to(tmp_path):
    written = write("bach", str(tmp_path / "family.nt"), ontology=str(tmp_path / "axioms.nt"))

    assert written.ontology_path == tmp_path / "axioms.nt"
    assert (tmp_path / "axioms.nt").read_bytes().count(b"\n") == 4


def test_one_path_for_both_gives_one_file(tmp_path):
    path = tmp_path / "family.nt"

    written = write("bach", path, ontology=path)

    assert (written.triples, written.ontology_triples, written.ontology_path) == (18, 4, path)
    assert path.read_bytes().count(b"\n") == 22
    assert list(tmp_path.iterdir()) == [path]


def test_a_stream_gets_the_ontology_and_the_facts_unless_told_otherwise(tmp_path):
    both, facts = io.BytesIO(), io.BytesIO()

    assert write("bach", both).ontology_path is None
    assert write("bach", facts, ontology=tmp_path / "axioms.nt").triples == 18
    assert both.getvalue() == (tmp_path / "axioms.nt").read_bytes() + facts.getvalue()


def test_a_failure_leaves_no_file_behind(tmp_path, monkeypatch):
    def fails():
        yield "<a:s> <a:p> <a:o> .\n"
        raise RuntimeError("stopped in the middle")

    broken = datasets.Generator("broken", "fails", lambda: datasets.Dataset("", fails), seeded=False)
    monkeypatch.setattr(sys.modules["datasets.registry"], "GENERATORS", {"broken": broken})

    with pytest.raises(RuntimeError, match="stopped in the middle"):
        write("broken", tmp_path / "data.nt.gz")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "file", "parameters", "message"),
    [
        ("lubbm", "data.nt", {}, "there is no data set 'lubbm'; choose from lubm, university-identities"),
        ("lubm", "data.ttl", {}, r"must end in one of \.nt, \.nt\.gz, \.nt\.zst"),
        ("dag", "data.nt", {"size": 3}, "dag has no parameter size; it has nodes, edges"),
        ("bach", "data.nt", {"size": 3}, "bach has no parameter size; it has none"),
    ],
)
def test_what_cannot_be_written_is_refused_with_the_remedy(tmp_path, name, file, parameters, message):
    with pytest.raises(DatasetError, match=message):
        write(name, tmp_path / file, **parameters)

    assert list(tmp_path.iterdir()) == []


def test_parameters_are_read_from_text():
    count, _, shape = GENERATORS["cliques"].parameters

    assert count.parse("7") == 7
    assert shape.parse("star") == "star"
    with pytest.raises(DatasetError, match="count must be a whole number, not 'many'"):
        count.parse("many")
    with pytest.raises(DatasetError, match="shape must be one of ring, star, complete, not 'square'"):
        shape.parse("square")


def test_the_folder_can_be_loaded_by_path_under_another_name(monkeypatch):
    """Another project owns the name, so nothing in the folder may import it."""
    folder = Path(datasets.__file__).parent
    hidden = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "datasets"}
    for name in hidden:
        monkeypatch.setitem(sys.modules, name, None)
    spec = importlib.util.spec_from_file_location(
        "reasoner_datasets", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    module = importlib.util.module_from_spec(spec)
    try:
        sys.modules["reasoner_datasets"] = module
        spec.loader.exec_module(module)
        stream = io.BytesIO()
        assert module.write("bach", stream).triples == 18
        assert module.GENERATORS.keys() == GENERATORS.keys()
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "reasoner_datasets"]:
            del sys.modules[name]


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(datasets.__path__)])
def test_the_examples_in_the_docstrings_hold(name):
    assert doctest.testmod(import_module(f"datasets.{name}")).failed == 0
