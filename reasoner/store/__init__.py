"""The store: a folder of immutable Parquet files, of which manifests make versions.

Nothing here knows an engine; whoever has columns of ids can read and write such a folder. Read in this order:

- ``file_system``: the one interface to file systems, and what can be wrong with a folder.
- ``local_disk``: bytes that are on disk once they are written.
- ``object_storage``: S3 and what speaks its protocol, and HDFS by a Java process of its own.
- ``hadoop``: HDFS, by Hadoop's own client in a Java process.
- ``segment``: one data file, written once, and checked whenever it is read.
- ``manifest``: what a version consists of, and what its segments come down to.
- ``folder``: the current version, how a new one takes its place, one writer at a time, and prefixes.
- ``rule_rows``: rules as rows of tables, which keep their numbers when others come and go.
- ``vacuum``: versions that nobody needs, and the files that were only theirs.
"""
