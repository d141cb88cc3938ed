"""What all given cells of a column have in common as they are written, and a cell that has it not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evolve.episodes import Json
from evolve.reasons import Reason, reason

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
    def of(cls, outputs: Iterable[Json]) -> GivenCells:
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

    def unlike(self, value: Json, inputs: Sequence[Json]) -> Reason | None:
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
