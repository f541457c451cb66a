"""Imports, folders with other files in them, and files that are no RDF, on the command line."""

OWL = "http://www.w3.org/2002/07/owl#"
HEADER = f"<http://e.org/main> a <{OWL}Ontology> ; <{OWL}imports> <http://e.org/part>, <http://e.org/gone> .\n"


def library(folder):
    folder.mkdir()
    (folder / "part.ttl").write_text(
        f"<http://e.org/part> a <{OWL}Ontology> . <http://e.org/p> a <{OWL}SymmetricProperty> .\n"
    )
    return folder


def test_imports_of_data_and_of_ontologies_are_followed_on_request(run, tmp_path):
    data = tmp_path / "data.ttl"
    data.write_text(HEADER + "<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n")
    folder = library(tmp_path / "library")
    conclusion = "<http://e.org/b> <http://e.org/p> <http://e.org/a> ."

    plain, followed = run("materialise", data), run("materialise", data, "--imports", folder)

    assert conclusion not in plain.out and conclusion in followed.out
    assert "not followed: 2 imports, such as <http://e.org/gone>; name a folder" in plain.err
    assert "imported: 1 document" in followed.err
    assert followed.err.count("missing: the import of") == 1 and "<http://e.org/part>" not in followed.err
    assert "put the document there" in followed.err
    assert conclusion in run("materialise", "-O", data, "--imports", folder).out


def test_a_store_keeps_what_was_imported_and_quiet_is_quiet(run, tmp_path):
    main = tmp_path / "main.ttl"
    main.write_text(HEADER)
    loaded = run("load", tmp_path / "store", main, "--imports", library(tmp_path / "library"), "-q")

    assert (loaded.status, loaded.err) == (0, "")
    assert "SymmetricProperty" in run("dump", tmp_path / "store", "-q").out


def test_a_folder_without_imports_is_named(run, family, tmp_path):
    assert "absent is none" in run("check", family, "--imports", tmp_path / "absent").err


def test_a_folder_of_data_may_hold_other_files(run, tmp_path):
    folder = library(tmp_path / "data")
    (folder / "README.md").write_text("# Data")
    (folder / "catalog-v001.xml").write_text('<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"/>')
    (folder / "package.json").write_text('{"name": "data"}')
    (folder / "more.json").write_text('{"@id": "http://e.org/x", "http://e.org/p": 1}')
    (folder / "deep").mkdir()
    (folder / "deep" / "a.xml").write_text(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="http://e.org/y">'
        "<rdf:value>1</rdf:value></rdf:Description></rdf:RDF>"
    )

    done = run("materialise", folder, "--profile", "none")

    assert (done.status, len(done.lines)) == (0, 4)
    assert "skipped, not RDF: 3 files (README.md, catalog-v001.xml, package.json)" in done.err
    assert run("materialise", folder, "--profile", "none", "-q").err == ""


def test_an_obo_file_is_refused_with_the_command_that_converts_it(run, tmp_path):
    path = tmp_path / "go.obo"
    path.write_text("format-version: 1.2\nontology: go\n\n[Term]\nid: GO:0000001\n")
    unnamed = tmp_path / "go.txt"
    unnamed.write_text(path.read_text())

    for words in (("check", path), ("check", "-O", path), ("profile", path), ("check", unnamed)):
        done = run(*words)
        assert done.status == 2
        assert "is in OBO format" in done.err and "robot convert --input" in done.err
