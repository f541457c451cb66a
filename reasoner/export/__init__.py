"""The closure as tables for those who do not reason: one per class and per property, in SQLite, DuckDB or Parquet.

Volz, Staab and Motik, Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005,
section 10.2: a materialisation in a relational database serves clients that cannot entail anything on their own.

Files, in reading order:

- ``export``: one export, how it is written and how it follows commits, and the catalogue of its tables.
- ``target``: what an export needs from a database, and SQLite, DuckDB and Parquet as such.
"""
