"""Maintenance programs: the rules whose evaluation tells what a change of facts or of rules does to a materialisation.

Volz, Staab, Motik: Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005, definition
1 and algorithms 5.1 and 5.2. The maintenance program LP_M of a program LP is, for each predicate P that occurs in LP,

    theta_idb(P) = theta^New(P) + theta^Ins(r), theta^Del(r), theta^Red(r) for each rule r for P
    theta^New(P_edb), theta^+(P), theta^-(P)

and when rules change, it is changed before it is evaluated, and changed back after that.

    before_evaluation(d+, d-):                                                                     [algorithm 5.1]
    1   for each r in d+ - d-
    2       add theta^Red(r);  affected <- affected + head(r)
    3       if r is the first rule for its head, add theta^+ and theta^- of that
    4       LP <- LP + r
    5   for each r in d- - d+
    6       affected <- affected + head(r)
    7       if r is the last rule for its head, remove theta^+, theta^- and theta^Red of that
    8       LP <- LP - r
    9   for each P in affected
    10      add vartheta(P)
    11      remove theta^New(P), theta^Ins(P), theta^Del(P)
    12  LP_M <- (LP_M + added) - removed

    after_evaluation:                                                                              [algorithm 5.2]
    1   for each P in affected
    2       remove vartheta(P)
    3       add theta^New(P), theta^Ins(P), theta^Del(P)
    4   LP_M <- (LP_M + added) - removed

Deviation: definition 1 leaves out theta^+ and theta^-, which section 4.4.2 counts. LP has a rule ``P :- P_edb`` for
every predicate (section 2.3), so that the first and last rule of lines 3 and 7 are the first and last that mention P;
what LP no longer mentions leaves only after the evaluation, because at line 7 the rule would go that says what P loses.
As printed, the algorithm keeps theta^Red, theta^Ins and theta^Del of a rule that goes while others for its head stay,
and so derives again by a rule that is gone. We remove them at line 8.

The rewriting functions that maintenance programs are made by: theta for changing facts, vartheta for changing rules.

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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reasoner.maintenance.unfolding import Partition, Variant, VariantKind, VariantRule, atoms_of, name_of, rule_of
from reasoner.rules.rule import Atom, Rule


def theta_new(p: Variant) -> tuple[VariantRule, ...]:
    """Return the rules for the new state of a predicate: three with rules of its own, two for explicit facts."""
    kept = VariantRule(_name("theta-1-new", p), p.of(VariantKind.NEW), (p,), (p.of(VariantKind.DEL),))
    rederived = VariantRule(_name("theta-2-new", p), p.of(VariantKind.NEW), (p.of(VariantKind.RED),))
    inserted = VariantRule(_name("theta-3-new", p), p.of(VariantKind.NEW), (p.of(VariantKind.INS),))
    return (kept, inserted) if p.asserted else (kept, rederived, inserted)


def theta_plus(p: Variant) -> VariantRule:
    """Return the rule for what a predicate gains."""
    return VariantRule(_name("theta-plus", p), p.of(VariantKind.PLUS), (p.of(VariantKind.INS),), (p,))


def theta_minus(p: Variant) -> VariantRule:
    """Return the rule for what a predicate loses."""
    negative = (p.of(VariantKind.INS), p.of(VariantKind.RED))
    return VariantRule(_name("theta-minus", p), p.of(VariantKind.MINUS), (p.of(VariantKind.DEL),), negative)


def theta(rule: VariantRule) -> tuple[VariantRule, ...]:
    """Return the rewritings of a rule: 2n + 1 of a positive rule with n body atoms."""
    return (*theta_del(rule), theta_red(rule), *theta_ins(rule))


def theta_red(rule: VariantRule) -> VariantRule:
    """Return the rule that derives deletion candidates again."""
    body = (rule.head.of(VariantKind.DEL), *_all_of(VariantKind.NEW, rule.body))
    return VariantRule(
        f"theta-red/{rule.name}",
        rule.head.of(VariantKind.RED),
        body,
        _all_of(VariantKind.NEW, rule.negative),
        rule.conditions,
    )


def theta_del(rule: VariantRule) -> tuple[VariantRule, ...]:
    """Return the rules for deletion candidates, one for each body atom."""
    return _each_changed(rule, VariantKind.OLD, VariantKind.DEL, VariantKind.INS)


def theta_ins(rule: VariantRule) -> tuple[VariantRule, ...]:
    """Return the rules for insertions, one for each body atom."""
    return _each_changed(rule, VariantKind.NEW, VariantKind.INS, VariantKind.DEL)


def vartheta(p: Variant, rules: Iterable[VariantRule]) -> tuple[VariantRule, ...]:
    """Return the rewritings of a predicate whose rules change: it is computed anew, and propagated as a whole."""
    return (
        *map(vartheta_new, rules),
        VariantRule(_name("vartheta-ins", p), p.of(VariantKind.INS), (p.of(VariantKind.NEW),)),
        VariantRule(_name("vartheta-del", p), p.of(VariantKind.DEL), (p,)),
    )


def vartheta_new(rule: VariantRule) -> VariantRule:
    """Return the rule over the new states of all predicates."""
    return VariantRule(
        f"vartheta-new/{rule.name}",
        rule.head.of(VariantKind.NEW),
        _all_of(VariantKind.NEW, rule.body),
        _all_of(VariantKind.NEW, rule.negative),
        rule.conditions,
    )


def _each_changed(
    rule: VariantRule, state: VariantKind, change: VariantKind, opposite: VariantKind
) -> tuple[VariantRule, ...]:
    """Return a rule for each atom that can change, the others in one state; if it is negated, its opposite counts."""
    body, negative = _all_of(state, rule.body), _all_of(state, rule.negative)
    bodies = [(*body[:i], rule.body[i].of(change), *body[i + 1 :]) for i in range(len(body))]
    bodies += [(*body, atom.of(opposite)) for atom in rule.negative]
    return tuple(
        VariantRule(f"theta-{change}/{rule.name}/{number}", rule.head.of(change), changed, negative, rule.conditions)
        for number, changed in enumerate(bodies, 1)
    )


def _all_of(kind: VariantKind, atoms: Iterable[Variant]) -> tuple[Variant, ...]:
    return tuple(atom.of(kind) for atom in atoms)


def _name(function: str, p: Variant) -> str:
    return f"{function}/{name_of(p.atom)}{'-edb' if p.asserted else ''}"


@dataclass(frozen=True, slots=True, eq=False)
class LogicProgram:
    """LP: rules without constraints, and the same as clauses by the predicate that they define, with ``P :- P_edb``.

    ``named`` are predicates of the program whether or not rules mention them, because there are facts of them.
    """

    rules: tuple[Rule, ...]
    named: tuple[Atom, ...]
    partition: Partition
    clauses: Mapping[Atom, tuple[VariantRule, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class MaintenanceRules:
    """LP_M, the maintenance program of ``source``; ``affected`` are the predicates whose rules are being changed."""

    source: LogicProgram
    clauses: tuple[VariantRule, ...]
    affected: frozenset[Atom] = frozenset()

    def rules(self) -> tuple[Rule, ...]:
        """Return the program over triples; of rules with variable predicates there is none before they are unfolded."""
        return tuple(rule_of(clause, self.source.partition) for clause in self.clauses)

    def names(self, kind: VariantKind, *, asserted: bool = False) -> dict[str, str]:
        """Return the predicates of triples of a kind of variant, each with the predicate that it is a variant of."""
        names = {}
        for atom in self.source.clauses:
            triple = self.source.partition.triple(Variant(atom, kind, asserted))
            assert isinstance(triple.predicate, str) and isinstance(atom.predicate, str)
            names[triple.predicate] = atom.predicate
        return names


def maintenance_program(rules: Iterable[Rule], named: Iterable[Atom] = ()) -> MaintenanceRules:
    """Return the maintenance program for changing facts. Constraints define nothing and are left out.

    ``named`` are predicates, as their most general atoms, that the program is to tell about even if no rule mentions
    them: what changes of these is what changes of their explicit facts.

    >>> from reasoner.rules.parser import parse_rules
    >>> program = maintenance_program(parse_rules("[sub] ?x <q> ?y :- ?x <p> ?y ."))
    >>> len(program.clauses)
    23
    """
    return _program_of(_logic_program(rules, named))


def before_evaluation(program: MaintenanceRules, added: Iterable[Rule], removed: Iterable[Rule]) -> MaintenanceRules:
    """Return the maintenance program for a change of rules, and of facts if any change at the same time."""
    coming, going = dict.fromkeys(added), dict.fromkeys(removed)
    kept = [rule for rule in program.source.rules if rule not in going or rule in coming]
    rules = dict.fromkeys([*kept, *(rule for rule in coming if rule not in going)])
    partition = program.source.partition.joined(Partition.of_rules(rules))
    if not partition.divides_as(program.source.partition):
        program = _program_of(_logic_program(program.source.rules, program.source.named, partition))
    before = program.source
    after = _logic_program(rules, before.named, partition, before.clauses)
    new = dict.fromkeys(predicate for predicate in after.clauses if predicate not in before.clauses)
    came, went = _clauses_beyond(after, before), _clauses_beyond(before, after)
    adding = [theta_red(rule) for rule in came]  # 1-2
    for predicate in new:  # 3
        adding += _theta(after, predicate)
    removing = [clause for rule in went for clause in theta(rule)]  # 5-8
    changed = (predicate for rule in (*came, *went) if (predicate := partition.predicate(rule.head.atom)) not in new)
    affected = dict.fromkeys([*changed, *(predicate for predicate in new if len(after.clauses[predicate]) > 1)])
    for predicate in affected:  # 9
        adding += vartheta(Variant(predicate), after.clauses[predicate])  # 10
        removing += _theta_of_facts(after, predicate)  # 11
    return MaintenanceRules(after, _replaced(program.clauses, adding, removing), frozenset(affected))  # 12


def after_evaluation(program: MaintenanceRules) -> MaintenanceRules:
    """Return the maintenance program for changing facts again, with the rules as they now are."""
    source = program.source
    after = _logic_program(source.rules, source.named)
    if not after.partition.divides_as(source.partition):
        return _program_of(after)
    adding: list[VariantRule] = []
    removing: list[VariantRule] = []
    for predicate in program.affected:  # 1
        removing += vartheta(Variant(predicate), source.clauses[predicate])  # 2
        adding += _theta_of_facts(source, predicate)  # 3
    for predicate in source.clauses:
        if predicate not in after.clauses:
            removing += _theta(source, predicate)
    return MaintenanceRules(after, _replaced(program.clauses, adding, removing))  # 4


def _logic_program(
    rules: Iterable[Rule],
    named: Iterable[Atom],
    partition: Partition | None = None,
    earlier: Iterable[Atom] = (),
) -> LogicProgram:
    """Arrange rules by the predicates that they define; those of the program before a change of rules stay."""
    derivations, named = tuple(rule for rule in rules if rule.head is not None), tuple(named)
    partition = partition or Partition.of_rules(derivations, named)
    defined: dict[Atom, dict[VariantRule, None]] = {predicate: {} for predicate in earlier}
    for atom in named:
        defined.setdefault(partition.predicate(atom), {})
    for rule in derivations:
        assert rule.head is not None
        for atom in atoms_of(rule):
            defined.setdefault(partition.predicate(atom), {})
        body, negative = tuple(map(Variant, rule.body)), tuple(map(Variant, rule.negative))
        clause = VariantRule(rule.name, Variant(rule.head), body, negative, rule.conditions)
        defined[partition.predicate(rule.head)][clause] = None
    return LogicProgram(
        derivations,
        named,
        partition,
        {predicate: (*clauses, _assertion(predicate)) for predicate, clauses in defined.items()},
    )


def _assertion(predicate: Atom) -> VariantRule:
    """Return the rule ``P :- P_edb``."""
    return VariantRule(f"asserted/{name_of(predicate)}", Variant(predicate), (Variant(predicate, asserted=True),))


def _program_of(source: LogicProgram) -> MaintenanceRules:
    clauses = dict.fromkeys(clause for predicate in source.clauses for clause in _theta(source, predicate))
    return MaintenanceRules(source, tuple(clauses))


def _theta(source: LogicProgram, predicate: Atom) -> list[VariantRule]:
    """Return all maintenance rules of a predicate and its explicit facts."""
    p = Variant(predicate)
    return [
        *_theta_of_facts(source, predicate),
        *map(theta_red, source.clauses[predicate]),
        *theta_new(replace(p, asserted=True)),
        theta_plus(p),
        theta_minus(p),
    ]


def _theta_of_facts(source: LogicProgram, predicate: Atom) -> list[VariantRule]:
    """Return theta^New, theta^Ins and theta^Del of a predicate, which its vartheta takes the place of."""
    rules = source.clauses[predicate]
    changes = [clause for rule in rules for clause in (*theta_ins(rule), *theta_del(rule))]
    return [*theta_new(Variant(predicate)), *changes]


def _clauses_beyond(these: LogicProgram, those: LogicProgram) -> list[VariantRule]:
    """Return the rules of one program that another lacks."""
    known = {clause for clauses in those.clauses.values() for clause in clauses}
    return [clause for clauses in these.clauses.values() for clause in clauses if clause not in known]


def _replaced(
    clauses: Sequence[VariantRule], adding: Sequence[VariantRule], removing: Sequence[VariantRule]
) -> tuple[VariantRule, ...]:
    gone = frozenset(removing)
    return tuple(dict.fromkeys(clause for clause in (*clauses, *adding) if clause not in gone))
