"""Whether a store entails a graph: ``kb.entails``.

Files, in reading order:

- ``questions``: what can be asked, and the rules beyond OWL 2 RL.
- ``result``: the answer, part by part.
- ``conclusion``: what is asked, its blank nodes, and what its names have to be.
- ``situation``: facts that are assumed, in a fork of the reasoner; ways in which a term can belong to a class.
- ``axiom_goals``: an axiom as assumptions and what is to be shown from them, memberships above all.
- ``expansion``: for premises beyond OWL 2 RL, what has to exist and what has alternatives.
- ``decide``: all parts together.
"""
