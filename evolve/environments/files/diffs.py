"""Shows the changes of a folder as a unified diff."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import unified_diff

from evolve.environments.files.snapshots import Changes

_LARGEST_SHOWN = 200_000
"""Bytes of a file from which on a diff only names it."""


def unified(original: Mapping[str, bytes], changes: Changes, names: Collection[str] | None = None) -> str:
    """A unified diff in the order of names. Binary and very large files are named, not shown.

    Args:
        names: Only these; by default every changed file.
    """
    return "".join(
        line for name in changes.names if names is None or name in names for line in _file_diff(original, changes, name)
    )


def _file_diff(original: Mapping[str, bytes], changes: Changes, name: str) -> Iterator[str]:
    before, after = original.get(name), changes.written.get(name)
    old = "/dev/null" if before is None else f"a/{name}"
    new = "/dev/null" if after is None else f"b/{name}"
    texts = [_lines(data or b"") for data in (before, after)]
    if texts[0] is None or texts[1] is None:
        yield f"--- {old}\n+++ {new}\nnot shown: binary or large, {len(before or b'')} bytes before, "
        yield f"{len(after or b'')} after\n"
        return
    if not texts[0] and not texts[1]:
        yield f"--- {old}\n+++ {new}\n"
    for line in unified_diff(texts[0], texts[1], old, new):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes) -> list[str] | None:
    if len(data) > _LARGEST_SHOWN or b"\0" in data:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines = text.split("\n")  # splitlines() would also break at characters that are no line ends
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
