"""Continuous queries: whoever subscribes to a query hears what every commit adds to its answers and takes away.

Files, in reading order:

- ``subscribing``: what a reasoner does for subscribers.
- ``view``: the text of a query or of patterns, as what can be subscribed to.
- ``announcements``: commits in their order, for everybody who wants to hear of them.
- ``subscription``: one subscriber, with a callback or with a queue.
- ``change_lines``: changes that come line by line.
- ``follow_store``: the same for a store on disk that another process writes to.
"""
