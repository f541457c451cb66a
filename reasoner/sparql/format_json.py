"""SPARQL 1.1 Query Results JSON Format."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from loaders.terms import LANG_STRING, XSD_STRING, literal_parts, literal_text
from reasoner.errors import ReasonerError

if TYPE_CHECKING:
    from reasoner.sparql.result import Result


def write_json(result: Result) -> str:
    """Write rows or a truth value."""
    if result.type == "ASK":
        return json.dumps({"head": {}, "boolean": result.askAnswer})
    names = result.variables
    keys = [json.dumps(name, ensure_ascii=False) for name in names]
    fragment = lru_cache(maxsize=65536)(_fragment)
    rows = (
        "{" + ",".join(f"{key}:{fragment(text)}" for key, text in zip(keys, row, strict=True) if text is not None) + "}"
        for row in result.texts()
    )
    head = json.dumps({"vars": list(names)}, ensure_ascii=False)
    return f'{{"head":{head},"results":{{"bindings":[{",".join(rows)}]}}}}'


def read_json(text: str) -> Result:
    """Read rows or a truth value."""
    from reasoner.sparql.result import Result

    try:
        document = json.loads(text)
        if "boolean" in document:
            return Result.of_truth(bool(document["boolean"]))
        names = document["head"]["vars"]
        rows = [
            [None if (term := row.get(name)) is None else _text(term) for name in names]
            for row in document["results"]["bindings"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReasonerError(f"not the JSON of query results: {error}") from error
    return Result.of_rows(names, rows)


def _fragment(text: str) -> str:
    return json.dumps(term_object(text), ensure_ascii=False)


def term_object(text: str) -> dict[str, str]:
    """Return a term as the format describes it.

    >>> term_object('"chat"@fr')
    {'type': 'literal', 'value': 'chat', 'xml:lang': 'fr'}
    """
    if text.startswith("<"):
        return {"type": "uri", "value": text[1:-1]}
    if text.startswith("_:"):
        return {"type": "bnode", "value": text[2:]}
    parts = literal_parts(text)
    term = {"type": "literal", "value": parts.lexical}
    if parts.language is not None:
        term["xml:lang"] = parts.language
    elif parts.datatype not in (XSD_STRING, LANG_STRING):
        term["datatype"] = parts.datatype
    return term


def _text(term: dict[str, Any]) -> str:
    match term["type"]:
        case "uri":
            return f"<{term['value']}>"
        case "bnode":
            return f"_:{term['value']}"
        case "literal" | "typed-literal":
            return literal_text(term["value"], term.get("xml:lang"), term.get("datatype"))
        case other:
            raise ValueError(f"unknown kind of term {other!r}")
