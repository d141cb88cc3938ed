"""Writes a skill's tests from examples, as a person would: one plain assert each."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.episodes import Json, Row

_CLOSE = '''

def close(a, b):
    """Equal, with numbers compared within a relative 1e-9."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9)
    return a == b
'''


def render_tests(entry: str, rows: Sequence[Row]) -> str:
    """Source of a test file that imports ``entry`` from ``skill`` and checks every row."""
    floats = any(_has_float(row.output) for row in rows)
    parts = ["import math\n\n" if floats else "", f"from skill import {entry}\n", _CLOSE if floats else ""]
    for number, row in enumerate(rows, 1):
        call = f"{entry}({', '.join(map(repr, row.input))})"
        parts.append(f"\n\ndef test_example_{number}():\n    assert {_check(call, row.output)}\n")
    return "".join(parts)


def _check(call: str, expected: Json) -> str:
    # By identity, because 1 == True.
    if expected is None or isinstance(expected, bool):
        return f"{call} is {expected!r}"
    return f"close({call}, {expected!r})" if _has_float(expected) else f"{call} == {expected!r}"


def _has_float(value: Json) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_has_float, value))
    if isinstance(value, dict):
        return any(map(_has_float, value.values()))
    return isinstance(value, float)
