"""What would hold if more were said: situations on top of a knowledge base that never learns of them.

What is known of a data value whose datatypes are known: which other datatypes it has, and whether it can exist.

Assume that a term belongs to a class expression, or that it does not: one situation for each way this can be.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import combinations
from typing import TYPE_CHECKING

import ontologies.expressions as ex
from ontologies.expressions import ClassExpression, DataRange, ObjectPropertyExpression
from ontologies.vocabulary import BOTTOM_PROPERTIES, DIFFERENT_FROM, LITERAL, NOTHING, THING, TOP_PROPERTIES, owl
from ontologies.write_rdf import ExpressionMapper
from reasoner.rules.rule import Atom, Rule
from reasoner.state.request import CommitRequest
from reasoner.terms.hierarchy import INTEGER_RANGES, PLAIN_LITERAL, RDFS_LITERAL, SUPPORTED, all_supertypes
from reasoner.terms.quads import QuadRequest
from reasoner.terms.term import RDF, RDF_TYPE, SAME_AS, XSD, Term, TextTriple, Variable
from reasoner.terms.triple_text import canonical_terms

if TYPE_CHECKING:
    from reasoner.explanation.proof import Proof
    from reasoner.state.session import Session
    from reasoner.state.state import State

# Its facts make terms occur, so that literals meet those of equal value.
MENTIONS = "<urn:reasoner:mentions>"

Excluded = tuple["ClassExpression", str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A session that holds what follows in a situation; ``clash`` is why the situation cannot be."""

    session: Session
    clash: str = ""


