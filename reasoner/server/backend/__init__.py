"""What the endpoints of the server share: limits, versions, readers and writers, messages.

Files, in reading order:

- ``settings``: what a server may do, and how much of it.
- ``refusal``: requests that are not served, and what their senders are told.
- ``committed``: the last commit, for readers that never wait for the next one, and what is remembered of commits.
- ``lanes``: turns for queries, so that long ones leave room for short ones.
- ``replica``, ``forks``: long queries in processes of their own.
- ``workers``: queries and updates at work, within limits.
- ``child``, ``parsing``, ``documents``: reading texts and documents in processes of their own.
- ``metrics``: what is counted, and where.
- ``message``: what a request says, what it wants to hear, and what it may do.
- ``answer``: graphs and answers by media type.
- ``service``: all of it together.
"""
