"""Whether an input is like those of known rows: as many words and marks, digits and letters of the same kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evolve.episodes import Json


@dataclass(frozen=True, kw_only=True)
class Likeness:
    """What the known values of each argument are like.

    Attributes:
        bounds: Per argument and trait, the least and the most that a known value has of it.
    """

    bounds: tuple[dict[str, tuple[int, int]], ...]

    @classmethod
    def of(cls, inputs: Iterable[Sequence[Json]]) -> Likeness:
        """The likeness of some rows' inputs, of equal length each."""
        return cls(bounds=tuple(_bounds(column) for column in zip(*inputs, strict=True)))

    def novelty(self, values: Sequence[Json], used: Iterable[int] | None = None) -> str:
        """What no known row has, in a few words, or "".

        Args:
            used: The arguments that matter, by number; by default all.
        """
        places = range(len(self.bounds)) if used is None else sorted(used)
        return next((told for place in places if (told := _beyond(self.bounds[place], values[place]))), "")


def _bounds(column: Sequence[Json]) -> dict[str, tuple[int, int]]:
    traits = [_traits(value) for value in column if isinstance(value, str)]
    names = {name for one in traits for name in one}
    return {name: (min(one[name] for one in traits), max(one[name] for one in traits)) for name in names}


def _beyond(bounds: dict[str, tuple[int, int]], value: Json) -> str:
    if not bounds or not isinstance(value, str):
        return ""
    own = _traits(value)
    for name in sorted({*bounds, *own}):
        least, most = bounds.get(name, (0, 0))
        if own[name] > most:
            return f"more {name}" if most else name
        if own[name] < least:
            return f"fewer {name}" if own[name] else f"no {name}"
    return ""


def _traits(text: str) -> Counter[str]:
    """How many words and marks of each kind a text has, and whether it has digits, letters with accents, and cases."""
    traits = Counter({"words": len(text.split())})
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
