"""Updates that come while others are worked on.

Read in this order: ``operations`` (updates on their way, what waits, and what cancels what), ``session`` (what users
meet, and its commits: updates executed step by step, published as one).
"""
