"""REGEX and REPLACE over columns: every pattern once for all texts, in time that no pattern can make explode.

Patterns that only ``re`` can match, matched so that the limit of a query ends them.

``re`` looks at no clock and lets no other thread run, so that a pattern that runs away can be ended only together with
its process.
"""

from __future__ import annotations

import atexit
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np

from reasoner.columnar.bindings import row_keys
from reasoner.columnar.kernels import Ids
from reasoner.rules.errors import ReasonerError
from reasoner.sparql import backtracking
from reasoner.sparql.backtracking import Answers, TooLongError, compiled
from reasoner.sparql.budget import Budget
from reasoner.sparql.comparison import boolean
from reasoner.sparql.errors import ExpressionError, ValueTooLargeError
from reasoner.sparql.regex_syntax import Regex, regex_of, replacement_pieces
from reasoner.sparql.strings import simple, string_parts
from reasoner.sparql.terms import QueryTerms
from reasoner.terms.value import literal_parts, literal_text

# The least and the most arguments of each function, the last of them flags.
ARGUMENTS = {"REGEX": (2, 3), "REPLACE": (3, 4)}

_ROWS = 1 << 14
_CHARACTERS = 1 << 20
_MOST_REFERENCES = 9

Text = tuple[str, str | None]


def matched(
    name: str, arguments: Sequence[Ids], terms: QueryTerms, budget: Budget, read: Callable[[str], Text] = string_parts
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


# Seconds between two looks at the limit, and after the limit until a process that nobody ended ends itself.
_TICK = 0.02
_GRACE = 2.0
_SLICE = 256

# Processes without work, by the process that started them: one that was forked must not use those of its parent.
_idle: dict[int, list[subprocess.Popen[bytes]]] = {}


def answers_within(
    budget: Budget, pattern: str, options: int, pieces: Sequence[str | int] | None, texts: Sequence[str]
) -> Answers:
    """Return what ``backtracking.answers`` does, within the limits of a query.

    Without a time limit, or if the process itself is ended at the limit, this is done right here.
    """
    budget.check_runaway()
    longest, most = budget.most_characters, int(min(budget.memory_left, sys.maxsize))
    if budget.is_killable or math.isinf(budget.left):
        found: Answers = []
        for start in range(0, len(texts), _SLICE):
            budget.check()
            try:
                found += backtracking.answers(pattern, options, pieces, texts[start : start + _SLICE], longest, most)
            except TooLongError:
                _refuse(budget)
        return found
    process = _taken()
    done = threading.Event()
    threading.Thread(target=_end_at_limit, args=(process, budget, done), name="regex", daemon=True).start()
    try:
        answer = _asked(process, (budget.left + _GRACE, pattern, options, pieces, texts, longest, most))
    except BaseException:
        process.kill()
        raise
    finally:
        done.set()
    if answer is None:
        _ended(process)
        budget.check()
        raise ReasonerError(f"the regular expression {pattern} could not be matched; write it simpler")
    _idle.setdefault(os.getpid(), []).append(process)
    if answer is False:
        _refuse(budget)
    assert isinstance(answer, list)
    return answer


def _refuse(budget: Budget) -> NoReturn:
    raise ValueTooLargeError(
        "REPLACE", budget.most_characters + 1, "characters or more", budget.most_characters, "most_characters"
    )


def _asked(process: subprocess.Popen[bytes], request: tuple[object, ...]) -> Answers | bool | None:
    """Return the answer of a process, False if it would be too long, None if the process ends before."""
    assert process.stdin is not None and process.stdout is not None
    with suppress(OSError):
        backtracking.send(process.stdin, request)
        answer: Answers | bool | None = backtracking.received(process.stdout)
        return answer
    return None


def _end_at_limit(process: subprocess.Popen[bytes], budget: Budget, done: threading.Event) -> None:
    while not done.wait(_TICK):
        try:
            budget.check()
        except ReasonerError:
            process.kill()
            return


def _taken() -> subprocess.Popen[bytes]:
    waiting = _idle.get(os.getpid(), [])
    while waiting:
        with suppress(IndexError):
            process = waiting.pop()
            if process.poll() is None:
                return process
            _ended(process)
    if not _idle:
        atexit.register(_end_all)
    # No signal meant for this process reaches it, and it sees none of our files in place of the library's.
    return subprocess.Popen(
        [sys.executable, "-I", "-S", backtracking.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


def _ended(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None and process.stdout is not None
    process.kill()
    process.wait()
    process.stdout.close()
    with suppress(OSError):
        process.stdin.close()


def _end_all() -> None:
    for process in _idle.pop(os.getpid(), []):
        _ended(process)
