"""Explanations: why a triple holds, down to explicit facts.

Read in this order: ``proof`` (the value), ``tree``, ``formats``, ``short_names``, ``layout``, ``picture`` (ways to
write it),
``check`` (replays the steps of a proof and shares no code with the search); ``source`` (what a store must offer),
``reach`` (backward from the goal), ``forest``, ``witness``, ``match``, ``replay`` (forward from explicit facts),
``build`` (from replay to proof). ``reasoner.explain`` puts the search together.
"""
