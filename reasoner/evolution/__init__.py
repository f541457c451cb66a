"""Evolution scripts at work on a store: applied step by step, rehearsed, reported, recorded and taken back.

Files, in reading order:

- ``evolving``: what the class ``Reasoner`` offers: ``evolve``, ``undo_evolutions``, ``evolutions``.
- ``store_facts``: a store as scripts see it.
- ``rehearse``: steps taken on a twin of a reasoner first, which shows what they would bring.
- ``apply_change``: one change as one transaction, in the graphs that it belongs to.
- ``take_step``: one step taken, or taken back, on the record and measured.
- ``report``: what an evolution did, step by step, as values.
- ``measure``: those values, taken before and after a step.
- ``readings``: what static rules read in the axioms that changed.
- ``report_tables``, ``report_json``: the report for people and for programs.
- ``picture``: the report as a drawing.
- ``journal``: every applied step with its exact inverse, on disk or in memory.
- ``undo``: taking recorded steps back.
- ``read_version``: an ontology to be compared with another one, of a file or of a store.
"""
