"""A step as a change of triples and rules, given the store that it is for.

Renaming and merging: one name takes the place of others in all facts and rules that mention them.

Moving a class or property in its hierarchy, and taking one out of use.

Splitting a class or a property into parts.

The whole stays, and every part becomes a kind of it, so that all that axioms and queries say of the whole goes on to
hold of what moves. What moves are explicit facts about the whole:

- A part with a class expression is defined by it: ``EquivalentClasses(part ObjectIntersectionOf(whole expression))``.
  Data need not move, reasoning tells who is in it, today and later. Of properties there are no such definitions.
- A part with patterns takes the explicit facts that the patterns find in what holds before the step: ``?x a whole``
  becomes ``?x a part``; ``?x whole ?y`` becomes ``?x part ?y``. A fact that several parts find goes to all of them.
- A part with ``otherwise`` takes the explicit facts that no pattern finds.

Names that a store does not know, and the nearest that it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from ontologies.axioms import EquivalentClasses, Triple
from ontologies.build import Place
from ontologies.evolution.blank_parts import parts_of
from ontologies.evolution.find_structure import add_axiom, occurrences, remove_axiom, stands_alone
from ontologies.evolution.script import (
    AddAxioms,
    AddRules,
    AddTriples,
    Deprecate,
    Merge,
    Move,
    RemoveAxioms,
    RemoveRuleNamed,
    RemoveRules,
    RemoveTriples,
    Rename,
    Script,
    SplitPart,
    SplitTerm,
    Statement,
    Step,
)
from ontologies.evolution.working import Facts, StepChange, TripleSet, Working, about, holds
from ontologies.expressions import ObjectIntersectionOf
from ontologies.rdf_graph import FIRST, REST
from ontologies.vocabulary import DIFFERENT_FROM, NIL, is_reserved, literal, owl, rdf, rdfs
from ontologies.write_functional import write_functional
from reasoner.rules.prefixes import readable_name
from reasoner.rules.printer import print_rule
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.terms.term import RDF_TYPE, SAME_AS, XSD, Term, Variable


def compile_step(step: Step, facts: Facts) -> StepChange:
    """Return what a step does to a store, statement after statement; the store stays as it is.

    Raise ``ParseError`` at the statement that cannot be: an unknown name, an axiom to remove that is not there.
    """
    working = Working(facts)
    for statement in step.statements:
        _apply(working, statement)
    return working.change()


def evolved(triples: list[Triple] | tuple[Triple, ...], script: Script) -> tuple[Triple, ...]:
    """Return what a script makes of triples, nothing being inferred.

    >>> from ontologies.evolution.parse_script import parse_script
    >>> evolved([("<urn:a>", "<urn:p>", "<urn:b>")], parse_script("rename <urn:a> to <urn:c>"))
    (('<urn:c>', '<urn:p>', '<urn:b>'),)
    """
    facts = TripleSet(triples)
    for step in script.steps:
        change = compile_step(step, facts)
        for triple in change.removed:
            facts.remove(triple)
        for triple in change.added:
            facts.add(triple)
    return tuple(facts.triples)


def _apply(working: Working, statement: Statement) -> None:
    match statement:
        case AddAxioms(axioms, annotations):
            for axiom in axioms:
                add_axiom(working, axiom, annotations)
        case RemoveAxioms(axioms):
            for axiom in axioms:
                if not remove_axiom(working, axiom):
                    raise statement.place.error(
                        "there is no such axiom to remove; write it as the store has it, or its triples in braces",
                        write_functional(axiom),
                    )
        case AddTriples(triples):
            _add_triples(working, triples)
        case RemoveTriples(triples):
            _remove_triples(working, triples, statement.place)
        case AddRules(rules):
            _add_rules(working, rules)
        case RemoveRules(rules):
            _remove_rules(working, rules, statement.place)
        case RemoveRuleNamed(name):
            _remove_rule_named(working, name, statement.place)
        case Rename():
            rename(working, statement)
        case Merge():
            merge(working, statement)
        case SplitTerm():
            split(working, statement)
        case Move():
            move(working, statement)
        case Deprecate():
            deprecate(working, statement)


def _add_triples(working: Working, triples: tuple[Triple, ...]) -> None:
    ground, _ = parts_of(triples)
    for triple in ground:
        if holds(working, triple):
            working.note(f"there already: {' '.join(triple)}")
    working.add(working.with_new_nodes(triples))


def _remove_triples(working: Working, triples: tuple[Triple, ...], place: Place) -> None:
    ground, parts = parts_of(triples)
    for triple in ground:
        if not holds(working, triple):
            raise place.error("there is no such explicit triple to remove", " ".join(triple))
    working.remove(ground)
    for part in parts:
        found = [*occurrences(working, part.triples)]
        chosen = next((one for one in found if stands_alone(working, one)), found[0] if found else None)
        if chosen is None:
            loose = [*occurrences(working, part.triples, closed=False)]
            if len(loose) > 1:
                raise place.error(
                    f"the blank nodes fit in {len(loose)} ways; say more about them", " ".join(part.triples[0])
                )
            chosen = loose[0] if loose else None
        if chosen is None:
            raise place.error("there is no such structure to remove", " ".join(part.triples[0]))
        working.remove(map(chosen.image, part.triples))


def _add_rules(working: Working, rules: tuple[Rule, ...]) -> None:
    said = {_meaning(rule) for rule in working.rules()}
    for rule in rules:
        if _meaning(rule) in said:
            working.note(f"there already: {print_rule(rule)}")
        else:
            working.add_rules([rule])


def _remove_rules(working: Working, rules: tuple[Rule, ...], place: Place) -> None:
    for rule in rules:
        found = [known for known in working.rules() if _meaning(known) == _meaning(rule)]
        if not found:
            raise place.error("there is no such rule to remove", print_rule(rule))
        working.remove_rules(found)


def _remove_rule_named(working: Working, name: str, place: Place) -> None:
    found = [rule for rule in working.rules() if rule.name == name]
    if not found:
        known = list(dict.fromkeys(rule.name for rule in working.rules()))
        nearest = get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f", did you mean [{nearest[0]}]?" if nearest else "; only rules of your own can be removed"
        raise place.error(f"there is no rule of that name{hint}", name)
    working.remove_rules(found)


def _meaning(rule: Rule) -> tuple[object, ...]:
    """Return what rules that say the same have in common, whatever they and their variables are called."""
    numbers: dict[str, int] = {}

    def term(given: Term) -> object:
        return numbers.setdefault(given.name, len(numbers)) if isinstance(given, Variable) else given

    parts = (*rule.body, "not", *rule.negative, "if", *rule.conditions, "then", *((rule.head,) if rule.head else ()))
    return tuple(
        part
        if isinstance(part, str)
        else (part.name, *map(term, part.arguments))
        if isinstance(part, Builtin)
        else tuple(map(term, part))
        for part in parts
    )


_CLASS_KINDS = frozenset({owl("Class"), rdfs("Class"), rdfs("Datatype")})
_PROPERTY_KINDS = frozenset(
    {rdf("Property")}
    | {
        owl(name)
        for name in (
            *("ObjectProperty", "DatatypeProperty", "AnnotationProperty", "FunctionalProperty", "SymmetricProperty"),
            *("InverseFunctionalProperty", "TransitiveProperty", "AsymmetricProperty", "ReflexiveProperty"),
            "IrreflexiveProperty",
        )
    }
)
CLASS, PROPERTY = "class", "property"
# Predicates whose subject, or whose object, is a class or a property.
_BOTH_CLASSES = (rdfs("subClassOf"), owl("equivalentClass"), owl("disjointWith"), owl("complementOf"))
_BOTH_PROPERTIES = (rdfs("subPropertyOf"), owl("equivalentProperty"), owl("inverseOf"), owl("propertyDisjointWith"))
_SUBJECTS = {
    CLASS: (*_BOTH_CLASSES, *map(owl, ("hasKey", "disjointUnionOf", "unionOf", "intersectionOf", "oneOf"))),
    PROPERTY: (*_BOTH_PROPERTIES, rdfs("domain"), rdfs("range"), owl("propertyChainAxiom")),
}
_OBJECTS = {
    CLASS: (*_BOTH_CLASSES, rdfs("domain"), *map(owl, ("someValuesFrom", "allValuesFrom", "onClass")), rdfs("range")),
    PROPERTY: (*_BOTH_PROPERTIES, owl("onProperty"), owl("assertionProperty")),
}


def require_known(facts: Facts, name: str, place: Place) -> None:
    """Raise the error of a place if nothing in the store has a name; it says which name is nearest."""
    if is_known(facts, name):
        return
    known = {readable_name(other): other for other in facts.names()}
    nearest = get_close_matches(readable_name(name), known, n=1, cutoff=0.6)
    hint = f"; did you mean {known[nearest[0]]}?" if nearest else ""
    raise place.error(f"nothing in the store is called {name}{hint}")


def is_known(facts: Facts, name: str) -> bool:
    """Tell whether a fact or a rule mentions a name."""
    mentioned = facts.matching(s=name) or facts.matching(o=name) or facts.matching(p=name)
    return bool(mentioned) or any(name in rule.constants for rule in facts.rules())


def kind_of(facts: Facts, name: str) -> str | None:
    """Tell whether a name is a class or a property, by its declaration or else by its use; None if nothing tells."""
    kinds = {o for _, _, o in facts.matching(s=name, p=RDF_TYPE)}
    if kinds & _CLASS_KINDS:
        return CLASS
    if kinds & _PROPERTY_KINDS:
        return PROPERTY
    for kind in (CLASS, PROPERTY):
        subjects = any(facts.matching(s=name, p=link) for link in _SUBJECTS[kind])
        if subjects or any(facts.matching(p=link, o=name) for link in _OBJECTS[kind]):
            return kind
    if facts.matching(p=RDF_TYPE, o=name):
        return CLASS
    return PROPERTY if facts.matching(p=name) else None


def require_kind(facts: Facts, name: str, place: Place) -> str:
    """Return whether a name is a class or a property, or raise the error of a place."""
    require_known(facts, name, place)
    kind = kind_of(facts, name)
    if kind is None:
        raise place.error(f"{name} is neither a class nor a property; declare it, as in add Declaration(Class({name}))")
    return kind


DEPRECATED, REPLACED_BY = owl("deprecated"), "<http://purl.org/dc/terms/isReplacedBy>"
_TRUE = literal("true", XSD + "boolean")
_ABOVE = {CLASS: rdfs("subClassOf")}


def move(working: Working, statement: Move) -> None:
    """Put a class or property under another.

    Without ``origin`` it leaves every named class or property that it was directly under; expressions that it is under,
    such as restrictions, stay.
    """
    place = statement.place
    kind = require_kind(working, statement.name, place)
    if require_kind(working, statement.under, place) != kind:
        raise place.error(f"{statement.name} is a {kind} and {statement.under} is none")
    link = hierarchy(kind)
    if statement.under == statement.name or statement.name in _all_above(working, statement.under, link):
        raise place.error(f"{statement.under} is under {statement.name} itself; move it away first")
    above = [triple for triple in working.matching(s=statement.name, p=link) if triple[2].startswith("<")]
    if statement.origin is not None:
        require_known(working, statement.origin, place)
        above = [triple for triple in above if triple[2] == statement.origin]
        if not above:
            raise place.error(f"{statement.name} is not directly under {statement.origin}")
    working.remove(above)
    working.add([(statement.name, link, statement.under)])


def deprecate(working: Working, statement: Deprecate) -> None:
    """Mark a class or property as out of use.

    With a replacement it becomes a kind of that, so that whoever asks for the replacement finds what data say of the
    old one.
    """
    name, place = statement.name, statement.place
    kind = require_kind(working, name, place)
    working.add([(name, DEPRECATED, _TRUE)])
    if statement.reason is not None:
        working.add([(name, rdfs("comment"), literal(statement.reason))])
    if statement.replacement is not None:
        if require_kind(working, statement.replacement, place) != kind or statement.replacement == name:
            raise place.error(f"{name} is a {kind}, and so has to be what replaces it: another one")
        working.add([(name, REPLACED_BY, statement.replacement), (name, hierarchy(kind), statement.replacement)])


def hierarchy(kind: str) -> str:
    """Return the property that orders classes, or that orders properties."""
    return _ABOVE.get(kind, rdfs("subPropertyOf"))


def _all_above(facts: Facts, name: str, link: str) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for _, _, above in facts.matching(s=waiting.pop(), p=link):
            if above not in found:
                found.add(above)
                waiting.append(above)
    return found


_KINDS = tuple(map(owl, ("Class", "ObjectProperty", "DatatypeProperty", "AnnotationProperty")))


def split(working: Working, statement: SplitTerm) -> None:
    """Declare the parts, put them under the whole, and hand facts over to them."""
    whole, place = statement.whole, statement.place
    kind = require_kind(working, whole, place)
    if is_reserved(whole):
        raise place.error("the names of RDF, RDFS, OWL and SWRL mean what they mean and cannot be split", whole)
    moved: dict[Triple, list[Triple]] = {}
    for part in statement.parts:
        if kind_of(working, part.name) not in (None, kind):
            raise part.place.error(f"{whole} is a {kind}, and {part.name} is none")
        declared = [(part.name, RDF_TYPE, o) for _, _, o in working.matching(s=whole, p=RDF_TYPE) if o in _KINDS]
        working.add([*declared, (part.name, hierarchy(kind), whole)])
        if part.condition is not None:
            if kind != CLASS:
                raise part.place.error("a property has no class expression: give patterns over ?x and ?y in braces")
            definition = EquivalentClasses((part.name, ObjectIntersectionOf((whole, part.condition))))
            add_axiom(working, definition)
        elif part.pattern is not None:
            for fact in _found(working, whole, kind, part):
                moved.setdefault(fact, []).append(_handed_over(fact, whole, part.name))
    for part in statement.parts:
        if part.condition is None and part.pattern is None:
            for fact in _explicit(working, whole, kind):
                moved.setdefault(fact, [_handed_over(fact, whole, part.name)])
    working.replace((old, new) for old, places in moved.items() for new in places)


def _explicit(working: Working, whole: str, kind: str) -> list[Triple]:
    return working.matching(p=RDF_TYPE, o=whole) if kind == CLASS else working.matching(p=whole)


def _found(working: Working, whole: str, kind: str, part: SplitPart) -> list[Triple]:
    """Return the explicit facts about the whole that a part's patterns find."""
    assert part.pattern is not None
    wanted = ("x",) if kind == CLASS else ("x", "y")
    positive = part.pattern[0]
    mentioned = {term.name for atom in positive for term in atom if isinstance(term, Variable)}
    if missing := [f"?{name}" for name in wanted if name not in mentioned]:
        if missing != ["?y"]:
            raise part.place.error(f"the patterns have to mention {' and '.join(missing)}: what is to move")
        wanted = ("x",)
    answers = set(working.answers(part.pattern, wanted))
    return [
        fact
        for fact in _explicit(working, whole, kind)
        if (fact[0],) in answers or (len(wanted) == 2 and (fact[0], fact[2]) in answers)
    ]


