"""The printer of the rule language: what it writes, the parser reads back as the same rules.

Rules with ``$1``, ``$2`` ... in the place of their constants, as text that many rules of one shape share.

Predicates stay, because they say what a rule is about, except blank nodes, whose names say nothing.
``reasoner.rules.template`` does the same to rules over ids, for the engines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

from reasoner.rules.errors import ReasonerError
from reasoner.rules.prefixes import PREDECLARED, choose_prefixes, shorten
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.terms.builtins import BUILTINS
from reasoner.terms.term import RDF_TYPE, XSD, Term, Variable, iri, is_literal
from reasoner.terms.value import escape


def abstracted(rule: Rule) -> tuple[Rule, tuple[str, ...]]:
    """Return what rules of one shape have in common, sources apart, and the constants of this one.

    >>> from reasoner.rules.printer import print_rule
    >>> x = Variable("x")
    >>> shape, constants = abstracted(Rule("r", Atom(x, "<p>", "<b>"), (Atom(x, "<p>", "<a>"),)))
    >>> print_rule(shape), constants
    ('[r] ?x <p> $1 :- ?x <p> $2 .', ('<b>', '<a>'))
    """
    constants: list[str] = []

    def abstract(term: Term) -> Term:
        if isinstance(term, Variable):
            return term
        constants.append(term)
        return f"${len(constants)}"

    return _changed(rule, abstract, lambda term: abstract(term) if _is_blank(term) else term), tuple(constants)


def filled(shape: Rule, constants: Sequence[str]) -> Rule:
    """Return the rule of a shape with these constants; raise ``ValueError`` if they are too few or too many.

    >>> rule = Rule("r", None, (Atom("<a>", "<p>", Variable("x")),))
    >>> filled(*abstracted(rule)) == rule
    True
    """
    used: set[int] = set()

    def fill(term: Term) -> Term:
        if isinstance(term, Variable) or not term.startswith("$"):
            return term
        used.add(int(term[1:]))
        return constants[int(term[1:]) - 1]

    try:
        rule = _changed(shape, fill, fill)
    except IndexError:
        raise ValueError(f"it has more places than the {len(constants)} constants for them") from None
    if len(used) < len(constants):
        raise ValueError(f"it has {len(used)} places for {len(constants)} constants")
    return rule


def _changed(rule: Rule, term: Callable[[Term], Term], predicate: Callable[[Term], Term]) -> Rule:
    """Return a rule with other terms and predicates, which are asked for in the order in which they are printed."""

    def atom(old: Atom) -> Atom:
        return Atom(term(old.subject), predicate(old.predicate), term(old.object))

    return Rule(
        rule.name,
        atom(rule.head) if rule.head else None,
        tuple(map(atom, rule.body)),
        tuple(map(atom, rule.negative)),
        tuple(Builtin(part.name, tuple(map(term, part.arguments))) for part in rule.conditions),
    )


def _is_blank(term: Term) -> bool:
    return isinstance(term, str) and term.startswith("_:")


_BARE_NAME = re.compile(r"[\w.:/+-]+")
_NOT_IN_IRI = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
# The lexical forms that may be written without quotes and datatype.
_NUMBERS = {
    iri(XSD + "integer"): re.compile(r"[+-]?[0-9]+"),
    iri(XSD + "decimal"): re.compile(r"[+-]?[0-9]*\.[0-9]+"),
}
_VARIABLE_NAME = re.compile(r"\w+")


def print_rules(rules: Iterable[Rule], prefixes: Mapping[str, str] | None = None) -> str:
    """Write rules as a document that ``parse_rules`` reads back as equal rules, sources apart.

    Without ``prefixes``, the namespaces that occur more than once get one each. Sources become comments.

    >>> from reasoner.rules.parser import parse_rules
    >>> text = "[r] ?x a <http://e.org/A> :- ?x a <http://e.org/B>, not ?x a <http://e.org/C> ."
    >>> print(print_rules(parse_rules(text)), end="")
    PREFIX org: <http://e.org/>
    <BLANKLINE>
    [r] ?x a org:A :- ?x a org:B, not ?x a org:C .
    """
    rules = tuple(rules)
    known = {**PREDECLARED, **prefixes} if prefixes is not None else choose_prefixes(_constants(rules))
    lines = [print_rule(rule, known) for rule in rules]
    header = [
        f"PREFIX {name}: <{namespace}>" for name, namespace in known.items() if PREDECLARED.get(name) != namespace
    ]
    return "\n".join([*header, *([""] if header else []), *lines, ""])


def print_rule(
    rule: Rule, prefixes: Mapping[str, str] = PREDECLARED, *, heads: Iterable[Atom | None] | None = None
) -> str:
    """Write one rule on one line; the prefixes must be declared before it is read back.

    ``heads`` are written in place of its own head: those of all rules that one text became.
    """
    written = (rule.head,) if heads is None else heads
    head = ", ".join("false" if atom is None else print_atom(atom, prefixes) for atom in written)
    items = chain(
        (print_atom(atom, prefixes) for atom in rule.body),
        ("not " + print_atom(atom, prefixes) for atom in rule.negative),
        (print_builtin(condition, prefixes) for condition in rule.conditions),
    )
    body = ", ".join(items)
    sources = "; ".join(" ".join(source.split()) for source in rule.sources)
    name = print_rule_name(rule.name)
    return f"{name} {head}" + (f" :- {body}" if body else "") + " ." + (f"  # {sources}" if sources else "")


def print_rule_name(name: str) -> str:
    """Write the name of a rule in brackets, quoted where it is not a plain word.

    >>> print_rule_name("prp-trp"), print_rule_name("my rule")
    ('[prp-trp]', '["my rule"]')
    """
    return f"[{name}]" if _BARE_NAME.fullmatch(name) else f'["{escape(name)}"]'


def print_atom(atom: Atom, prefixes: Mapping[str, str] = PREDECLARED) -> str:
    """Write a triple pattern."""
    predicate = "a" if atom.predicate == RDF_TYPE else print_term(atom.predicate, prefixes)
    return f"{print_term(atom.subject, prefixes)} {predicate} {print_term(atom.object, prefixes)}"


def print_builtin(builtin: Builtin, prefixes: Mapping[str, str] = PREDECLARED) -> str:
    """Write a condition, infix if it is a comparison.

    >>> print_builtin(Builtin("isIRI", (Variable("x"),)))
    'isIRI(?x)'
    """
    arguments = [print_term(argument, prefixes) for argument in builtin.arguments]
    definition = BUILTINS.get(builtin.name)
    if definition is not None and definition.infix:
        return f"{arguments[0]} {builtin.name} {arguments[1]}"
    return f"{builtin.name}({', '.join(arguments)})"


def print_term(term: Term, prefixes: Mapping[str, str] = PREDECLARED) -> str:
    """Write a variable or a constant, with a prefix where there is one."""
    if isinstance(term, Variable):
        if not _VARIABLE_NAME.fullmatch(term.name):
            raise ReasonerError(f"the variable {term.name!r} cannot be written; use letters, digits and underscores")
        return str(term)
    if is_literal(term):
        quoted, mark, datatype = term.rpartition("^^")
        # A literal without a datatype may hold the mark inside its quotes.
        if not mark or not datatype.endswith(">"):
            return term
        number = _NUMBERS.get(datatype)
        bare = number is not None and number.fullmatch(quoted, 1, len(quoted) - 1)
        return quoted[1:-1] if bare else quoted + mark + _iri(datatype, prefixes)
    return _iri(term, prefixes) if term.startswith("<") else term


def _iri(constant: str, prefixes: Mapping[str, str]) -> str:
    short = shorten(constant, prefixes)
    if short != constant:
        return short
    # Data can name IRIs with escaped characters that no IRI may hold as they are.
    return "<" + _NOT_IN_IRI.sub(lambda match: f"\\u{ord(match[0]):04X}", constant[1:-1]) + ">"


def _constants(rules: Iterable[Rule]) -> Iterable[str]:
    for rule in rules:
        for constant in rule.constants:
            yield constant.rpartition("^^")[2] if constant.startswith('"') else constant
