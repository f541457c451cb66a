"""What is wanted of rules of one's own: which come and which go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reasoner.errors import ReasonerError
from reasoner.rules.rule import Atom, Rule
from reasoner.rules.term import Term, Variable

Content = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class RuleRequest:
    """Rules that come and rules that go; a rule is known by what it says, whatever it and its variables are called."""

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
        return OwnRules(list(known.values()), known, going, tuple(coming.values()))

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


@dataclass(frozen=True, slots=True, eq=False)
class OwnRules:
    """Rules of one's own by what they say, with those that went and came last."""

    rules: list[Rule]
    by_content: dict[Content, Rule]
    going: tuple[Rule, ...] = ()
    coming: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> OwnRules:
        """Take rules as they were given; one that is said twice is there once."""
        known: dict[Content, Rule] = {}
        for rule in rules:
            known.setdefault(content(rule), rule)
        return cls(list(rules), known)


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
    from reasoner.triple_text import canonical_term

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