def _handed_over(fact: Triple, whole: str, part: str) -> Triple:
    s, p, o = fact
    return (s, p, part) if p == RDF_TYPE and o == whole else (s, part, o)


# What says nothing of a thing and itself.
_TRIVIAL = frozenset(
    {rdfs("subClassOf"), rdfs("subPropertyOf"), owl("equivalentClass"), owl("equivalentProperty"), SAME_AS}
)
# What contradicts itself, or empties a class, said of a thing and itself.
_APART = frozenset({owl("disjointWith"), owl("propertyDisjointWith"), owl("complementOf"), DIFFERENT_FROM})
_LISTS_APART = frozenset({owl("members"), owl("distinctMembers"), owl("disjointUnionOf")})


def rename(working: Working, statement: Rename) -> None:
    """Give a thing a name that nothing has yet."""
    require_known(working, statement.old, statement.place)
    if is_reserved(statement.old) or is_reserved(statement.new):
        raise statement.place.error("the names of RDF, RDFS, OWL and SWRL mean what they mean and cannot be changed")
    if statement.old == statement.new:
        raise statement.place.error("both names are the same", statement.old)
    if is_known(working, statement.new):
        raise statement.place.error(
            f"there is something called {statement.new} already; if both are the same thing, write: "
            f"merge {statement.old}, {statement.new} into {statement.new}"
        )
    _replace(working, {statement.old: statement.new})


