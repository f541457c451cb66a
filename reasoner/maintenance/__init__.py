"""Bringing (pi, I) up to date after a change, instead of starting over.

Read in this order: ``change`` (what goes in and out, what it did), ``backward_forward`` (deletion), ``maintain`` (the choice
of a strategy).
"""
