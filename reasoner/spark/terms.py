"""The texts behind ids, where rules ask for them: a table for the executors, and builtins over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from loaders.dictionary import Dictionary
from loaders.parted_dictionary import HeldTerms, PartedDictionary
from reasoner.rules.encode import Condition, EncodedTerm, is_variable
from reasoner.spark.platform.scratch import Scratch
from reasoner.spark.term_files import files_of
from reasoner.terms.builtins import BUILTINS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_DIFFERENT, _EQUATABLE = "!=", "equatable"
_GIVEN = "reasoner_terms"


class SparkTerms:
    """A dictionary, and the same as a table of (id, text) that queries join with.

    The table is one that is given; else it has the files of the dictionary, and what of it is at the driver when a
    query first needs it, with a further part whenever that has grown since. Builtins run in the executors, over the
    texts that a join brings there.
    """

    def __init__(self, scratch: Scratch, dictionary: Dictionary, table: DataFrame | None = None) -> None:
        self._scratch = scratch
        self._dictionary = dictionary
        self._given = table
        self._shown: WeakKeyDictionary[Dictionary, _Shown] = WeakKeyDictionary()
        self._registered: set[str] = set()

    def holds(self, matches: str, conditions: tuple[Condition, ...]) -> str | None:
        """Return the query for the rows of matches that meet conditions, whose variables they all bind.

        None if a condition on constants does not hold, so that there are none.
        """
        open_conditions = []
        for name, terms in conditions:
            if any(is_variable(term) for term in terms):
                open_conditions.append((name, terms))
            elif not BUILTINS[name].holds(*map(self._dictionary.text, terms)):
                return None
        if not open_conditions:
            return matches
        variables = sorted({term for _, terms in open_conditions for term in terms if is_variable(term)}, reverse=True)
        table = self.view()
        joins = "".join(f" JOIN {table} t{-term} ON t{-term}.id = m.{column(term)}" for term in variables)
        return f"SELECT m.* FROM ({matches}) m{joins} WHERE {' AND '.join(map(self._call, open_conditions))}"

    def view(self) -> str:
        """Return a relation of all terms in the text of a query."""
        if self._given is not None:
            self._given.select("id", "text").createOrReplaceTempView(_GIVEN)
            return _GIVEN
        return "(" + " UNION ALL ".join(self._queries()) + ")"

    def _queries(self) -> Iterator[str]:
        """Yield the queries for the parts of the dictionary: files as they are, and what is at the driver."""
        dictionary = self._dictionary
        held = [HeldTerms(0, dictionary)]
        if isinstance(dictionary, PartedDictionary):
            yield from (part.query for part in files_of(dictionary))
            held = [part for part in dictionary.parts if isinstance(part, HeldTerms) and part.end > part.first]
        for part in held:
            shown = self._shown.setdefault(part.dictionary, _Shown(self._scratch))
            yield from shown.queries(part)

    def mergeable(self, left: str, right: str) -> str:
        """Return the call that tells of two texts whether their terms may share a representative."""
        return f"{self._registered_builtin(_EQUATABLE)}({left}, {right})"

    def _call(self, condition: Condition) -> str:
        name, terms = condition
        call = f"{self._registered_builtin(name)}({', '.join(map(self._text, terms))})"
        if name == _DIFFERENT and is_variable(terms[0]) and is_variable(terms[1]):
            return f"(m.{column(terms[0])} <> m.{column(terms[1])} AND {call})"
        return call

    def _text(self, term: EncodedTerm) -> str:
        if is_variable(term):
            return f"t{-term}.text"
        return f"decode(unhex('{self._dictionary.text(term).encode().hex()}'), 'UTF-8')"

    def _registered_builtin(self, name: str) -> str:
        """Return the name under which queries call a builtin."""
        function = f"reasoner_builtin_{list(BUILTINS).index(name)}"
        if function not in self._registered:
            from pyspark.sql.functions import udf

            self._scratch.session.udf.register(function, udf(_builtin(name), "boolean"))
            self._registered.add(function)
        return function


class _Shown:
    """The views of terms that are at the driver, a further one whenever there are new ones."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._parts: list[_Part] = []
        self._known, self._last = 0, ""

    def queries(self, terms: HeldTerms) -> list[str]:
        dictionary, known = terms.dictionary, self._known
        if known > len(dictionary) or (known and dictionary.text(known - 1) != self._last):
            # The dictionary has forgotten terms since, and perhaps given their ids to others.
            known, self._parts = 0, []
        if known < len(dictionary):
            self._parts.append(_Part(self._scratch, dictionary, known, terms.first))
            self._known, self._last = len(dictionary), dictionary.text(len(dictionary) - 1)
        return [f"SELECT id, text FROM {part.view}" for part in self._parts]


class _Part:
    """The table of the terms that a dictionary, whose ids begin with ``first``, has got since it had so many."""

    def __init__(self, scratch: Scratch, dictionary: Dictionary, known: int, first: int) -> None:
        import pyarrow as pa

        own = range(known, len(dictionary))
        ids = pa.array(range(first + known, first + len(dictionary)), pa.int64())
        self.view = scratch.table_view(self, pa.table({"id": ids, "text": dictionary.decode_arrow(own)}))


def column(term: EncodedTerm) -> str:
    """Return the column that holds a variable."""
    return f"v{-term}"


def _builtin(name: str) -> Callable[..., bool]:
    """Return a builtin as a function that the executors look up by its name."""

    def holds(*texts: str) -> bool:
        from reasoner.terms.builtins import BUILTINS

        return bool(BUILTINS[name].holds(*texts))

    return holds
