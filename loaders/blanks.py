"""The blank nodes of different files kept apart: each file's labels get a prefix of their own."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from loaders.arrow import text_array
from loaders.dictionary import Dictionary

# The parser names the blank nodes that have no label with random hexadecimal numbers.
_GENERATED = re.compile(r"_:[a-f][0-9a-f]{23,31}")


class BlankScope:
    """The blank nodes of one file in one dictionary.

    A node with a label becomes ``_:f<file>_<label>``, one without ``_:f<file>-<number>``, counted in order of
    appearance, so that the same files give the same terms in every run.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._scope: str | None = None
        self._numbers: dict[str, int] = {}

    def relabel(self, terms: pa.StringArray, *, generated: bool) -> pa.StringArray:
        """Return ``terms`` with this file's blank nodes; ``generated`` says that some labels come from the parser."""
        mask = pc.starts_with(terms, "_:")
        blanks = terms.filter(mask)
        if not len(blanks):
            return terms
        if self._scope is None:
            self._scope = self._dictionary.new_blank_scope()
        if generated:
            relabelled = text_array([self._label(blank) for blank in blanks.to_pylist()])
        else:
            labels = pc.utf8_slice_codeunits(blanks, 2)
            relabelled = pc.binary_join_element_wise(f"_:{self._scope}_", labels, "")
        if len(blanks) == len(terms):
            return relabelled
        return pc.replace_with_mask(terms, mask, relabelled)

    def _label(self, blank: str) -> str:
        if _GENERATED.fullmatch(blank):
            return f"_:{self._scope}-{self._numbers.setdefault(blank, len(self._numbers))}"
        return f"_:{self._scope}_{blank[2:]}"


def with_readable_labels(terms: list[str], prefix: str) -> list[str]:
    """Return ``terms`` with ``prefix`` before every blank node label, and generated labels replaced by short ones."""
    blanks = {term for term in terms if term.startswith("_:")}
    generated = {blank for blank in blanks if _GENERATED.fullmatch(blank)}
    stem = "b"
    while any(blank.startswith(f"_:{stem}") for blank in blanks - generated):
        stem += "n"
    labels = {blank: f"_:{prefix}{blank[2:]}" for blank in blanks - generated}
    for term in terms:
        if term in generated and term not in labels:
            labels[term] = f"_:{prefix}{stem}{len(labels)}"
    return [labels.get(term, term) for term in terms] if labels else terms