@dataclass(slots=True, eq=False)
class Situation:
    """The facts that are assumed beyond a knowledge base, and what is assumed not to be.

    ``excluded`` holds pairs of a class expression and a term that is assumed not to belong to it; ``contradiction`` is
    an assumption that nothing can satisfy. What follows is found when somebody asks for it, from ``ground`` and the
    facts that are ``pending`` since then, and kept as ``outcome``.
    """

    assumed: tuple[TextTriple, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    fresh: tuple[str, ...] = ()
    contradiction: str = ""
    ground: Outcome | None = field(default=None, repr=False)
    pending: tuple[TextTriple, ...] = ()
    outcome: Outcome | None = field(default=None, repr=False)


class Situations:
    """Finds out about situations in forks of a reasoner's session.

    What is assumed is added by maintenance, so that a situation costs what its facts change, unless axioms are among
    them. The reasoner is never touched: its readers see nothing, and its state needs no restoring.
    """

    def __init__(self, session: Session, more_rules: Sequence[Rule] = ()) -> None:
        self.lock = threading.RLock()
        self._session = session
        self._prefix = session.store.dictionary.new_blank_scope()
        self._more_rules = tuple(more_rules)
        self._count = 0
        self._following: tuple[object, object] = (None, None)
        self._beginning: Outcome | None = None

    def begin(self) -> Situation:
        """Return the situation in which nothing is assumed, as of the last commit."""
        session = self._session
        with session.lock:
            session.settle()
            session.prepare()
            state, known = session.state, self._beginning
            if known is None or self._following[0] is not state.prepared:
                self._beginning = self._start()
            elif self._following[1] is not state.snapshot:
                self._beginning = self._start() if self._more_rules else _moved(known, state)
            self._following = state.prepared, state.snapshot
        self._count = 0
        return Situation(outcome=self._beginning)

    def _start(self) -> Outcome:
        """Return what follows when nothing is assumed; with more rules than the reasoner has, this is found anew."""
        origin, clash = self._session, ""
        fork = origin.fork(settings=replace(origin.settings, maintenance=None))
        if self._more_rules:
            with fork.changing() as draft:
                draft.put(user_rules=(*draft.state.user_rules, *self._more_rules))
                draft.store.state = replace(draft.store.state, memory=None)
                draft.begin_anew()
            fork.materialise()
            clash = next((str(found) for found in fork.store.violations(fork.program().constraints, 1)), "")
        fork.prepare_maintenance()
        return Outcome(fork, clash)

    def fresh(self) -> str:
        """Return a term that no fact mentions."""
        self._count += 1
        return f"_:{self._prefix}_{self._count}"

    def assume(
        self,
        situation: Situation,
        facts: Iterable[TextTriple],
        *,
        excluded: Sequence[Excluded] = (),
        fresh: Sequence[str] = (),
        contradiction: str = "",
    ) -> Situation:
        """Return a situation with more assumptions; one that nothing can satisfy stays as it is."""
        facts = tuple(fact for fact in dict.fromkeys(facts) if fact not in situation.assumed)
        if situation.contradiction or not (facts or excluded or contradiction):
            return situation
        return Situation(
            (*situation.assumed, *facts),
            (*situation.excluded, *excluded),
            tuple(dict.fromkeys((*situation.fresh, *fresh))),
            contradiction,
            situation.outcome or situation.ground,
            facts if situation.outcome else (*situation.pending, *facts),
        )

    def clash(self, situation: Situation) -> str:
        """Say why a situation cannot be, by the rules and by datatypes; empty if nothing speaks against it."""
        return situation.contradiction or self._outcome(situation).clash

    def _outcome(self, situation: Situation) -> Outcome:
        if situation.outcome is None:
            assert situation.ground is not None
            situation.outcome = self._found(situation, situation.ground)
        return situation.outcome

    def _found(self, situation: Situation, ground: Outcome) -> Outcome:
        if ground.clash or not situation.pending:
            return ground
        session = ground.session.fork(apart=False)
        delta = session.commit(CommitRequest(QuadRequest(added={None: list(situation.pending)})))
        clash = "; ".join(map(str, delta.violations_appeared[:1]))
        found = situation.outcome = Outcome(session, clash)
        for term in () if clash else situation.fresh:
            if problem := clash_of(self.types(situation, term)):
                return replace(found, clash=f"{term} {problem}")
        return found

    def answers(
        self, situation: Situation, patterns: Sequence[tuple[Term, Term, Term]], asked: Sequence[Variable] = ()
    ) -> list[tuple[str, ...]]:
        """Return the distinct answers to triple patterns; without variables to ask for, ``[()]`` or nothing."""
        from reasoner.rules.encode import encode_rule

        store = self._outcome(situation).session.store
        known = store.dictionary.lookup
        if any(isinstance(term, str) and known(term) is None for pattern in patterns for term in pattern):
            return []
        query = Rule("query", None, tuple(Atom(*pattern) for pattern in patterns))
        order = list(dict.fromkeys(term for pattern in patterns for term in pattern if isinstance(term, Variable)))
        return store.answers(encode_rule(query, store.id_of), tuple(-1 - order.index(name) for name in asked))

    def has(self, situation: Situation, s: str, p: str, o: str) -> bool:
        """Tell whether a triple holds in a situation."""
        return bool(self.answers(situation, [(s, p, o)]))

    def objects(self, situation: Situation, s: str, p: str) -> list[str]:
        """Return the objects of a subject and a predicate."""
        found = Variable("o")
        return [row[0] for row in self.answers(situation, [(s, p, found)], [found])]

    def subjects(self, situation: Situation, p: str, o: str) -> list[str]:
        """Return the subjects of a predicate and an object."""
        found = Variable("s")
        return [row[0] for row in self.answers(situation, [(found, p, o)], [found])]

    def types(self, situation: Situation, term: str) -> list[str]:
        """Return the classes of a term."""
        return self.objects(situation, term, RDF_TYPE)

    def proof(self, situation: Situation, triple: TextTriple) -> Proof | None:
        """Return a proof of a triple that holds in a situation."""
        s, p, o = canonical_terms(triple)
        found = self._outcome(situation).session.explainer()((s, p, o))
        return found and replace(found, prefixes=dict(self._session.prefixes))


def _moved(outcome: Outcome, state: State) -> Outcome:
    """Return an outcome with the facts of another state, which has the same rules."""
    session = outcome.session.fork(apart=False)
    moved = replace(session.state, snapshot=state.snapshot, terms=state.terms, summary=None)
    session.use(session.store.at(state.snapshot), moved)
    return replace(outcome, session=session)


_LANG_STRING = RDF + "langString"
_STRING = XSD + "string"
_INTEGER = XSD + "integer"


@dataclass(frozen=True, slots=True)
class ValueSpace:
    """The values that some datatypes have in common, as far as it is understood.

    ``datatypes`` are IRIs without brackets, upward closed; ``low`` and ``high`` bound integers, None being no bound.
    """

    datatypes: frozenset[str]
    low: Decimal | None = None
    high: Decimal | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no value is in all of the datatypes; if in doubt, there is one."""
        if self.low is not None and self.high is not None and self.low > self.high:
            return True
        return len({family for name in self.datatypes if (family := _family(name))}) > 1 or (
            {_STRING, _LANG_STRING} <= self.datatypes
        )

    def is_within(self, datatype: str) -> bool:
        """Tell whether all values are of a datatype; if in doubt, they are not."""
        if datatype in self.datatypes or (datatype == RDFS_LITERAL and self.datatypes):
            return True
        if self.is_empty:
            return True
        if datatype in INTEGER_RANGES and _INTEGER in self.datatypes:
            low, high = INTEGER_RANGES[datatype]
            return (low is None or (self.low is not None and self.low >= low)) and (
                high is None or (self.high is not None and self.high <= high)
            )
        return False

    def values(self, most: int) -> list[int] | None:
        """Return all integers of the space if there are at most so many of them."""
        if _INTEGER not in self.datatypes or self.low is None or self.high is None:
            return None
        return list(range(int(self.low), int(self.high) + 1)) if self.high - self.low < most else None


def value_space(types: Iterable[str]) -> ValueSpace:
    """Return what a value of some classes can be; classes that are no datatypes say nothing.

    >>> both = value_space([f"<{XSD}short>", f"<{XSD}unsignedInt>"])
    >>> both.is_within(XSD + "unsignedShort"), both.is_within(XSD + "byte")
    (True, False)
    """
    named = [text[1:-1] for text in types if text.startswith("<")]
    datatypes = frozenset(above for name in named if name in SUPPORTED for above in all_supertypes(name))
    datatypes |= {_LANG_STRING, PLAIN_LITERAL, RDFS_LITERAL} if _LANG_STRING in named else frozenset()
    bounds = [INTEGER_RANGES[name] for name in datatypes if name in INTEGER_RANGES]
    lows = [low for low, _ in bounds if low is not None]
    highs = [high for _, high in bounds if high is not None]
    return ValueSpace(datatypes, max(lows, default=None), min(highs, default=None))


def clash_of(types: Iterable[str]) -> str:
    """Say why nothing can belong to all of some classes as far as datatypes are among them; empty if something may."""
    names = list(types)
    if not value_space(names).is_empty:
        return ""
    datatypes = sorted(name for name in names if name[1:-1] in SUPPORTED and name[1:-1] != RDFS_LITERAL)
    return f"would be a value of {' and of '.join(datatypes)}, which have none in common"


def _family(datatype: str) -> str:
    """Return the top of the family that a datatype belongs to; families share no values. Empty if it is in none."""
    above = all_supertypes(datatype) - {RDFS_LITERAL}
    if datatype == _LANG_STRING or PLAIN_LITERAL in above:
        return PLAIN_LITERAL
    return next((name for name in sorted(above) if all_supertypes(name) == {name, RDFS_LITERAL}), "")


# More successors than these are not written out one by one.
MOST_SUCCESSORS = 12

Assume = Callable[[Situation], list[Situation]]


class Assumptions:
    """Turns expressions into facts about fresh terms, which stand for anything that there may be.

    A union or an enumeration splits a situation into cases. What no fact can say becomes axioms of the situation, and
    what only its negation could tell is ``excluded``.
    """

    def __init__(self, situations: Situations) -> None:
        self._situations = situations

    def thing(self, situation: Situation) -> tuple[str, Situation]:
        """Return a fresh individual, and the situation in which it exists."""
        term = self._situations.fresh()
        return term, self._situations.assume(situation, [(term, RDF_TYPE, THING)], fresh=[term])

    def value(self, situation: Situation) -> tuple[str, Situation]:
        """Return a fresh term that may stand for a data value."""
        term = self._situations.fresh()
        return term, self._situations.assume(situation, [(term, MENTIONS, term)], fresh=[term])

    def related(self, situation: Situation, property: ObjectPropertyExpression, s: str, o: str) -> Situation:
        """Assume that two terms are related."""
        triple = edge(property, s, o)
        if triple[1] in TOP_PROPERTIES:
            return situation
        contradiction = f"{triple[1]} relates nothing" if triple[1] in BOTTOM_PROPERTIES else ""
        return self._situations.assume(situation, [triple], contradiction=contradiction)

    def same(self, situation: Situation, first: str, second: str) -> Situation:
        """Assume that two terms are equal."""
        return self._situations.assume(situation, [(first, SAME_AS, second)] if first != second else [])

    def belongs(self, expression: ClassExpression, term: str, situation: Situation) -> list[Situation]:
        """Assume that a term belongs to a class expression."""
        assume = self._situations.assume
        match expression:
            case str() if expression == NOTHING:
                return [assume(situation, [], contradiction=f"nothing belongs to {NOTHING}")]
            case str():
                return [assume(situation, [(term, RDF_TYPE, expression)])]
            case ex.ObjectIntersectionOf(operands):
                return _all(situation, [self._step(operand, term) for operand in operands])
            case ex.ObjectUnionOf(operands):
                return [case for operand in operands for case in self.belongs(operand, term, situation)]
            case ex.ObjectComplementOf(operand):
                return self.excludes(operand, term, situation)
            case ex.ObjectOneOf(individuals):
                return [self.same(situation, term, individual) for individual in individuals]
            case ex.ObjectHasValue(property, value) | ex.DataHasValue(property, value):
                return [self.related(situation, property, term, value)]
            case ex.ObjectHasSelf(property):
                return [self.related(situation, property, term, term)]
            case ex.ObjectSomeValuesFrom(property, filler):
                return self.successors(1, property, filler, term, situation)
            case ex.DataSomeValuesFrom((property,), data_range):
                return self.values(1, property, data_range, term, situation)
            case ex.ObjectMinCardinality(number, property, filler):
                return self.successors(number, property, filler, term, situation)
            case ex.DataMinCardinality(number, property, data_range):
                return self.values(number, property, data_range, term, situation)
            case ex.ObjectExactCardinality(number, property, filler):
                at_most = self.described(ex.ObjectMaxCardinality(number, property, filler), term, situation)
                return self.successors(number, property, filler, term, at_most)
            case ex.DataExactCardinality(number, property, data_range):
                at_most = self.described(ex.DataMaxCardinality(number, property, data_range), term, situation)
                return self.values(number, property, data_range, term, at_most)
        return [self.described(expression, term, situation)]

    def excludes(self, expression: ClassExpression, term: str, situation: Situation) -> list[Situation]:
        """Assume that a term does not belong to a class expression."""
        match expression:
            case str() if expression == NOTHING:
                return [situation]
            case str() if expression == THING:
                return self.belongs(NOTHING, term, situation)
            case str():
                complements = self._complements(expression, situation)
                facts = [(term, RDF_TYPE, complement) for complement in complements]
                return [self._situations.assume(situation, facts, excluded=[(expression, term)])]
            case ex.ObjectComplementOf(operand):
                return self.belongs(operand, term, situation)
            case ex.ObjectIntersectionOf(operands):
                return [case for operand in operands for case in self.excludes(operand, term, situation)]
            case ex.ObjectUnionOf(operands):
                return _all(situation, [self._excluding(operand, term) for operand in operands])
            case ex.ObjectAllValuesFrom(property, filler):
                return self.successors(1, property, ex.ObjectComplementOf(filler), term, situation)
            case ex.ObjectMaxCardinality(number, property, filler):
                return self.successors(number + 1, property, filler, term, situation)
            case ex.DataMaxCardinality(number, property, data_range):
                return self.values(number + 1, property, data_range, term, situation)
            case ex.ObjectMinCardinality(0) | ex.DataMinCardinality(0):
                return self.belongs(NOTHING, term, situation)
            case ex.ObjectSomeValuesFrom(property, filler) | ex.ObjectMinCardinality(1, property, filler):
                excluded = ex.ObjectSomeValuesFrom(property, filler)
                only = ex.ObjectAllValuesFrom(property, complement_of(filler))
                known = self._situations.assume(situation, [], excluded=[(excluded, term)])
                return [self.described(only, term, known)] if isinstance(filler, str) and filler != THING else [known]
        return [self._situations.assume(situation, [], excluded=[(expression, term)])]

    def of_range(self, data_range: DataRange, term: str, situation: Situation) -> Situation:
        """Assume that a term is a value of a data range."""
        if data_range == LITERAL:
            return situation
        if isinstance(data_range, str):
            return self._situations.assume(situation, [(term, RDF_TYPE, data_range)])
        return self.described(data_range, term, situation)

    def successors(
        self, number: int, property: ObjectPropertyExpression, filler: ClassExpression, term: str, situation: Situation
    ) -> list[Situation]:
        """Assume so many different successors of a term in a class; of a great many, that there is one."""
        found: list[str] = []
        cases = [situation]
        for _ in range(number if number <= MOST_SUCCESSORS else 1):
            fresh = self._situations.fresh()
            found.append(fresh)
            cases = [self._situations.assume(case, [(fresh, RDF_TYPE, THING)], fresh=[fresh]) for case in cases]
            cases = [self.related(case, property, term, fresh) for case in cases]
            cases = [after for case in cases for after in self.belongs(filler, fresh, case)]
            if not cases:
                return []
        return [self._apart(found, case) for case in cases]

    def values(
        self, number: int, property: str, data_range: DataRange, term: str, situation: Situation
    ) -> list[Situation]:
        """Assume so many different values of a data property."""
        found: list[str] = []
        for _ in range(number if number <= MOST_SUCCESSORS else 1):
            fresh, situation = self.value(situation)
            situation = self.related(situation, property, term, fresh)
            situation = self.of_range(data_range, fresh, situation)
            found.append(fresh)
        return [self._apart(found, situation)]

    def described(self, expression: ClassExpression | DataRange, term: str, situation: Situation) -> Situation:
        """Assume membership in an expression by its own axioms."""
        mapper = ExpressionMapper(frozenset(), self._situations.fresh()[2:])
        node = mapper.node(expression)
        return self._situations.assume(situation, [*mapper.triples, (term, RDF_TYPE, node)])

    def _apart(self, terms: Sequence[str], situation: Situation) -> Situation:
        facts: list[TextTriple] = [(first, DIFFERENT_FROM, second) for first, second in combinations(terms, 2)]
        return self._situations.assume(situation, facts)

    def _complements(self, name: str, situation: Situation) -> list[str]:
        situations, complement = self._situations, owl("complementOf")
        return [
            *situations.subjects(situation, complement, name),
            *situations.objects(situation, name, complement),
        ]

    def _step(self, expression: ClassExpression, term: str) -> Assume:
        return lambda situation: self.belongs(expression, term, situation)

    def _excluding(self, expression: ClassExpression, term: str) -> Assume:
        return lambda situation: self.excludes(expression, term, situation)


def edge(property: ObjectPropertyExpression, s: str, o: str) -> TextTriple:
    """Return the triple that relates two terms by a property or by the inverse of one."""
    return (s, property, o) if isinstance(property, str) else (o, property.property, s)


def complement_of(expression: ClassExpression) -> ClassExpression:
    """Return the complement of a class, without doubling it."""
    return expression.operand if isinstance(expression, ex.ObjectComplementOf) else ex.ObjectComplementOf(expression)


def _all(situation: Situation, steps: Iterable[Assume]) -> list[Situation]:
    cases = [situation]
    for step in steps:
        cases = [after for case in cases for after in step(case)]
    return cases