def merge(working: Working, statement: Merge) -> None:
    """Make one thing of several; what then says that a thing is a kind of itself goes."""
    place, new = statement.place, statement.new
    for name in statement.old:
        require_known(working, name, place)
    if any(map(is_reserved, (*statement.old, new))):
        raise place.error("the names of RDF, RDFS, OWL and SWRL mean what they mean and cannot be changed")
    merged = {*statement.old, new}
    if len(merged) == 1:
        raise place.error("there is nothing to merge a name with but itself", new)
    kinds = {kind for name in merged if (kind := kind_of(working, name)) is not None}
    if len(kinds) > 1:
        raise place.error("a class and a property cannot become one thing", ", ".join(sorted(merged)))
    for s, p, o in _conflicts(working, merged):
        raise place.error(f"they are said to be different: remove this first: {s} {p} {o}")
    _replace(working, {name: new for name in statement.old if name != new})
    working.remove([triple for triple in about(working, new) if triple[0] == triple[2] and triple[1] in _TRIVIAL])


def _replace(working: Working, names: Mapping[str, str]) -> None:
    changed = dict.fromkeys(triple for name in names for triple in about(working, name))
    working.replace((triple, _renamed(triple, names)) for triple in changed)
    for rule in [rule for rule in working.rules() if rule.constants & names.keys()]:
        working.remove_rules([rule])
        working.add_rules([_renamed_rule(rule, names)])


