"""The closure as tables for those who do not reason: one per class and per property, in SQLite, DuckDB or Parquet.

Volz, Staab and Motik, Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005,
section 10.2: a materialisation in a relational database serves clients that cannot entail anything on their own.

Files, in reading order:

- ``exporting``: what a reasoner does to be exported.
- ``export``: one export, how it is written and how it follows commits.
- ``catalogue``: which table holds what.
- ``names``: names of tables that people can read and that never clash.
- ``column_type``: literals as numbers, dates and truth values.
- ``target``: what an export needs from a database, and which there are.
- ``sqlite_target``, ``duckdb_target``, ``parquet_target``: these.
"""
