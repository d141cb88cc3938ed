"""What came out of a sandbox, judged from outside: its class, its size, its text."""

from __future__ import annotations

import contextlib
import json
import os
import unicodedata
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from benchmarks.hostile_actions import Action
from benchmarks.hostile_oracles import Oracles

OVERRUN_S = 1.0
"""How much longer than its wall limit an action may take, its whole process tree included."""

BASE: Mapping[str, Any] = MappingProxyType(
    {"wall_s": 5.0, "memory_mb": 256, "file_mb": 8, "output_kb": 64, "result_kb": 64}
)
"""The limits of every action, unless it names others."""

_SHOWN = frozenset("\n\t")
_LONGEST_ERROR = 10_000


def limits_of(action: Action) -> dict[str, Any]:
    """The limits an action runs with."""
    return {**BASE, **action.limits}


@contextlib.contextmanager
def outside(oracles: Oracles) -> Iterator[tuple[int, ...]]:
    """Descriptors that lie open in whoever starts the code: a secret file and the home folder."""
    opened = [os.open(path, os.O_RDONLY) for path in (oracles.home / ".ssh" / "id_rsa", oracles.home)]
    try:
        for descriptor in opened:
            os.set_inheritable(descriptor, True)
        yield tuple(opened)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def hidden(text: str) -> bool:
    """Whether a text has what a terminal would act on, or what cannot be written: controls, marks, half characters."""
    if text.isascii() and text.isprintable():
        return False
    return any(c not in _SHOWN and unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in text)


def outcome_class(result: Any) -> str:
    """``ok``, ``error``, ``limit:KIND`` or ``fault``."""
    return f"limit:{result.limit}" if result.state == "limit" else str(result.state)


def words(result: Any) -> str:
    """Everything that came out, in one text to look for secrets in."""
    files = "".join(file.name + file.data.decode("latin-1") for file in result.files)
    return "".join([repr(result.value), result.error, result.stdout, result.stderr, repr(result.denied), files])


def breaches(result: Any, limits: Mapping[str, Any]) -> list[str]:
    """Oracles that the result itself makes fire: ``output``, ``result``, ``border``, ``artifact``."""
    found = []
    # an escape of one byte takes up to four characters
    if max(len(result.stdout), len(result.stderr)) > 4 * limits["output_kb"] * 1024 + 1000:
        found.append("output")
    try:
        size = len(json.dumps(result.value, allow_nan=False, ensure_ascii=False).encode("utf-8"))
    except (ValueError, TypeError, RecursionError):
        found.append("border")  # no JSON, or text that cannot be written
        size = 0
    if size > limits["result_kb"] * 1024 + 1000 or len(result.error) > _LONGEST_ERROR:
        found.append("result")
    denied = [str(denial) for denial in result.denied]
    if "border" not in found and any(map(hidden, [result.error, result.stdout, result.stderr, *denied])):
        found.append("border")
    total = sum(len(file.data) for file in result.files)
    if total > limits["file_mb"] << 20 or not all(_plain(file.name) for file in result.files):
        found.append("artifact")
    return found


def _plain(name: str) -> bool:
    """Whether a name stays below the folder it is joined to, and can be written."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    parts = name.split("/")
    return "\0" not in name and all(part not in ("", ".", "..") for part in parts)
