"""Whether an input is like those of known rows: as many words and marks, digits and letters of the same kinds.

Beside that, where a number decides which of a few outputs a row has and between which known numbers that is left open,
and what all given cells of a column have in common as they are written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from evolve.core.episodes import Json, Row
from evolve.core.files import canonical_json
from evolve.core.reasons import Reason, reason

_ENOUGH = 5
"""Different cells; fewer are alike by chance, as the few words of categories are."""
_FEW, _LONG = 3, 6
"""Different cells of so many signs whose shape alone counts: a long one is hardly the same by chance."""
_AROUND = ".,;:!?()[]{}\"'"


@dataclass(frozen=True, kw_only=True)
class GivenCells:
    """What given texts are like; of few different ones little is said.

    Attributes:
        example: One of them, or "".
        signs: All signs that are no letters, digits or blanks.
        length: Of each of them, or None where it differs.
        shape: Of each of them, with ``9`` for a digit and ``A`` or ``a`` for a letter; None where it differs.
    """

    example: str = ""
    signs: frozenset[str] = frozenset()
    length: int | None = None
    shape: str | None = None

    @classmethod
    def from_outputs(cls, outputs: Iterable[Json]) -> GivenCells:
        """What some outputs are like; numbers say nothing, since they may have any digits."""
        every = list(outputs)
        texts = list(dict.fromkeys(one for one in every if isinstance(one, str)))
        if len(texts) < _FEW or not all(isinstance(one, str) for one in every):
            return cls()
        lengths, shapes = set(map(len, texts)), set(map(_shape, texts))
        if len(texts) < _ENOUGH and (len(shapes) > 1 or min(lengths) < _LONG):
            return cls()
        return cls(
            example=texts[0],
            signs=frozenset().union(*map(_signs, texts)),
            length=lengths.pop() if len(lengths) == 1 else None,
            shape=shapes.pop() if len(shapes) == 1 else None,
        )

    def difference_reason(self, value: Json, inputs: Sequence[Json]) -> Reason | None:
        """What a value has that none of them has, or None; a word that an input holds may have any signs."""
        if not self.example or not isinstance(value, str):
            return None
        if self.shape is not None and _shape(value) != self.shape:
            return reason("other_shape", example=self.example)
        if self.length is not None and len(value) != self.length:
            return reason("other_length", example=self.example)
        known = [one.casefold() for one in inputs if isinstance(one, str)]
        for word in value.split():
            sign = next((one for one in word if one in _signs(word) - self.signs), "")
            if sign and not any(word.casefold().strip(_AROUND) in one for one in known):
                return reason("new_sign", sign=sign)
        return None


def _signs(text: str) -> frozenset[str]:
    return frozenset(sign for sign in text if not sign.isalnum() and not sign.isspace())


def _shape(text: str) -> str:
    return "".join(map(_kind, text))


def _kind(sign: str) -> str:
    if sign.isdigit():
        return "9"
    return ("A" if sign.isupper() else "a") if sign.isalpha() else sign


_ROWS = 2
"""Known rows on each step; one alone may be what is odd."""


@dataclass(frozen=True, kw_only=True)
class StepGaps:
    """Gaps between steps.

    Attributes:
        gaps: Per argument, the numbers of known rows between which the output changes, in rising order; none where the
            argument is no number, or its order does not part the outputs.
    """

    gaps: tuple[tuple[tuple[float, float], ...], ...] = ()

    @classmethod
    def from_rows(cls, inputs: Iterable[Sequence[Json]], outputs: Iterable[Json]) -> StepGaps:
        """The steps of some rows: their inputs, of equal length each, and their outputs."""
        values = list(outputs)
        columns = list(zip(*inputs, strict=True)) if values else []
        return cls(gaps=tuple(_gaps(column, values) for column in columns))

    def step_reason(self, values: Sequence[Json], used: Iterable[int] | None = None) -> Reason | None:
        """Why the output for some values is open: one is between two steps. None where none is.

        Args:
            used: The arguments that matter, by number; by default all.
        """
        for place in range(len(self.gaps)) if used is None else sorted(used):
            number, gaps = values[place], self.gaps[place] if place < len(self.gaps) else ()
            if isinstance(number, int | float) and not isinstance(number, bool):
                found = next(((low, high) for low, high in gaps if low < number < high), None)
                if found is not None:
                    return reason("between_steps", low=found[0], high=found[1])
        return None


def _gaps(column: Sequence[Json], outputs: Sequence[Json]) -> tuple[tuple[float, float], ...]:
    numbers = [one for one in column if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) < len(column):
        return ()
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    steps = [list(rows) for _, rows in groupby(order, key=lambda row: repr(outputs[row]))]
    kinds = len({repr(one) for one in outputs})
    # as many runs as outputs: the number alone parts them
    if len(steps) < 2 or len(steps) > kinds or min(map(len, steps)) < _ROWS:
        return ()
    pairs = ((numbers[before[-1]], numbers[after[0]]) for before, after in pairwise(steps))
    return tuple((low, high) for low, high in pairs if low < high)


def row_outline(row: Row) -> str:
    """A rough outline of a row: runs of letters, digits and blanks, sizes of lists, signs of numbers."""
    text = canonical_json([_outline(value) for value in (*row.input, row.output)])
    return re.sub(r"(.)\1+", r"\1", text)


def _outline(value: Json) -> Json:
    if isinstance(value, str):
        outline = re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", re.sub(r"\s+", " ", value)))
        return outline[:40]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return "-" if value < 0 else "0" if value == 0 else "+"
    if isinstance(value, list):
        return [min(len(value), 3)]
    return {key: _outline(item) for key, item in value.items()}


_BETWEEN = ",;:/|="
"""Signs that stand between parts of a text, and so may say in which order these are."""
_Blanks = tuple[int, int, bool]
_ZEROS = "leading zeros"
_LEADING = re.compile(r"(?<![\d.,])0\d")


@dataclass(frozen=True, kw_only=True)
class InputProfile:
    """What the known values of each argument are like.

    Attributes:
        bounds: Per argument and trait, the least and the most that a known value has of it.
        blanks: Per argument, where known values have blanks besides single ones between words.
        given: What the outputs are like.
        steps: Where a number decides between few outputs.
    """

    bounds: tuple[dict[str, tuple[int, int]], ...]
    blanks: tuple[frozenset[_Blanks], ...] = ()
    given: GivenCells = field(default_factory=GivenCells)
    steps: StepGaps = field(default_factory=StepGaps)

    @classmethod
    def from_rows(cls, inputs: Iterable[Sequence[Json]], outputs: Iterable[Json] = ()) -> InputProfile:
        """The likeness of some rows: their inputs, of equal length each, and their outputs."""
        rows, cells = list(inputs), list(outputs)
        columns = list(zip(*rows, strict=True))
        blanks = (frozenset(_blanks(value) for value in column if isinstance(value, str)) for column in columns)
        steps = StepGaps.from_rows(rows, cells) if cells else StepGaps()
        return cls(
            bounds=tuple(map(_bounds, columns)), blanks=tuple(blanks), given=GivenCells.from_outputs(cells), steps=steps
        )

    def novelty_reason(self, values: Sequence[Json], used: Iterable[int] | None = None) -> Reason | None:
        """What no known row has, or None.

        Args:
            used: The arguments that matter, by number; by default all.
        """
        places = range(len(self.bounds)) if used is None else sorted(used)
        return next((found for place in places if (found := _beyond(self.bounds[place], values[place]))), None)

    def exchangeable_part(
        self, values: Sequence[Json], used: Iterable[int] | None = None
    ) -> tuple[Reason, list[Json]] | None:
        """The first thing that says that the parts of a text may stand elsewhere than in known rows, and the values
        with a text as it would be there; None where nothing does.

        It is a sign between parts that no known row has in that argument, such as in ``Knuth, Donald``, which is
        ``Donald Knuth`` then; or blanks where no known row has any, or none where they have some.
        """
        for place in range(len(self.bounds)) if used is None else sorted(used):
            text, known = values[place], self.bounds[place]
            if not known or not isinstance(text, str):
                continue
            sign = next((one for one in text if one in _BETWEEN and repr(one) not in known), "")
            if sign:
                left, _, right = text.partition(sign)
                other = f"{right.strip()} {left.strip()}"
                return reason("unknown_trait", trait=repr(sign)), [*values[:place], other, *values[place + 1 :]]
            if text.strip() and _blanks(text) not in self.blanks[place]:
                before, after, _ = min(self.blanks[place])
                other = " " * before + " ".join(text.split()) + " " * after
                return reason("other_blanks"), [*values[:place], other, *values[place + 1 :]]
        return None


def _blanks(text: str) -> _Blanks:
    """Blanks before the first word, behind the last one, and whether there are several between two words."""
    inner = text.strip()
    before = len(text) - len(text.lstrip())
    return before, len(text) - before - len(inner), inner != " ".join(inner.split())


def _bounds(column: Sequence[Json]) -> dict[str, tuple[int, int]]:
    traits = [_traits(value) for value in column if isinstance(value, str)]
    names = {name for one in traits for name in one}
    return {name: (min(one[name] for one in traits), max(one[name] for one in traits)) for name in names}


def _beyond(bounds: dict[str, tuple[int, int]], value: Json) -> Reason | None:
    if not bounds or not isinstance(value, str):
        return None
    own = _traits(value)
    for name in sorted({*bounds, *own}):
        least, most = bounds.get(name, (0, 0))
        if own[name] > most:
            return reason("more_than_known" if most else "unknown_trait", trait=name)
        if own[name] < least and name != _ZEROS:  # a number without them is written as any other
            return reason("fewer_than_known" if own[name] else "trait_missing", trait=name)
    return None


def _traits(text: str) -> Counter[str]:
    """How many words and marks of each kind a text has, and whether it has digits, letters with accents, and cases."""
    traits = Counter({"words": len(text.split())})
    if _LEADING.search(text):  # as a number it would lose them
        traits[_ZEROS] = 1
    for character in text:
        if character.isdigit():
            traits["digits"] = 1
        elif character.isalpha():
            traits["capitals" if character.isupper() else "small letters"] = 1
            if not character.isascii():
                traits["letters with accents"] = 1
        elif not character.isspace():
            traits[repr(character)] += 1
    return traits
