"""Random rules: safe ones with odd names and constants, and small programs over few splits."""

from hypothesis import strategies as st

from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.terms.builtins import BUILTINS
from reasoner.terms.term import OWL, RDF_TYPE, SAME_AS, XSD, Variable
from reasoner.terms.value import literal_text

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_LOCALS = st.one_of(
    st.from_regex(r"[A-Za-z][A-Za-z0-9_.:/#-]{0,6}", fullmatch=True), st.sampled_from(["é", "a b", "x%20", "-"])
)
_NAMESPACES = st.sampled_from(["http://example.org/", "http://example.org/ns#", "urn:x:", OWL, XSD, ""])
_IRIS = st.builds(lambda namespace, local: f"<{namespace}{local}>", _NAMESPACES, _LOCALS)
_BLANKS = st.from_regex(r"_:[A-Za-z0-9_]([A-Za-z0-9_.-]{0,4}[A-Za-z0-9_-])?", fullmatch=True)
_LITERALS = st.one_of(
    st.builds(literal_text, _TEXT, _IRIS.map(lambda constant: constant[1:-1])),
    st.builds(
        lambda lexical, tag: literal_text(lexical, language=tag), _TEXT, st.sampled_from(["en", "EN-gb", "a-1b"])
    ),
    st.sampled_from(
        [
            f'"{text}"^^<{XSD}{name}>'
            for text, name in [
                ("-01", "integer"),
                ("1.", "decimal"),
                (".5", "decimal"),
                ("false", "boolean"),
                ("x", "integer"),
            ]
        ]
    ),
)
_VARIABLES = st.sampled_from([Variable(name) for name in ("x", "y", "z1", "été", "_0")])
_RESOURCES = st.one_of(_IRIS, _BLANKS)
_PREDICATES = st.one_of(_VARIABLES, _RESOURCES, st.just(RDF_TYPE))
_TERMS = st.one_of(_VARIABLES, _RESOURCES, _LITERALS)
_ATOMS = st.builds(Atom, _TERMS, _PREDICATES, _TERMS)
_CONDITIONS = st.sampled_from(sorted(BUILTINS)).flatmap(
    lambda name: st.builds(Builtin, st.just(name), st.tuples(*[_TERMS] * BUILTINS[name].arity))
)


@st.composite
def odd_rules(draw: st.DrawFn) -> Rule:
    """Draw a safe rule with anything in it that the language can write."""
    head = draw(st.none() | _ATOMS)
    body = draw(st.lists(_ATOMS, max_size=3))
    negative = tuple(draw(st.lists(_ATOMS, max_size=2)))
    conditions = tuple(
        condition for condition in draw(st.lists(_CONDITIONS, max_size=2)) if not _is_malformed_match(condition)
    )
    used = {name for part in (*negative, *conditions, *([head] if head else [])) for name in part.variables}
    unbound = sorted(used - {name for atom in body for name in atom.variables})
    body += [Atom(Variable(name), "<urn:binds>", Variable(name)) for name in unbound]
    sources = tuple(draw(st.lists(_TEXT, max_size=2)))
    return Rule(draw(_TEXT | st.just("prp-trp")), head, tuple(body), negative, conditions, sources)


def _is_malformed_match(condition: Builtin) -> bool:
    return condition.name == "matches" and isinstance(condition.arguments[1], str)


_X, _Y = Variable("x"), Variable("y")
_SMALL_PREDICATES = st.sampled_from(["<p>", "<q>", "<r>", SAME_AS, RDF_TYPE, RDF_TYPE, RDF_TYPE, _Y])
_SMALL_OBJECTS = st.sampled_from(["<A>", "<B>", "<C>", "<D>", _Y, _X])
_SMALL_ATOMS = st.builds(Atom, st.just(_X), _SMALL_PREDICATES, _SMALL_OBJECTS)
_BINDING = Atom(_X, "<s>", _Y)


@st.composite
def small_rules(draw: st.DrawFn) -> Rule:
    """Draw a rule over few splits, so that cycles and negation meet."""
    head = draw(st.none() | _SMALL_ATOMS | _SMALL_ATOMS | _SMALL_ATOMS | _SMALL_ATOMS)
    body = tuple(draw(st.lists(_SMALL_ATOMS, max_size=2)))
    negative = tuple(draw(st.lists(_SMALL_ATOMS, max_size=1)))
    conditions = tuple(draw(st.lists(st.sampled_from([Builtin("!=", (_X, _Y)), Builtin("<", (_X, _Y))]), max_size=1)))
    return Rule("r", head, (_BINDING, *body), negative, conditions)


def small_programs() -> st.SearchStrategy[list[Rule]]:
    """Draw programs of up to six rules over few splits."""
    return st.lists(small_rules(), max_size=6)
