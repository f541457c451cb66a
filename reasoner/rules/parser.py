"""The parser of the rule language: datalog over triple patterns, with prefixes, negation and builtins.

    document  ::= (prefix | rule)*
    prefix    ::= 'PREFIX' name: <iri>  |  '@prefix' name: <iri> '.'
    rule      ::= ('[' name ']')? heads (':-' item (',' item)*)? '.'
    heads     ::= 'false'  |  atom (',' atom)*
    item      ::= atom  |  'not' atom  |  term comparison term  |  builtin '(' term (',' term)* ')'
    atom      ::= term (term | 'a') term
    term      ::= ?variable | <iri> | prefix:name | _:blank | "literal" (@tag | ^^datatype)? | 18 | 1.5 | 1e9 | true

Words, numbers and strings are those of Turtle; ``#`` begins a comment. A rule with head ``false`` is a constraint; one
without a body is a fact; one with several heads is several rules of the same name. IRIs are taken as written: there is
no base that they could be relative to. A space must follow the ``<`` of a comparison.

The tokens of the rule language, with their places in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from reasoner.rules.errors import ParseError, ReasonerError, UnsafeRuleError
from reasoner.rules.prefixes import PREDECLARED
from reasoner.rules.rule import Atom, Builtin, Rule, is_auxiliary
from reasoner.terms.builtins import BUILTINS, is_valid_regex
from reasoner.terms.term import RDF_TYPE, XSD, Term, Variable, is_literal
from reasoner.terms.value import literal_parts, literal_text, lone_surrogate, unescape

# What names begin with and go on with (PN_CHARS_BASE and PN_CHARS of Turtle and SPARQL), as classes of expressions.
NAME_START = (
    r"A-Za-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F\u2C00-\u2FEF"
    r"\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
NAME_REST = NAME_START + r"_0-9\u00B7\u0300-\u036F\u203F\u2040\-"
_PREFIX = rf"(?:[{NAME_START}](?:[{NAME_REST}.]*[{NAME_REST}])?)?"
_ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.!$&'()*+,;=/?#@%-]"
# A colon before a dash and white space is the arrow of a rule that follows a name without a space.
_COLON = r":(?!-(?:\s|$))"
_LOCAL = (
    rf"(?:(?:[{NAME_START}_0-9]|{_COLON}|{_ESCAPED})"
    rf"(?:(?:[{NAME_REST}]|{_COLON}|{_ESCAPED}|\.(?=[{NAME_REST}:%\\.]))*(?:[{NAME_REST}]|{_COLON}|{_ESCAPED}))?)?"
)
_STRING = (
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n\r]|\\.)*"'
    r"|'(?:[^'\\\n\r]|\\.)*'"
)

# Order matters: the first alternative that matches wins.
_TOKEN = re.compile(
    "|".join(
        f"(?P<{kind}>{pattern})"
        for kind, pattern in (
            ("space", r"(?:\s+|\#[^\n\r]*)+"),
            ("rule_name", r'\[\s*(?:[\w.:/+-]+|"(?:[^"\\\n\r]|\\.)*")\s*\]'),
            ("iri", r"<(?:[^\x00-\x20<>\"{}|^`\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*>"),
            ("arrow", r":-"),
            ("blank", rf"_:[{NAME_START}_0-9](?:[{NAME_REST}.]*[{NAME_REST}])?"),
            ("prefixed", rf"{_PREFIX}{_COLON}{_LOCAL}"),
            ("variable", r"[?$]\w+"),
            ("string", _STRING),
            ("at_word", r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*"),
            ("double", r"[+-]?(?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+"),
            ("decimal", r"[+-]?[0-9]*\.[0-9]+"),
            ("integer", r"[+-]?[0-9]+"),
            ("datatype_mark", r"\^\^"),
            ("comparison", r"!=|<=|>=|=|<|>"),
            ("punctuation", r"[.,()]"),
            ("word", r"[A-Za-z][A-Za-z0-9_-]*"),
        )
    ),
    re.DOTALL,
)


class Token(NamedTuple):
    """A piece of text of one kind; the last token of every text has kind ``end``."""

    kind: str
    text: str
    start: int


class RuleText:
    """A text with a name, which can tell lines and columns and so make errors."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self._line_starts = [0, *(match.end() for match in re.finditer(r"\r\n?|\n", text))]
        if (place := lone_surrogate(text)) is not None:
            raise self.error("half of a surrogate pair is no Unicode character", place, text[place])

    def place(self, start: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both counted from 1."""
        line = bisect_right(self._line_starts, start)
        return line, start - self._line_starts[line - 1] + 1

    def error(self, message: str, start: int, text: str) -> ParseError:
        """Make the error for a place, to be raised by the caller."""
        line, column = self.place(start)
        return ParseError(message, file=self.file, line=line, column=column, text=text)

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens of the text without white space and comments, and an ``end`` token."""
        position = 0
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
            if match is None:
                raise self.error(*self._unreadable(position))
            kind = match.lastgroup or ""
            if kind != "space":
                yield Token(kind, match[0], position)
            position = match.end()
        yield Token("end", "", position)

    def _unreadable(self, position: int) -> tuple[str, int, str]:
        character = self.text[position]
        rest = re.split(r"[\n\r]", self.text[position:], maxsplit=1)[0]
        message = {
            '"': "the string is not closed on its line; use three quotes for a string of several lines",
            "'": "the string is not closed on its line; use three quotes for a string of several lines",
            "[": 'a rule name is a word in brackets such as [prp-trp], or a quoted text such as ["my rule"]',
            "?": "a variable needs a name of letters, digits and underscores",
            "$": "a variable needs a name of letters, digits and underscores",
            "_": "a blank node is written _:label",
            "{": "no braces here; the body of a rule is a list of patterns separated by commas",
            ";": "no semicolons here; write out every pattern, separated by commas",
        }.get(character, "this character begins nothing that a rule can hold")
        return message, position, rest


_NUMBERS = ("integer", "decimal", "double")
_LOCAL_ESCAPES = str.maketrans("", "", "\\")

Body = tuple[tuple[Atom, ...], tuple[Atom, ...], tuple[Builtin, ...]]


def parse_rules(text: str, *, file: str = "<text>", prefixes: Mapping[str, str] | None = None) -> tuple[Rule, ...]:
    """Parse a rule document; ``prefixes`` are known in addition to rdf, rdfs, owl and xsd.

    Rules without a name are called ``rule-1``, ``rule-2`` and so on, by their place in the document. Raises
    ``ParseError`` with the place, or ``UnsafeRuleError`` with the variable.

    >>> rule, = parse_rules("?x a <http://e.org/Adult> :- ?x <http://e.org/age> ?n, ?n >= 18 .")
    >>> rule.name, rule.conditions[0].name, rule.variables == {"x", "n"}
    ('rule-1', '>=', True)
    """
    return _Parser(RuleText(text, file), prefixes or {}).document()


def parse_patterns(text: str, prefixes: Mapping[str, str] | None = None, *, file: str = "<text>") -> Body:
    """Parse a bare body, such as a simple query, into positive atoms, negative atoms and conditions.

    Prefix declarations may come first; patterns are separated by commas or full stops.

    >>> positive, negative, conditions = parse_patterns("?x a owl:Class, not ?x a owl:Restriction")
    >>> len(positive), len(negative), len(conditions)
    (1, 1, 0)
    """
    return _Parser(RuleText(text, file), prefixes or {}).query()


def parse_triple(text: str, prefixes: Mapping[str, str] | None = None, *, file: str = "<text>") -> tuple[str, str, str]:
    """Read one triple without variables, with or without a full stop.

    >>> parse_triple("e:tom a e:Cat", {"e": "http://e.org/"})[2]
    '<http://e.org/Cat>'
    """
    rules = parse_rules(f"{text.rstrip().removesuffix(' .')} .", file=file, prefixes=prefixes)
    if len(rules) != 1 or rules[0].head is None or rules[0].body:
        raise ReasonerError(f"this takes one triple, such as '<http://e.org/a> a <http://e.org/C>', not {text!r}")
    s, p, o = map(str, rules[0].head)
    return s, p, o


def parse_template(text: str, *, file: str = "<text>") -> Rule:
    """Parse one rule in which ``$1``, ``$2`` ... are places for constants, as ``reasoner.rules.printer`` makes them.

    >>> parse_template("?x <p> $1 :- ?x <p> $2 .").head
    Atom(subject=Variable(name='x'), predicate='<p>', object='$1')
    """
    source = RuleText(text, file)
    rules = _Parser(source, {}, places=True).document()
    if len(rules) != 1:
        raise source.error(f"expected one rule, but these are {len(rules)}", 0, text)
    return rules[0]


class _Parser:
    """A recursive descent parser; ``_next`` is the token that is about to be read."""

    def __init__(self, source: RuleText, prefixes: Mapping[str, str], *, places: bool = False) -> None:
        self._source = source
        self._places = places
        self._prefixes = {**PREDECLARED, **prefixes}
        self._tokens = source.tokens()
        self._next = next(self._tokens)

    def document(self) -> tuple[Rule, ...]:
        rules: list[Rule] = []
        count = 0
        while self._next.kind != "end":
            if not self._prefix():
                count += 1
                rules += self._rules(f"rule-{count}")
        return tuple(rules)

    def query(self) -> Body:
        while self._prefix():
            pass
        start = self._next.start
        body: tuple[list[Atom], list[Atom], list[Builtin]] = ([], [], [])
        while self._next.kind != "end":
            self._item(*body)
            if self._next.kind != "end" and not (self._skip(",") or self._skip(".")):
                raise self._unexpected("a comma, or the end of the query")
        positive, negative, conditions = (tuple(body[0]), tuple(body[1]), tuple(body[2]))
        self._rule("the query", start, None, positive, negative, conditions)
        return positive, negative, conditions

    def _prefix(self) -> bool:
        token = self._next
        is_sparql = token.kind == "word" and token.text.upper() == "PREFIX"
        if not is_sparql and not (token.kind == "at_word" and token.text == "@prefix"):
            return False
        self._advance()
        name = self._next
        if name.kind != "prefixed" or not name.text.endswith(":") or ":" in name.text[:-1]:
            raise self._unexpected("a prefix such as ex:")
        self._advance()
        if self._next.kind != "iri":
            raise self._unexpected("the namespace of the prefix, an IRI in angle brackets")
        self._prefixes[name.text[:-1]] = self._iri(self._advance())[1:-1]
        if not is_sparql:
            self._expect(".", "the full stop that ends @prefix")
        return True

    def _rules(self, default_name: str) -> list[Rule]:
        start = self._next.start
        name = self._rule_name() if self._next.kind == "rule_name" else default_name
        heads = self._heads()
        body: tuple[list[Atom], list[Atom], list[Builtin]] = ([], [], [])
        if self._next.kind == "arrow":
            self._advance()
            self._item(*body)
            while self._skip(","):
                self._item(*body)
            self._expect(".", "a comma, or the full stop that ends the rule")
        else:
            self._expect(".", "a comma, ':-' before the body, or the full stop that ends a fact")
        positive, negative, conditions = (tuple(body[0]), tuple(body[1]), tuple(body[2]))
        return [self._rule(name, start, head, positive, negative, conditions) for head in heads]

    def _rule(
        self,
        name: str,
        start: int,
        head: Atom | None,
        positive: tuple[Atom, ...],
        negative: tuple[Atom, ...],
        conditions: tuple[Builtin, ...],
    ) -> Rule:
        try:
            return Rule(name, head, positive, negative, conditions)
        except UnsafeRuleError as error:
            line, column = self._source.place(start)
            error.args = (f"{self._source.file}:{line}:{column}: {error}",)
            raise

    def _rule_name(self) -> str:
        token = self._advance()
        name = token.text[1:-1].strip()
        return self._unescaped(name[1:-1], token) if name.startswith('"') else name

    def _heads(self) -> list[Atom | None]:
        if self._next.kind == "word" and self._next.text == "false":
            token = self._advance()
            if self._next.kind == "arrow" or self._next.text == ".":
                return [None]
            return [self._atom_from(self._boolean(token)), *self._more_heads()]
        return [self._atom(), *self._more_heads()]

    def _more_heads(self) -> list[Atom]:
        heads = []
        while self._skip(","):
            heads.append(self._atom())
        return heads

    def _item(self, positive: list[Atom], negative: list[Atom], conditions: list[Builtin]) -> None:
        token = self._next
        if token.kind == "word" and token.text in ("not", "NOT"):
            self._advance()
            negative.append(self._atom())
        elif token.kind == "word" and token.text not in ("true", "false"):
            conditions.append(self._call())
        else:
            first = self._term()
            if self._next.kind == "comparison":
                conditions.append(Builtin(self._advance().text, (first, self._term())))
            else:
                positive.append(self._atom_from(first))

    def _call(self) -> Builtin:
        token = self._advance()
        if self._next.text != "(":
            raise self._source.error(
                "a bare word is neither a term nor a builtin; write ?x, <iri>, prefix:name or a quoted string",
                token.start,
                token.text,
            )
        definition = BUILTINS.get(token.text)
        if definition is None:
            known = [name for name, builtin in BUILTINS.items() if not builtin.infix]
            raise self._source.error(
                "unknown builtin" + _suggestion(token.text, known, " known are " + ", ".join(known)),
                token.start,
                token.text,
            )
        self._advance()
        arguments = [self._term()]
        while self._skip(","):
            arguments.append(self._term())
        self._expect(")", "a comma or a closing parenthesis")
        if len(arguments) != definition.arity:
            plural = "" if definition.arity == 1 else "s"
            message = f"{token.text} takes {definition.arity} argument{plural}, not {len(arguments)}"
            raise self._source.error(message, token.start, token.text)
        if (
            token.text == "matches"
            and is_literal(arguments[1])
            and not is_valid_regex(literal_parts(str(arguments[1]))[0])
        ):
            raise self._source.error("the regular expression is malformed", token.start, str(arguments[1]))
        return Builtin(token.text, tuple(arguments))

    def _atom(self) -> Atom:
        return self._atom_from(self._term())

    def _atom_from(self, subject: Term) -> Atom:
        token = self._next
        if token.kind == "word" and token.text == "a":
            self._advance()
            return Atom(subject, RDF_TYPE, self._term())
        predicate = self._term("a predicate")
        if is_literal(predicate) and not is_auxiliary(predicate):
            raise self._source.error("a literal cannot be a predicate", token.start, token.text)
        return Atom(subject, predicate, self._term())

    def _term(self, wanted: str = "a term") -> Term:
        token = self._next
        if token.kind == "variable":
            if self._places and token.text.startswith("$"):
                return self._place(self._advance())
            return Variable(self._advance().text[1:])
        if token.kind == "iri":
            return self._iri(self._advance())
        if token.kind == "prefixed":
            return self._expanded(self._advance())
        if token.kind == "blank":
            return self._advance().text
        if token.kind == "string":
            return self._literal(self._advance())
        if token.kind in _NUMBERS:
            return literal_text(self._advance().text, XSD + token.kind)
        if token.kind == "word" and token.text in ("true", "false"):
            return self._boolean(self._advance())
        raise self._unexpected(wanted)

    def _place(self, token: Token) -> str:
        number = token.text[1:]
        if not (number.isascii() and number.isdigit() and int(number) > 0):
            raise self._source.error("a place for a constant has a number, from $1 on", token.start, token.text)
        return token.text

    def _iri(self, token: Token) -> str:
        return f"<{self._unescaped(token.text[1:-1], token)}>"

    def _expanded(self, token: Token) -> str:
        prefix, _, local = token.text.partition(":")
        if prefix not in self._prefixes:
            hint = _suggestion(prefix, list(self._prefixes), f" declare it with PREFIX {prefix}: <...>")
            raise self._source.error(f"unknown prefix {prefix}:{hint}", token.start, token.text)
        return f"<{self._prefixes[prefix]}{local.translate(_LOCAL_ESCAPES)}>"

    def _literal(self, token: Token) -> str:
        quotes = 3 if token.text[:3] in ('"""', "'''") and len(token.text) > 5 else 1
        lexical = self._unescaped(token.text[quotes:-quotes], token)
        if self._next.kind == "at_word":
            return literal_text(lexical, language=self._advance().text[1:])
        if self._next.kind != "datatype_mark":
            return literal_text(lexical)
        self._advance()
        if self._next.kind not in ("iri", "prefixed"):
            raise self._unexpected("a datatype")
        datatype = self._advance()
        name = self._iri(datatype) if datatype.kind == "iri" else self._expanded(datatype)
        return literal_text(lexical, name[1:-1])

    def _boolean(self, token: Token) -> str:
        return literal_text(token.text, XSD + "boolean")

    def _unescaped(self, body: str, token: Token) -> str:
        try:
            return unescape(body)
        except ValueError as error:
            raise self._source.error(str(error), token.start, token.text) from None

    def _advance(self) -> Token:
        token = self._next
        if token.kind != "end":
            self._next = next(self._tokens)
        return token

    def _skip(self, mark: str) -> bool:
        if self._next.kind == "punctuation" and self._next.text == mark:
            self._advance()
            return True
        return False

    def _expect(self, mark: str, wanted: str) -> None:
        if not self._skip(mark):
            raise self._unexpected(wanted)

    def _unexpected(self, wanted: str) -> ParseError:
        found = "the text ends here" if self._next.kind == "end" else "this is something else"
        return self._source.error(f"expected {wanted}, but {found}", self._next.start, self._next.text)


def _suggestion(name: str, known: list[str], otherwise: str) -> str:
    nearest = get_close_matches(name.lower(), [word.lower() for word in known], n=1, cutoff=0.5)
    if nearest:
        return ", did you mean " + next(word for word in known if word.lower() == nearest[0]) + "?"
    return ";" + otherwise
