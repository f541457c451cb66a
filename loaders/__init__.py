"""Read RDF in any syntax and turn its terms into dense ids.

Files, in reading order:

- ``errors``: what reading can end in.
- ``limits``: how much a document may ask of its reader.
- ``terms``: a term is its canonical N-Triples text; writing such texts and taking them apart.
- ``arrow``: arrays of Arrow, made of buffers.
- ``grammar``: the patterns of N-Triples and of absolute IRIs.
- ``line``: one line of N-Triples or N-Quads, read with care and with exact columns.
- ``block``: thousands of lines at once, vectorised; what is unusual goes to ``line``.
- ``texts``: the texts of the terms, packed.
- ``dictionary``: terms to ids and back.
- ``ready_dictionary``: the same over texts that have their ids already, indexed when that is first needed.
- ``frozen_dictionary``: the same as it was at one moment, for readers that do not wait.
- ``parted_dictionary``: the same of which large parts are kept elsewhere.
- ``text_hash``: a hash of texts that is the same in every process.
- ``formats``: which syntax a file is in.
- ``local_path``: names and URLs of files and folders, of this machine only.
- ``prefixes``: what a document calls its namespaces.
- ``sources``: files, globs, folders and standard input, plain or compressed.
- ``xml``: RDF/XML made safe for a parser that overlooks where a document is cut off and expands any entity.
- ``json``: JSON-LD made safe for a parser that follows any nesting.
- ``syntaxes``: Turtle, TriG, RDF/XML and JSON-LD, brought to blocks of N-Quads lines by a real parser.
- ``blanks``: the blank nodes of different files kept apart.
- ``progress``: telling how far a load has come.
- ``reader``: one source to blocks, in order, with the errors placed.
- ``load``: the entry points.
- ``tables``: DataFrames, Arrow tables, CSV and Parquet as columns of texts.
- ``template``: rows of these as triples.
- ``write``: ids to N-Triples and the other syntaxes.
"""
