"""Random streams of updates for dynamic sessions: facts in graphs, equalities, rules, schema and violations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from reasoner import Delta, InconsistentError, Reasoner, ReasonerError
from reasoner.dynamic.operations import Ticket
from reasoner.rules.rule import Rule
from reasoner.state.request import WantedRules, content
from reasoner.terms.quads import EVERYWHERE, PendingQuads
from tests.notation import Fact, fact, facts, rule

GRAPHS = (None, None, "<g>", "<h>")

RULES = (
    rule("?x r ?y :- ?x e ?y"),
    rule("?x r ?z :- ?x r ?y, ?y e ?z"),
    rule("?x type A :- ?x r ?y, ?y type A"),
    rule("?y same ?z :- ?x k ?y, ?x k ?z"),
    rule("?x w ?y :- ?x e ?y, not ?x b ?y"),
    # With the rule before it, this is not stratified.
    rule("?x b ?y :- ?x w ?y, ?x c ?y"),
    rule("?x v ?y :- ?x r ?y, ?x != ?y"),
)
CONSTRAINTS = (rule("false :- ?x r ?y, ?x b ?y", "rb"), rule("false :- ?x type A, ?x type B", "AB"))
OWL = "http://www.w3.org/2002/07/owl#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SCHEMA = (
    fact(f"e type <{OWL}TransitiveProperty>"),
    fact(f"e <{RDFS}subPropertyOf> r"),
    fact(f"r type <{OWL}SymmetricProperty>"),
    fact(f"k type <{OWL}FunctionalProperty>"),
    fact(f"A <{RDFS}subClassOf> B"),
    fact(f"A <{OWL}disjointWith> C"),
    fact(f"r <{RDFS}range> A"),
)


@dataclass(frozen=True)
class StreamUpdate:
    """One update; ``quads`` are (comes, graph, fact) in order, ``rules`` are (comes, rule)."""

    quads: tuple[tuple[bool, str | None, Fact], ...]
    rules: tuple[tuple[bool, Rule], ...] = ()

    def wanted(self) -> tuple[PendingQuads, WantedRules]:
        quads, rules = PendingQuads(), WantedRules()
        for comes, graph, triple in self.quads:
            if comes:
                quads.add([triple], graph)
            else:
                quads.remove([triple], graph)
        for comes, each in self.rules:
            (rules.add if comes else rules.remove)([each])
        return quads, rules

    def submit(self, session) -> Ticket:
        quads, rules = self.wanted()
        return session.submit_quads(quads, rules.request())

    def commit(self, kb: Reasoner, strategy: str) -> Delta:
        with kb.transaction(strategy=strategy) as change:
            for comes, graph, triple in self.quads:
                if comes:
                    change.add(triple, graph=graph)
                else:
                    change.remove(triple, graph=graph)
            for comes, each in self.rules:
                (change.add_rules if comes else change.remove_rules)([each])
        return change.delta


def draw_fact(random: Random) -> Fact:
    kind = random.choice(["e", "e", "e", "r", "k", "b", "c", "type", "same", "predicates", "literal"])
    s, o = random.choice("abcde"), random.choice("abcde")
    if kind == "type":
        return fact(f"{s} type {random.choice('ABC')}")
    if kind == "predicates" and random.random() < 0.3:
        return fact(f"{random.choice('erwk')} same {random.choice('bwrv')}")
    if kind == "literal":
        return fact(f"{s} k {random.randrange(3)}")
    return fact(f"{s} {kind if kind in 'erkbc' or kind == 'same' else 'e'} {o}")


def draw_stream(
    random: Random, *, schema: bool, changing: bool = True, most: int = 8
) -> tuple[list[Rule], list[Fact], list[StreamUpdate]]:
    """Draw rules and facts to begin with, and updates that put the same few of them in and out again.

    With ``schema`` there are axioms among the facts; if ``changing`` these, and rules, come and go as well.
    """
    first = random.sample(RULES[:4], random.randrange(5)) + random.sample(CONSTRAINTS, random.randrange(3))
    given = list(dict.fromkeys(draw_fact(random) for _ in range(random.randrange(14))))
    given += random.sample(SCHEMA, random.randrange(4)) if schema else []
    pool = [draw_fact(random) for _ in range(5)] + random.sample(given, min(len(given), 4))
    stream = []
    for _ in range(random.randrange(2, most + 1)):
        quads: list[tuple[bool, str | None, Fact]] = []
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            triple = random.choice(SCHEMA) if schema and changing and random.random() < 0.15 else random.choice(pool)
            graph = random.choice(GRAPHS)
            comes = random.random() < 0.5
            quads.append((comes, graph if comes or random.random() < 0.3 else EVERYWHERE, triple))
        changed = ()
        if changing and random.random() < 0.25:
            changed = ((random.random() < 0.6, random.choice((*RULES, *CONSTRAINTS))),)
        stream.append(StreamUpdate(tuple(quads), changed))
    return first, given, stream


def begun(make: Callable[..., Reasoner], rules: Sequence[Rule], given: Sequence[Fact], **settings: str) -> Reasoner:
    policy = settings.pop("constraints", "warn")
    kb = make(**settings)
    kb.add_rules(rules)
    kb.add(given)
    kb.add(facts("a e b"), graph="<g>")
    kb.materialise()
    kb.constraints = policy
    return kb


def outcome(act: Callable[[], Delta]) -> Hashable:
    """Return how an update ended: None, or what kept it out."""
    try:
        act()
    except InconsistentError as error:
        return frozenset((violation.rule, violation.triples) for violation in error.violations)
    except ReasonerError as error:
        return type(error).__name__, str(error)
    return None


def whole_state(kb: Reasoner) -> dict[str, object]:
    """Return everything that a reasoner holds, over texts."""
    return {
        "pi": sorted(kb.classes()),
        "I": set(kb.store.normal_triples()),
        "quads": set(kb.quads()),
        "rules": {content(each) for each in kb.own_rules()},
        "all rules": sorted(str(content(each)) for each in kb.rules()),
        "violations": {(each.rule, each.triples) for each in kb.violations()},
        "terms": [kb.store.dictionary.text(id) for id in range(len(kb.store.dictionary))],
    }


def total(deltas: Iterable[Delta]) -> dict[str, tuple[set[object], set[object]]]:
    """Return what deltas come down to, one after the other."""
    parts: dict[str, tuple[set[object], set[object]]] = {}
    for delta in deltas:
        for name, came, went in (
            ("asserted", delta.asserted_added, delta.asserted_removed),
            ("closure", delta.iterate("gained"), delta.iterate("lost")),
            ("quads", delta.quads_added, delta.quads_removed),
            ("rules", map(content, delta.rules_gained), map(content, delta.rules_lost)),
        ):
            plus, minus = parts.setdefault(name, (set(), set()))
            for each in set(went):
                (plus.remove if each in plus else minus.add)(each)
            for each in set(came):
                (minus.remove if each in minus else plus.add)(each)
    return {name: sides for name, sides in parts.items() if any(sides)}


class Interleaved:
    """Submits the updates of a stream, each before a round that is drawn for it, and runs the session until all are
    done."""

    def __init__(self, kb: Reasoner, stream: Sequence[StreamUpdate], rounds: Sequence[int], strategy: str) -> None:
        self.session = kb.dynamic(strategy=strategy)
        self.waiting = list(zip(sorted(rounds), stream, strict=True))
        self.tickets: list[Ticket] = []
        self.deltas: list[Delta] = []
        self.round = 0

    def run(self) -> None:
        while self.waiting:
            self._submit(self.waiting[0][0])
            # The tickets know of errors.
            with suppress(ReasonerError):
                self.session.run(self._between_rounds)
        for ticket in self.tickets:
            if not ticket.has_failed and not any(ticket.delta is delta for delta in self.deltas):
                self.deltas.append(ticket.delta)

    def _between_rounds(self) -> None:
        self.round += 1
        self._submit(self.round)

    def _submit(self, by: int) -> None:
        while self.waiting and self.waiting[0][0] <= by:
            self.tickets.append(self.waiting.pop(0)[1].submit(self.session))
