"""Shows the changes of a folder as a unified diff."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import islice, takewhile

from evolve.core.files import digest
from evolve.core.text_files import TextFile, normalize_line_ends, read_text_file
from evolve.environments.files.snapshots import Changes

_LARGEST_SHOWN = 200_000
"""Characters of lines that differ, of either side, from which on a diff only names the file."""

_CONTEXT = 3
_MOST_LISTED = 10
_PLAIN = "utf-8 with plain line ends"
_HUNK = re.compile(r"@@ -(\d+)(.*?) \+(\d+)")


def folder_diff(original: Mapping[str, bytes], changes: Changes, names: Collection[str] | None = None) -> str:
    """A unified diff in the order of names.

    Text is decoded; behind a file's name stands what is not plain about its form. A change of the form alone is told in
    a sentence. Binary files and very large changes are told by size and digest.

    Args:
        names: Only these; by default every changed file.
    """
    return "".join(
        line
        for name in changes.changed_names
        if names is None or name in names
        for line in _file_diff(original, changes, name)
    )


def _file_diff(original: Mapping[str, bytes], changes: Changes, name: str) -> Iterator[str]:
    data = original.get(name), changes.written.get(name)
    before = read_text_file(data[0] or b"")
    after = read_text_file(data[1] or b"", before.encoding if before is not None and not before.bom else "")
    yield _label("---", f"a/{name}" if data[0] is not None else "/dev/null", before)
    yield _label("+++", f"b/{name}" if data[1] is not None else "/dev/null", after)
    if before is None or after is None:
        yield f"not shown: binary, {_size(data[0])} before, {_size(data[1])} after\n"
        return
    old, new = before.lines, after.lines
    moved = _with_other_ends(old, new) if None not in data else []
    if moved:
        listed = ", ".join(map(str, moved[:_MOST_LISTED]))
        more = f" and {len(moved) - _MOST_LISTED} more" if len(moved) > _MOST_LISTED else ""
        yield f"the same text with another line end: line{'s'[: len(moved) > 1]} {listed}{more}\n"
    plain = tuple(map(normalize_line_ends, old)), tuple(map(normalize_line_ends, new))
    if None not in data and plain[0] == plain[1]:
        yield f"the text stays the same: {before.form_text or _PLAIN} before, {after.form_text or _PLAIN} after\n"
        return
    if moved and before.has_one_end and after.has_one_end:
        old, new = plain  # every line changes its end, which would hide what changes in the text
    hunks = _hunks(old, new)
    yield from [f"not shown: large, {_size(data[0])} before, {_size(data[1])} after\n"] if hunks is None else hunks


def _label(sign: str, name: str, file: TextFile | None) -> str:
    # What stands behind a tab is no part of the name for programs that apply differences.
    return f"{sign} {name}\t{file.form_text}\n" if file is not None and file.form_text else f"{sign} {name}\n"


def _hunks(old: Sequence[str], new: Sequence[str]) -> list[str] | None:
    """What differs, with its surroundings; None where it is too much."""
    head = _alike(old, new)
    tail = _alike(old[: head - len(old) - 1 : -1], new[: head - len(new) - 1 : -1])
    head, tail = max(0, head - _CONTEXT), max(0, tail - _CONTEXT)
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if sum(map(len, old)) > _LARGEST_SHOWN or sum(map(len, new)) > _LARGEST_SHOWN:
        return None
    return [_shown(line, head) for line in islice(unified_diff(old, new, n=_CONTEXT), 2, None)]


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _shown(line: str, moved: int) -> str:
    if line.startswith("@@"):
        return _HUNK.sub(lambda found: f"@@ -{int(found[1]) + moved}{found[2]} +{int(found[3]) + moved}", line)
    text = line.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if line.endswith("\r"):
        return f"{text[:-1]}\n"
    return text if line.endswith("\n") else f"{text}\n\\ No newline at end of file\n"


def _with_other_ends(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """Numbers of old lines of which the new ones have the text, but with another end."""
    if len(old) == len(new) and all(
        normalize_line_ends(a) == normalize_line_ends(b) for a, b in zip(old, new, strict=True)
    ):
        return [number for number, (a, b) in enumerate(zip(old, new, strict=True), 1) if a != b]
    lost, gained = Counter(old) - Counter(new), Counter(new) - Counter(old)
    texts = {normalize_line_ends(line) for line in gained} if lost else ()
    return [number for number, line in enumerate(old, 1) if line in lost and normalize_line_ends(line) in texts]


def _size(data: bytes | None) -> str:
    return "no file" if data is None else f"{len(data):,} bytes (SHA-256 {digest(data)})"
