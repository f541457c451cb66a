"""Seeded generators of data sets, for demonstrations, tests and benchmarks.

Reading order:

- ``statements``: N-Triples text, and blocks of it
- ``draw``: random choices that are the same everywhere
- ``dataset``: what a generator returns
- ``bach``: the Bach family
- ``lubm_ontology``, ``lubm_profile``, ``lubm``: the Lehigh University Benchmark
- ``university_identities_ontology``, ``identity_links``, ``university_identities``: LUBM with several names a person
- ``hierarchies``: class trees and subclass axioms
- ``idle_axioms``: many axioms that never derive anything
- ``graphs``: chains, DAGs, cliques and equality classes
- ``proofs``: facts with long proofs, and with many
- ``registry``: all of them by name, with their parameters
- ``write``: to files

Imports within this folder are relative, because ``datasets`` is also the name of another project: whoever needs this
folder at run time loads it by path, under another name.
"""

from .dataset import Dataset, DatasetError
from .registry import GENERATORS, Generator, Parameter
from .write import Written, write

__all__ = ["GENERATORS", "Dataset", "DatasetError", "Generator", "Parameter", "Written", "write"]
