"""Requests in SPARQL to what a session holds: this room chooses the engine that answers them.

Read in this order: ``query`` (questions), ``update`` (several operations as one commit).
"""

from __future__ import annotations

from reasoner.requests.query import explain_plan, query
from reasoner.requests.update import update

__all__ = ["explain_plan", "query", "update"]
