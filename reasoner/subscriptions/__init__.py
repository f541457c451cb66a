"""Continuous queries: whoever subscribes to a query hears what every commit adds to its answers and takes away.

Files, in reading order:

- ``view``: the text of a query or of patterns, as what can be subscribed to.
- ``announcements``: commits in their order, for everybody who wants to hear of them.
- ``subscription``: commits in their order, and one subscriber, with a callback or with a queue.
- ``change_lines``: changes that come line by line.
"""
