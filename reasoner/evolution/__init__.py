"""Evolution scripts at work on a store: applied step by step, rehearsed, reported, recorded and taken back.

Files, in reading order:

- ``evolving``: a script read, rehearsed on a fork, carried out step by step, measured, and taken back.
- ``apply_change``: a store as scripts see it, and one change as one transaction, in the graphs that it belongs to.
- ``report``: what an evolution did, step by step: as values, text, HTML and a drawing.
- ``journal``: every applied step with its exact inverse, on disk or in memory.
"""
