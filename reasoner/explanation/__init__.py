"""Explanations: why a triple holds, down to explicit facts.

Read in this order: ``proof`` (the value, and a match of a constraint), ``picture`` (ways to draw it), ``check``
(replays the steps of a proof and shares no code with the search); ``source`` (what a store must offer), ``match``
(backward from the goal, and rule instances forward), ``explain`` (replay from explicit facts, and the search put
together); ``notebook`` (how notebooks show values).
"""
