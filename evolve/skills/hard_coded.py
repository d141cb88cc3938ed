"""Literals that may be frozen input: what stands in every output could as well be copied from every input.

Where all rows are of one year, a function that writes that year and one that copies it are right on all of them. A row
of another year tells them apart, and so does the function itself, run on a row in which the year is changed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from evolve.core.episodes import Json, Row
from evolve.core.files import canonical_json
from evolve.core.reasons import Reason, reason
from evolve.runtime.sandbox import Outcome

_RUN = re.compile(r"\d+|[^\W\d_]+")
_HOST = re.compile(r"[a-z]{2,}\.[a-z]{2,3}\Z")
_CURRENCIES = ("EUR", "USD", "GBP", "CHF")
_HOSTS = ("mail.org", "initech.net", "acme.dev")
SETS = (
    "January February March April May June July August September October November December",
    "Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec",
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "Mon Tue Wed Thu Fri Sat Sun",
    "EUR USD GBP CHF SEK JPY",
    "yes no",
    "true false",
    "kg g mg t",
    "km m cm mm",
    "AM PM",
)
"""Words that everybody knows."""
KNOWN_WORDS = frozenset(word.lower() for line in SETS for word in line.split())
_LEAST = 4
"""Letters of a value that tells of a row."""
_YEARS = range(1900, 2100)
_MOST_ROWS = 12
"""Rows that are changed; more would tell the same."""


@dataclass(frozen=True, kw_only=True)
class ChangedRow:
    """A row in whose input another piece stands.

    Attributes:
        input: With the other piece.
        other: That piece, as the literal would have it.
        output: What the row has as output, with the old piece.
    """

    input: tuple[Json, ...]
    other: str
    output: Json


@dataclass(frozen=True, kw_only=True)
class CopiedLiteral:
    """A piece of a literal that stands in every output and in every input.

    Attributes:
        start: Where it begins in the literal.
        piece: Such as ``2026`` in ``.2026``.
        changed: Rows with another piece in its place.
    """

    start: int
    piece: str
    changed: tuple[ChangedRow, ...]

    def is_frozen(self, outcomes: Sequence[Outcome]) -> bool:
        """Whether a function writes the piece where its input holds another; outcomes are those of the changed rows."""
        given = [one.value for one in outcomes if one.ok]
        return bool(given) and all(self.piece in _text(value) for value in given)


@dataclass(frozen=True, kw_only=True)
class FrozenPiece:
    """A piece that a function writes whatever its input holds.

    Attributes:
        piece: Such as ``2026``.
        input: A row that would tell, with another piece in its place.
        other: That piece.
        given: What the function gives there.
    """

    piece: str
    input: tuple[Json, ...]
    other: str
    given: Json

    @property
    def why(self) -> Reason:
        """Why the rows do not decide."""
        return reason("piece_may_be_copied", piece=self.piece, other=self.other)

    @property
    def copy_value(self) -> Json:
        """What a function gives that copies the piece; None where the value is no text."""
        return self.given.replace(self.piece, self.other) if isinstance(self.given, str) else None


def _literals_in(source: str) -> tuple[str, ...]:
    """The texts and numbers that a program is written with, as texts; docstrings are none."""
    tree = ast.parse(source)
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    found = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in documentation)
    texts = (str(one) for one in found if isinstance(one, str | int) and not isinstance(one, bool))
    return tuple(dict.fromkeys(text for text in texts if len(text) > 1 or text.isalpha()))


def copied_rows(code: str, rows: Sequence[Sequence[Json]]) -> int:
    """How many of its inputs a draft holds as literals, where these are at least half of them; else 0."""
    texts = [one.value for one in ast.walk(ast.parse(code)) if isinstance(one, ast.Constant)]
    held = {text for text in texts if isinstance(text, str) and len(text) >= _LEAST and text.lower() not in KNOWN_WORDS}
    own = {value for row in rows for value in row if isinstance(value, str)}
    many = [row for row in rows if any(value in held for value in row if isinstance(value, str))]
    found = held & own
    # What stands in many rows is a kind of thing that a function may well know by its name.
    return len(found) if len(found) >= 2 and 2 * len(many) >= len(rows) and len(own) > 0.8 * len(rows) else 0


def copied_literals(literal: str, rows: Sequence[Row]) -> tuple[CopiedLiteral, ...]:
    """The longest pieces of a literal that stand in every output and every input of some rows, none in another."""
    runs = list(_RUN.finditer(literal))
    found: list[CopiedLiteral] = []
    taken = 0
    for first, begin in enumerate(runs):
        if begin.start() < taken or not rows:
            continue
        for last in reversed(runs[first:]):
            piece = literal[begin.start() : last.end()]
            changed = _changed(piece, rows)
            if changed:
                found.append(CopiedLiteral(start=begin.start(), piece=piece, changed=changed))
                taken = last.end()
                break
    return tuple(found)


def _changed(piece: str, rows: Sequence[Row]) -> tuple[ChangedRow, ...]:
    """Rows with another piece in their inputs; none unless every row has it in its input and in its output."""
    form = _form(piece, rows) if all(piece in _text(row.output) for row in rows) else None
    if form is None:
        return ()
    changes = (_change(row, form, number) for number, row in enumerate(rows[:_MOST_ROWS]))
    return tuple(one for one in changes if piece.lower() not in _text(list(one.input)).lower())


def holds_piece(piece: str, rows: Sequence[Row]) -> Callable[[Sequence[Json]], bool]:
    """Whether an input holds a piece as those of all rows do; every input does where these do not."""
    form = _form(piece, rows)
    return lambda values: form is None or _holds(list(values), form.pattern)


def _form(piece: str, rows: Sequence[Row]) -> _Form | None:
    """How a piece stands in the input of every row, or None."""
    forms = (*_plain_forms(piece), *_joined_forms(piece))
    return next((one for one in forms if all(_holds(row.input, one.pattern) for row in rows)), None)


@dataclass(frozen=True)
class _Form:
    """How a piece stands in a text.

    Attributes:
        pattern: Where it stands.
        other: Another piece of the same kind; the number makes it another one for every other row.
        put: What stands there with the other piece.
    """

    pattern: re.Pattern[str]
    other: Callable[[int], str]
    put: Callable[[re.Match[str], str], str]


def _plain_forms(piece: str) -> Iterator[_Form]:
    """Two digits as the end of a year, and everything as whole words and numbers."""

    def put(match: re.Match[str], other: str) -> str:
        return match["before"] + _like(match[0], other)

    another = partial(_other, piece)
    if re.fullmatch(r"\d\d", piece):
        yield _Form(re.compile(rf"(?<!\d)(?P<before>19|20){piece}(?!\d)"), another, put)
    before, after = (r"\d" if piece[end].isdigit() else r"[^\W\d_]" for end in (0, -1))
    pattern = re.compile(rf"(?P<before>)(?<!{before}){re.escape(piece)}(?!{after})", re.IGNORECASE)
    yield _Form(pattern, another, put)


def _joined_forms(piece: str) -> Iterator[_Form]:
    """Year and month of a date in one number, or a run of its digits that has all of the month or of a year's last two.

    Of 2026-09-14, 14.09.2026 and 9/14/2026 such are 2609, 0926, 202609 and 092026, and 260 where every month has a 0.
    """
    if not re.fullmatch(r"\d{3,6}", piece):
        return
    for cut in range(1, len(piece)):
        for is_year_first in (True, False):
            year, month = (piece[:cut], piece[cut:]) if is_year_first else (piece[cut:], piece[:cut])
            years, months = _meant(year, month, is_year_first)
            if not (years and months):
                continue
            if len(month) == 2:
                put, other = "month", (year, "12" if month == "10" else "10")  # which have 31 days
            elif len({one % 100 for one in years}) == 1:
                put, other = "year", (f"{year[:-2]}{(years[0] + 1) % 100:02}", month)
            else:
                continue
            texts = "|".join(dict.fromkeys(text for one in years for text in (f"{one}", f"{one % 100:02}")))
            first, last = rf"(?P<year>{texts})", rf"(?P<month>{'|'.join(f'0?{one}' for one in months)})"
            joined = "".join(other if is_year_first else reversed(other))
            yield _dated(rf"(?<!\d){first}(?P<between>[-/. ]?){last}(?!\d)", joined, put, other)
            yield _dated(rf"(?<!\d){last}(?P<between>[-/. ](?:\d\d?[-/. ])?){first}(?!\d)", joined, put, other)


def _meant(year: str, month: str, is_year_first: bool) -> tuple[list[int], list[int]]:
    """The years and the months that stand in one number with these digits where the one ends and the other begins."""
    months = [f"{one:02}" for one in range(1, 13)]
    if is_year_first:
        return [one for one in _YEARS if f"{one}".endswith(year)], [int(one) for one in months if one.startswith(month)]
    years = [one for one in _YEARS if f"{one}".startswith(year) or f"{one % 100:02}".startswith(year)]
    return years, [int(one) for one in months if one.endswith(month)]


def _dated(pattern: str, joined: str, part: str, other: tuple[str, str]) -> _Form:
    """A date in whose place one with another month or year is put, which makes the piece this other one."""

    def put(match: re.Match[str], _: str) -> str:
        begin, end = match.start(part) - match.start(), match.end(part) - match.start()
        wanted = other[1] if part == "month" else match[part][:-2] + other[0][-2:]
        return match[0][:begin] + wanted + match[0][end:]

    return _Form(re.compile(pattern), lambda _: joined, put)


def _holds(value: Any, pattern: re.Pattern[str]) -> bool:
    if isinstance(value, list | tuple):
        return any(_holds(one, pattern) for one in value)
    is_scalar = isinstance(value, str | int) and not isinstance(value, bool)
    return is_scalar and pattern.search(str(value)) is not None


def _change(row: Row, form: _Form, number: int) -> ChangedRow:
    other = form.other(number)

    def replaced(value: Json) -> Json:
        if isinstance(value, list):
            return [replaced(one) for one in value]
        if isinstance(value, str):
            return form.pattern.sub(lambda match: form.put(match, other), value)
        if isinstance(value, int) and not isinstance(value, bool) and other.isdigit():
            return int(replaced(str(value)))
        return value

    return ChangedRow(input=tuple(map(replaced, row.input)), other=other, output=row.output)


def _other(piece: str, number: int) -> str:
    """Another piece of the same kind; where it can, of another length for every other row."""
    for known in (_CURRENCIES, _HOSTS):
        if piece in known or (known is _HOSTS and _HOST.match(piece)):
            return [one for one in known if one != piece][number % 2]
    if piece.isdigit():
        value = int(piece) + 1 + number % 2
        return str(value if len(str(value)) <= len(piece) else int(piece) - 1 - number % 2).zfill(len(piece))
    other = "".join(_next(sign, 1 + number % 2) for sign in piece)
    return other + other[-1] if number % 2 and len(piece) > 2 else other


def _next(sign: str, by: int) -> str:
    for first, count in (("a", 26), ("A", 26), ("0", 10)):
        if ord(first) <= ord(sign) < ord(first) + count:
            return chr(ord(first) + (ord(sign) - ord(first) + by) % count)
    return sign


def _like(given: str, other: str) -> str:
    """The other piece in the case of what stood there."""
    if given.isupper():
        return other.upper()
    return other.lower() if given.islower() else other


def _text(value: Json) -> str:
    return value if isinstance(value, str) else canonical_json(value)


def frozen_piece(
    source: str, rows: Sequence[Row], run: Callable[[Sequence[Sequence[Json]]], Sequence[Outcome]]
) -> FrozenPiece | None:
    """The first piece of a program's literals that it writes where its input holds another; None where there is none.

    Args:
        rows: On which it is right.
        run: Runs the program on inputs.
    """
    known = {one.piece: one for literal in _literals_in(source) for one in copied_literals(literal, rows)}
    for one in known.values():
        outcomes = run([changed.input for changed in one.changed])
        if one.is_frozen(outcomes):
            changed, given = next((row, got.value) for row, got in zip(one.changed, outcomes, strict=False) if got.ok)
            return FrozenPiece(piece=one.piece, input=changed.input, other=changed.other, given=given)
    return None
