"""Translate an ontology by the OWL 2 RL/RDF rules: ``translate_owl2rl``.

Most rules are the same for every ontology, because their bodies read the schema triples themselves. What depends on the
ontology are the rules that range over lists and over datatypes; those are written out here.

The vocabulary that the OWL 2 RL/RDF rules range over: datatypes, annotation properties, declarations.

Expand the rules of the OWL 2 RL table that range over lists: ``expand_over_list``.

What an ontology says in vocabulary that no OWL 2 RL/RDF rule reads, and why: ``outside_owl2rl``.

The OWL 2 RL/RDF rules as data: one entry for each rule of W3C OWL 2 Profiles, section 4.3, tables 4 to 9.

The texts are in the syntax of ``reasoner.rules.parser``. Where the W3C rule ranges over something, its text is the
smallest instance, and ``RuleRepetition`` says over what it is repeated:

- ``?list rdfs:member ?member`` stands for W3C's ``LIST[?list, ...]``: ``?list`` is the head of an RDF list, ``?member``
  one of its members (``?left`` and ``?right``: a member and a later one). Where a rule has an atom for each member of
  the list, its text shows that atom once.
- ``{datatype}`` stands for a datatype and ``{annotation}`` for an annotation property.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import combinations

from ontologies.collector import LeftOut, Translation
from ontologies.rdf_graph import Lists, MalformedListError
from ontologies.vocabulary import (
    ANNOTATION_PROPERTIES,
    DATATYPE_MAP,
    NIL,
    OTHER_DATATYPES,
    RL_DATATYPES,
    owl,
    rdf,
    rdfs,
)
from reasoner.rules.parser import parse_rules
from reasoner.rules.rule import Atom, Rule
from reasoner.terms.term import RDF_TYPE, Term, Variable, is_literal

DATATYPES = tuple(sorted(RL_DATATYPES))
ANNOTATIONS = tuple(sorted(ANNOTATION_PROPERTIES))

# Declarations of built-in terms that hold in every graph after RDF Semantics and the OWL 2 RDF-Based Semantics (table
# 5.3), and that no rule of the tables yields. Only declarations are here: axiomatic domains and ranges (rdf:type has
# the domain rdfs:Resource) would add a fact for each term of the data, and tell nobody anything.
AXIOMATIC = (
    (NIL, RDF_TYPE, rdf("List")),
    (owl("topObjectProperty"), RDF_TYPE, owl("ObjectProperty")),
    (owl("bottomObjectProperty"), RDF_TYPE, owl("ObjectProperty")),
    (owl("topDataProperty"), RDF_TYPE, owl("DatatypeProperty")),
    (owl("bottomDataProperty"), RDF_TYPE, owl("DatatypeProperty")),
    (owl("imports"), RDF_TYPE, owl("OntologyProperty")),
    (owl("priorVersion"), RDF_TYPE, owl("OntologyProperty")),
    (owl("backwardCompatibleWith"), RDF_TYPE, owl("OntologyProperty")),
    (owl("incompatibleWith"), RDF_TYPE, owl("OntologyProperty")),
)

_DECLARATION = rdfs("Datatype")
# In these positions a datatype receives instances; no rule body asks there whether a literal is one.
_RECEIVING = frozenset((RDF_TYPE, rdfs("range"), owl("allValuesFrom"), owl("onDatatype")))


def mentioned_datatypes(triples: Iterable[tuple[str, str, str]]) -> tuple[str, ...]:
    """Return the OWL 2 RL datatypes that occur as a subject or an object, in the order of ``DATATYPES``."""
    mentioned = {term for subject, _, object in triples for term in (subject, object) if term in RL_DATATYPES}
    return tuple(datatype for datatype in DATATYPES if datatype in mentioned)


def used_datatypes(triples: Iterable[tuple[str, str, str]]) -> tuple[str, ...]:
    """Return the OWL 2 RL datatypes for which some rule body can ask "is this literal an instance of it?".

    A datatype that is only the range of a property or the filler of ``owl:allValuesFrom`` is not among them. Leaving
    dt-type2 out for those saves a fact for each literal of the data: it has a literal as subject, so nobody sees it,
    and no rule reads it.
    """
    used: set[str] = set()
    for subject, predicate, object in triples:
        if object in RL_DATATYPES and predicate not in _RECEIVING:
            used.add(object)
        if subject in RL_DATATYPES and object != _DECLARATION:
            used.add(subject)
    return tuple(datatype for datatype in DATATYPES if datatype in used)


LIST = Variable("list")
MEMBER = Variable("member")
LEFT = Variable("left")
RIGHT = Variable("right")
HERE = Variable("here")
NEXT = Variable("next")


def expand_over_list(
    schema: Rule, expansion: RuleRepetition, head: str, members: tuple[str, ...], sources: tuple[str, ...]
) -> Iterator[Rule]:
    """Yield the instances of ``schema`` for the list ``head`` of ``members``.

    The atom that names the list stays in the bodies, so that the rules hold only as long as that triple does.
    """
    body = tuple(_substitute(atom, {LIST: head}) for atom in schema.body if atom.subject != LIST)
    match expansion:
        case RuleRepetition.EACH:
            for member in dict.fromkeys(members):
                yield _instance(schema, body, {MEMBER: member}, sources)
        case RuleRepetition.PAIRS:
            for left, right in dict.fromkeys(combinations(members, 2)):
                yield _instance(schema, body, {LEFT: left, RIGHT: right}, sources)
        case RuleRepetition.ALL:
            yield _instance(schema, tuple(_repeat(schema.head, body, members)), {}, sources)
        case RuleRepetition.CHAIN:
            stations = [Variable(f"u{position}") for position in range(1, len(members) + 2)]
            ends = {HERE: stations[0], NEXT: stations[-1]}
            yield _instance(schema, tuple(_chain(body, stations, members)), ends, sources)
        case _:
            raise ValueError(f"{schema.name} does not range over lists but over {expansion.value}")


def list_predicate(schema: Rule) -> str:
    """Return the predicate whose objects are the lists that ``schema`` ranges over."""
    return next(str(atom.predicate) for atom in schema.body if atom.object == LIST)


def _repeat(head: Atom | None, body: tuple[Atom, ...], members: tuple[str, ...]) -> Iterator[Atom]:
    """Yield the body with the atoms of ?member written out; variables of those atoms alone are fresh each time."""
    repeated = [atom for atom in body if MEMBER in atom]
    fixed = [atom for atom in body if MEMBER not in atom]
    shared = {name for atom in (*fixed, *([head] if head else [])) for name in atom.variables}
    own = {name for atom in repeated for name in atom.variables} - shared - {MEMBER.name}
    yield from fixed
    for position, member in enumerate(members, start=1):
        mapping: dict[Variable, Term] = {Variable(name): Variable(f"{name}{position}") for name in own}
        mapping[MEMBER] = member
        yield from (_substitute(atom, mapping) for atom in repeated)


def _chain(body: tuple[Atom, ...], stations: list[Variable], members: tuple[str, ...]) -> Iterator[Atom]:
    """Yield the body with the atom of ?member written out as the links of a chain through ``stations``."""
    for atom in body:
        if MEMBER in atom:
            for member, here, there in zip(members, stations[:-1], stations[1:], strict=True):
                yield _substitute(atom, {MEMBER: member, HERE: here, NEXT: there})
        else:
            yield atom


def _instance(schema: Rule, body: tuple[Atom, ...], mapping: Mapping[Variable, Term], sources: tuple[str, ...]) -> Rule:
    head = _substitute(schema.head, mapping) if schema.head else None
    return Rule(schema.name, head, tuple(_substitute(atom, mapping) for atom in body), sources=sources)


def _substitute(atom: Atom, mapping: Mapping[Variable, Term]) -> Atom:
    """Replace variables; an atom without any of them is shared, because long lists give many rules."""
    if mapping.keys().isdisjoint(atom):
        return atom
    subject, predicate, object = (mapping.get(term, term) if isinstance(term, Variable) else term for term in atom)
    return Atom(subject, predicate, object)


_PREDICATES = {
    owl(name): reason
    for name, reason in {
        "cardinality": "the rules know no exact cardinalities",
        "qualifiedCardinality": "the rules know no exact cardinalities",
        "minCardinality": "the rules know no minimal cardinalities",
        "minQualifiedCardinality": "the rules know no minimal cardinalities",
        "onDataRange": "the rules read qualified cardinalities over classes only",
        "onProperties": "the rules know no restrictions over several properties",
        "hasSelf": "the rules know no self restrictions",
        "disjointUnionOf": "the rules know no disjoint unions",
        "onDatatype": "the rules know no restrictions of datatypes by facets",
        "datatypeComplementOf": "the rules know no complements of datatypes",
    }.items()
}
_TYPES = {owl("ReflexiveProperty"): "the rules know no reflexive properties"}
_AT_MOST = frozenset((owl("maxCardinality"), owl("maxQualifiedCardinality")))
_RANGES = frozenset((rdfs("range"), owl("allValuesFrom"), owl("someValuesFrom")))
_OUTSIDE = (DATATYPE_MAP | OTHER_DATATYPES) - RL_DATATYPES


def outside_owl2rl(triples: Iterable[tuple[str, str, str]]) -> Iterator[LeftOut]:
    """Yield each triple whose meaning the OWL 2 RL/RDF rules do not cover, in the order of ``triples``.

    This is about vocabulary, not about positions: that ``owl:someValuesFrom`` on the right of a subclass axiom has no
    consequences is for a check of the profile's grammar to say.
    """
    for triple in triples:
        if reason := _reason(*triple):
            yield LeftOut(" ".join(triple), reason)


def _reason(subject: str, predicate: str, object: str) -> str | None:
    if predicate == RDF_TYPE:
        return _TYPES.get(object)
    if predicate in _AT_MOST and not _is_zero_or_one(object):
        return "the rules know the maximal cardinalities 0 and 1 only"
    if predicate in _RANGES and object in _OUTSIDE:
        return f"{object} is not a datatype of OWL 2 RL, its values are not checked"
    return _PREDICATES.get(predicate)


def _is_zero_or_one(term: str) -> bool:
    """Tell whether a literal stands for 0 or 1, whichever integer type it is written in."""
    return is_literal(term) and term[1 : term.rindex('"')].lstrip("+").lstrip("0") in ("", "1")


_COLLECTIONS = frozenset((owl("AllDifferent"), owl("AllDisjointClasses"), owl("AllDisjointProperties")))


def translate_owl2rl(triples: Sequence[tuple[str, str, str]]) -> Translation:
    """Return the OWL 2 RL/RDF rules for the ontology in ``triples``, which may hold data as well.

    The rules expect the ontology itself among the facts. Takes time linear in the triples and in the size of the
    lists, except for the members of ``owl:AllDifferent``, ``owl:AllDisjointClasses`` and ``owl:AllDisjointProperties``:
    every two of them give a constraint.
    """
    rules = [*_fixed_rules(), *_datatype_rules(triples)]
    left_out: list[LeftOut] = []
    lists = Lists(triples)
    users = _ListUsers(triples)
    for entry in ENTRIES:
        if entry.realisation is Realisation.LIST:
            for schema in _parse(entry):
                for found in _over_lists(schema, entry.expansion, lists, users):
                    if isinstance(found, LeftOut):
                        left_out.append(found)
                    else:
                        rules.append(found)
    left_out += outside_owl2rl(triples)
    return Translation(tuple(rules), tuple(dict.fromkeys(left_out)), value_equality=True)


@cache
def _fixed_rules() -> tuple[Rule, ...]:
    """Return the rules that every ontology gets."""
    rules = [Rule("axiomatic", Atom(*triple), ()) for triple in AXIOMATIC]
    for entry in ENTRIES:
        if entry.realisation in (Realisation.RULE, Realisation.CONSTRAINT):
            rules += _parse(entry)
        elif entry.expansion is RuleRepetition.REQUIRED_DATATYPES:
            rules += _parse_for(entry, "{datatype}", DATATYPES)
        elif entry.expansion is RuleRepetition.ANNOTATIONS:
            rules += _parse_for(entry, "{annotation}", ANNOTATIONS)
    return tuple(rules)


def _datatype_rules(triples: Sequence[tuple[str, str, str]]) -> Iterator[Rule]:
    for entry in ENTRIES:
        if entry.expansion is RuleRepetition.USED_DATATYPES:
            yield from _parse_for(entry, "{datatype}", used_datatypes(triples))
        elif entry.expansion is RuleRepetition.MENTIONED_DATATYPES:
            yield from _parse_for(entry, "{datatype}", mentioned_datatypes(triples))


@cache
def _parse(entry: RuleEntry) -> tuple[Rule, ...]:
    return tuple(parse_rules("".join(f"[{entry.id}] {text} .\n" for text in entry.texts)))


@cache
def _parse_for(entry: RuleEntry, placeholder: str, terms: tuple[str, ...]) -> tuple[Rule, ...]:
    texts = [text.replace(placeholder, term) for text in entry.texts for term in terms]
    return tuple(parse_rules("".join(f"[{entry.id}] {text} .\n" for text in texts)))


class _ListUsers:
    """The subjects that each list of the ontology belongs to, by the predicate that takes the list."""

    def __init__(self, triples: Sequence[tuple[str, str, str]]) -> None:
        self._subjects: dict[str, dict[str, list[str]]] = {predicate: {} for predicate in _list_predicates()}
        self._types: dict[str, set[str]] = {}
        for subject, predicate, object in triples:
            if predicate in self._subjects:
                self._subjects[predicate].setdefault(object, []).append(subject)
            elif predicate == RDF_TYPE and object in _COLLECTIONS:
                self._types.setdefault(subject, set()).add(object)

    def of(self, schema: Rule) -> Iterator[tuple[str, list[str]]]:
        """Yield the lists that ``schema`` ranges over, with their subjects.

        Three rules read ``owl:members``. A subject that is said to be of one of their types is not expanded for the
        other two: that would be a constraint in vain for every two members.
        """
        wanted = {atom.object for atom in schema.body if atom.object in _COLLECTIONS}
        for head, subjects in self._subjects[list_predicate(schema)].items():
            concerned = [subject for subject in subjects if wanted <= self._types.get(subject, wanted)]
            if concerned:
                yield head, concerned


@cache
def _list_predicates() -> frozenset[str]:
    entries = (entry for entry in ENTRIES if entry.realisation is Realisation.LIST)
    return frozenset(list_predicate(schema) for entry in entries for schema in _parse(entry))


def _over_lists(schema: Rule, expansion: RuleRepetition, lists: Lists, users: _ListUsers) -> Iterator[Rule | LeftOut]:
    predicate = list_predicate(schema)
    for head, subjects in users.of(schema):
        try:
            members = lists.members(head)
        except MalformedListError as error:
            yield from (LeftOut(f"{subject} {predicate} {head}", str(error)) for subject in subjects)
            continue
        written = " ".join(("(", *members, ")"))
        sources = tuple(f"{subject} {predicate} {written}" for subject in subjects)
        if head == NIL and expansion is not RuleRepetition.PAIRS:
            yield from (LeftOut(source, "the rules read lists with one member or more") for source in sources)
        else:
            yield from expand_over_list(schema, expansion, head, members, sources)


class Realisation(Enum):
    """How the reasoner brings a rule about."""

    RULE = "a rule as it stands"
    CONSTRAINT = "a rule without a head, each match of which is a contradiction"
    LIST = "rules, one or more for each list that is found in the ontology"
    VOCABULARY = "rules, one or more for each datatype or annotation property"
    NATIVE = "the engine: equality by rewriting, literals by value"


class RuleRepetition(Enum):
    """What the rules of an entry are repeated over."""

    NONE = "nothing"
    EACH = "one rule for each member of the list"
    PAIRS = "one rule for each two members of the list"
    ALL = "one rule in which the atoms with ?member are repeated for every member"
    CHAIN = "as ALL, and the ?next of a member is the ?here of the member that follows"
    REQUIRED_DATATYPES = "one rule for each datatype of OWL 2 RL"
    USED_DATATYPES = "one rule for each datatype of OWL 2 RL that a rule body can ask for"
    MENTIONED_DATATYPES = "one rule for each datatype of OWL 2 RL that the ontology mentions"
    ANNOTATIONS = "one rule for each built-in annotation property"


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """One W3C rule: its id and the texts of its rules, several where the W3C rule has several heads."""

    id: str
    realisation: Realisation
    texts: tuple[str, ...]
    expansion: RuleRepetition = RuleRepetition.NONE


def _rule(id: str, *texts: str) -> RuleEntry:
    return RuleEntry(id, Realisation.RULE, texts)


def _constraint(id: str, text: str) -> RuleEntry:
    return RuleEntry(id, Realisation.CONSTRAINT, (text,))


def _list(id: str, expansion: RuleRepetition, text: str) -> RuleEntry:
    return RuleEntry(id, Realisation.LIST, (text,), expansion)


def _vocabulary(id: str, expansion: RuleRepetition, text: str) -> RuleEntry:
    return RuleEntry(id, Realisation.VOCABULARY, (text,), expansion)


def _native(id: str, *texts: str) -> RuleEntry:
    return RuleEntry(id, Realisation.NATIVE, texts)


# The semantics of equality.
TABLE_4 = (
    _native(
        "eq-ref",
        "?s owl:sameAs ?s :- ?s ?p ?o",
        "?p owl:sameAs ?p :- ?s ?p ?o",
        "?o owl:sameAs ?o :- ?s ?p ?o",
    ),
    _native("eq-sym", "?y owl:sameAs ?x :- ?x owl:sameAs ?y"),
    _native("eq-trans", "?x owl:sameAs ?z :- ?x owl:sameAs ?y, ?y owl:sameAs ?z"),
    _native("eq-rep-s", "?t ?p ?o :- ?s owl:sameAs ?t, ?s ?p ?o"),
    _native("eq-rep-p", "?s ?q ?o :- ?p owl:sameAs ?q, ?s ?p ?o"),
    _native("eq-rep-o", "?s ?p ?u :- ?o owl:sameAs ?u, ?s ?p ?o"),
    _constraint("eq-diff1", "false :- ?x owl:sameAs ?y, ?x owl:differentFrom ?y"),
    _list(
        "eq-diff2",
        RuleRepetition.PAIRS,
        "false :- ?x a owl:AllDifferent, ?x owl:members ?list, "
        "?list rdfs:member ?left, ?list rdfs:member ?right, ?left owl:sameAs ?right",
    ),
    _list(
        "eq-diff3",
        RuleRepetition.PAIRS,
        "false :- ?x a owl:AllDifferent, ?x owl:distinctMembers ?list, "
        "?list rdfs:member ?left, ?list rdfs:member ?right, ?left owl:sameAs ?right",
    ),
)

# The semantics of axioms about properties.
TABLE_5 = (
    _vocabulary("prp-ap", RuleRepetition.ANNOTATIONS, "{annotation} a owl:AnnotationProperty"),
    _rule("prp-dom", "?x a ?c :- ?p rdfs:domain ?c, ?x ?p ?y"),
    _rule("prp-rng", "?y a ?c :- ?p rdfs:range ?c, ?x ?p ?y"),
    _rule("prp-fp", "?y1 owl:sameAs ?y2 :- ?p a owl:FunctionalProperty, ?x ?p ?y1, ?x ?p ?y2"),
    _rule("prp-ifp", "?x1 owl:sameAs ?x2 :- ?p a owl:InverseFunctionalProperty, ?x1 ?p ?y, ?x2 ?p ?y"),
    _constraint("prp-irp", "false :- ?p a owl:IrreflexiveProperty, ?x ?p ?x"),
    _rule("prp-symp", "?y ?p ?x :- ?p a owl:SymmetricProperty, ?x ?p ?y"),
    _constraint("prp-asyp", "false :- ?p a owl:AsymmetricProperty, ?x ?p ?y, ?y ?p ?x"),
    _rule("prp-trp", "?x ?p ?z :- ?p a owl:TransitiveProperty, ?x ?p ?y, ?y ?p ?z"),
    _rule("prp-spo1", "?x ?p2 ?y :- ?p1 rdfs:subPropertyOf ?p2, ?x ?p1 ?y"),
    _list(
        "prp-spo2",
        RuleRepetition.CHAIN,
        "?here ?p ?next :- ?p owl:propertyChainAxiom ?list, ?list rdfs:member ?member, ?here ?member ?next",
    ),
    _rule("prp-eqp1", "?x ?p2 ?y :- ?p1 owl:equivalentProperty ?p2, ?x ?p1 ?y"),
    _rule("prp-eqp2", "?x ?p1 ?y :- ?p1 owl:equivalentProperty ?p2, ?x ?p2 ?y"),
    _constraint("prp-pdw", "false :- ?p1 owl:propertyDisjointWith ?p2, ?x ?p1 ?y, ?x ?p2 ?y"),
    _list(
        "prp-adp",
        RuleRepetition.PAIRS,
        "false :- ?x a owl:AllDisjointProperties, ?x owl:members ?list, "
        "?list rdfs:member ?left, ?list rdfs:member ?right, ?u ?left ?v, ?u ?right ?v",
    ),
    _rule("prp-inv1", "?y ?p2 ?x :- ?p1 owl:inverseOf ?p2, ?x ?p1 ?y"),
    _rule("prp-inv2", "?y ?p1 ?x :- ?p1 owl:inverseOf ?p2, ?x ?p2 ?y"),
    _list(
        "prp-key",
        RuleRepetition.ALL,
        "?x owl:sameAs ?y :- ?c owl:hasKey ?list, "
        "?list rdfs:member ?member, ?x a ?c, ?y a ?c, ?x ?member ?value, ?y ?member ?value",
    ),
    _constraint(
        "prp-npa1",
        "false :- ?x owl:sourceIndividual ?i1, ?x owl:assertionProperty ?p, ?x owl:targetIndividual ?i2, ?i1 ?p ?i2",
    ),
    _constraint(
        "prp-npa2",
        "false :- ?x owl:sourceIndividual ?i, ?x owl:assertionProperty ?p, ?x owl:targetValue ?v, ?i ?p ?v",
    ),
)

# The semantics of classes. A cardinality is compared by value, because ontologies also write it as xsd:integer.
_ZERO = 'sameValue(?n, "0"^^xsd:nonNegativeInteger)'
_ONE = 'sameValue(?n, "1"^^xsd:nonNegativeInteger)'
_AT_MOST_PATTERN = "?x owl:maxCardinality ?n, ?x owl:onProperty ?p, ?u a ?x"
_AT_MOST_OF_CLASS = "?x owl:maxQualifiedCardinality ?n, ?x owl:onProperty ?p, ?x owl:onClass ?c, ?u a ?x"
_AT_MOST_OF_THING = "?x owl:maxQualifiedCardinality ?n, ?x owl:onProperty ?p, ?x owl:onClass owl:Thing, ?u a ?x"
TABLE_6 = (
    _rule("cls-thing", "owl:Thing a owl:Class"),
    _rule("cls-nothing1", "owl:Nothing a owl:Class"),
    _constraint("cls-nothing2", "false :- ?x a owl:Nothing"),
    _list(
        "cls-int1",
        RuleRepetition.ALL,
        "?y a ?c :- ?c owl:intersectionOf ?list, ?list rdfs:member ?member, ?y a ?member",
    ),
    _list(
        "cls-int2",
        RuleRepetition.EACH,
        "?y a ?member :- ?c owl:intersectionOf ?list, ?list rdfs:member ?member, ?y a ?c",
    ),
    _list("cls-uni", RuleRepetition.EACH, "?y a ?c :- ?c owl:unionOf ?list, ?list rdfs:member ?member, ?y a ?member"),
    _constraint("cls-com", "false :- ?c1 owl:complementOf ?c2, ?x a ?c1, ?x a ?c2"),
    _rule("cls-svf1", "?u a ?x :- ?x owl:someValuesFrom ?y, ?x owl:onProperty ?p, ?u ?p ?v, ?v a ?y"),
    _rule("cls-svf2", "?u a ?x :- ?x owl:someValuesFrom owl:Thing, ?x owl:onProperty ?p, ?u ?p ?v"),
    _rule("cls-avf", "?v a ?y :- ?x owl:allValuesFrom ?y, ?x owl:onProperty ?p, ?u a ?x, ?u ?p ?v"),
    _rule("cls-hv1", "?u ?p ?y :- ?x owl:hasValue ?y, ?x owl:onProperty ?p, ?u a ?x"),
    _rule("cls-hv2", "?u a ?x :- ?x owl:hasValue ?y, ?x owl:onProperty ?p, ?u ?p ?y"),
    _constraint("cls-maxc1", f"false :- {_AT_MOST_PATTERN}, ?u ?p ?y, {_ZERO}"),
    _rule("cls-maxc2", f"?y1 owl:sameAs ?y2 :- {_AT_MOST_PATTERN}, ?u ?p ?y1, ?u ?p ?y2, {_ONE}"),
    _constraint("cls-maxqc1", f"false :- {_AT_MOST_OF_CLASS}, ?u ?p ?y, ?y a ?c, {_ZERO}"),
    _constraint("cls-maxqc2", f"false :- {_AT_MOST_OF_THING}, ?u ?p ?y, {_ZERO}"),
    _rule(
        "cls-maxqc3",
        f"?y1 owl:sameAs ?y2 :- {_AT_MOST_OF_CLASS}, ?u ?p ?y1, ?y1 a ?c, ?u ?p ?y2, ?y2 a ?c, {_ONE}",
    ),
    _rule("cls-maxqc4", f"?y1 owl:sameAs ?y2 :- {_AT_MOST_OF_THING}, ?u ?p ?y1, ?u ?p ?y2, {_ONE}"),
    _list("cls-oo", RuleRepetition.EACH, "?member a ?c :- ?c owl:oneOf ?list, ?list rdfs:member ?member"),
)

# The semantics of class axioms.
TABLE_7 = (
    _rule("cax-sco", "?x a ?c2 :- ?c1 rdfs:subClassOf ?c2, ?x a ?c1"),
    _rule("cax-eqc1", "?x a ?c2 :- ?c1 owl:equivalentClass ?c2, ?x a ?c1"),
    _rule("cax-eqc2", "?x a ?c1 :- ?c1 owl:equivalentClass ?c2, ?x a ?c2"),
    _constraint("cax-dw", "false :- ?c1 owl:disjointWith ?c2, ?x a ?c1, ?x a ?c2"),
    _list(
        "cax-adc",
        RuleRepetition.PAIRS,
        "false :- ?x a owl:AllDisjointClasses, ?x owl:members ?list, "
        "?list rdfs:member ?left, ?list rdfs:member ?right, ?z a ?left, ?z a ?right",
    ),
)

# The semantics of datatypes. W3C's dt-diff derives owl:differentFrom between literals, which only eq-diff1 reads: the
# constraint is the two in one.
TABLE_8 = (
    _vocabulary("dt-type1", RuleRepetition.REQUIRED_DATATYPES, "{datatype} a rdfs:Datatype"),
    _vocabulary("dt-type2", RuleRepetition.USED_DATATYPES, "?x a {datatype} :- ?s ?p ?x, inValueSpace(?x, {datatype})"),
    _native("dt-eq", "?x owl:sameAs ?y :- ?s ?p ?x, ?t ?q ?y, sameValue(?x, ?y)"),
    _constraint("dt-diff", "false :- ?x owl:sameAs ?y, differentValue(?x, ?y)"),
    _vocabulary(
        "dt-not-type", RuleRepetition.MENTIONED_DATATYPES, "false :- ?x a {datatype}, notInValueSpace(?x, {datatype})"
    ),
)

# The semantics of schema vocabulary.
TABLE_9 = (
    _rule(
        "scm-cls",
        "?c rdfs:subClassOf ?c :- ?c a owl:Class",
        "?c owl:equivalentClass ?c :- ?c a owl:Class",
        "?c rdfs:subClassOf owl:Thing :- ?c a owl:Class",
        "owl:Nothing rdfs:subClassOf ?c :- ?c a owl:Class",
    ),
    _rule("scm-sco", "?c1 rdfs:subClassOf ?c3 :- ?c1 rdfs:subClassOf ?c2, ?c2 rdfs:subClassOf ?c3"),
    _rule(
        "scm-eqc1",
        "?c1 rdfs:subClassOf ?c2 :- ?c1 owl:equivalentClass ?c2",
        "?c2 rdfs:subClassOf ?c1 :- ?c1 owl:equivalentClass ?c2",
    ),
    _rule("scm-eqc2", "?c1 owl:equivalentClass ?c2 :- ?c1 rdfs:subClassOf ?c2, ?c2 rdfs:subClassOf ?c1"),
    _rule(
        "scm-op",
        "?p rdfs:subPropertyOf ?p :- ?p a owl:ObjectProperty",
        "?p owl:equivalentProperty ?p :- ?p a owl:ObjectProperty",
    ),
    _rule(
        "scm-dp",
        "?p rdfs:subPropertyOf ?p :- ?p a owl:DatatypeProperty",
        "?p owl:equivalentProperty ?p :- ?p a owl:DatatypeProperty",
    ),
    _rule("scm-spo", "?p1 rdfs:subPropertyOf ?p3 :- ?p1 rdfs:subPropertyOf ?p2, ?p2 rdfs:subPropertyOf ?p3"),
    _rule(
        "scm-eqp1",
        "?p1 rdfs:subPropertyOf ?p2 :- ?p1 owl:equivalentProperty ?p2",
        "?p2 rdfs:subPropertyOf ?p1 :- ?p1 owl:equivalentProperty ?p2",
    ),
    _rule("scm-eqp2", "?p1 owl:equivalentProperty ?p2 :- ?p1 rdfs:subPropertyOf ?p2, ?p2 rdfs:subPropertyOf ?p1"),
    _rule("scm-dom1", "?p rdfs:domain ?c2 :- ?p rdfs:domain ?c1, ?c1 rdfs:subClassOf ?c2"),
    _rule("scm-dom2", "?p1 rdfs:domain ?c :- ?p2 rdfs:domain ?c, ?p1 rdfs:subPropertyOf ?p2"),
    _rule("scm-rng1", "?p rdfs:range ?c2 :- ?p rdfs:range ?c1, ?c1 rdfs:subClassOf ?c2"),
    _rule("scm-rng2", "?p1 rdfs:range ?c :- ?p2 rdfs:range ?c, ?p1 rdfs:subPropertyOf ?p2"),
    _rule(
        "scm-hv",
        "?c1 rdfs:subClassOf ?c2 :- ?c1 owl:hasValue ?i, ?c1 owl:onProperty ?p1, "
        "?c2 owl:hasValue ?i, ?c2 owl:onProperty ?p2, ?p1 rdfs:subPropertyOf ?p2",
    ),
    _rule(
        "scm-svf1",
        "?c1 rdfs:subClassOf ?c2 :- ?c1 owl:someValuesFrom ?y1, ?c1 owl:onProperty ?p, "
        "?c2 owl:someValuesFrom ?y2, ?c2 owl:onProperty ?p, ?y1 rdfs:subClassOf ?y2",
    ),
    _rule(
        "scm-svf2",
        "?c1 rdfs:subClassOf ?c2 :- ?c1 owl:someValuesFrom ?y, ?c1 owl:onProperty ?p1, "
        "?c2 owl:someValuesFrom ?y, ?c2 owl:onProperty ?p2, ?p1 rdfs:subPropertyOf ?p2",
    ),
    _rule(
        "scm-avf1",
        "?c1 rdfs:subClassOf ?c2 :- ?c1 owl:allValuesFrom ?y1, ?c1 owl:onProperty ?p, "
        "?c2 owl:allValuesFrom ?y2, ?c2 owl:onProperty ?p, ?y1 rdfs:subClassOf ?y2",
    ),
    _rule(
        "scm-avf2",
        "?c2 rdfs:subClassOf ?c1 :- ?c1 owl:allValuesFrom ?y, ?c1 owl:onProperty ?p1, "
        "?c2 owl:allValuesFrom ?y, ?c2 owl:onProperty ?p2, ?p1 rdfs:subPropertyOf ?p2",
    ),
    _list(
        "scm-int",
        RuleRepetition.EACH,
        "?c rdfs:subClassOf ?member :- ?c owl:intersectionOf ?list, ?list rdfs:member ?member",
    ),
    _list(
        "scm-uni", RuleRepetition.EACH, "?member rdfs:subClassOf ?c :- ?c owl:unionOf ?list, ?list rdfs:member ?member"
    ),
)

TABLES = {4: TABLE_4, 5: TABLE_5, 6: TABLE_6, 7: TABLE_7, 8: TABLE_8, 9: TABLE_9}
ENTRIES: tuple[RuleEntry, ...] = tuple(entry for table in TABLES.values() for entry in table)
