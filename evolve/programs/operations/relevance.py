"""Which built-in constants can matter for given examples.

A separator that occurs nowhere and a pattern that matches nothing only multiply a search;
leaving them out is free, because on the examples every use of them is undefined or equals a
shorter program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evolve.programs.terms import Constant

ALWAYS = frozenset({" ", ",", "-", ".", "/", "0"})
"""Separators and fill characters that intermediate texts, such as ISO dates, may hold anyway."""


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
        return any(re.search(value, text) for text in inputs)
    if kind == "fill":
        return value in ALWAYS or any(value in text for text in outputs)
    return True
