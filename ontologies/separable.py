"""Axioms that can be translated alone: what a change of a few triples does to the rules of a large ontology.

Most axioms of most ontologies are one triple between names, and give the same rules whatever the other axioms are. When
such triples come and go, they alone are translated. A triple is separable if, before and after the change,

1. it states one axiom between names, in a predicate of ``_CLASS_AXIOMS`` or ``_PROPERTY_AXIOMS``, or a characteristic
   of a property; or it declares a class, and then states no rule at all;
2. the properties that it names are declared, each of one kind: then nothing is guessed from the triple;
3. what is a datatype, or could be taken for one, is not mentioned;
4. no other triple could state the same axiom: nothing is reified, and no expression stands beside the name.

Everything else, and any profile in which axioms have rules together, is translated as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ontologies.axioms import Triple
from ontologies.collector import Translation
from ontologies.read_rdf import ontology_of_triples
from ontologies.translate import translate
from ontologies.vocabulary import is_reserved, owl, rdfs
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.terms.term import RDF_TYPE, Term, Variable

_CLASS_AXIOMS = frozenset({rdfs("subClassOf")})
_PROPERTY_AXIOMS = frozenset({rdfs("subPropertyOf")})
_DOMAIN, _RANGE = rdfs("domain"), rdfs("range")
_CHARACTERISTICS = frozenset(
    owl(name)
    for name in (
        *("FunctionalProperty", "InverseFunctionalProperty", "TransitiveProperty", "SymmetricProperty"),
        *("AsymmetricProperty", "IrreflexiveProperty"),
    )
)
_CLASS, _DATATYPE, _REIFIED = owl("Class"), rdfs("Datatype"), owl("annotatedSource")
_KINDS = (owl("ObjectProperty"), owl("DatatypeProperty"))
_OTHER_KINDS = (owl("AnnotationProperty"), owl("OntologyProperty"))

# Profiles in which the rules are those of single axioms, and profiles whose rules read most axioms as facts.
_AXIOM_BY_AXIOM = frozenset({"dlp", "lower"})
_FIXED = frozenset({"owl2rl", "rdfs"})

Key = tuple[object, ...]


class Asserted(Protocol):
    """What the explicit facts that a change does not touch say about names."""

    def has(self, subject: str, predicate: str, object: str) -> bool: ...

    def values(self, subject: str, predicate: str) -> Sequence[str]: ...

    def has_object(self, predicate: str, object: str) -> bool: ...

    def has_predicate(self, predicate: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class TranslationChange:
    """A translation after a change; ``going`` and ``coming`` are the rules in which it differs from that before.

    A rule that only comes from other axioms than before is in both. ``index`` finds rules by what they say, for the
    next change; if it is not ``is_told_apart``, all rules have to be compared.
    """

    translation: Translation
    going: tuple[Rule, ...]
    coming: tuple[Rule, ...]
    index: dict[Key, Rule] | None
    is_told_apart: bool = True

    @classmethod
    def of_whole(cls, translation: Translation) -> TranslationChange:
        """Return a new translation of everything, of which it is not known how it differs."""
        return cls(translation, (), (), None, is_told_apart=False)


def are_separable(profile: str, triples: Iterable[Triple], asserted: Asserted) -> bool:
    """Tell whether schema triples can come and go without a new translation of all others."""
    known = _AXIOM_BY_AXIOM | _FIXED
    return (
        profile in known and not asserted.has_predicate(_REIFIED) and all(_is_separable(t, asserted) for t in triples)
    )


def translate_change(
    profile: str,
    before: Translation,
    index: dict[Key, Rule] | None,
    removed: Sequence[Triple],
    added: Sequence[Triple],
    asserted: Asserted,
) -> TranslationChange | None:
    """Return the translation after separable triples came and went; None if they turn out not to be."""
    if profile in _FIXED:
        return TranslationChange(before, (), (), None)
    start = index if index is not None else {key_of(rule): rule for rule in before.rules}
    known = dict(start)
    old, new = (_translated(profile, triples, asserted) for triples in (removed, added))
    if any(one.left_out or one.value_equality for one in (old, new)):
        return None
    touched = dict.fromkeys(map(key_of, (*old.rules, *new.rules)))
    for rule in old.rules:
        key = key_of(rule)
        stated = known.get(key)
        if stated is None or not set(rule.sources) <= set(stated.sources):
            return None
        left = tuple(source for source in stated.sources if source not in rule.sources)
        if left:
            known[key] = replace(stated, sources=left)
        else:
            del known[key]
    for rule in new.rules:
        key = key_of(rule)
        if (stated := known.get(key)) is not None:
            rule = replace(stated, sources=tuple(dict.fromkeys((*stated.sources, *rule.sources))))
        known[key] = rule
    differing = [key for key in touched if start.get(key) != known.get(key)]
    return TranslationChange(
        replace(before, rules=tuple(known.values())),
        tuple(start[key] for key in differing if key in start),
        tuple(known[key] for key in differing if key in known),
        known,
    )


def key_of(rule: Rule) -> Key:
    """Return what rules that say the same have in common, whatever the order of their atoms, as far as constants tell.

    >>> x, y = Variable("x"), Variable("y")
    >>> one = Rule("one", None, (Atom(x, "<p>", y), Atom(x, "<q>", y)))
    >>> key_of(one) == key_of(Rule("other", None, (Atom(y, "<q>", x), Atom(y, "<p>", x))))
    True
    """
    names: dict[str, int] = {}

    def term(given: Term) -> object:
        return names.setdefault(given.name, len(names)) if isinstance(given, Variable) else given

    def atom(given: Atom) -> Key:
        return tuple(map(term, given))

    def condition(given: Builtin) -> Key:
        return given.name, *map(term, given.arguments)

    body = sorted(rule.body, key=_constants) if len(rule.body) > 1 else rule.body
    atoms, negative = tuple(map(atom, body)), tuple(map(atom, sorted(rule.negative, key=_constants)))
    return atoms, negative, frozenset(map(condition, rule.conditions)), atom(rule.head) if rule.head else None


def _constants(atom: Atom) -> list[str]:
    return [term if isinstance(term, str) else "" for term in atom]


def _translated(profile: str, triples: Sequence[Triple], asserted: Asserted) -> Translation:
    """Translate triples with the declarations of the properties that they name, and nothing else."""
    if not triples:
        return Translation(())
    names = dict.fromkeys(name for s, _, o in triples for name in (s, o))
    declared = [(name, RDF_TYPE, kind) for name in names for kind in _KINDS if asserted.has(name, RDF_TYPE, kind)]
    return translate(ontology_of_triples([*triples, *declared]), profile)


def _is_separable(triple: Triple, asserted: Asserted) -> bool:
    s, p, o = triple
    if not _is_name(s) or not o.startswith("<"):
        return False
    if p == RDF_TYPE:
        if o == _CLASS:
            return not _may_be_datatype(s, asserted) and not asserted.has_object(_RANGE, s)
        return o in _CHARACTERISTICS and _kind(s, asserted) == _KINDS[0]
    if not _is_name(o) or _has_expression(s, p, asserted):
        return False
    if p in _CLASS_AXIOMS:
        return not _may_be_datatype(s, asserted) and not _may_be_datatype(o, asserted)
    if p in _PROPERTY_AXIOMS:
        return (kind := _kind(s, asserted)) is not None and kind == _kind(o, asserted)
    if p == _DOMAIN:
        return _kind(s, asserted) is not None and not _may_be_datatype(o, asserted)
    return p == _RANGE and _kind(s, asserted) == _KINDS[0] and not _may_be_datatype(o, asserted)


def _is_name(term: str) -> bool:
    """Tell whether a term is a name that OWL gives no meaning to."""
    return term.startswith("<") and not is_reserved(term)


def _kind(property: str, asserted: Asserted) -> str | None:
    """Return the kind that a property is declared to be of, if it is one only."""
    kinds = [kind for kind in (*_KINDS, *_OTHER_KINDS) if asserted.has(property, RDF_TYPE, kind)]
    return kinds[0] if len(kinds) == 1 and kinds[0] in _KINDS else None


def _may_be_datatype(name: str, asserted: Asserted) -> bool:
    return asserted.has(name, RDF_TYPE, _DATATYPE)


def _has_expression(subject: str, predicate: str, asserted: Asserted) -> bool:
    """Tell whether something that is no name stands where a name does: it may come down to that name."""
    return any(not value.startswith("<") for value in asserted.values(subject, predicate))
