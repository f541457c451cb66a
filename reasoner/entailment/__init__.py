"""Whether a store entails a graph: ``kb.entails``.

Files, in reading order:

- ``questions``: the methods of a reasoner.
- ``result``: the answer, part by part.
- ``conclusion``, ``existential``, ``names``: what is asked, its blank nodes, and what its names have to be.
- ``situation``: facts that are assumed, in a second reasoner that shares everything with the first.
- ``value_space``: data values of which only datatypes are known.
- ``assumptions``, ``membership``: assuming that a term belongs to a class expression, and showing that it does.
- ``axiom_goals``: an axiom as assumptions and what is to be shown from them.
- ``together``: many axioms ruled out at once.
- ``beyond_rules``, ``expansion``: for premises beyond OWL 2 RL, what has to exist and what has alternatives.
- ``decide``: all parts together.
"""
