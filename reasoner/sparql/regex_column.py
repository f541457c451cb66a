"""REGEX and REPLACE over columns: every pattern once for all texts, in time that no pattern can make explode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from reasoner.columnar.kernels import Ids
from reasoner.literals.text import literal_parts, literal_text
from reasoner.sparql.backtracking import Answers, compiled
from reasoner.sparql.budget import Budget
from reasoner.sparql.comparison import boolean
from reasoner.sparql.errors import ExpressionError
from reasoner.sparql.regex_syntax import Regex, regex_of, replacement_pieces
from reasoner.sparql.solutions import row_keys
from reasoner.sparql.stoppable_regex import answers_within
from reasoner.sparql.strings import simple, string_parts
from reasoner.sparql.terms import Terms

# The least and the most arguments of each function, the last of them flags.
ARGUMENTS = {"REGEX": (2, 3), "REPLACE": (3, 4)}

_ROWS = 1 << 14
_CHARACTERS = 1 << 20
_MOST_REFERENCES = 9

Text = tuple[str, str | None]


def matched(
    name: str, arguments: Sequence[Ids], terms: Terms, budget: Budget, read: Callable[[str], Text] = string_parts
) -> Ids:
    """Return the value of REGEX or REPLACE in each row, unbound where it is an error.

    ``read`` gives the characters of a term to match in, and its language tag.
    """
    if arguments[0].size == 0:
        return np.empty(0, dtype=np.int64)
    _, first, inverse = np.unique(row_keys(list(arguments)), return_index=True, return_inverse=True)
    parts = []
    for start in range(0, first.size, _ROWS):
        rows = first[start : start + _ROWS]
        texts = [terms.decode(column[rows]) for column in arguments]
        values: list[str | None] = [None] * rows.size
        for pattern, places in _by_pattern(texts[1:]).items():
            budget.check()
            strings = list(_strings([(place, texts[0][place]) for place in places], read))
            _fill(values, name, pattern, strings, budget)
        parts.append(terms.encode(values))
    found: Ids = np.concatenate(parts)[inverse]
    return found


def characters(text: str) -> Text:
    """Return the characters of STR of a term; to make a literal of them and take it apart again would take longer."""
    if text.startswith('"'):
        return literal_parts(text)[0], None
    if text.startswith("<"):
        return text[1:-1], None
    raise ExpressionError("a blank node has no string")


def _by_pattern(columns: Sequence[Sequence[str | None]]) -> dict[tuple[str, ...], list[int]]:
    """Return the rows of each pattern, with its replacement and its flags; where one is unbound there is no value."""
    rows: dict[tuple[str, ...], list[int]] = {}
    for place, given in enumerate(zip(*columns, strict=True)):
        bound = tuple(text for text in given if text is not None)
        if len(bound) == len(given):
            rows.setdefault(bound, []).append(place)
    return rows


def _fill(
    values: list[str | None], name: str, given: tuple[str, ...], strings: list[tuple[int, Text]], budget: Budget
) -> None:
    try:
        pattern, *others = map(simple, given)
        template = others.pop(0) if name == "REPLACE" else None
        flags = others[0] if others else ""
        regex = regex_of(pattern, flags)
        pieces = _pieces(regex, template, "q" in flags)
    except (ExpressionError, ValueError):
        # No pattern, no flags, or no replacement.
        return
    answers = _answers(regex, pieces, [text for _, (text, _) in strings], budget)
    for (place, (_, language)), answer in zip(strings, answers, strict=True):
        if isinstance(answer, str):
            values[place] = literal_text(answer, language=language)
        elif answer is not None:
            values[place] = boolean(answer)


def _strings(rows: list[tuple[int, str | None]], read: Callable[[str], Text]) -> Iterator[tuple[int, Text]]:
    for place, text in rows:
        if text is not None:
            try:
                yield place, read(text)
            except ExpressionError:
                continue


def _pieces(regex: Regex, template: str | None, quoted: bool) -> tuple[str | int, ...] | None:
    if template is None or quoted:
        return None if template is None else (template,)
    groups = compiled(regex.python, regex.options).groups if regex.linear is None else regex.groups
    return replacement_pieces(template, groups)


def _answers(regex: Regex, pieces: tuple[str | int, ...] | None, texts: Sequence[str], budget: Budget) -> Answers:
    if regex.linear is not None and _is_linear(regex, pieces):
        # Too large for RE2, or no such category of characters, is for the other engine to judge.
        with suppress(ValueError):
            return _by_re2(regex.linear, pieces, texts, budget)
    try:
        compiled(regex.python, regex.options)
    except ValueError:
        return [None] * len(texts)
    return answers_within(budget, regex.python, regex.options, pieces, texts)


def _is_linear(regex: Regex, pieces: tuple[str | int, ...] | None) -> bool:
    numbers = [piece for piece in pieces or () if isinstance(piece, int)]
    return max(numbers, default=0) <= _MOST_REFERENCES and not (any(numbers) and regex.repeats_groups)


def _by_re2(pattern: str, pieces: tuple[str | int, ...] | None, texts: Sequence[str], budget: Budget) -> Answers:
    # Loading takes longer than most queries do.
    import pyarrow as pa
    import pyarrow.compute

    compute: Any = pyarrow.compute
    if pieces is not None and compute.match_substring_regex(pa.array([""]), pattern)[0].as_py():
        # XPath, err:FORX0003: a pattern that matches the empty string replaces nothing.
        return [None] * len(texts)
    found: Answers = []
    made = 0
    for part in _parts(texts, 0 if pieces is None else sum(map(len, (p for p in pieces if isinstance(p, str))))):
        budget.check()
        column = pa.array(part, pa.string())
        if pieces is None:
            found += compute.match_substring_regex(column, pattern).to_pylist()
        else:
            made += _replaced_length(column, pattern, pieces, part, budget)
            if made > budget.memory_left:
                budget.keep(made)
            found += compute.replace_substring_regex(column, pattern, _rewriting(pieces)).to_pylist()
    return found


def _replaced_length(column: Any, pattern: str, pieces: tuple[str | int, ...], texts: list[str], budget: Budget) -> int:
    """Return at most how long texts become; refuse if one becomes longer than allowed.

    Matches lie apart, so that all texts of one group are at most as long as the text that they are found in. How many
    matches there are is counted only where as many as characters would be too much.
    """
    import pyarrow.compute

    literal = sum(len(piece) for piece in pieces if isinstance(piece, str))
    copies = 1 + sum(isinstance(piece, int) for piece in pieces)
    lengths = [len(text) * (copies + literal) for text in texts]
    if max(lengths) > budget.most_characters or sum(lengths) > budget.memory_left:
        compute: Any = pyarrow.compute
        counts = compute.count_substring_regex(column, pattern).to_pylist()
        lengths = [len(text) * copies + count * literal for text, count in zip(texts, counts, strict=True)]
    budget.allow_characters(max(lengths), "REPLACE")
    return sum(lengths)


def _parts(texts: Sequence[str], growth: int) -> Iterator[list[str]]:
    """Yield texts in parts of a size that takes no time worth speaking of, also if each character grew so much."""
    part: list[str] = []
    size = 0
    for text in texts:
        part.append(text)
        size += len(text) * (1 + growth)
        if size > _CHARACTERS:
            yield part
            part, size = [], 0
    if part:
        yield part


def _rewriting(pieces: tuple[str | int, ...]) -> str:
    return "".join(f"\\{piece}" if isinstance(piece, int) else piece.replace("\\", r"\\") for piece in pieces)
