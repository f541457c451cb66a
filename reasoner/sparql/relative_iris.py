"""Relative IRIs that an update would store, where nobody could read them again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from reasoner.errors import ReasonerError
from reasoner.sparql.operation import Create, Load, Modify, Operation, Transfer

_RELATIVE = re.compile(r'(?:|.*"\^\^)(<(?![A-Za-z][A-Za-z0-9+.-]*:)[^<>]*>)', re.DOTALL)


def refuse_relative_iris(operations: Sequence[Operation]) -> None:
    """Refuse an update that inserts a relative IRI, which a base would have made absolute.

    >>> from reasoner.sparql.translate_update import translate_update
    >>> refuse_relative_iris(translate_update("INSERT DATA { <s> <urn:p> 1 }", base="http://e.org/"))
    >>> refuse_relative_iris(translate_update("INSERT DATA { <s> <urn:p> 1 }"))
    Traceback (most recent call last):
    ...
    loaders.errors.ReasonerError: <s> is a relative IRI, which would be stored as it is; give --base IRI, or begin \
the update with BASE <...>
    """
    for term in _stored(operations):
        if found := _RELATIVE.fullmatch(term):
            raise ReasonerError(
                f"{found[1]} is a relative IRI, which would be stored as it is; give --base IRI, or begin the update "
                "with BASE <...>"
            )


def _stored(operations: Iterable[Operation]) -> Iterator[str]:
    """Yield the terms that operations may bring into the store."""
    for operation in operations:
        match operation:
            case Modify():
                yield from (term for quad in operation.insert for term in quad if isinstance(term, str))
            case Load(graph=str(graph)) | Create(graph=graph) | Transfer(target=str(graph)):
                yield graph
