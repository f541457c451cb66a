"""Changes under OWL 2 RL with rewriting, each of a kind that was once slow."""

from __future__ import annotations

from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.seconds import Stopwatch
from benchmarks.systems.ours import Outcome

if TYPE_CHECKING:
    from reasoner import Reasoner

Triple = tuple[str, str, str]
Case = tuple[list[Triple], list[Triple]]

_OWL = "http://www.w3.org/2002/07/owl#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_SAME = f"<{_OWL}sameAs>"

# The first change compiles what the later ones use.
_DRAWS = 5


def change(
    watch: Stopwatch, *, case: str, size: int, profile: str = "owl2rl", strategy: str = "bf", draws: int = _DRAWS
) -> Outcome:
    """Take facts of a case out and put them back; the time counts after the first draw.

    The numbers ``instances`` are the most that a removal considered. The result counts the facts before, after and at
    the end, and those that starting over gives after the removal.
    """
    from reasoner import Reasoner

    facts, cut = _CASES[case](size)
    kb = Reasoner(profile=profile)
    kb.add(facts)
    kb.materialise()
    whole, instances = len(kb.store.state.facts), 0
    for draw in range(draws + 1):
        name = "first" if draw == 0 else "remove"
        with watch.phase(name):
            delta = _change(kb, strategy, [], cut)
        instances = max(instances, delta)
        left = len(kb.store.state.facts)
        with watch.phase("first" if draw == 0 else "add"):
            _change(kb, strategy, cut, [])
    again = Reasoner(profile=profile)
    again.add([fact for fact in facts if fact not in set(cut)])
    again.materialise()
    if left != len(again.store.state.facts) or whole != len(kb.store.state.facts):
        raise ValueError(f"{case}: {left:,} facts are left, and starting over gives {len(again.store.state.facts):,}")
    return {"before": whole, "after": left}, {"instances": instances, "draws": draws}


def first_change(watch: Stopwatch, *, facts: str, ontology: str, kind: str) -> Outcome:
    """Make a first change to a new materialisation, and to a store that was just opened.

    ``kind`` says whether a fact or an axiom is added, or a fact removed.
    """
    from benchmarks.fact_sample import FactSample
    from reasoner import Reasoner

    kb = Reasoner()
    kb.load(ontology, facts)
    [one] = FactSample(kb.store).draw(1, 1)
    added, removed = _FIRST[kind](one)
    kb.materialise()
    with TemporaryDirectory() as folder:
        kb.save(folder)
        with watch.phase("materialised"):
            _change(kb, "auto", added, removed)
        opened = Reasoner.open(folder)
        with watch.phase("opened"):
            _change(opened, "auto", added, removed)
        return {"materialised": len(kb.store.state.facts), "opened": len(opened.store.state.facts)}, {}


# What is added and what is removed, given a fact of the data.
_FIRST: dict[str, Callable[[Triple], Case]] = {
    "added fact": lambda one: ([(_iri("new"), one[1], one[2])], []),
    "removed fact": lambda one: ([], [one]),
    "added axiom": lambda one: ([(_iri("New"), f"<{_RDFS}subClassOf>", _iri("Other"))], []),
}


def _change(kb: Reasoner, strategy: str, added: list[Triple], removed: list[Triple]) -> int:
    with kb.transaction(strategy=strategy) as transaction:
        transaction.remove(removed)
        transaction.add(added)
    return transaction.delta.work.total


def _iri(name: str) -> str:
    return f"<http://example.org/{name}>"


def _fact(s: str, p: str, o: str) -> Triple:
    return _iri(s), _iri(p), _iri(o)


def _chain(size: int) -> Case:
    """A transitive chain, cut in the middle."""
    steps = [_fact(f"n{at}", "p", f"n{at + 1}") for at in range(size)]
    return [(_iri("p"), _TYPE, f"<{_OWL}TransitiveProperty>"), *steps], [steps[size // 2]]


def _chain_with_inverse(size: int) -> Case:
    facts, cut = _chain(size)
    return [*facts, (_iri("p"), f"<{_OWL}inverseOf>", _iri("q"))], cut


def _merge(predicates: int) -> Case:
    """Two terms of 25 facts each that are equal, among 20,000 facts of so many predicates."""
    facts = [_fact(f"x{at}", f"p{at % predicates}", f"y{at % 997}") for at in range(20_000)]
    facts += [_fact(term, f"p{at}", f"z{at}") for term in "ab" for at in range(25)]
    same = _iri("a"), _SAME, _iri("b")
    return [*facts, same], [same]


def _declared(size: int) -> Case:
    """A fact among so many, where owl:sameAs is declared to be a property."""
    facts, cut = _undeclared(size)
    return [(_SAME, _TYPE, f"<{_OWL}ObjectProperty>"), *facts], cut


def _undeclared(size: int) -> Case:
    facts = [_fact(f"x{at}", "p", f"y{at}") for at in range(size)]
    return facts, facts[:1]


def _supports(size: int) -> Case:
    """One of so many facts from which a type follows by range and subproperty."""
    facts = [_fact(f"s{at}", "undergrad", "u") for at in range(size)]
    axioms = [
        (_iri("undergrad"), f"<{_RDFS}subPropertyOf>", _iri("degreeFrom")),
        (_iri("degreeFrom"), f"<{_RDFS}range>", _iri("University")),
    ]
    return [*axioms, *facts], facts[:1]


def _key(size: int) -> Case:
    """So many terms of one inverse-functional key, of which one leaves."""
    facts = [_fact(f"t{at}", "key", "k") for at in range(size)]
    return [(_iri("key"), _TYPE, f"<{_OWL}InverseFunctionalProperty>"), *facts], facts[:1]


def _equal(size: int) -> Case:
    """So many terms that are said to be equal to one, of which one leaves."""
    facts = [(_iri(f"t{at}"), _SAME, _iri("t0")) for at in range(1, size)]
    return facts, facts[-1:]


_CASES: dict[str, Callable[[int], Case]] = {
    "chain": _chain,
    "chain with inverse": _chain_with_inverse,
    "merge": _merge,
    "declared": _declared,
    "undeclared": _undeclared,
    "supports": _supports,
    "key": _key,
    "equal": _equal,
}
