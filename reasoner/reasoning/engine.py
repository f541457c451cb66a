"""What the algorithms need from an engine, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Protocol, Self, TypeVar

from reasoner.reasoning.modules import Closure
from reasoner.rules.encode import EncodedRule
from reasoner.rules.levels import SplitSet

F = TypeVar("F")
P = TypeVar("P")
M = TypeVar("M")


class Multiset(Protocol[F]):
    """Facts that each occur a positive number of times; an immutable value."""

    @property
    def facts(self) -> F:
        """The facts that occur."""
        ...

    def plus(self, other: Self) -> Self:
        """Add multiplicities."""
        ...

    def minus(self, other: Self) -> Self:
        """Subtract multiplicities; facts of which none is left occur no more."""
        ...

    def without(self, facts: F) -> Self:
        """Return the multiset without any occurrence of some facts."""
        ...

    def occurring(self, facts: F, least: int, most: int | None = None) -> F:
        """Return those of some facts that occur at least, and at most, so often."""
        ...


class DeadlineError(Exception):
    """The time that was allowed for an evaluation is over."""


class Engine(Protocol[F, P, M]):
    """Set-at-a-time operations on facts over ids. Engines run plans; they know no OWL.

    ``F`` is an opaque, immutable set of facts, ``P`` what the engine makes of rules, ``M`` the mapping of terms to
    representatives. Methods return new values and never modify their arguments. ``instances`` counts the rule
    instances considered so far; once ``overdue``, if there is one, says so, evaluations raise ``DeadlineError``.
    """

    instances: int
    overdue: Callable[[], bool] | None

    def compile(self, rules: Iterable[EncodedRule]) -> P:
        """Group rules into templates and make them ready for evaluation."""
        ...

    def empty(self) -> F: ...

    def is_empty(self, facts: F) -> bool: ...

    def size(self, facts: F) -> int: ...

    def union(self, left: F, right: F) -> F:
        """Unite two sets that may overlap."""
        ...

    def extend(self, facts: F, fresh: F) -> F:
        """Unite two sets that are known to be disjoint."""
        ...

    def difference(self, left: F, right: F) -> F: ...

    def renamed(self, facts: F, names: Mapping[int, int]) -> F:
        """Return the facts of the named predicates, each under its new name; two predicates may get one name."""
        ...

    def evaluate(self, plans: P, facts: F) -> F:
        """Return the heads of all rule instances over the facts."""
        ...

    def evaluate_delta(self, plans: P, old: F, delta: F, whole: F) -> F:
        """Return the heads of the rule instances over ``whole`` (old and delta) that use a fact of ``delta``."""
        ...

    def changed_heads(
        self, plans: P, whole: F, absent: F, delta: F, returned: F | None = None, own: F | None = None
    ) -> F:
        """Return the heads of the rule instances with positive atoms in ``whole`` and negative atoms not in ``absent``
        of which a positive atom is in ``delta`` or a negative atom in ``returned``, each instance met once.

        ``delta`` is part of ``whole``, and ``returned`` has nothing in common with ``absent``. If ``own`` is given,
        the atoms of the rules' own stratum read ``own`` instead of ``whole``, and only they read ``delta``.
        """
        ...

    def any_match(self, plans: P, facts: F) -> bool:
        """Tell whether any rule body has a match."""
        ...

    def heads_using(self, plans: P, old: F, delta: F, whole: F, representatives: M) -> F:
        """Return what ``evaluate_delta`` does, and c = c for the classes of two or more that a rule gives it for."""
        ...

    def compile_backward(self, rules: Iterable[EncodedRule]) -> P:
        """Make rules ready for ``bodies_of``."""
        ...

    def exchange(self, plans: P, leaving: Iterable[EncodedRule], joining: Iterable[EncodedRule]) -> P:
        """Return what ``compile`` made of rules for the rules after a few of them have changed."""
        ...

    def exchange_backward(self, plans: P, leaving: Iterable[EncodedRule], joining: Iterable[EncodedRule]) -> P:
        """Return what ``compile_backward`` made of rules for the rules after a few of them have changed."""
        ...

    def bodies_of(self, backward: P, facts: F, heads: F, absent: F | None = None) -> F:
        """Return the body facts of the rule instances over the facts that have one of the heads.

        Negative atoms must not be in ``absent`` (by default, in the facts). Of rules that tell which atoms read their
        own stratum, only the facts of these are returned.
        """
        ...

    def few_bodies_of(self, backward: P, facts: F, heads: F, most: int) -> tuple[F, F]:
        """Return the body facts of a few rule instances of each head, and the heads that have more than ``most``."""
        ...

    def one_body_each(self, backward: P, facts: F, heads: F, absent: F | None = None, own: F | None = None) -> F:
        """Return the body facts of one rule instance over the facts for each of the heads that has any.

        If ``own`` is given, the atoms of the rules' own stratum read it instead of the facts.
        """
        ...

    def derivable(self, backward: P, facts: F, absent: F, heads: F) -> F:
        """Return those of the heads that some rule instance over the facts has; one instance of each is enough."""
        ...

    def mentioning(self, facts: F, equalities: F, representatives: M) -> F:
        """Return the facts that mention c, for the classes c = c among the equalities."""
        ...

    def classes_of_terms(self, facts: F, representatives: M) -> F:
        """Return c = c for the classes of two or more that facts mention."""
        ...

    def standing_for(self, explicit: F, representatives: M, normal: F) -> F:
        """Return the explicit facts whose normal form is among the given facts."""
        ...

    def split_by_form(self, facts: F, representatives: M, chosen: F) -> tuple[F, F]:
        """Part facts by whether their normal form is among the chosen ones."""
        ...

    def unproved(self, facts: F, proved: F, rebuilt: M, representatives: M, *, wholly: bool) -> F:
        """Return the facts of which some member is not proved, or no member if ``wholly``."""
        ...

    def replace_classes(self, representatives: M, rebuilt: M, checked: F) -> M:
        """Return the mapping with the classes c = c that were checked as they were rebuilt."""
        ...

    def of_splits(self, facts: F, splits: SplitSet) -> F:
        """Return the facts that belong to some splits."""
        ...

    def covering(self, facts: F, splits: SplitSet) -> F:
        """Return the facts of some splits, and of others where leaving these out would cost more than a lookup."""
        ...

    def irreflexive(self, facts: F) -> F:
        """Return the facts without equalities of a term with itself."""
        ...

    def reflexive_notes(self, explicit: F, representatives: M) -> F:
        """Return the notes that terms occur which explicit equalities of a term with itself leave behind."""
        ...

    def sample(self, facts: F, step: int) -> F:
        """Return about one in ``step`` of the facts, evenly over all predicates, and at least one."""
        ...

    def common(self, left: F, right: F) -> F:
        """Return the facts that are in both sets; cheap where one of them is small."""
        ...

    def facts_about(self, facts: F, changed: M, before: M) -> F:
        """Return the facts that mention a term whose representative differs between two mappings."""
        ...

    def stored(self, facts: F) -> F:
        """Return the facts without the classes c = c, which are facts of no table."""
        ...

    def close(self, closure: Closure, facts: F, fresh: F | None) -> F:
        """Return what a (symmetric-)transitive predicate lacks, given which of its facts are new (None: all)."""
        ...

    # Modules under maintenance: the closure of one predicate, never rdf:type, which is closed before a change.

    def derived_by_edges(self, closure: Closure, facts: F, edges: F) -> F:
        """Return the facts of the predicate that some of its facts derive with others, these themselves among them."""
        ...

    def derived_by_new_edges(self, closure: Closure, facts: F, edges: F) -> F:
        """Return what the predicate lacks once it has new edges, which it does not have yet; these are among it."""
        ...

    def steps_between(self, closure: Closure, facts: F, goals: F) -> F:
        """Return the facts of a transitive predicate that can be steps of a chain which derives one of the goals."""
        ...

    def reached(self, closure: Closure, steps: F, goals: F, representatives: M) -> F:
        """Return what the steps lack of the facts that chains of them derive and whose normal form is a goal.

        The closure is of a transitive predicate; steps need not be closed, and may be about members of the classes that
        the goals are about.
        """
        ...

    def rederived(self, closure: Closure, left: F, gone: F, external: F | None) -> F:
        """Return those of the facts ``gone`` that the external facts derive, or any that are left if that is None."""
        ...

    def unsupported(self, closure: Closure, facts: F, lost: F, external: F, *, nearby: bool) -> F:
        """Return the facts of the predicate that ``external`` does not derive any more after the external facts
        ``lost`` have left it; if ``nearby``, it has only those that are in their neighbourhood."""
        ...

    def neighbourhood(self, closure: Closure, facts: F, lost: F, most: int) -> F | None:
        """Return the facts by which others can take the place of lost ones, or None if they are more than ``most``."""
        ...

    def explicit_of(self, explicit: F, representatives: M, predicate: int) -> F:
        """Return the normal form of the explicit facts of a predicate and of those that are equal to it."""
        ...

    def identity(self) -> M: ...

    def normalise(self, facts: F, representatives: M) -> F:
        """Replace every term by its representative."""
        ...

    def take_equalities(self, facts: F) -> tuple[F, F, F]:
        """Set equalities apart: return the other facts, the equalities that merge terms, and for each equality
        c = c the note that c occurs."""
        ...

    def merge(self, representatives: M, equalities: F) -> tuple[M, M]:
        """Make equal terms share a representative: return the new mapping, and what has changed in it."""
        ...

    def rewrite(self, facts: F, moved: M) -> tuple[F, F]:
        """Return the facts that mention no moved term, and the others in normal form."""
        ...

    def representative(self, mapping: M, id: int) -> int: ...

    def moves(self, mapping: M, terms: Collection[int]) -> bool:
        """Tell whether one of some terms is represented by another."""
        ...

    def class_size(self, mapping: M, id: int) -> int:
        """Count the terms that are equal to a term, itself among them."""
        ...

    def occurrences(self, facts: F, representatives: M | None) -> F:
        """Return the notes that the terms of these facts, and those that represent a class, occur."""
        ...

    def count(self, facts: F, predicate: int) -> int:
        """Count the facts of a predicate."""
        ...

    def subjects(self, facts: F, predicate: int, obj: int) -> list[int]:
        """Return the subjects of a predicate and an object, for the few that steer an algorithm."""
        ...

    # Multisets: what recursive counting remembers and updates.

    def multiset(self, facts: F, multiplicity: int = 1) -> Multiset[F]:
        """Return the multiset in which each fact occurs so often."""
        ...

    def counted_heads(self, plans: P, facts: F) -> Multiset[F]:
        """Return what ``evaluate`` does, each head as often as an instance has it."""
        ...

    def counted_delta(self, plans: P, old: F, delta: F, whole: F) -> Multiset[F]:
        """Return what ``evaluate_delta`` does, each head as often as an instance has it."""
        ...

    def counted_changes(self, plans: P, whole: F, absent: F, delta: F, returned: F) -> Multiset[F]:
        """Return what ``changed_heads`` does, each head as often as an instance has it."""
        ...

    def counted_of_round(
        self, plans: P, whole: F, absent: F, touched: F, returned: F, latest: F, births: Multiset[F], round: int
    ) -> Multiset[F]:
        """Return the heads that ``counted_changes`` would for the facts ``touched`` and ``returned``, of the instances
        whose latest atoms were born in a round.

        A fact occurs in ``births`` as often as the number of the round in which it was born; those that do not were
        there before. ``latest`` is part of ``whole``, and holds at least the facts born in that round.
        """
        ...

    def counted_of_moved(
        self, plans: P, whole: F, absent: F, moved: F, births: Multiset[F], others: Multiset[F], round: int
    ) -> Multiset[F]:
        """Return the heads of the instances over ``whole`` with a moved fact whose latest atoms were born in a round
        according to ``births``, and before it according to ``others``.

        The moved facts are all born in that round, and before it according to the others.
        """
        ...

    def rounds_of(
        self, plans: P, whole: F, absent: F, touched: F, returned: F, births: Multiset[F], least: int
    ) -> frozenset[int]:
        """Return the rounds from ``least`` on of which ``counted_of_round`` has a head, whatever ``latest`` is."""
        ...

    def reads(self, plans: P, facts: F) -> bool:
        """Tell whether an atom of the rules, positive or negative, may match some of the facts."""
        ...
