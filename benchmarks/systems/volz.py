"""The evaluation of paper 1 as a measured system: set up, ask, change rules and facts, one measure after another."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchmarks.measure import Result
from benchmarks.seconds import Stopwatch
from benchmarks.systems.ours import Outcome

if TYPE_CHECKING:
    from reasoner import Reasoner
    from reasoner.rules.rule import Rule

_SEED = 2005

# Changes of each kind that are not timed: rules are compiled when they are first needed, and auto has to see some.
_WARM_UP = 4


def evaluate(
    watch: Stopwatch, *, facts: str, ontology: str, query: str, shares: Sequence[int], draws: int, strategy: str
) -> Outcome:
    """Take the measures of section 8.1, ``draws`` times each; a share is how many facts in a hundred change.

    The rules are those of the ontology under DLP, put in as rules, because that is what comes and goes. The phases are
    ``a`` to ``g`` with the number of the draw, and with the share where facts change; some more changes come first.
    """
    from reasoner import Reasoner

    source = Reasoner(profile="dlp")
    source.load_ontology(ontology)
    rules = source.rules()
    numbers: dict[str, float] = {"rules": len(rules)}
    for number in range(1, draws + 1):
        kb = _loaded(facts, rules)
        with watch.phase(f"a/{number}"):
            answers = len(kb.select(query))
        kb = _loaded(facts, rules)
        with watch.phase(f"b/{number}"):
            kb.prepare()
            kb.session.materialise()
            kb.session.prepare_maintenance()
        with watch.phase(f"g/{number}"):
            again = len(kb.select(query))
        if answers != again:
            raise RuntimeError(f"{answers} answers without materialisation, {again} with it")
        numbers["answers"], numbers["facts"] = answers, len(kb.store.state.facts)
    draw = random.Random(_SEED)
    drawn = draw.sample([rule for rule in rules if rule.head is not None and rule.body], draws + _WARM_UP)
    for number, rule in enumerate(drawn, 1 - _WARM_UP):
        _change_rule(watch if number > 0 else Stopwatch(), kb, rule, number, strategy)
    explicit = kb.store.texts(kb.store.state.explicit)
    for share in shares:
        for number in range(1 - _WARM_UP, draws + 1):
            taken = watch if number > 0 else Stopwatch()
            changed = draw.sample(explicit, len(explicit) * share // 100)
            for name, added, removed in ("f", [], changed), ("e", changed, []):
                with taken.phase(f"{name} {share}/{number}"), kb.transaction(strategy=strategy) as change:
                    change.remove(removed)
                    change.add(added)
    return _agreement(kb), numbers


def _loaded(facts: str, rules: Sequence[Rule]) -> Reasoner:
    from reasoner import Reasoner

    kb = Reasoner(profile="none", equality="none")
    kb.load(facts)
    kb.add_rules(rules)
    return kb


def _change_rule(watch: Stopwatch, kb: Reasoner, rule: Rule, number: int, strategy: str) -> None:
    with watch.phase(f"d/{number}"), kb.transaction(strategy=strategy) as change:
        change.remove_rules([rule])
    with watch.phase(f"c/{number}"), kb.transaction(strategy=strategy) as change:
        change.add_rules([rule])


def _agreement(kb: Reasoner) -> Result:
    """Require that what was maintained is what materialising gives; return how many facts that are."""
    from benchmarks.checksum import Checksum

    checksum, maintained = Checksum(kb.store.dictionary), kb.store.state
    kb.session.start_over(anew=True)
    kb.materialise()
    found, wanted = (checksum.stored(state) for state in (maintained, kb.store.state))
    if found != wanted:
        raise RuntimeError(f"maintained {found}, materialised {wanted}")
    return wanted
