"""The JSON API under ``/api/``: what the workbench shows, for every program that asks.

Files, in reading order:

- ``parameters``: what a request asks for, checked.
- ``overview``: what a store holds, and its vocabulary.
- ``find``: terms by a part of their name or label.
- ``resource``: everything about one term.
- ``why``: proofs, and what would go with a fact.
- ``query_plan``: what a query did, operator by operator.
- ``ontology``: the hierarchy, and what lies outside the profile.
- ``evolve``: scripts rehearsed, applied and taken back.
- ``commits``: the last commits, and the stream of them.
- ``dispatch``: the table of all of them.
"""
