"""The store on disk: a folder of immutable Parquet files, of which manifests make versions.

Nothing here knows an engine; whoever has columns of ids can read and write such a folder. Read in this order:

- ``errors``: what is wrong with a folder, and what to do about it.
- ``tables``: which tables there are, their columns and their order.
- ``durable_file``: bytes that are on disk once they are written.
- ``segment``: one data file, written once, and checked whenever it is read.
- ``manifest``: what a version consists of.
- ``folder``: the current version, and how a new one takes its place.
- ``lock``: one writer at a time.
- ``content``: what the segments of a table come down to.
- ``rule_rows``: rules as rows of tables, which keep their numbers when others come and go.
- ``read_rules``: these rows, read and checked.
- ``tidy``: many small segments become few larger ones.
- ``namespaces``: what documents of a store call their namespaces.
- ``vacuum``: versions that nobody needs, and the files that were only theirs.
"""
