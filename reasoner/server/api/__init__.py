"""The JSON API under ``/api/``: what the workbench shows, for every program that asks.

Files, in reading order:

- ``parameters``: what a request asks for, checked.
- ``overview``: what a store holds, its vocabulary and its hierarchy.
- ``resource``: terms by a part of their name, and everything about one term.
- ``why``: proofs, what would go with a fact, and what a query did.
- ``evolve``: scripts rehearsed, applied and taken back, and the last commits.
- ``dispatch``: the table of all of them.
"""
