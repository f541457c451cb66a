"""``python -m reasoner``: the same as the ``reasoner`` command."""

from __future__ import annotations

from runpy import run_module

run_module("reasoner.cli", run_name="__main__", alter_sys=True)
