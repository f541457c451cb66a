"""The rule language. Read in this order: ``term``, ``rule``, ``parser``, ``printer``, ``splits``, ``stratify``."""
