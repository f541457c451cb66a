"""Bringing (pi, I) up to date after a change, instead of starting over.

Read in this order: ``backward_forward`` (deletion), ``maintain`` (deletion and insertion together),
``transaction`` (what users write).
"""
