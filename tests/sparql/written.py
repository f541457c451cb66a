"""Random queries and updates, each drawn as its algebra and written down at the same time.

What is drawn is the value that the standard gives (SPARQL 1.1, 18.2), so that the text can be translated back without
any other parser. Every function returns the tokens of a part and its value; ``layout`` puts space between tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from random import Random
from typing import Any

from reasoner.sparql.algebra import (
    Aggregate,
    Alternative,
    Bgp,
    Call,
    Constant,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    GraphPattern,
    Group,
    Inverse,
    Join,
    LeftJoin,
    Link,
    Minus,
    NegatedSet,
    Node,
    OrderBy,
    Path,
    PathSequence,
    Project,
    Query,
    RepeatedPath,
    ServicePattern,
    Slice,
    Term,
    TriplePattern,
    Union,
    Values,
    Var,
    visible,
)
from reasoner.sparql.operation import Clear, Create, Load, Modify, Operation, Transfer

Tokens = list[str]
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
BASE = "http://base.org/folder/file"
PREFIXES = {"e": "http://e.org/", "": "http://empty.org/#", "x-1.y": "http://x.org/", "é": "urn:é:"}

# IRIs and literals as they are written, and what they are.
IRIS = {
    "<http://e.org/a>": "<http://e.org/a>",
    "<urn:é#x>": "<urn:é#x>",
    "<rel>": "<http://base.org/folder/rel>",
    "<#f>": "<http://base.org/folder/file#f>",
    "<>": f"<{BASE}>",
    "e:a": "<http://e.org/a>",
    "e:a.b-c": "<http://e.org/a.b-c>",
    r"e:a\.\/b": "<http://e.org/a./b>",
    "e:1%41": "<http://e.org/1%41>",
    "e:": "<http://e.org/>",
    ":": "<http://empty.org/#>",
    ":a:b": "<http://empty.org/#a:b>",
    "x-1.y:_z": "<http://x.org/_z>",
    "é:ß": "<urn:é:ß>",
}
STRINGS = {
    '""': "",
    "'a'": "a",
    '"it\'s # no { comment"': "it's # no { comment",
    r"'\t\n\"\'\\'": "\t\n\"'\\",
    '"""two\nlines, "quoted" """': 'two\nlines, "quoted" ',
    "'''a\\'''b'''": "a'''b",
    r'"caf\u00E9 \U0001F600"': "café 😀",
    r'"C:\\u0041"': r"C:\u0041",
    '"tab\there"': "tab\there",
}
NUMBERS = {"0": "integer", "007": "integer", "1.50": "decimal", ".5": "decimal", "1e0": "double", "1.E-3": "double"}
VARIABLES = ("u", "v", "w", "x_1", "0", "é")
UNARY_FUNCTIONS = (
    *(
        "STR",
        "LANG",
        "DATATYPE",
        "ABS",
        "CEIL",
        "FLOOR",
        "ROUND",
        "STRLEN",
        "UCASE",
        "LCASE",
        "ENCODE_FOR_URI",
        "BNODE",
    ),
    *("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ"),
    *("MD5", "SHA1", "SHA256", "SHA384", "SHA512", "isIRI", "isBLANK", "isLITERAL", "isNUMERIC"),
)
BINARY_FUNCTIONS = (
    *("LANGMATCHES", "CONTAINS", "STRSTARTS", "STRENDS", "STRBEFORE", "STRAFTER", "STRLANG", "STRDT", "sameTerm"),
    *("SUBSTR", "REGEX"),
)


def escaped(lexical: str) -> str:
    pairs = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
    return "".join(pairs.get(character, character) for character in lexical)


def halved(combine: Callable[[Any, Any], Any], parts: list[Any]) -> Any:
    """Combine parts as the translation does, which is free to put brackets where they make no difference."""
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    return combine(halved(combine, parts[:middle]), halved(combine, parts[middle:]))


def joined(parts: list[Node]) -> Node:
    parts = [part for part in parts if part != Bgp()]
    return halved(Join, parts) if parts else Bgp()


def renamed(value: object) -> object:
    """Return a value with the names that its translator made up numbered in order of appearance."""
    names: dict[str, str] = {}

    def of(part: Any) -> Any:
        if isinstance(part, str) and part.startswith(("_:.", ".key")):
            return names.setdefault(part, f"{part[:3]}{len(names)}")
        if isinstance(part, tuple):
            return tuple(map(of, part))
        if is_dataclass(part) and not isinstance(part, type):
            return replace(
                part, **{field.name: of(getattr(part, field.name)) for field in fields(part) if field.compare}
            )
        return part

    return of(value)


@dataclass
class Written:
    """A text and what it says."""

    text: str
    value: Any


def written_query(seed: int) -> Written:
    """Draw a query of any form."""
    writer = Writer(Random(seed))
    tokens, query = writer.query()
    return Written(writer.layout([*writer.prologue(), *tokens]), query)


def written_update(seed: int) -> Written:
    """Draw a request of up to three operations."""
    writer = Writer(Random(seed))
    tokens = writer.prologue()
    operations: list[Operation] = []
    for number in range(writer.pick(1, 2, 3)):
        if number:
            tokens += [";", *writer.pick([], ["PREFIX", "new:", "<http://new.org/>"])]
        part, operation = writer.operation()
        tokens += part
        operations.append(operation)
    return Written(writer.layout([*tokens, *writer.pick([], [";"])]), tuple(operations))


class Writer:
    """Draws parts; ``depth`` is how many levels further groups and expressions may go."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._made = 0

    def pick(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def _fresh(self, kind: str) -> str:
        self._made += 1
        return f"{kind}{self._made}"

    def layout(self, tokens: Tokens) -> str:
        """Put tokens together, with all kinds of space, and none where none is needed."""
        text = ""
        for token in tokens:
            keyword = token.isascii() and token.replace("_", "").isalnum() and token[0].isalpha()
            keyword = keyword and token not in ("a", "true", "false")
            shown = self.pick(token, token.lower(), token.upper()) if keyword else token
            touching = shown[0] in "{}()[];,*" or (text and text[-1] in "{}()[];,*")
            text += self.pick("", " ") if touching else self.pick(" ", "\n", "\t", " # no\n", "  ", "\r\n")
            text += shown
        return text + self.pick("", "\n", " # end")

    def prologue(self) -> Tokens:
        tokens = ["BASE", f"<{BASE}>"]
        for prefix, namespace in PREFIXES.items():
            tokens += ["PREFIX", f"{prefix}:", f"<{namespace}>"]
        return tokens

    def iri(self) -> tuple[Tokens, str]:
        text = self.pick(*IRIS)
        return [text], IRIS[text]

    def variable(self) -> tuple[Tokens, Var]:
        name = self.pick(*VARIABLES)
        return [self.pick("?", "$") + name], Var(name)

    def literal(self) -> tuple[Tokens, str]:
        kind = self.pick("string", "language", "datatype", "number", "boolean")
        if kind == "number":
            number, sign = self.pick(*NUMBERS), self.pick("", "", "+", "-")
            return [sign + number], f'"{sign}{number}"^^<{XSD}{NUMBERS[number]}>'
        if kind == "boolean":
            text = self.pick("true", "false")
            return [text], f'"{text}"^^<{XSD}boolean>'
        written = self.pick(*STRINGS)
        text = f'"{escaped(STRINGS[written])}"'
        if kind == "language":
            tag = self.pick("en", "EN-gb", "x-1")
            return [written + self.pick("", " ") + f"@{tag}"], f"{text}@{tag}"
        if kind == "datatype":
            iri, value = self.iri()
            return [written, "^^", *iri], f"{text}^^{value}"
        return [written], text

    def term(self, *, variables: bool = True, labels: tuple[str, ...] = ()) -> tuple[Tokens, Term]:
        kind = self.pick(
            *(["variable"] * 3 if variables else []), "iri", "iri", "literal", *(["label"] if labels else [])
        )
        if kind == "label":
            label = self.pick(*labels)
            return [label], Var(label)
        return self.variable() if kind == "variable" else self.iri() if kind == "iri" else self.literal()

    def path(self, depth: int = 2) -> tuple[Tokens, Path]:
        kind = (
            self.pick("link", "link", "sequence", "alternative", "inverse", "repeated", "negated", "a")
            if depth
            else "link"
        )
        if kind == "a":
            return ["a"], Link(f"<{RDF}type>")
        if kind == "link":
            tokens, iri = self.iri()
            return tokens, Link(iri)
        if kind == "negated":
            parts = [(self.pick("", "^"), *self.iri()) for _ in range(self.pick(0, 1, 2, 3))]
            forward = tuple(iri for sign, _, iri in parts if not sign)
            backward = tuple(iri for sign, _, iri in parts if sign)
            value = NegatedSet(forward if forward or not backward else None, backward or None)
            inner: Tokens = []
            for number, (sign, tokens, _) in enumerate(parts):
                inner += [*(["|"] if number else []), *([sign] if sign else []), *tokens]
            return (["!", *inner] if len(parts) == 1 and self.pick(True, False) else ["!", "(", *inner, ")"]), value
        if kind in ("sequence", "alternative"):
            parts = [self._bracketed_path(depth - 1) for _ in range(self.pick(2, 3, 5))]
            mark, combine = ("/", PathSequence) if kind == "sequence" else ("|", Alternative)
            tokens = [token for number, part in enumerate(parts) for token in ([mark] * bool(number) + part[0])]
            return ["(", *tokens, ")"], halved(combine, [path for _, path in parts])
        tokens, path = self._bracketed_path(depth - 1)
        if kind == "inverse":
            return ["(", "^", *tokens, ")"], Inverse(path)
        mark = self.pick("?", "*", "+")
        # A sign before a digit would be that of a number.
        return ["(", *tokens, mark, ")"], RepeatedPath(path, zero=mark != "+", many=mark != "?")

    def _bracketed_path(self, depth: int) -> tuple[Tokens, Path]:
        tokens, path = self.path(depth)
        return (["(", *tokens, ")"], path) if self.pick(True, False, False) else (tokens, path)

    def triples(
        self, labels: tuple[str, ...], *, paths: bool, variables: bool = True
    ) -> tuple[Tokens, list[TriplePattern]]:
        """Draw the triples of one subject."""
        found: list[TriplePattern] = []
        kind = self.pick("term", "term", "term", "node")
        if kind == "node":
            tokens, subject = self._node(found, labels, paths, variables, depth=1)
            if found and self.pick(True, False):
                return tokens, found
        else:
            tokens, subject = self.term(variables=variables, labels=labels)
        return [*tokens, *self._properties(subject, found, labels, paths, variables, depth=1)], found

    def _properties(
        self,
        subject: Term,
        found: list[TriplePattern],
        labels: tuple[str, ...],
        paths: bool,
        variables: bool,
        depth: int,
    ) -> Tokens:
        tokens: Tokens = []
        for number in range(self.pick(1, 1, 2)):
            if number:
                tokens += self.pick([";"], [";", ";"])
            verb, predicate = self._verb(paths, variables)
            tokens += verb
            for place in range(self.pick(1, 1, 2)):
                tokens += [","] * bool(place)
                if depth and self.pick(True, False, False):
                    inner: list[TriplePattern] = []
                    part, node = self._node(inner, labels, paths, variables, depth - 1)
                    found += [TriplePattern(subject, predicate, node), *inner]
                else:
                    part, node = self.term(variables=variables, labels=labels)
                    found.append(TriplePattern(subject, predicate, node))
                tokens += part
        return tokens + self.pick([], [], [";"])

    def _verb(self, paths: bool, variables: bool) -> tuple[Tokens, Term | Path]:
        if variables and self.pick(True, False, False):
            return self.variable()
        if not paths:
            return self.pick((["a"], f"<{RDF}type>"), self.iri())
        tokens, path = self.path()
        return tokens, path.predicate if isinstance(path, Link) else path

    def _node(
        self, found: list[TriplePattern], labels: tuple[str, ...], paths: bool, variables: bool, depth: int
    ) -> tuple[Tokens, Term]:
        node = Var("_:." + self._fresh("b"))
        if self.pick(True, False):
            if self.pick(True, False):
                return ["[", "]"], node
            return ["[", *self._properties(node, found, labels, paths, variables, depth), "]"], node
        tokens: Tokens = ["("]
        cells = [Var("_:." + self._fresh("c")) for _ in range(self.pick(0, 1, 3))]
        for place, cell in enumerate(cells):
            following = cells[place + 1] if place + 1 < len(cells) else f"<{RDF}nil>"
            part, member = self.term(variables=variables, labels=labels)
            tokens += part
            found += [TriplePattern(cell, f"<{RDF}first>", member), TriplePattern(cell, f"<{RDF}rest>", following)]
        return [*tokens, ")"], cells[0] if cells else f"<{RDF}nil>"

    def block(self, *, paths: bool, variables: bool = True) -> tuple[Tokens, list[TriplePattern]]:
        """Draw triples with labels of their own; the last dot may be missing."""
        tokens: Tokens = []
        found: list[TriplePattern] = []
        labels = (f"_:{self._fresh('l')}", f"_:{self._fresh('0.l-')}")
        for number in range(self.pick(1, 1, 2, 3)):
            part, triples = self.triples(labels, paths=paths, variables=variables)
            tokens += [*([".", *part] if number else part)]
            found += triples
        return tokens, found

    def group(self, depth: int) -> tuple[Tokens, Node, tuple[Expression, ...]]:
        """Draw a group graph pattern; its filters come apart."""
        if depth and self.pick(True, *[False] * 7):
            tokens, node, _ = self.select(depth - 1)
            return ["{", *tokens, "}"], node, ()
        tokens: Tokens = ["{"]
        parts: list[Node] = []
        filters: list[Expression] = []
        block: list[TriplePattern] = []
        for _ in range(self.pick(0, 1, 2, 3) if depth else 1):
            kind = self.pick(*(["triples"] * 2 if depth else ["triples"]), *(KINDS if depth else ()))
            if kind == "filter":
                part, condition = self.condition(depth - 1)
                tokens += ["FILTER", *part, *self.pick([], ["."])]
                filters.append(condition)
                continue
            if kind == "triples":
                if tokens[-1] not in ("{", ".", "}"):
                    tokens.append(".")
                part, triples = self.block(paths=True)
                tokens += [*part, *self.pick([], ["."])]
                block += triples
                # A dot must separate triples from more triples, and may separate them from anything else.
                if tokens[-1] != ".":
                    tokens.append(".")
                continue
            if block:
                parts.append(Bgp(tuple(block)))
                block = []
            part, parts = self._part(kind, depth - 1, parts)
            tokens += [*part, *self.pick([], ["."])]
        if block:
            parts.append(Bgp(tuple(block)))
        return [*tokens, "}"], joined(parts), tuple(filters)

    def whole(self, depth: int) -> tuple[Tokens, Node]:
        """Draw a group with its filters."""
        tokens, node, filters = self.group(depth)
        return tokens, Filter(filters, node) if filters else node

    def _part(self, kind: str, depth: int, parts: list[Node]) -> tuple[Tokens, list[Node]]:
        before = joined(parts)
        if kind == "optional":
            tokens, node, filters = self.group(depth)
            return ["OPTIONAL", *tokens], [LeftJoin(before, node, filters)]
        if kind == "minus":
            tokens, node = self.whole(depth)
            return ["MINUS", *tokens], [Minus(before, node)]
        if kind == "union":
            found = [self.whole(depth) for _ in range(self.pick(1, 2, 3))]
            tokens = [token for number, part in enumerate(found) for token in (["UNION"] * bool(number) + part[0])]
            return tokens, [*parts, halved(Union, [node for _, node in found])]
        if kind == "bind":
            tokens, expression = self.expression(depth)
            name = self._fresh("bound")
            return ["BIND", "(", *tokens, "AS", f"?{name}", ")"], [Extend(before, name, expression)]
        if kind == "values":
            tokens, values = self.values()
            return tokens, [*parts, values]
        name_tokens, name = self.pick(self.variable(), self.iri())
        tokens, node = self.whole(depth)
        if kind == "graph":
            return ["GRAPH", *name_tokens, *tokens], [*parts, GraphPattern(name, node)]
        if self.pick(True, False):
            return ["SERVICE", *name_tokens, *tokens], [*parts, ServicePattern(name, node)]
        names = tuple(visible(ServicePattern(name, node)))
        return ["SERVICE", "SILENT", *name_tokens, *tokens], [*parts, Values(names, ((None,) * len(names),))]

    def values(self) -> tuple[Tokens, Values]:
        names = [self._fresh("value") for _ in range(self.pick(0, 1, 1, 2))]
        rows = [[self._cell() for _ in names] for _ in range(self.pick(0, 1, 3))]
        cells = tuple(tuple(value for _, value in row) for row in rows)
        if len(names) == 1 and self.pick(True, False):
            inner = [token for row in rows for token in row[0][0]]
            return ["VALUES", f"?{names[0]}", "{", *inner, "}"], Values(tuple(names), cells)
        inner = [token for row in rows for token in ["(", *(token for cell, _ in row for token in cell), ")"]]
        return ["VALUES", "(", *(f"${name}" for name in names), ")", "{", *inner, "}"], Values(tuple(names), cells)

    def _cell(self) -> tuple[Tokens, str | None]:
        if self.pick(True, False, False):
            return ["UNDEF"], None
        tokens, term = self.term(variables=False)
        assert isinstance(term, str)
        return tokens, term

    def condition(self, depth: int) -> tuple[Tokens, Expression]:
        """Draw a condition: an expression in brackets, or a call."""
        if self.pick(True, False, False):
            return self._call(depth)
        tokens, expression = self.expression(depth)
        return ["(", *tokens, ")"], expression

    def expression(self, depth: int, aggregates: list[Aggregate] | None = None) -> tuple[Tokens, Expression]:
        """Draw an expression of any strength; ``aggregates`` collects those that it has."""
        return self._of_strength(0, depth, aggregates)

    def _of_strength(self, strength: int, depth: int, aggregates: list[Aggregate] | None) -> tuple[Tokens, Expression]:
        """Draw an expression whose operators are at least so strong, or one in brackets."""
        if strength == len(STRENGTHS) or depth <= 0:
            return self._primary(depth, aggregates)
        stronger = lambda: self._of_strength(strength + 1, depth - self.pick(0, 1), aggregates)  # noqa: E731
        tokens, first = stronger()
        if self.pick(True, True, False):
            return tokens, first
        operators = STRENGTHS[strength]
        if operators == ("=",):
            return self._compared(tokens, first, stronger, depth, aggregates)
        parts, used = [first], ""
        for _ in range(self.pick(1, 2, 4)):
            operator = self.pick(*operators)
            more, other = stronger()
            if operator in "+-" and more[0][0] in "0123456789." and self.pick(True, False):
                # A sign that touches its number is an operator all the same.
                tokens += [operator + more[0], *more[1:]]
            else:
                tokens += [operator, *more]
            parts.append(other)
            used += operator
        if operators[0] in ("&&", "||"):
            return tokens, halved(lambda left, right: Call(operators[0], (left, right)), parts)
        return tokens, Call(used, tuple(parts))

    def _compared(
        self,
        tokens: Tokens,
        first: Expression,
        stronger: Callable[[], tuple[Tokens, Expression]],
        depth: int,
        aggregates: list[Aggregate] | None,
    ) -> tuple[Tokens, Expression]:
        operator = self.pick("=", "!=", "<", "<=", ">", ">=", "IN", "NOT IN")
        if operator not in ("IN", "NOT IN"):
            more, other = stronger()
            return [*tokens, operator, *more], Call(operator, (first, other))
        more, members = self._listed(self.pick(0, 1, 3), depth - 1, aggregates)
        found = Call("IN", (first, *members))
        return [*tokens, *operator.split(), *more], Call("!", (found,)) if operator == "NOT IN" else found

    def _listed(
        self, count: int, depth: int, aggregates: list[Aggregate] | None
    ) -> tuple[Tokens, tuple[Expression, ...]]:
        found = [self.expression(depth, aggregates) for _ in range(count)]
        tokens = [token for number, part in enumerate(found) for token in ([","] * bool(number) + part[0])]
        return ["(", *tokens, ")"], tuple(value for _, value in found)

    def _primary(self, depth: int, aggregates: list[Aggregate] | None) -> tuple[Tokens, Expression]:
        kind = self.pick("variable", "constant", *(("brackets", "unary", "call") if depth > 0 else ()))
        if aggregates is not None:
            kind = self.pick("aggregate", "constant", kind if kind != "variable" else "constant")
        if kind == "variable":
            return self.variable()
        if kind == "constant":
            tokens, text = self.pick(self.iri(), self.literal())
            return tokens, Constant(text)
        if kind == "aggregate":
            return self._aggregate(depth, aggregates)
        if kind == "brackets":
            tokens, value = self.expression(depth - 1, aggregates)
            return ["(", *tokens, ")"], value
        if kind == "call":
            return self._call(depth - 1, aggregates)
        sign = self.pick("!", "-", "+")
        tokens, value = self.expression(depth - 1, aggregates)
        return [sign, "(", *tokens, ")"], Call({"!": "!", "-": "unary -", "+": "unary +"}[sign], (value,))

    def _aggregate(self, depth: int, aggregates: list[Aggregate] | None) -> tuple[Tokens, Expression]:
        assert aggregates is not None
        name = self.pick("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT")
        distinct = self.pick(True, False)
        argument: Expression | None = None
        tokens = ["*"]
        if name != "COUNT" or self.pick(True, False):
            tokens, argument = self.expression(min(depth, 1))
        separator = " "
        if name == "GROUP_CONCAT" and self.pick(True, False):
            written = self.pick(*STRINGS)
            tokens, separator = [*tokens, ";", "SEPARATOR", "=", written], STRINGS[written]
        found = Aggregate(name, argument, distinct, separator)
        if found not in aggregates:
            aggregates.append(found)
        value = Var(f".aggregate{aggregates.index(found)}")
        return [name, "(", *(["DISTINCT"] if distinct else []), *tokens, ")"], value

    def _call(self, depth: int, aggregates: list[Aggregate] | None = None) -> tuple[Tokens, Expression]:
        kind = self.pick("unary", "binary", "list", "none", "bound", "if", "iri", "function", "exists")
        if kind == "exists" and depth > 0:
            tokens, node = self.whole(depth - 1)
            negated = self.pick(True, False)
            return [*(["NOT"] if negated else []), "EXISTS", *tokens], Exists(node, negated)
        if kind == "bound" and aggregates is None:
            tokens, variable = self.variable()
            return ["BOUND", "(", *tokens, ")"], Call("BOUND", (variable,))
        if kind == "none":
            name = self.pick("RAND", "NOW", "UUID", "STRUUID", "BNODE")
            return [name, "(", ")"], Call(name, ())
        if kind == "function":
            iri, value = self.iri()
            tokens, arguments = self._listed(self.pick(0, 1, 2), depth - 1, aggregates)
            return [*iri, *tokens], Call(value, arguments)
        if kind == "iri":
            tokens, arguments = self._listed(1, depth - 1, aggregates)
            return [self.pick("IRI", "URI"), *tokens], Call("IRI", (*arguments, Constant(f"<{BASE}>")))
        names, counts = {
            "binary": (BINARY_FUNCTIONS, (2,)),
            "list": (("CONCAT", "COALESCE"), (0, 1, 3)),
            "if": (("IF", "REPLACE", "SUBSTR", "REGEX"), (3,)),
        }.get(kind, (UNARY_FUNCTIONS, (1,)))
        name = self.pick(*names)
        tokens, arguments = self._listed(self.pick(*counts), depth - 1, aggregates)
        return [name, *tokens], Call(name.upper(), arguments)

    def select(self, depth: int) -> tuple[Tokens, Node, tuple[str, ...]]:
        """Draw a SELECT with its modifiers, as a query or within a group."""
        modifier = self.pick("", "", "DISTINCT", "REDUCED")
        grouped = self.pick(True, False, False)
        items: list[tuple[Tokens, str, Expression | None]] = []
        aggregates: list[Aggregate] = []
        keys: list[tuple[Tokens, str, Expression | None]] = []
        if grouped:
            keys = [self._key(depth) for _ in range(self.pick(0, 1, 2))]
            items = [([f"?{name}"], name, None) for _, name, _ in keys if not name.startswith(".")]
        elif self.pick(True, False):
            items = [([f"?{name}"], name, None) for name in (self.pick(*VARIABLES) for _ in range(self.pick(1, 2)))]
        if items or grouped:
            for _ in range(self.pick(*(0, 1, 2) if items else (1, 2))):
                tokens, value = self.expression(depth, aggregates if grouped else None)
                name = self._fresh("made")
                items.append((["(", *tokens, "AS", f"?{name}", ")"], name, value))
        body, node = self.whole(depth)
        tokens = ["SELECT", *([modifier] if modifier else [])]
        tokens += [token for part, _, _ in items for token in part] if items else ["*"]
        more, node, variables = self.modified(node, items, keys, aggregates, depth, grouped=grouped)
        if modifier:
            # DISTINCT comes before LIMIT.
            node = replace(node, child=Distinct(node.child)) if isinstance(node, Slice) else Distinct(node)
        return [*tokens, *self.pick([], ["WHERE"]), *body, *more], node, variables

    def _key(self, depth: int) -> tuple[Tokens, str, Expression | None]:
        if self.pick(True, False):
            tokens, variable = self.variable()
            return tokens, variable.name, None
        tokens, value = self._call(depth - 1)
        if self.pick(True, False):
            return tokens, self._fresh(".key"), value
        name = self._fresh("key")
        return ["(", *tokens, "AS", f"?{name}", ")"], name, value

    def modified(
        self,
        node: Node,
        items: list[tuple[Tokens, str, Expression | None]],
        keys: list[tuple[Tokens, str, Expression | None]],
        aggregates: list[Aggregate],
        depth: int,
        *,
        grouped: bool,
    ) -> tuple[Tokens, Node, tuple[str, ...]]:
        """Draw what follows a pattern, and apply it in the order of 18.2.4 and 18.2.5."""
        tokens: Tokens = []
        having: list[Expression] = []
        if keys:
            tokens += ["GROUP", "BY", *(token for part, _, _ in keys for token in part)]
            for _, name, value in keys:
                node = node if value is None else Extend(node, name, value)
        if grouped and self.pick(True, False):
            part, value = self.expression(depth, aggregates)
            tokens += ["HAVING", "(", *part, ")"]
            having.append(value)
        order: list[tuple[Expression, bool]] = []
        for number in range(self.pick(0, 0, 1, 2)):
            tokens += [] if number else ["ORDER", "BY"]
            part, value = self.condition(depth)
            kind = self.pick("variable", "condition", "ASC", "DESC")
            if kind == "variable":
                part, value = self.variable()
            elif kind != "condition":
                inner, value = self.expression(depth)
                part = [kind, "(", *inner, ")"]
            tokens += part
            order.append((value, kind == "DESC"))
        if keys or aggregates:
            held = tuple((f".aggregate{number}", aggregate) for number, aggregate in enumerate(aggregates))
            node = Group(node, tuple(name for _, name, _ in keys), held, implicit=not keys)
        if having:
            node = Filter(tuple(having), node)
        limit, offset = self.pick(None, None, 0, 10), self.pick(None, None, 5)
        clauses = [["LIMIT", str(limit)]] * (limit is not None) + [["OFFSET", str(offset)]] * (offset is not None)
        tokens += [token for clause in (clauses if self.pick(True, False) else clauses[::-1]) for token in clause]
        if self.pick(True, False, False):
            part, values = self.values()
            tokens += part
            node = joined([node, values])
        for _, name, value in items:
            node = node if value is None else Extend(node, name, value)
        if order:
            node = OrderBy(node, tuple(order))
        variables = tuple(dict.fromkeys(name for _, name, _ in items)) if items else tuple(visible(node))
        node = Project(node, variables)
        return tokens, node if limit is offset is None else Slice(node, offset or 0, limit), variables

    def query(self) -> tuple[Tokens, Query]:
        form = self.pick("SELECT", "SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
        if form == "SELECT":
            tokens, node, variables = self.select(2)
            # FROM comes before the pattern, whose beginning only ``select`` knows.
            return tokens, Query(form, node, variables, base=BASE)
        tokens = [form]
        template: list[TriplePattern] = []
        described: tuple[Term, ...] | None = ()
        short = form == "CONSTRUCT" and self.pick(True, False)
        if form == "DESCRIBE":
            terms = [self.pick(self.variable(), self.iri()) for _ in range(self.pick(0, 1, 2))]
            tokens += [token for part, _ in terms for token in part] or ["*"]
            described = tuple(term for _, term in terms) or None
        if form == "CONSTRUCT" and not short and self.pick(True, True, False):
            part, template = self.block(paths=False)
            tokens += ["{", *part, "}"]
        elif form == "CONSTRUCT" and not short:
            tokens += ["{", "}"]
        default, named = (
            [self.iri() for _ in range(self.pick(0, 0, 1))],
            [self.iri() for _ in range(self.pick(0, 0, 2))],
        )
        tokens += [token for part, _ in default for token in ["FROM", *part]]
        tokens += [token for part, _ in named for token in ["FROM", "NAMED", *part]]
        node: Node = Bgp()
        if short:
            part, template = self.block(paths=False)
            tokens += ["WHERE", "{", *part, "}"]
            node = Bgp(tuple(template))
        elif form != "DESCRIBE" or self.pick(True, False):
            part, node = self.whole(2)
            tokens += [*self.pick([], ["WHERE"]), *part]
        more, node, variables = self.modified(node, [], [], [], 1, grouped=False)
        given = bool(default or named)
        return [*tokens, *more], Query(
            form,
            node,
            variables,
            tuple((triple.subject, triple.predicate, triple.object) for triple in template),
            tuple(map(Var, variables)) if described is None else described,
            tuple(iri for _, iri in default) if given else None,
            tuple(iri for _, iri in named) if given else None,
            BASE,
        )

    def operation(self) -> tuple[Tokens, Operation]:
        kind = self.pick("data", "data", "modify", "modify", "modify", "where", "graph", "load", "transfer")
        silent = self.pick(True, False)
        word = ["SILENT"] if silent else []
        iri, name = self.iri()
        if kind == "data":
            verb = self.pick("INSERT", "DELETE")
            tokens, quads = self._quads(variables=False, blank=verb == "INSERT")
            return [verb, "DATA", *tokens], Modify(insert=quads) if verb == "INSERT" else Modify(delete=quads)
        if kind == "load":
            into = self.pick([], ["INTO", "GRAPH", *iri])
            source, loaded = self.iri()
            return ["LOAD", *word, *source, *into], Load(loaded[1:-1], silent, name if into else None)
        if kind == "graph":
            verb = self.pick("CREATE", "CLEAR", "DROP")
            if verb == "CREATE":
                return [verb, *word, "GRAPH", *iri], Create(name, silent)
            what = self.pick("DEFAULT", "NAMED", "ALL", "")
            return [verb, *word, *([what] if what else ["GRAPH", *iri])], Clear(what or name)
        if kind == "transfer":
            verb = self.pick("ADD", "MOVE", "COPY")
            ends = [self.pick((["DEFAULT"], None), self.iri()) for _ in range(2)]
            words = [[*self.pick([], ["GRAPH"] if graph else []), *tokens] for tokens, graph in ends]
            return [verb, *word, *words[0], "TO", *words[1]], Transfer(verb, ends[0][1], ends[1][1], silent)
        if kind == "where":
            return self._delete_where()
        with_graph = name if self.pick(True, False) else None
        tokens = ["WITH", *iri] if with_graph else []
        clauses = self.pick(("DELETE",), ("INSERT",), ("DELETE", "INSERT"))
        quads = {"DELETE": (), "INSERT": ()}
        for clause in clauses:
            part, quads[clause] = self._quads(variables=True, blank=clause == "INSERT", graph=with_graph)
            tokens += [clause, *part]
        using = [(self.pick([], ["NAMED"]), *self.iri()) for _ in range(self.pick(0, 0, 1, 2))]
        tokens += [token for word, part, _ in using for token in ["USING", *word, *part]]
        default: tuple[str, ...] | None = None if with_graph is None else (with_graph,)
        named = None
        if using:
            named = tuple(graph for word, _, graph in using if word)
            default = tuple(graph for word, _, graph in using if not word)
        part, node = self.whole(2)
        where = Project(node, tuple(visible(node)))
        return [*tokens, "WHERE", *part], Modify(quads["DELETE"], quads["INSERT"], where, default, named)

    def _delete_where(self) -> tuple[Tokens, Operation]:
        variables = ["?u", "e:a", "?v"]
        s, o = Var("u"), Var("v")
        if self.pick(True, False):
            node: Node = Bgp((TriplePattern(s, "<http://e.org/a>", o),))
            where = Project(node, ("u", "v"))
            return ["DELETE", "WHERE", "{", *variables, "}"], Modify(((s, "<http://e.org/a>", o, None),), (), where)
        iri, name = self.pick(self.variable(), self.iri())
        node = GraphPattern(name, Bgp((TriplePattern(s, "<http://e.org/a>", o),)))
        where = Project(node, tuple(visible(node)))
        tokens = ["DELETE", "WHERE", "{", "GRAPH", *iri, "{", *variables, "}", "}"]
        return tokens, Modify(((s, "<http://e.org/a>", o, name),), (), where)

    def _quads(self, *, variables: bool, blank: bool, graph: str | None = None) -> tuple[Tokens, tuple[Any, ...]]:
        """Draw quads in braces; those of the default graph come first in their value."""
        tokens: Tokens = ["{"]
        plain: list[Any] = []
        named: list[Any] = []
        for _ in range(self.pick(0, 1, 2)):
            if self.pick(True, False):
                if tokens[-1] not in ("{", "}", "."):
                    tokens.append(".")
                part, triples = self._data(variables, blank)
                tokens += part
                plain += [(*triple, graph) for triple in triples]
            else:
                word, name = self.pick(self.variable(), self.iri()) if variables else self.iri()
                part, triples = self._data(variables, blank)
                tokens += ["GRAPH", *word, "{", *part, *self.pick([], ["."]), "}"]
                named += [(*triple, name) for triple in triples]
        return [*tokens, "}"], (*plain, *named)

    def _data(self, variables: bool, blank: bool) -> tuple[Tokens, list[tuple[Term, Any, Term]]]:
        if blank:
            tokens, triples = self.block(paths=False, variables=variables)
            return tokens, [(triple.subject, triple.predicate, triple.object) for triple in triples]
        (s, subject), (p, predicate) = self.term(variables=variables), self.iri()
        o, value = self.term(variables=variables)
        return [*s, *p, *o], [(subject, predicate, value)]


KINDS = ("filter", "optional", "minus", "union", "bind", "values", "graph", "service")
STRENGTHS = (("||",), ("&&",), ("=",), ("+", "-"), ("*", "/"))
