"""What a reasoner holds, and how that changes.

Read in this order: ``state`` (everything that holds at one moment, which never changes), ``request`` (what a commit is
asked for), ``draft`` (a state in the making), ``session`` (the current state: forks, commits), ``work_ahead`` (several
commits that become one); ``rule_change`` (changes of rules and axioms), ``delta`` and ``delta_formats`` (what a change
did), ``transaction`` (what users write), ``constraint_policy`` (what judges commits), ``persistence`` (what keeps them
on disk), ``rule_patterns`` (what a state answers to patterns in the language of rules), ``early_imports`` (modules that
a commit needs).

Nothing in this folder knows the class that users meet, nor what is built on it: queries, servers, documents.
"""
