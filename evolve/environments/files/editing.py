"""Changes one file of a tree as an ``edit`` or ``file`` block says, or refuses with what would have to be otherwise."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from itertools import islice

from evolve.environments.files.syntax import parsed
from evolve.episodes.blocks import Block, Replacement, replacements
from evolve.sandbox.actions import is_plain_name
from evolve.tasks.trees import is_ignored

_AROUND = 2
"""Lines shown before and after the place that a text was looked for at."""

_MOST_LINES = 30
_MOST_PLACES = 10
_MOST_COMPARED, _COMPARED = 2_000, 200
"""Lines that a text to be found is compared with, and characters of each."""

_FORM = (
    "an edit holds pairs of this form; none could be read\n"
    "<<<<<<< SEARCH\nwhole lines as they stand in the file\n=======\nnew lines\n>>>>>>> REPLACE\n"
    "where a line of the file itself is like one of these marks, write the marks with nine signs each"
)


@dataclass(frozen=True, kw_only=True)
class Written:
    """A file as it is after a block, and what is said of it."""

    name: str
    data: bytes
    told: str


class Refused(Exception):
    """The block changes nothing, and this is why."""


def written(block: Block, tree: Mapping[str, bytes]) -> Written:
    """The file that an ``edit`` or ``file`` block leaves.

    Raises:
        Refused: The file cannot be changed, a text to find does not stand there exactly once, or the file would no
            longer be what its ending says, though it was before or is new.
    """
    name = _plain(block.path, tree)
    before = tree.get(name)
    if block.kind == "file":
        _check_syntax(name, before, block.text)
        lines = block.text.count("\n")
        return Written(name=name, data=block.text.encode(), told=f"written, {lines} line{'s'[: lines != 1]}")
    if before is None:
        near = get_close_matches(name, tree, n=3)
        raise Refused("there is no such file" + (f"; there are {', '.join(near)}" if near else ""))
    text, line_end, open_end = _lines_of(before)
    before_edit, pairs = text, replacements(block)
    if not pairs:
        raise Refused(_FORM)
    places = []
    for number, pair in enumerate(pairs, 1):
        try:
            place = _only_place(pair, text)
        except Refused as refused:
            if len(pairs) == 1:
                raise
            why = _why_not(pair, before_edit) or str(refused)
            raise Refused(f"of its pairs nothing is applied; in pair {number} {why}") from refused
        places.append(text.count("\n", 0, place) + 1)
        text = text[:place] + pair.new + text[place + len(pair.old) :]
    if open_end and text.endswith("\n"):
        text = text[:-1]
    text = text.replace("\n", line_end)
    if text.encode() == before:
        raise Refused("it changes nothing: what it puts there is what stands there")
    _check_syntax(name, before, text)
    where = f"line{'s'[: len(places) > 1]} {', '.join(map(str, places))}"
    return Written(name=name, data=text.encode(), told=f"{len(places)} place{'s'[: len(places) > 1]} changed ({where})")


def _plain(path: str, tree: Mapping[str, bytes]) -> str:
    name = path.removeprefix("./")
    if not name:
        raise Refused("it names no file: its first line is ```edit PATH or ```file PATH")
    if not is_plain_name(name):
        raise Refused("the path leaves the folder; a path is relative to it and has no ..")
    if is_ignored(name):
        raise Refused("this file is left out of the work, with version control, environments, caches and .env files")
    if any(other.startswith(f"{name}/") for other in tree):
        raise Refused("it is a folder")
    parts = name.split("/")
    file = next((outer for end in range(1, len(parts)) if (outer := "/".join(parts[:end])) in tree), "")
    if file:
        raise Refused(f"{file} is a file and no folder")
    return name


def _lines_of(data: bytes) -> tuple[str, str, bool]:
    """The text with plain line ends, the line end that it has, and whether its last line has none."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused("it is not a text in UTF-8") from error
    line_end = "\r\n" if text.count("\r\n") == text.count("\n") > 0 else "\n"
    text = text.replace("\r\n", "\n") if line_end == "\r\n" else text
    open_end = bool(text) and not text.endswith("\n")
    return text + "\n" * open_end, line_end, open_end


