"""What is wrong with a store on disk."""

from __future__ import annotations

from reasoner.errors import ReasonerError


class StoreError(ReasonerError):
    """A folder that cannot be read or written as a store; the message names the file and the remedy."""
