"""Bringing (pi, I) up to date after a change, instead of starting over.

Read in this order: ``work`` (what is counted), ``backward_forward`` (B/F under rewriting) and ``core`` (the rules that
it is for), ``strata`` and ``update`` (the rules above, and a change on its way through them), ``dred`` and ``fbf``
(strategies for one stratum), ``strategies`` (all of them by name), ``maintain`` (all of it together), ``transaction``
(what users write).
"""
