"""An edit in plain words."""

from __future__ import annotations

import difflib
import re

from evolve.memory.preferences.own_words import Screen, harmless_quote

_PIECE = 48
_MOST = 3


def edit_in_words(before: str, after: str, screen: Screen) -> str:
    """What an edit changed, in one sentence; "" where nothing changed.

    Short pieces are named. Longer ones, and such as could be read as orders, are only counted.
    """
    if " ".join(before.split()) == " ".join(after.split()):
        return "" if before == after else "Such an answer was edited: only spaces and line breaks changed."
    if before.casefold() == after.casefold():
        case = "upper" if after.isupper() else "lower" if after.islower() else "other"
        return f"Such an answer was edited: letters in {case} case."
    told = _pieces(before, after, screen)
    if told:
        return "Such an answer was edited: " + ", ".join(told) + "."
    fewer, more = len(before.split()), len(after.split())
    size = f"; {fewer} words became {more}" if more != fewer else ""
    changed = sum(line[:1] in "+-" for line in edit_lines(before, after))
    return f"Such an answer was edited: {changed} lines differ{size}."


def edit_lines(before: str, after: str) -> list[str]:
    """The lines of a unified difference, without its header."""
    return list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1))[2:]


def _pieces(before: str, after: str, screen: Screen) -> list[str]:
    old, new = re.findall(r"\S+", before), re.findall(r"\S+", after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    told: list[str] = []
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            continue
        gone, come = " ".join(old[a:b]), " ".join(new[c:d])
        short = all(
            len(one) <= _PIECE and '"' not in one and harmless_quote(one, screen) for one in (gone, come) if one
        )
        if not short:
            return []
        place = f'"{come}" in place of "{gone}"'
        told.append(place if gone and come else f'"{come}" added' if come else f'without "{gone}"')
    return list(dict.fromkeys(told)) if len(set(told)) <= _MOST else []
