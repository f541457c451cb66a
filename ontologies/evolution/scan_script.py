"""Places and words in the text of a script, and the extent of what is written in another language inside it.

What a script holds in other languages: axioms in functional-style syntax, Turtle, rules, patterns.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import TypeVar

from loaders.grammar import LANGUAGE_TOKEN
from loaders.load import parse_text
from loaders.terms import lone_surrogate, unescape
from ontologies import axioms, expressions
from ontologies.axioms import Ontology, SubClassOf, Triple
from ontologies.build import Place
from ontologies.expressions import ClassExpression
from ontologies.read_functional import TOKEN as FUNCTIONAL_TOKEN
from ontologies.read_functional import read_functional
from ontologies.vocabulary import PREFIXES
from reasoner.rules.errors import ParseError
from reasoner.rules.parser import Body, RuleText, parse_patterns, parse_rules
from reasoner.rules.rule import Rule

_SPACE = re.compile(r"[ \t\r\n]+|#[^\n]*")
_WHITE = re.compile(r"[ \t\r\n]+")
_CALL = re.compile(r"[A-Za-z]+\s*\(")
_BLANKS = re.compile(r"[ \t\r]*")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?![A-Za-z0-9_:-])")
_IRI = re.compile(r"<([^\x00-\x20<>\"{}|^`]*)>")
# A name may hold anything but white space and what brackets and separates; a full stop or comma at its end is not its.
_PREFIXED = re.compile(r"([^\s:<>\"'(){}\[\],#]*):((?:[^\s<>\"'(){}\[\],;#]*[^\s<>\"'(){}\[\],;#.])?)")
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# What Turtle, and so the rule language, lets hold a brace or a number sign that does not bracket or comment.
_TURTLE_TOKEN = re.compile(
    r"""
    <[^\x00-\x20<>"{}|^`]*>
  | \"{3}(?:[^"\\]|\\.|"(?!""))*\"{3} | '{3}(?:[^'\\]|\\.|'(?!''))*'{3}
  | "(?:[^"\\\n\r]|\\.)*" | '(?:[^'\\\n\r]|\\.)*'
  | \#[^\n\r]*
  | \\.
    """,
    re.VERBOSE | re.DOTALL,
)


class Scanner:
    """The text of a script and how far it has been read."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.offset = 0
        self.prefixes: dict[str, str] = dict(PREFIXES)
        self._starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
        if (place := lone_surrogate(text)) is not None:
            raise self.place(place).error("half of a surrogate pair is no Unicode character", text[place])

    def place(self, offset: int | None = None) -> Place:
        """Return line and column of an offset, or of what comes next."""
        at = self.offset if offset is None else offset
        line = bisect_right(self._starts, at)
        return Place(self.file, line, at - self._starts[line - 1] + 1)

    def skip(self) -> None:
        """Go past white space and comments."""
        while match := _SPACE.match(self.text, self.offset):
            self.offset = match.end()

    def remark(self) -> str | None:
        """Take a comment that stands on a line of its own, if one comes next but for white space."""
        at = self.offset
        while match := _WHITE.match(self.text, at):
            at = match.end()
        begins_line = _BLANKS.fullmatch(self.text, self.text.rfind("\n", 0, at) + 1, at)
        if self.text[at : at + 1] != "#" or not begins_line:
            return None
        end = self.text.find("\n", at)
        end = len(self.text) if end < 0 else end
        self.offset = end
        return self.text[at + 1 : end].strip()

    @property
    def at_end(self) -> bool:
        self.skip()
        return self.offset == len(self.text)

    def peek(self) -> str:
        """Return the word that comes next, or nothing if none does."""
        self.skip()
        match = _WORD.match(self.text, self.offset)
        return match[0] if match else ""

    def take_word(self, *words: str) -> bool:
        """Go past a word if it is one of some."""
        before, word = self.offset, self.peek()
        if word not in words:
            self.offset = before
            return False
        self.offset += len(word)
        return True

    def expect_word(self, word: str, where: str) -> None:
        """Go past a word that has to come."""
        if not self.take_word(word):
            raise self.expected(f"'{word}' {where}")

    def take_mark(self, mark: str) -> bool:
        """Go past a punctuation mark if it comes next."""
        before = self.offset
        self.skip()
        if not self.text.startswith(mark, self.offset):
            self.offset = before
            return False
        self.offset += len(mark)
        return True

    def iri(self, what: str) -> str:
        """Read an IRI, whole or abbreviated, as a constant."""
        self.skip()
        if match := _IRI.match(self.text, self.offset):
            constant = f"<{self.unescaped(match[1], self.offset)}>"
            self.offset = match.end()
            return constant
        match = _PREFIXED.match(self.text, self.offset)
        if match is None:
            raise self.expected(what)
        if match[1] not in self.prefixes:
            known = ", ".join(f"{name}:" for name in self.prefixes)
            raise self.place().error(
                f"the prefix {match[1]}: is not declared; declare it with 'prefix {match[1]}: <...>' (known: {known})",
                match[0],
            )
        self.offset = match.end()
        return f"<{self.prefixes[match[1]]}{match[2]}>"

    def string(self) -> str | None:
        """Read a quoted text, if one comes next."""
        before = self.offset
        self.skip()
        match = _STRING.match(self.text, self.offset)
        if match is None:
            self.offset = before
            return None
        value = self.unescaped(match[1], self.offset)
        self.offset = match.end()
        return value

    def unescaped(self, text: str, offset: int) -> str:
        """Resolve the escapes of a text that is written at an offset."""
        try:
            return unescape(text)
        except ValueError as error:
            raise self.place(offset).error(str(error), text) from None

    def parenthesised(self) -> tuple[int, int] | None:
        """Return the extent of ``Name( ... )`` if that comes next, and go past it."""
        before = self.offset
        self.skip()
        match = _CALL.match(self.text, self.offset)
        if match is None:
            self.offset = before
            return None
        start, depth, at = self.offset, 1, match.end()
        while depth:
            if at == len(self.text):
                raise self.place(start).error("the parenthesis of this is never closed", match[0])
            if (token := FUNCTIONAL_TOKEN.match(self.text, at)) is None:
                at += 1  # The reader of axioms will say what is wrong with it.
                continue
            depth += (token.lastgroup == "open") - (token.lastgroup == "close")
            at = token.end()
        self.offset = at
        return start, at

    def braced(self) -> tuple[int, int] | None:
        """Return the extent of what stands in braces, without them, if they come next, and go past it."""
        self.skip()
        if self.text[self.offset : self.offset + 1] != "{":
            return None
        start = at = self.offset + 1
        while True:
            if skipped := _TURTLE_TOKEN.match(self.text, at):
                at = skipped.end()
                continue
            mark = self.text[at : at + 1]
            if not mark:
                raise self.place(start - 1).error("the brace is never closed: } is missing", "{")
            if mark == "}":
                self.offset = at + 1
                return start, at
            at += 1

    def language_tags(self, start: int, end: int) -> list[str]:
        """Return the language tags of the literals in a block of Turtle, in order."""
        found, at = [], start
        while at < end:
            token = _TURTLE_TOKEN.match(self.text, at)
            at = at + 1 if token is None else token.end()
            if token is not None and token[0][0] in "\"'" and (tag := LANGUAGE_TOKEN.match(self.text, at)):
                found.append(tag[1])
                at = tag.end()
        return found

    def rule(self) -> tuple[int, int]:
        """Return the extent of a rule up to its full stop, and go past it."""
        self.skip()
        start = self.offset
        for token in RuleText(self.masked(start, len(self.text)), self.file).tokens():
            if token.kind == "punctuation" and token.text == ".":
                self.offset = token.start + 1
                return start, self.offset
        raise self.place(start).error("the rule has no end: a full stop is missing", self.text[start : start + 40])

    def masked(self, start: int, end: int) -> str:
        """Return the text up to ``end`` with everything before ``start`` blank, so that places stay what they are."""
        return re.sub(r"[^\n]", " ", self.text[:start]) + self.text[start:end]

    def expected(self, what: str) -> ParseError:
        """Make the error for something else coming than was expected."""
        self.skip()
        rest = self.text[self.offset : self.offset + 60].split("\n")[0]
        found = "this is something else" if rest else "the text ends here"
        return self.place().error(f"expected {what}, but {found}", rest)


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