def _only_place(pair: Replacement, text: str) -> int:
    if not pair.old.strip():
        raise Refused("the SEARCH text is empty; show the lines to be replaced, or write the whole file with ```file")
    places = list(islice(_places(pair.old, text), _MOST_PLACES + 1))
    if len(places) == 1:
        return places[0]
    if places:
        lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in places[:_MOST_PLACES])
        times = f"{len(places)} times" if len(places) <= _MOST_PLACES else f"more than {_MOST_PLACES} times"
        raise Refused(f"the SEARCH text stands there {times}, at lines {lines}; show more lines of it")
    part = _part_of_lines(pair.old.rstrip("\n"), text)
    if part:
        raise Refused(f"whole lines are needed, and the SEARCH text {part}")
    raise Refused(f"the SEARCH text does not stand there\nnearest to it is\n{_nearest(pair.old, text)}")


def _why_not(pair: Replacement, text: str) -> str:
    """Why a pair does not fit a text, with that text's own line numbers; "" where it does."""
    try:
        _only_place(pair, text)
    except Refused as refused:
        return str(refused)
    return ""


def _part_of_lines(old: str, text: str) -> str:
    """Where a text stands that begins or ends within a line, in words; "" where it stands nowhere."""
    start = text.find(old)
    if start < 0:
        return ""
    end = start + len(old)
    at, how = (end, "ends") if text[end] != "\n" else (start, "begins")
    line = text[text.rfind("\n", 0, at) + 1 : text.find("\n", at)]
    return f"{how} within line {text.count(chr(10), 0, at) + 1}, which is {line[:_COMPARED]!r}"


def _places(old: str, text: str) -> Iterator[int]:
    """Where it stands, also where one place reaches into the next; its first line may lack what it is indented by."""
    start = -1
    while (start := text.find(old, start + 1)) >= 0:
        if not text[text.rfind("\n", 0, start) + 1 : start].strip():
            yield start


def _nearest(old: str, text: str) -> str:
    """The lines of the text that are most like others, with their numbers."""
    wanted, lines = old.splitlines(), text.splitlines()
    bare = [line.strip() for line in lines]
    looked = [line.strip() for line in wanted]
    # Lines that a long file holds again and again lead nowhere, and would take minutes.
    match = SequenceMatcher(None, looked, bare).find_longest_match()
    if match.size and any(looked[match.a : match.a + match.size]):
        start = match.b - match.a
    else:
        longest = max(looked, key=len)
        starts = {line[:_COMPARED]: place for place, line in reversed(list(enumerate(bare))) if line}
        alike = sorted(starts, key=lambda line: abs(len(line) - len(longest)))[:_MOST_COMPARED]
        near = get_close_matches(longest[:_COMPARED], alike, n=1, cutoff=0.3)
        start = starts[near[0]] - looked.index(longest) if near else 0
    first = max(0, start - _AROUND)
    last = min(len(lines), start + len(wanted) + _AROUND, first + _MOST_LINES)
    return "\n".join(f"{number + 1}: {lines[number]}" for number in range(first, max(last, min(len(lines), first + 1))))


def _check_syntax(name: str, before: bytes | None, text: str) -> None:
    problem = _syntax_problem(name, text)
    if problem and (before is None or not _syntax_problem(name, before.decode("utf-8", "replace"))):
        raise Refused(f"the file would not be {problem}; nothing was changed")


def _syntax_problem(name: str, text: str) -> str:
    """What a file is not that its ending says, and where; "" where it is, or nobody can tell."""
    try:
        if name.endswith(".py"):
            parsed(text)
        elif name.endswith(".json"):
            json.loads(text)
        elif name.endswith(".toml"):
            tomllib.loads(text)
    except SyntaxError as error:
        line = (error.text or "").strip()
        return f"Python: {error.msg}, line {error.lineno}" + (f": {line}" if line else "")
    except json.JSONDecodeError as error:
        return f"JSON: {error.msg}, line {error.lineno}, column {error.colno}"
    except tomllib.TOMLDecodeError as error:
        return f"TOML: {error}"
    except (ValueError, RecursionError, MemoryError):
        return ""
    return ""
