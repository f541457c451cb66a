"""What a reasoner does for those who subscribe to queries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore
    from reasoner.sparql.algebra import Query
    from reasoner.subscriptions.announcements import Announcements
    from reasoner.subscriptions.subscription import AnswerChange, Subscription
    from reasoner.subscriptions.view import TriplePatternTuple


class Subscribing:
    """Continuous queries over a reasoner; copies of one share its announcements and make none."""

    store: ColumnarStore
    _committing: threading.RLock
    _announcements: Announcements | None = None

    if TYPE_CHECKING:

        def _materialised(self) -> None: ...

        def _stand(self) -> None: ...

    def subscribe(
        self,
        query: str | TriplePatternTuple | Query,
        callback: Callable[[AnswerChange], object] | None = None,
        *,
        initial: bool = False,
        limit: int | None = None,
        prefixes: Mapping[str, str] | None = None,
    ) -> Subscription:
        """Let every commit deliver what it adds to the answers of a query and takes away.

        ``query`` is SELECT or ASK in SPARQL, a group in braces, patterns as in ``select``, one triple with None for
        what is open, or a view that ``view_of`` made of one of these. Answers are distinct and over the closure, every
        equal term for itself. Changes are delivered exactly once and in the order of commits, before the commit
        returns; a commit that fails delivers nothing, and so does one that changes no answer.
        An error of a callback is logged and breaks nothing. Without a callback, changes wait in a queue of at most
        ``limit``. With ``initial``, the answers there are come first, as added.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add_rules("?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
        >>> with kb.subscribe("?x <http://e.org/q> ?y") as changes:
        ...     with kb.transaction() as change:
        ...         change.add(("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>"))
        ...     changes.get().added
        (('<http://e.org/a>', '<http://e.org/b>'),)
        """
        from reasoner.sparql.answer_changes import answers, shown_variables
        from reasoner.subscriptions.subscription import AnswerChange, Subscription
        from reasoner.subscriptions.view import view_of

        view = view_of(query, prefixes=prefixes)
        with self._committing:
            self._materialised()
            known = self._announced_by()
            subscription = Subscription(view, shown_variables(view), known, callback, limit)
            present = tuple(answers(self.store, self.store.state, view)) if initial else ()
            known.join(subscription, self.store.state)
            if initial:
                subscription.deliver(AnswerChange(known.number, subscription.variables, present, (), initial=True))
        return subscription

    def _announced_by(self) -> Announcements:
        """Return what tells of this reasoner's commits."""
        from reasoner.subscriptions.announcements import Announcements

        if self._announcements is None or not self._announcements.is_of(self):
            self._announcements = Announcements(self)  # type: ignore[arg-type]
        return self._announcements

    def _announce(self) -> None:
        """Let the present state stand, and tell whoever listens of it; nobody listens to a copy."""
        self._stand()
        known = self._announcements
        if known is not None and known.is_of(self):
            with self._committing:
                known.publish(self.store)
