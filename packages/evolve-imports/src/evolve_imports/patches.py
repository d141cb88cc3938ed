"""Applies a unified diff to texts, strictly: every line has to be where the diff says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from evolve.runtime.sandbox.actions import is_plain_name
from evolve.tasks.reading.limits import FilePosition

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def patched(diff: str, read: Callable[[str], str | None], place: FilePosition) -> dict[str, str]:
    """New texts by name; files that the diff deletes or only renames are left out.

    Args:
        read: Gives the text of a file before, None where there is none.

    Raises:
        TaskError: The diff does not fit, or names what is no plain relative file.
    """
    texts: dict[str, str] = {}
    for old, new, hunks in _files(diff):
        if new is None:
            continue
        if not is_plain_name(new):
            raise place.error(f"{new[:60]!r} is not a plain relative file name")
        before = "" if old is None else read(old)
        if before is None:
            raise place.error(f"{old} is not in the folder")
        texts[new] = _changed(before, hunks, place, new)
    return texts


def _files(diff: str) -> Iterator[tuple[str | None, str | None, list[str]]]:
    """Per file its name before, its name after, and the lines of its hunks."""
    lines = diff.split("\n")
    starts = list(_headers(lines))
    for position, start in enumerate(starts):
        end = starts[position + 1] if position + 1 < len(starts) else len(lines)
        yield _name(lines[start][4:], "a/"), _name(lines[start + 1][4:], "b/"), lines[start + 2 : end]


def _headers(lines: list[str]) -> Iterator[int]:
    """Where a file's part begins. Inside a hunk, lines that look like that are content."""
    old_left = new_left = 0
    for number, line in enumerate(lines):
        if old_left > 0 or new_left > 0:
            old_left -= line[:1] in ("", " ", "-")
            new_left -= line[:1] in ("", " ", "+")
        elif head := _HUNK.match(line):
            old_left, new_left = int(head[2] or 1), int(head[4] or 1)
        elif line.startswith("--- ") and lines[number + 1 : number + 2] and lines[number + 1].startswith("+++ "):
            yield number


def _name(text: str, prefix: str) -> str | None:
    name = text.split("\t")[0].strip()
    return None if name == "/dev/null" else name.removeprefix(prefix)


def _changed(before: str, lines: list[str], place: FilePosition, name: str) -> str:
    source = before.split("\n")
    made: list[str] = []
    taken, number = 0, 0
    while number < len(lines):
        head = _HUNK.match(lines[number])
        number += 1
        if head is None:
            continue
        old_left = int(head[2] or 1)
        new_left = int(head[4] or 1)
        start = int(head[1]) - (1 if old_left else 0)
        if start < taken:
            raise place.error(f"the diff of {name} does not fit: its parts are out of order")
        made += source[taken:start]
        taken = start
        while old_left > 0 or new_left > 0:
            line = lines[number] if number < len(lines) else None
            number += 1
            if line is None:
                raise place.error(f"the diff of {name} ends in the middle")
            if line.startswith("\\"):
                continue
            if line[:1] in ("", " ", "-"):
                if taken >= len(source) or source[taken] != line[1:]:
                    raise place.error(f"the diff of {name} does not fit in line {taken + 1}")
                taken, old_left = taken + 1, old_left - 1
            if line[:1] in ("", " ", "+"):
                made.append(line[1:])
                new_left -= 1
    return "\n".join([*made, *source[taken:]])
