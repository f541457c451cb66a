"""What to say of a prefix that a query uses and does not declare."""

from __future__ import annotations

from collections.abc import Mapping

from reasoner.rules.prefixes import PREDECLARED

WELL_KNOWN: Mapping[str, str] = {
    **PREDECLARED,
    "foaf": "http://xmlns.com/foaf/0.1/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
    "dct": "http://purl.org/dc/terms/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "schema": "https://schema.org/",
    "prov": "http://www.w3.org/ns/prov#",
    "dcat": "http://www.w3.org/ns/dcat#",
    "void": "http://rdfs.org/ns/void#",
    "sh": "http://www.w3.org/ns/shacl#",
    "geo": "http://www.opengis.net/ont/geosparql#",
}


def unknown_prefix(prefix: str, declared: Mapping[str, str]) -> str:
    """Return a message that names the remedy: the declaration that is missing, or the prefix that was meant.

    >>> unknown_prefix("rdsf", {})
    'unknown prefix rdsf:, did you mean rdfs:? then add PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>'
    >>> unknown_prefix("xyzzy", {})
    'unknown prefix xyzzy:; declare it with PREFIX xyzzy: <...>'
    """
    message = f"unknown prefix {prefix}:"
    if prefix in WELL_KNOWN:
        return f"{message}; add PREFIX {prefix}: <{WELL_KNOWN[prefix]}>"
    near = _nearest(prefix, declared)
    if near is None:
        return f"{message}; declare it with PREFIX {prefix}: <...>"
    remedy = "" if near in declared else f" then add PREFIX {near}: <{WELL_KNOWN[near]}>"
    return f"{message}, did you mean {near}:?{remedy}"


def _nearest(prefix: str, declared: Mapping[str, str]) -> str | None:
    """Return the prefix that less than half of the letters differ from; declared ones and equal lengths come first."""
    ranked = []
    for known in {**declared, **WELL_KNOWN}:
        distance = _distance(prefix.lower(), known.lower())
        if 2 * distance < max(len(prefix), len(known)):
            ranked.append((distance, known not in declared, abs(len(known) - len(prefix)), known))
    return min(ranked)[-1] if ranked else None


def _distance(left: str, right: str) -> int:
    """Return how many letters to insert, to drop, to replace, or to exchange with the next lead from one to the other.

    >>> _distance("rdsf", "rdfs"), _distance("foaff", "foaf"), _distance("ab", "xyz")
    (1, 1, 3)
    """
    before: list[int] = []
    last = list(range(len(right) + 1))
    for place, letter in enumerate(left, 1):
        row = [place]
        for other, wanted in enumerate(right, 1):
            best = min(last[other] + 1, row[-1] + 1, last[other - 1] + (letter != wanted))
            if place > 1 and other > 1 and (letter, left[place - 2]) == (right[other - 2], wanted):
                best = min(best, before[other - 2] + 1)
            row.append(best)
        before, last = last, row
    return last[-1]
