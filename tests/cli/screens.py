"""Screens as files: what a command prints is compared with a text that somebody read, in ``tests/cli/snapshots``.

``SNAPSHOTS=write`` writes the files anew; read their difference before you commit it. A screen is compared
without what differs from run to run: times, dates, paths, ids and how much a search took. What was learned has tests of
its own, so a screen ends before it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"

_VARIES = (
    (r"\d+\.\d+ s\b", "TIME"),
    (r"\b\d{4}-\d\d-\d\d\b", "DATE"),
    (r"127\.0\.0\.1:\d+", "HOST"),
    (r"\b[\d,]+ candidates?\b", "N candidates"),
    (r"\b[\d,]+ tokens in\b", "N tokens in"),
    (r"\b[\d,]+ out\b", "N out"),
    (r"\b[0-9a-f]{8,64}\b", "ID"),
    (r"(?<=[a-z]-)[0-9a-f]{4}\b", "ID"),
)
_LEARNED = re.compile(r"^(?:learning|learned|insight|skill|preference): .*\n?", re.MULTILINE)


def check_screen(
    name: str, *shown: object, folder: Path | None = None, progress: bool = False, exact: bool = False
) -> None:
    """Compares what commands showed with the snapshot of that name.

    Args:
        shown: What the ``cli`` fixture gave, or texts.
        folder: Whose path is left out.
        progress: Compare stderr, too.
        exact: Leave amounts as they are.
    """
    text = "\n".join(_part(one, progress=progress) for one in shown)
    for path in filter(None, (str(folder) if folder else "", os.environ.get("HOME", ""))):
        text = text.replace(path, "FOLDER")
    for pattern, stands in () if exact else _VARIES:
        text = re.sub(pattern, stands, text)
    file = FOLDER / f"{name}.txt"
    if os.environ.get("SNAPSHOTS") == "write":
        file.write_text(text)
    assert text == file.read_text(), f"{name}: SNAPSHOTS=write writes it anew"


def _part(one: object, *, progress: bool) -> str:
    if isinstance(one, str):
        return one.rstrip() + "\n"
    told = one.err if progress else ""
    out = _LEARNED.sub("", one.out.partition("\nlearning: ")[0]).rstrip()
    return (
        f"$ evolve {one.line}\n"
        + "".join(f"{part.rstrip()}\n" for part in (told, out) if part.strip())
        + (f"[exit code {one.code}]\n")
    )
