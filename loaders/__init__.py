"""Read RDF in any syntax and turn its terms into dense ids.

Files, in reading order:

- ``errors``: what reading can end in.
- ``terms``: a term is its canonical N-Triples text; writing such texts and taking them apart.
- ``arrow``: arrays of Arrow, made of buffers.
- ``grammar``: the patterns of N-Triples and of absolute IRIs, and one line read with care.
- ``block``: thousands of lines at once, vectorised; what is unusual is read line by line.
- ``texts``: the texts of the terms, packed.
- ``dictionary``: terms to ids and back.
- ``parted_dictionary``: the same of which large parts are kept elsewhere.
- ``formats``: which syntax a file is in, and what it calls its namespaces.
- ``local_path``: names and URLs of files and folders, of this machine only.
- ``sources``: files, globs, folders and standard input, plain or compressed.
- ``syntaxes``: Turtle, TriG, RDF/XML and JSON-LD, brought to blocks of N-Quads lines by a real parser.
- ``load``: one source to blocks with the errors placed, and the entry points.
- ``tables``: DataFrames, Arrow tables, CSV and Parquet as columns of texts.
- ``write``: ids to N-Triples and the other syntaxes.
"""
