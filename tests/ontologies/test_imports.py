"""owl:imports, followed by catalogs and by names, in folders of this machine only."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaders.errors import LoadError, ParseError
from ontologies.imports import read_catalog, read_imports
from reasoner import Reasoner

OWL = "http://www.w3.org/2002/07/owl#"
CATALOG = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<catalog prefer="public" xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">{}</catalog>"""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def ontology(name: str, *imports: str, version: str | None = None) -> str:
    """Write a Turtle document with a class of its own."""
    header = [f"<{name}> a <{OWL}Ontology>"]
    header += [f"<{OWL}imports> <{one}>" for one in imports]
    header += [f"<{OWL}versionIRI> <{version}>"] if version else []
    return f"{' ; '.join(header)} .\n<{name}#C> a <{OWL}Class> .\n"


def followed(folder: Path, main: Path) -> tuple[list[str], tuple[str, ...], Reasoner]:
    kb = Reasoner(profile="none")
    report = kb.load_ontology(main, imports=[folder])
    return [path.name for path in report.followed], report.missing, kb


def test_a_catalog_beside_the_ontology_leads_on_and_paths_are_relative_to_it(tmp_path):
    write(
        tmp_path / "a" / "catalog-v001.xml",
        CATALOG.format(
            '<group id="Folder Repository, directory=, recursive=true" prefer="public" xml:base="">'
            '<uri id="x" name="http://e.org/units" uri="../b/my%20units.ttl"/></group>'
        ),
    )
    main = write(tmp_path / "a" / "main.ttl", ontology("http://e.org/main", "http://e.org/units"))
    write(tmp_path / "b" / "my units.ttl", ontology("http://e.org/something-else"))
    (tmp_path / "empty").mkdir()

    names, missing, kb = followed(tmp_path / "empty", main)

    assert (names, missing) == (["my units.ttl"], ())
    assert "<http://e.org/something-else#C>" in {s for s, _, _ in kb.triples()}


def test_imports_are_followed_by_ontology_iri_and_by_version_iri_in_any_syntax(tmp_path):
    main = write(tmp_path / "main.ttl", ontology("http://e.org/main", "http://e.org/a", "http://e.org/b/1.2"))
    write(tmp_path / "lib" / "one.ofn", "Ontology(<http://e.org/a> Declaration(Class(<http://e.org/a#C>)))")
    write(tmp_path / "lib" / "two.ttl", ontology("http://e.org/b", version="http://e.org/b/1.2"))
    write(tmp_path / "lib" / "broken.ttl", "this is no Turtle")
    write(tmp_path / "lib" / "README.md", "# Ontologies")

    names, missing, kb = followed(tmp_path / "lib", main)

    assert (sorted(names), missing) == (["one.ofn", "two.ttl"], ())
    assert {"<http://e.org/a#C>", "<http://e.org/b#C>"} <= {s for s, _, _ in kb.triples()}


def test_cycles_end_and_a_document_with_two_names_is_read_once(tmp_path):
    main = write(tmp_path / "main.ttl", ontology("http://e.org/main", "http://e.org/a"))
    write(tmp_path / "a.ttl", ontology("http://e.org/a", "http://e.org/b", "http://e.org/alias", "http://e.org/main"))
    write(tmp_path / "b.ttl", ontology("http://e.org/b", "http://e.org/a", "http://e.org/gone"))
    write(tmp_path / "catalog-v001.xml", CATALOG.format('<uri name="http://e.org/alias" uri="a.ttl"/>'))

    names, missing, _ = followed(tmp_path, main)

    assert names == ["a.ttl", "b.ttl"]
    assert missing == ("<http://e.org/gone>",)


def test_a_relative_import_is_a_file_beside(tmp_path):
    main = write(tmp_path / "main.ttl", f"<http://e.org/m> a <{OWL}Ontology> ; <{OWL}imports> <other.ttl> .")
    write(tmp_path / "other.ttl", ontology("http://e.org/other"))

    assert followed(tmp_path, main)[:2] == (["other.ttl"], ())


def test_without_folders_nothing_is_followed_and_all_is_told(tmp_path):
    main = write(tmp_path / "main.ttl", ontology("http://e.org/main", "http://e.org/a"))
    write(tmp_path / "a.ttl", ontology("http://e.org/a"))
    kb = Reasoner(profile="none")

    report = kb.load_ontology(main)

    assert (report.followed, report.missing) == ((), ("<http://e.org/a>",))
    kb.load_ontology(tmp_path / "a.ttl")
    assert kb.follow_imports(()).missing == ()


def test_nothing_is_added_if_an_imported_document_is_malformed(tmp_path):
    main = write(tmp_path / "main.ttl", ontology("http://e.org/main", "http://e.org/a"))
    write(tmp_path / "catalog-v001.xml", CATALOG.format('<uri name="http://e.org/a" uri="a.ttl"/>'))
    write(tmp_path / "a.ttl", "<http://e.org/a> a b c .")
    kb = Reasoner(profile="none")

    with pytest.raises(ParseError, match=r"a\.ttl:1"):
        kb.load_ontology(main, imports=[tmp_path])
    assert list(kb.triples()) == []


def test_catalogs_name_others_rewrite_beginnings_and_never_lead_to_the_network(tmp_path):
    write(tmp_path / "deep" / "x.ttl", ontology("http://e.org/x"))
    write(
        tmp_path / "catalog-v001.xml",
        CATALOG.format(
            '<uri name="http://e.org/net" uri="http://e.org/net.owl"/><uri name="http://e.org/gone" uri="gone.ttl"/>'
            '<group xml:base="deep/"><rewriteURI uriStartString="http://e.org/r/" rewritePrefix="./"/></group>'
            '<nextCatalog catalog="deep/more.xml"/><nextCatalog catalog="absent.xml"/>'
        ),
    )
    write(
        tmp_path / "deep" / "more.xml",
        CATALOG.format('<uri name="http://e.org/x" uri="x.ttl"/><nextCatalog catalog="../catalog-v001.xml"/>'),
    )
    catalog = read_catalog(tmp_path / "catalog-v001.xml")

    assert catalog.find("http://e.org/x") == catalog.find("http://e.org/r/x.ttl") == tmp_path / "deep" / "x.ttl"
    assert catalog.find("http://e.org/net") is catalog.find("http://e.org/gone") is catalog.find("urn:no") is None


def test_a_catalog_or_a_folder_that_is_none_is_named(tmp_path):
    write(tmp_path / "catalog-v001.xml", "<catalog")

    with pytest.raises(LoadError, match=r"catalog-v001\.xml is no catalog that can be read"):
        read_imports(["<http://e.org/a>"], [tmp_path])
    with pytest.raises(LoadError, match=r"absent is none; name the folder"):
        read_imports(["<http://e.org/a>"], [tmp_path / "absent"])
