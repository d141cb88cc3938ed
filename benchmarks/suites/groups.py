"""When two hidden programs are the same problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evolve.core.episodes import Json
from evolve.core.files import canonical_json, digest

_PROBE_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def group_of(fn: Callable[..., Json], probes: Sequence[Sequence[Json]]) -> str:
    """Identity of a hidden program: a hash of its outputs on probe inputs.

    Programs that agree on every probe share the group, so they never straddle a split.

    Args:
        fn: The reference function; one that raises on a probe is identified by raising there.
        probes: Argument lists, the same for every program of one input type (about 200).
    """
    outputs: list[Json] = []
    for probe in probes:
        try:
            outputs.append([_rounded(fn(*probe))])
        except _PROBE_ERRORS:
            outputs.append("raised")
    return digest(canonical_json([[list(probe) for probe in probes], outputs]))


def _rounded(value: Json) -> Json:
    """Floats to nine significant digits, whole floats as ints: rounding noise is no other program."""
    if isinstance(value, float):
        short = float(f"{value:.9g}")
        return int(short) if short.is_integer() else short
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return value
