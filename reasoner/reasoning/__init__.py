"""Reasoning from scratch, written once over the protocol of an engine.

Read in this order: ``engine`` (what the algorithms need), ``program`` (rules over ids, and after a change of a few),
``modules`` (predicates that are closed by a method of their own), ``arrange`` (a program made ready), ``materialise``
(the algorithm).
"""
