"""What a script holds in other languages: axioms in functional-style syntax, Turtle, rules, patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import TypeVar

from loaders.load import parse_text
from ontologies import axioms, expressions
from ontologies.axioms import Ontology, SubClassOf, Triple
from ontologies.evolution.scan_script import Scanner
from ontologies.expressions import ClassExpression
from ontologies.read_functional import read_functional
from ontologies.vocabulary import PREFIXES
from reasoner.errors import ParseError
from reasoner.rules.parser import Body, parse_patterns, parse_rules
from reasoner.rules.rule import Rule

Read = TypeVar("Read")

_CALLED = re.compile(r"([A-Za-z]+)\s*\(")


def read_axioms(scanner: Scanner, start: int, end: int) -> Ontology:
    """Read axioms, with their annotations."""
    header = "".join(f"Prefix({name}:=<{namespace}>)" for name, namespace in scanner.prefixes.items()) + " Ontology("
    return _at_its_place(scanner, start, end, header, lambda text: read_functional(text + "\n)", file=scanner.file))


def read_expression(scanner: Scanner, start: int, end: int) -> ClassExpression:
    """Read a class expression."""
    header = "".join(f"Prefix({name}:=<{namespace}>)" for name, namespace in scanner.prefixes.items())
    header += " Ontology(SubClassOf("
    read = partial(read_functional, file=scanner.file)
    (axiom,) = _at_its_place(scanner, start, end, header, lambda text: read(f"{text}\nowl:Thing))")).axioms
    assert isinstance(axiom, SubClassOf)
    return axiom.sub


def read_turtle(scanner: Scanner, start: int, end: int) -> tuple[Triple, ...]:
    """Read a block of Turtle; blank nodes are named in order of appearance."""
    header = " ".join(f"@prefix {name}: <{namespace}> ." for name, namespace in scanner.prefixes.items())
    triples = _at_its_place(scanner, start, end, header, lambda text: parse_text(text, "turtle"))
    written = _with_language_tags(triples, scanner.language_tags(start, end))
    return with_plain_labels(tuple(dict.fromkeys(written)))


def read_rules(scanner: Scanner, start: int, end: int) -> tuple[Rule, ...]:
    """Read one rule, which may have several heads and so be several."""
    return parse_rules(scanner.masked(start, end), file=scanner.file, prefixes=_own(scanner.prefixes))


def read_patterns(scanner: Scanner, start: int, end: int) -> Body:
    """Read triple patterns with their conditions."""
    return parse_patterns(scanner.masked(start, end), _own(scanner.prefixes), file=scanner.file)


def with_plain_labels(triples: tuple[Triple, ...]) -> tuple[Triple, ...]:
    """Name the blank nodes of triples ``_:b0``, ``_:b1`` and so on, in order of appearance."""
    labels: dict[str, str] = {}
    for triple in triples:
        for term in triple:
            if term.startswith("_:"):
                labels.setdefault(term, f"_:b{len(labels)}")
    return tuple((labels.get(s, s), p, labels.get(o, o)) for s, p, o in triples)


def _with_language_tags(triples: list[Triple], tags: list[str]) -> list[Triple]:
    """Write language tags as the text has them: the parser brings them to lower case, and keeps their order.

    >>> _with_language_tags([("<a>", "<p>", '"x"@en')], ["EN"])
    [('<a>', '<p>', '"x"@EN')]
    """
    if all(tag.islower() for tag in tags):
        return triples
    left = iter(tags)
    return [(s, p, f"{quoted}@{next(left)}" if (quoted := _tagged(o)) is not None else o) for s, p, o in triples]


def _tagged(term: str) -> str | None:
    """Return a literal with a language tag without its tag, and None for every other term."""
    quoted, at, tag = term.rpartition("@")
    return quoted if at and quoted.endswith('"') and '"' not in tag else None


def _own(prefixes: Mapping[str, str]) -> dict[str, str]:
    return {name: namespace for name, namespace in prefixes.items() if PREFIXES.get(name) != namespace}


def _at_its_place(scanner: Scanner, start: int, end: int, header: str, read: Callable[[str], Read]) -> Read:
    """Read a piece of the script below a line of declarations; errors name the place in the script."""
    place = scanner.place(start)
    try:
        return read(f"{header}\n{' ' * (place.column - 1)}{scanner.text[start:end]}")
    except ParseError as error:
        line = place.line + error.line - 2
        message = error.message + _nearest_keyword(scanner.text.split("\n")[line - 1][error.column - 1 :])
        raise ParseError(message, file=scanner.file, line=line, column=error.column, text=error.text) from None


def _nearest_keyword(text: str) -> str:
    """Return the end of a message about a word that is none of OWL's, if one is like it and what is wrong begins so.

    >>> _nearest_keyword("SubClasOf(:A :B)")
    '; did you mean SubClassOf?'
    """
    found = _CALLED.match(text)
    if found is None:
        return ""
    known = [
        name for module in (axioms, expressions) for name, value in vars(module).items() if isinstance(value, type)
    ]
    near = get_close_matches(found[1], known, n=1, cutoff=0.75) if found[1] not in known else []
    return f"; did you mean {near[0]}?" if near else ""
