"""The name that pip knows this project by, and what to type to install a part of it.

``import reasoner`` and the command are called after the project; the distribution is not, because that name belongs to
another project of the package index.
"""

from __future__ import annotations

NAME = "reasoner-rdf"


def install_command(extra: str) -> str:
    """Return the command that installs what an optional part needs.

    Nothing is published yet, so that the command is one for a checkout.

    >>> install_command("spark")
    "pip install '.[spark]' (in a checkout of reasoner-rdf)"
    """
    return f"pip install '.[{extra}]' (in a checkout of {NAME})"
