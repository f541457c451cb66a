"""Random data with equal terms, and random queries over the same few names."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

E = "http://e.org/"
PREFIXES = f"PREFIX : <{E}> PREFIX owl: <http://www.w3.org/2002/07/owl#>\n"
SAME_AS = "<http://www.w3.org/2002/07/owl#sameAs>"
RESOURCES = tuple("abcdefgh")
PREDICATES = ("p", "q", "r")
LITERALS = ('"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"2"^^<http://www.w3.org/2001/XMLSchema#integer>', '"x"')
VARIABLES = ("?u", "?v", "?w", "?x")

Triple = tuple[str, str, str]


def iri(name: str) -> str:
    return f"<{E}{name}>"


@st.composite
def data(draw: st.DrawFn, *, blank: bool = True) -> list[Triple]:
    """Draw facts, and equalities that make a class large now and then."""
    names = st.sampled_from([*map(iri, RESOURCES[:5]), *map(iri, RESOURCES[:2]), *(["_:n"] if blank else [])])
    objects = st.one_of(names, names, st.sampled_from(LITERALS))
    facts = draw(st.lists(st.tuples(names, st.sampled_from(PREDICATES).map(iri), objects), min_size=5, max_size=14))
    equal = draw(st.lists(st.tuples(names, names), max_size=4))
    facts += [(left, SAME_AS, right) for left, right in equal]
    if draw(st.sampled_from([False, False, True])):
        size = draw(st.integers(5, 12))
        facts += [(iri("a"), SAME_AS, iri(f"a{number}")) for number in range(size)]
    if draw(st.sampled_from([False, False, False, True])):
        facts.append((iri("p"), SAME_AS, draw(st.sampled_from([iri("q"), iri("a"), SAME_AS]))))
    return facts


@dataclass
class Scope:
    """What a pattern binds for sure, and what it may bind."""

    sure: set[str]
    may: set[str]


@st.composite
def queries(draw: st.DrawFn, *, well_designed: bool = False) -> str:
    """Draw a SELECT; a well-designed one has nothing whose meaning depends on the order of evaluation."""
    writer = _Writer(draw, well_designed)
    body, scope = writer.group(2)
    names = sorted(scope.may) or ["?u"]
    kind = draw(st.sampled_from(["*", "some", "some", "distinct", "group", "count", "sum"]))
    if kind == "sum":
        asked = (
            "(SUM(?n) AS ?sum) (AVG(?n) AS ?mean) (MIN(?n) AS ?least) (MAX(?n) AS ?most) (COUNT(DISTINCT ?n) AS ?some)"
        )
        key = draw(st.sampled_from(["", names[0]]))
        numbers = f"{{ {body} {names[0]} {draw(st.sampled_from([':p', ':q']))} ?n FILTER(isNumeric(?n)) }}"
        return f"{PREFIXES}SELECT {key} {asked} {numbers} {'GROUP BY ' + key if key else ''}"
    if kind == "count":
        inner = draw(st.sampled_from(["*", f"DISTINCT {names[0]}", *sorted(scope.sure)]))
        return f"{PREFIXES}SELECT (COUNT({inner}) AS ?count) {body}"
    if kind == "group":
        key = draw(st.sampled_from(names))
        inner = draw(st.sampled_from(["*", f"DISTINCT {names[-1]}", *sorted(scope.sure)]))
        having = draw(st.sampled_from(["", "HAVING (COUNT(*) > 1)"]))
        return f"{PREFIXES}SELECT {key} (COUNT({inner}) AS ?count) {body} GROUP BY {key} {having}"
    if kind == "*":
        return f"{PREFIXES}SELECT * {body}"
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    return f"{PREFIXES}SELECT {'DISTINCT ' if kind == 'distinct' else ''}{' '.join(chosen)} {body}"


class _Writer:
    def __init__(self, draw: st.DrawFn, well_designed: bool) -> None:
        self._draw = draw
        self._well_designed = well_designed
        self._fresh = 0

    def _pick(self, *choices: str) -> str:
        return self._draw(st.sampled_from(choices))

    def group(self, depth: int) -> tuple[str, Scope]:
        """Draw a group: triples, and up to two further parts."""
        text, scope = self._triples()
        for _ in range(self._draw(st.integers(0, 2)) if depth else 0):
            part = self._part(depth - 1, scope)
            text += " " + part
        if self._draw(st.booleans()):
            text += f" FILTER({self._condition(scope)})"
        return "{ " + text + " }", scope

    def _triples(self) -> tuple[str, Scope]:
        patterns = [self._triple() for _ in range(self._draw(st.sampled_from([1, 1, 2, 2, 3])))]
        names = {word for pattern in patterns for word in pattern.split() if word.startswith("?")}
        return " . ".join(patterns) + " .", Scope(set(names), set(names))

    def _term(self) -> str:
        return self._pick(*VARIABLES, *VARIABLES, *VARIABLES, ":a")

    def _triple(self) -> str:
        predicate = self._pick(":p", ":q", ":r", ":p", ":q", "?x", "owl:sameAs", self._path())
        # Libraries differ on a path of length zero at a term that does not occur.
        last = (
            "?v"
            if predicate.endswith(("?", "*")) and predicate != "?x"
            else self._pick(self._term(), self._term(), "1")
        )
        first = self._pick(*VARIABLES) if last == "?v" else self._term()
        return f"{first} {predicate} {last}"

    def _path(self) -> str:
        first, second = self._pick(":p", ":q"), self._pick(":q", ":r", "owl:sameAs")
        return self._pick(
            f"{first}/{second}",
            f"^{first}",
            # pyoxigraph counts an alternative of two ways once.
            f"({first}|{second})" if self._well_designed else f"({first}/{second})",
            f"{first}+",
            f"({first}|{second})+",
            f"{first}*",
            # ... and one that is there twice over, by zero steps and by one, twice.
            f"{first}+" if self._well_designed else f"{first}?",
            # rdflib counts a closure over a sequence once for each way through it.
            f"{first}*" if self._well_designed else f"({first}/{second})*",
            # ... and a negated set between two bound ends as well.
            f"!({first}|{second})" if self._well_designed else f"{first}/{second}+",
            f"{first}+" if self._well_designed else f"({first}+/:r)*",
        )

    def _part(self, depth: int, scope: Scope) -> str:
        kind = self._pick("optional", "union", "minus", "bind", "values", "exists", "group", "subselect")
        if kind == "optional":
            inner, found = self.group(0 if self._well_designed else depth)
            if self._well_designed:
                # Rename what only the optional part binds, so that nothing else can meet it.
                inner, found = self._apart(inner, found, scope)
            scope.may |= found.may
            return f"OPTIONAL {inner}"
        if kind == "union":
            (left, first), (right, second) = self.group(depth), self.group(depth)
            if self._well_designed:
                (left, first), (right, second) = self._apart(left, first, scope), self._apart(right, second, scope)
            scope.sure |= first.sure & second.sure
            scope.may |= first.may | second.may
            return f"{left} UNION {right}"
        if kind == "minus":
            inner, _ = self._triples()
            return f"MINUS {{ {inner} }}"
        if kind == "bind":
            self._fresh += 1
            name = f"?b{self._fresh}"
            scope.may.add(name)
            source = self._pick(*sorted(scope.sure or {":a"}))
            return f"BIND({self._pick(source, f'STR({source})', f'isIRI({source})')} AS {name})"
        if kind == "values":
            name = self._pick(*VARIABLES)
            scope.sure.add(name)
            scope.may.add(name)
            return (
                f"VALUES {name} {{ {self._pick(':a', ':b :c', ':h', ':a 1' if self._well_designed else ':a :a 1')} }}"
            )
        if kind == "exists":
            inner, _ = self._triples()
            return f"FILTER {self._pick('', 'NOT ')}EXISTS {{ {inner} }}"
        inner, found = self.group(0)
        if self._well_designed:
            inner, found = self._apart(inner, found, scope)
        if kind == "subselect" and not self._well_designed:
            kept = sorted(found.sure)[:1] or ["?u"]
            scope.sure |= set(kept) & found.sure
            scope.may |= set(kept)
            return f"{{ SELECT {self._pick('', 'DISTINCT ')}{kept[0]} {inner} }}"
        scope.sure |= found.sure
        scope.may |= found.may
        return inner

    def _apart(self, text: str, found: Scope, scope: Scope) -> tuple[str, Scope]:
        self._fresh += 1
        for name in sorted(found.may - scope.sure):
            if name in VARIABLES:
                text = text.replace(name + " ", f"{name}{self._fresh} ").replace(name + ")", f"{name}{self._fresh})")
                found = Scope(
                    {f"{name}{self._fresh}" if old == name else old for old in found.sure},
                    {f"{name}{self._fresh}" if old == name else old for old in found.may},
                )
        return text, found

    def _condition(self, scope: Scope) -> str:
        names = sorted(scope.sure if self._well_designed else scope.may) or [":a"]
        left, right = self._pick(*names), self._pick(*names, ":a", ":c", "1")
        return self._pick(
            f"{left} = {right}",
            f"{left} != {right}",
            f"sameTerm({left}, {right})",
            f"isIRI({left})",
            f"isLiteral({left}) || {left} = {right}",
            f"!isBlank({left})",
            f"{left} IN (:a, :b, 1)",
            f"STR({left}) < STR({right})",
        )
