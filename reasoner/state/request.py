"""What a commit is asked for.

What is wanted of rules of one's own: which come and which go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reasoner.maintenance.update import Work
from reasoner.rules.errors import ReasonerError
from reasoner.rules.rule import Atom, Rule
from reasoner.state.state import StreamProgress
from reasoner.terms.quads import QuadRequest
from reasoner.terms.term import Term, Variable

Content = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class RuleRequest:
    """Rules that come and rules that go; a rule is known by what it says, whatever it and its variables are called.

    >>> from reasoner import Reasoner
    >>> kb = Reasoner(profile="none")
    >>> kb.add([("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")])
    1
    >>> with kb.transaction() as change:
    ...     change.add_rules("[q] ?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
    >>> [rule.name for rule in change.delta.rules_gained], len(change.delta.inferred_added)
    (['q'], 1)
    >>> kb.remove_rules("?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .").counts.inferred_removed
    1
    """

    added: tuple[Rule, ...] = ()
    removed: tuple[Rule, ...] = ()

    def applied_to(self, own: OwnRules) -> OwnRules:
        """Return rules after the change; one that goes must be among them, one that comes may be so already."""
        known = dict(own.by_content)
        for rule in self.removed:
            if content(rule) not in known:
                raise ReasonerError(
                    f"there is no rule of your own that says what {rule.name!r} does, so that it cannot be removed; "
                    "rules() shows all rules, and one with sources goes when the axioms that these name are removed"
                )
        going = tuple(known.pop(content(rule)) for rule in self.removed)
        coming = {content(rule): rule for rule in self.added if content(rule) not in known}
        known |= coming
        return OwnRules(tuple(known.values()), known, going, tuple(coming.values()))

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


@dataclass(frozen=True, slots=True, eq=False)
class OwnRules:
    """Rules of one's own by what they say, with those that went and came last."""

    rules: tuple[Rule, ...]
    by_content: dict[Content, Rule]
    going: tuple[Rule, ...] = ()
    coming: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> OwnRules:
        """Take rules as they were given; one that is said twice is there once."""
        known: dict[Content, Rule] = {}
        for rule in rules:
            known.setdefault(content(rule), rule)
        return cls(tuple(rules), known)


class WantedRules:
    """Collects rules in and out; what is said later about a rule counts."""

    def __init__(self) -> None:
        self._wanted: dict[Content, tuple[Rule, bool]] = {}

    def add(self, rules: str | Iterable[Rule], *, file: str = "<text>") -> None:
        """Let rules come, given as text or ready made."""
        self._say(rules, file, comes=True)

    def remove(self, rules: str | Iterable[Rule], *, file: str = "<text>") -> None:
        """Let rules go."""
        self._say(rules, file, comes=False)

    def clear(self) -> None:
        """Forget everything."""
        self._wanted.clear()

    def request(self) -> RuleRequest:
        """Return what it comes down to."""
        return RuleRequest(
            tuple(rule for rule, comes in self._wanted.values() if comes),
            tuple(rule for rule, comes in self._wanted.values() if not comes),
        )

    def _say(self, rules: str | Iterable[Rule], file: str, *, comes: bool) -> None:
        self._wanted |= {content(rule): (rule, comes) for rule in rules_of(rules, file=file)}


def rules_of(rules: str | Iterable[Rule], *, file: str = "<text>") -> tuple[Rule, ...]:
    """Return rules that are given as text or ready made."""
    if isinstance(rules, str):
        from reasoner.rules.parser import parse_rules

        return tuple(parse_rules(rules, file=file))
    return tuple(map(_checked, rules))


def _checked(rule: Rule) -> Rule:
    """Return a ready-made rule with canonical constants; raise ``TermError`` for one that is no term."""
    from reasoner.terms.triple_text import canonical_term

    def term(given: Term) -> Term:
        return given if isinstance(given, Variable) else canonical_term(given)

    def atom(given: Atom) -> Atom:
        return Atom(*map(term, given))

    return replace(
        rule,
        head=None if rule.head is None else atom(rule.head),
        body=tuple(map(atom, rule.body)),
        negative=tuple(map(atom, rule.negative)),
        conditions=tuple(replace(part, arguments=tuple(map(term, part.arguments))) for part in rule.conditions),
    )


def content(rule: Rule) -> Content:
    """Return what rules that say the same have in common.

    >>> from reasoner.rules.parser import parse_rules
    >>> one, other = parse_rules("[one] ?x <q> ?y :- ?x <p> ?y . [other] ?a <q> ?b :- ?a <p> ?b .")
    >>> content(one) == content(other)
    True
    """
    names: dict[str, int] = {}

    def term(given: Term) -> object:
        return names.setdefault(given.name, len(names)) if isinstance(given, Variable) else given

    def atom(given: Atom) -> Content:
        return tuple(map(term, given))

    body, negative = tuple(map(atom, rule.body)), tuple(map(atom, rule.negative))
    conditions = tuple((part.name, tuple(map(term, part.arguments))) for part in rule.conditions)
    return atom(rule.head) if rule.head else None, body, negative, conditions


STRATEGIES = ("auto", "bf", "fbf", "dred", "dredc", "counting", "declarative", "rematerialise")


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """Facts and rules that come and go, by which strategy, and what is to become of violations.

    ``depth`` is that of ``fbf``; ``constraints`` is a policy for this commit alone, None the one that the reasoner has.
    ``may_start_over`` says that a strategy that cannot be used here is no error: the store is materialised instead.
    ``work`` counts rule instances; what it raises between the rounds of maintenance takes the commit back. ``streams``
    are the last batches of streams, by name, that the commit brings.
    """

    quads: QuadRequest = field(default_factory=QuadRequest)
    rules: RuleRequest = field(default_factory=RuleRequest)
    strategy: str = "auto"
    depth: int | None = None
    constraints: str | None = None
    may_start_over: bool = False
    work: Work = field(default_factory=Work)
    streams: Mapping[str, StreamProgress] = field(default_factory=dict)


def require_strategy(strategy: str, depth: int | None = None) -> None:
    """Refuse a strategy that there is not, and a depth that is none or that the strategy would not use."""
    if strategy not in STRATEGIES:
        raise ReasonerError(f"unknown strategy {strategy!r}: choose one of {', '.join(STRATEGIES)}")
    if depth is None:
        return
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 0:
        raise ReasonerError(
            f"depth={depth!r} is no depth: give a whole number from 0 on, or none for the one that fbf takes by itself"
        )
    if strategy != "fbf":
        raise ReasonerError(f"depth={depth} is for strategy='fbf', not for {strategy}: leave it out, or choose fbf")
