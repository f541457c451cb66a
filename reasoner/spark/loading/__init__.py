"""Files of RDF to a dictionary and a table of ids, in the executors.

A statement goes through it in four steps. A task reads a piece of the files and keeps the distinct terms of the piece;
terms meet their equals from other pieces in one of many buckets, chosen by a hash of the text, and get their ids there;
the ids go back to the pieces that the terms came from; there they replace the terms. Text is shuffled once, and once a
piece only, and between the steps thousands of terms are one binary value, which Spark moves without looking inside.

Files, in reading order:

- ``pieces``: files cut into pieces of work.
- ``parse``: a piece of work to terms and codes, in a task.
- ``dictionary``: terms to ids, bucket by bucket.
- ``load``: the entry point.
"""
