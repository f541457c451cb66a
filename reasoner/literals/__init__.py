"""Literal values: lexical forms to values, comparison, and the builtins of rules."""
