"""An independent check of proofs: every step is replayed as the instance of the rule that it names.

It knows rules and proofs only, and shares no code with the search that finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from reasoner.explanation.proof import Proof
from reasoner.rules.rule import Atom, Rule
from reasoner.terms.builtins import BUILTINS
from reasoner.terms.term import SAME_AS, TextTriple, Variable, is_literal

Test = Callable[[TextTriple], bool]

_REPLACED = {"eq-rep-s": 0, "eq-rep-p": 1, "eq-rep-o": 2}


def check_proof(proof: Proof, rules: Collection[Rule], is_explicit: Test, holds: Test | None = None) -> list[str]:
    """Return what is wrong with a proof, nothing if it is right.

    A leaf must be explicit. A step must be an instance of its rule, which must be one of the rules: head, premises,
    negated atoms and conditions under its binding. A step of equality must follow by the axioms of equality. No step
    may rest on itself. ``holds`` tells what holds in the whole store; it is asked whether negated atoms are absent
    and whether terms that must differ are not equal, so that a proof with such a step cannot be checked without it.
    """
    try:
        steps = _ordered(proof)
    except _CycleError as cycle:
        return [str(cycle)]
    known = frozenset(rules)
    faults: list[str] = []
    for step in steps:
        if step.rule is None:
            found = [] if not step.premises and is_explicit(step.triple) else ["it is not explicit"]
        elif step.origin is None:
            found = list(_equality_faults(step))
        else:
            found = list(_rule_faults(step, step.origin, known, holds))
        faults += [f"{' '.join(step.triple)}, by {step.rule or 'assertion'}: {fault}" for fault in found]
    return faults


class _CycleError(Exception):
    pass


def _ordered(proof: Proof) -> list[Proof]:
    """Return all steps, premises first; raise if one rests on itself, or on another proof of its own triple."""
    ordered: list[Proof] = []
    done: set[int] = set()
    above: set[TextTriple] = set()
    waiting = [(proof, False)]
    while waiting:
        step, is_left = waiting.pop()
        if is_left:
            above.discard(step.triple)
            done.add(id(step))
            ordered.append(step)
        elif id(step) not in done:
            if step.triple in above:
                raise _CycleError(f"{' '.join(step.triple)} rests on itself")
            above.add(step.triple)
            waiting.append((step, True))
            waiting += [(premise, False) for premise in step.premises]
    return ordered


def _rule_faults(step: Proof, rule: Rule, known: frozenset[Rule], holds: Test | None) -> Iterator[str]:
    if rule not in known:
        yield "its rule is none of the program"
    if step.rule != rule.name or rule.head is None:
        yield f"its rule is called {rule.name}"
        return
    binding = dict(step.binding)
    if unbound := rule.variables - binding.keys():
        yield f"no value for {', '.join(sorted(unbound))}"
        return
    if _under(rule.head, binding) != step.triple:
        yield "the head of its rule is another triple"
    if [_under(atom, binding) for atom in rule.body] != [premise.triple for premise in step.premises]:
        yield "its premises are not the body of its rule"
    for atom in rule.negative:
        absent = _under(atom, binding)
        if holds is None:
            yield f"whether {' '.join(absent)} is absent cannot be told without holds"
        elif holds(absent):
            yield f"{' '.join(absent)} holds"
    for condition in rule.conditions:
        terms = [binding[term.name] if isinstance(term, Variable) else term for term in condition.arguments]
        if not BUILTINS[condition.name].holds(*terms):
            yield f"{condition.name} does not hold of {' and '.join(terms)}"
        elif condition.name == "!=" and (holds is None or holds((terms[0], SAME_AS, terms[1]))):
            yield f"{' and '.join(terms)} are not known to differ"


def _equality_faults(step: Proof) -> Iterator[str]:
    names = (step.rule or "").split(", ")
    triples = [premise.triple for premise in step.premises]
    if names == ["eq-ref"]:
        right = len(triples) == 1 and step.triple in [(term, SAME_AS, term) for term in triples[0]]
    elif names == ["dt-eq"]:
        s, p, o = step.triple
        right = not triples and p == SAME_AS and BUILTINS["sameValue"].holds(s, o)
    elif set(names) <= {"eq-sym", "eq-trans"}:
        right = _is_chain(step.triple, triples, names)
    elif set(names) <= _REPLACED.keys():
        right = _is_replacement(step.triple, triples, [_REPLACED[name] for name in names])
    else:
        yield "there is no such rule of equality"
        return
    if not right:
        yield "it does not follow from its premises"


def _is_chain(triple: TextTriple, links: list[TextTriple], names: list[str]) -> bool:
    """Tell whether links lead from the subject to the object, in the way that the names say."""
    here, turned = triple[0], False
    for s, p, o in links:
        if p != SAME_AS or here not in (s, o) or not _may_be_one(s, o):
            return False
        turned |= here != s
        here = o if here == s else s
    expected = [*(["eq-sym"] if turned else []), *(["eq-trans"] if len(links) > 1 else [])]
    return triple[1] == SAME_AS and here == triple[2] and names == expected


def _is_replacement(triple: TextTriple, premises: list[TextTriple], places: list[int]) -> bool:
    """Tell whether the first premise becomes the triple by the equalities that the others state."""
    if len(premises) != len(places) + 1:
        return False
    terms = list(premises[0])
    for place, (s, p, o) in zip(places, premises[1:], strict=True):
        if p != SAME_AS or s != terms[place] or not _may_be_one(s, o):
            return False
        terms[place] = o
    return tuple(terms) == triple


def _may_be_one(left: str, right: str) -> bool:
    """Tell whether two terms may replace one another: a literal only a literal of the same value."""
    if is_literal(left) or is_literal(right):
        return BUILTINS["sameValue"].holds(left, right)
    return True


def _under(atom: Atom, binding: dict[str, str]) -> TextTriple:
    s, p, o = (binding[term.name] if isinstance(term, Variable) else term for term in atom)
    return s, p, o
