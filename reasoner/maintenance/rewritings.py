"""The rewriting functions that maintenance programs are made by: theta for changing facts, vartheta for changing rules.

Volz, Staab, Motik: Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005, tables 4
and 5. ``p`` is a predicate P or P_edb as its most general atom, ``rule`` a rule ``H :- B1, ..., Bn`` of the program.

    theta_1^New(P)     P^New :- P, not P^Del.
    theta_2^New(P)     P^New :- P^Red.                             P has rules
    theta_3^New(P)     P^New :- P^Ins.
    theta^+(P)         P^+ :- P^Ins, not P.
    theta^-(P)         P^- :- P^Del, not P^Ins, not P^Red.
    theta^Red(rule)    H^Red :- H^Del, B1^New, ..., Bn^New.
    theta^Del(rule)    H^Del :- B1, ..., Bi^Del, ..., Bn.          for each i
    theta^Ins(rule)    H^Ins :- B1^New, ..., Bi^Ins, ..., Bn^New.  for each i
    vartheta^Ins(P)    P^Ins :- P^New.
    vartheta^Del(P)    P^Del :- P.
    vartheta^New(rule) H^New :- B1^New, ..., Bn^New.

Deviation: the paper's programs are positive. For ``not C`` in a rule, the old state of C is negated where the old
states of the B's are read, and the new state where the new ones are. What C gains is one more reason for deletion
candidates, ``H^Del :- B1, ..., Bn, C^Ins, not C``, and what it loses one for insertions, ``H^Ins :- B1^New, ...,
Bn^New, C^Del, not C^New``. Conditions on terms go along unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable

from reasoner.maintenance.predicate_variants import Clause, Kind, Variant, name_of


def theta_new(p: Variant) -> tuple[Clause, ...]:
    """Return the rules for the new state of a predicate: three with rules of its own, two for explicit facts."""
    kept = Clause(_name("theta-1-new", p), p.of(Kind.NEW), (p,), (p.of(Kind.DEL),))
    rederived = Clause(_name("theta-2-new", p), p.of(Kind.NEW), (p.of(Kind.RED),))
    inserted = Clause(_name("theta-3-new", p), p.of(Kind.NEW), (p.of(Kind.INS),))
    return (kept, inserted) if p.asserted else (kept, rederived, inserted)


def theta_plus(p: Variant) -> Clause:
    """Return the rule for what a predicate gains."""
    return Clause(_name("theta-plus", p), p.of(Kind.PLUS), (p.of(Kind.INS),), (p,))


def theta_minus(p: Variant) -> Clause:
    """Return the rule for what a predicate loses."""
    negative = (p.of(Kind.INS), p.of(Kind.RED))
    return Clause(_name("theta-minus", p), p.of(Kind.MINUS), (p.of(Kind.DEL),), negative)


def theta(rule: Clause) -> tuple[Clause, ...]:
    """Return the rewritings of a rule: 2n + 1 of a positive rule with n body atoms."""
    return (*theta_del(rule), theta_red(rule), *theta_ins(rule))


def theta_red(rule: Clause) -> Clause:
    """Return the rule that derives deletion candidates again."""
    body = (rule.head.of(Kind.DEL), *_all_of(Kind.NEW, rule.body))
    return Clause(
        f"theta-red/{rule.name}", rule.head.of(Kind.RED), body, _all_of(Kind.NEW, rule.negative), rule.conditions
    )


def theta_del(rule: Clause) -> tuple[Clause, ...]:
    """Return the rules for deletion candidates, one for each body atom."""
    return _each_changed(rule, Kind.OLD, Kind.DEL, Kind.INS)


def theta_ins(rule: Clause) -> tuple[Clause, ...]:
    """Return the rules for insertions, one for each body atom."""
    return _each_changed(rule, Kind.NEW, Kind.INS, Kind.DEL)


def vartheta(p: Variant, rules: Iterable[Clause]) -> tuple[Clause, ...]:
    """Return the rewritings of a predicate whose rules change: it is computed anew, and propagated as a whole."""
    return (
        *map(vartheta_new, rules),
        Clause(_name("vartheta-ins", p), p.of(Kind.INS), (p.of(Kind.NEW),)),
        Clause(_name("vartheta-del", p), p.of(Kind.DEL), (p,)),
    )


def vartheta_new(rule: Clause) -> Clause:
    """Return the rule over the new states of all predicates."""
    return Clause(
        f"vartheta-new/{rule.name}",
        rule.head.of(Kind.NEW),
        _all_of(Kind.NEW, rule.body),
        _all_of(Kind.NEW, rule.negative),
        rule.conditions,
    )


def _each_changed(rule: Clause, state: Kind, change: Kind, opposite: Kind) -> tuple[Clause, ...]:
    """Return a rule for each atom that can change, the others in one state; if it is negated, its opposite counts."""
    body, negative = _all_of(state, rule.body), _all_of(state, rule.negative)
    bodies = [(*body[:i], rule.body[i].of(change), *body[i + 1 :]) for i in range(len(body))]
    bodies += [(*body, atom.of(opposite)) for atom in rule.negative]
    return tuple(
        Clause(f"theta-{change}/{rule.name}/{number}", rule.head.of(change), changed, negative, rule.conditions)
        for number, changed in enumerate(bodies, 1)
    )


def _all_of(kind: Kind, atoms: Iterable[Variant]) -> tuple[Variant, ...]:
    return tuple(atom.of(kind) for atom in atoms)


def _name(function: str, p: Variant) -> str:
    return f"{function}/{name_of(p.atom)}{'-edb' if p.asserted else ''}"
