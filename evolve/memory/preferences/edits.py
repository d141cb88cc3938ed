"""Describes a person's edit in plain words."""

from __future__ import annotations

import difflib
import re

from evolve.memory.preferences.own_words import Screen, harmless_quote

_LONGEST_PIECE = 48
_MOST_PIECES = 3


def edit_in_words(before: str, after: str, screen: Screen) -> str:
    """What an edit changed, in one sentence; "" where nothing changed.

    Short pieces are named. Longer ones, and such as could be read as orders, are only counted.
    """
    if " ".join(before.split()) == " ".join(after.split()):
        return "" if before == after else "Such an answer was edited: only spaces and line breaks changed."
    # The words would be the same on both sides, so the case is what to tell.
    if before.casefold() == after.casefold():
        case = "upper" if after.isupper() else "lower" if after.islower() else "other"
        return f"Such an answer was edited: letters in {case} case."
    pieces = _pieces(before, after, screen)
    if pieces:
        return "Such an answer was edited: " + ", ".join(pieces) + "."
    fewer, more = len(before.split()), len(after.split())
    size = f"; {fewer} words became {more}" if more != fewer else ""
    changed = sum(line[:1] in "+-" for line in edit_lines(before, after))
    return f"Such an answer was edited: {changed} lines differ{size}."


def edit_lines(before: str, after: str) -> list[str]:
    """The lines of a unified difference, without its header."""
    return list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1))[2:]


def _pieces(before: str, after: str, screen: Screen) -> list[str]:
    """What was added, removed or replaced; [] where that is too long, too much, or could be read as an order."""
    old, new = re.findall(r"\S+", before), re.findall(r"\S+", after)
    # Autojunk would pass over words that are frequent in longer texts.
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes: list[str] = []
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            continue
        removed, added = " ".join(old[a:b]), " ".join(new[c:d])
        short = all(
            len(piece) <= _LONGEST_PIECE and '"' not in piece and harmless_quote(piece, screen)
            for piece in (removed, added)
            if piece
        )
        # One harmful piece silences all: what is left would tell half of the edit.
        if not short:
            return []
        place = f'"{added}" in place of "{removed}"'
        changes.append(place if removed and added else f'"{added}" added' if added else f'without "{removed}"')
    return list(dict.fromkeys(changes)) if len(set(changes)) <= _MOST_PIECES else []
