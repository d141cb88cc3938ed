"""Tells which built-in constants can matter for given examples, so that a search leaves out the others.

A separator that occurs nowhere and a pattern that matches nothing only multiply a search;
leaving them out is free, because on the examples every use of them is undefined or equals a
shorter program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evolve.policies.search.programs.terms import Constant

ALWAYS = frozenset({" ", ",", "-", ".", "/", "0"})
"""Separators and fill characters that intermediate texts, such as ISO dates, may hold anyway."""


LONGEST_FOR_PATTERNS = 4_000
"""Characters of a text. Searching for some patterns takes time that grows with the square of a text's length, inside
one call that nothing can interrupt; so no pattern is tried where a text is longer."""


def too_long_for_patterns(texts: Sequence[str]) -> bool:
    """Whether patterns are left out because of these texts."""
    return any(len(text) > LONGEST_FOR_PATTERNS for text in texts)


def may_matter(constant: Constant, inputs: Sequence[str], outputs: Sequence[str]) -> bool:
    """Whether a built-in constant can change anything.

    Args:
        constant: One of ``literals()``.
        inputs: Every text inside the examples' inputs.
        outputs: Every text inside the examples' outputs.
    """
    kind, value = constant.type.name, constant.value
    if kind == "delimiter":
        return value in ALWAYS or any(value in text for text in (*inputs, *outputs))
    if kind == "pattern":
        return not too_long_for_patterns(inputs) and any(re.search(value, text) for text in inputs)
    if kind == "fill":
        return value in ALWAYS or any(value in text for text in outputs)
    return True


SHOWN_BY = {",": r"\d,\d", "_": r"\d_\d", "+": r"\+\d"}
"""What a text holds that was written with a sign of a number format."""


def is_shown(constant: Constant, outputs: Sequence[str]) -> bool:
    """Whether some output holds what a number format writes beside the digits; true of all other constants.

    Numbers below a thousand look alike with and without separators, and only a row where they
    differ can say which one is meant.
    """
    if constant.type.name not in {"integer_format", "float_format"}:
        return True
    signs = [shown for sign, shown in SHOWN_BY.items() if sign in str(constant.value)]
    if re.match(r"0\d", str(constant.value)):
        signs.append(r"(?<!\d)0\d")
    return all(any(re.search(sign, text) for text in outputs) for sign in signs)