def _renamed(triple: Triple, names: Mapping[str, str]) -> Triple:
    s, p, o = (names.get(term, term) for term in triple)
    return s, p, o


def _conflicts(working: Working, merged: set[str]) -> list[Triple]:
    """Return facts that say of two of the names that they are apart."""
    direct = [
        triple
        for name in merged
        for triple in about(working, name)
        if triple[1] in _APART and triple[0] in merged and triple[2] in merged
    ]
    heads: dict[str, set[str]] = {}
    for name in merged:
        for cell, _, _ in working.matching(p=FIRST, o=name):
            heads.setdefault(_head(working, cell), set()).add(name)
    listed = [
        triple
        for head, names in heads.items()
        if len(names) > 1
        for triple in working.matching(o=head)
        if triple[1] in _LISTS_APART
    ]
    return [*direct, *listed]


def _head(working: Working, cell: str) -> str:
    seen = {cell, NIL}
    while before := [s for s, _, _ in working.matching(p=REST, o=cell) if s not in seen]:
        cell = before[0]
        seen.add(cell)
    return cell


def _renamed_rule(rule: Rule, names: Mapping[str, str]) -> Rule:
    def term(old: Term) -> Term:
        return names.get(old, old) if isinstance(old, str) else old

    def atom(old: Atom) -> Atom:
        return Atom(*map(term, old))

    return replace(
        rule,
        head=atom(rule.head) if rule.head else None,
        body=tuple(map(atom, rule.body)),
        negative=tuple(map(atom, rule.negative)),
        conditions=tuple(Builtin(part.name, tuple(map(term, part.arguments))) for part in rule.conditions),
    )
