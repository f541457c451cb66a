"""The configuration of a store of rdflib, as text."""

from __future__ import annotations

from reasoner.errors import ReasonerError
from reasoner.store.folder import is_store

SETTINGS = ("profile", "equality", "maintenance", "constraints", "literals", "folder")


def settings_of(configuration: str | tuple[str, str]) -> dict[str, str]:
    """Read a configuration: settings with names, or a folder.

    >>> settings_of("profile=dlp; equality=none")
    {'profile': 'dlp', 'equality': 'none'}
    >>> settings_of("people")
    {'folder': 'people'}
    """
    if not isinstance(configuration, str):
        raise ReasonerError(
            f"the configuration {configuration!r} is no text; write one like profile=dlp;equality=rewrite"
        )
    if configuration and (is_store(configuration) or "=" not in configuration):
        return {"folder": configuration}
    settings = {}
    for part in filter(None, map(str.strip, configuration.split(";"))):
        name, separator, value = (piece.strip() for piece in part.partition("="))
        if name not in SETTINGS or not separator:
            raise ReasonerError(f"unknown setting {part!r}: write name=value, with a name of {', '.join(SETTINGS)}")
        settings[name] = value
    return settings
