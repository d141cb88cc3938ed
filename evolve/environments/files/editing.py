"""Runs the blocks of one action on a tree, in order until one fails, and tells what each gave."""

from __future__ import annotations

import ast
import json
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from itertools import islice

from evolve.core.episodes import Json
from evolve.core.episodes.blocks import FencedBlock, Replacement, edit_replacements
from evolve.core.files import head_and_tail
from evolve.core.progress import report_activity
from evolve.core.text_files import NotEncodable, TextFile, read_text_file
from evolve.environments.files.folder_session import FolderSession
from evolve.runtime.folder_tree import is_ignored
from evolve.runtime.sandbox.actions import is_plain_name

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
class EditedFile:
    """A file as it is after a block, and what is said of it."""

    name: str
    data: bytes
    told: str


class EditRefusal(Exception):
    """The block changes nothing, and this is why."""


def apply_block(block: FencedBlock, tree: Mapping[str, bytes]) -> EditedFile:
    """The file that an ``edit`` or ``file`` block leaves.

    Raises:
        Refused: The file cannot be changed, a text to find does not stand there exactly once, or the file would no
            longer be what its ending says, though it was before or is new.
    """
    name = _plain(block.path, tree)
    if block.kind == "edit" and name not in tree:
        near = get_close_matches(name, tree, n=3)
        raise EditRefusal("there is no such file" + (f"; there are {', '.join(near)}" if near else ""))
    before = read_text_file(tree.get(name, b""))
    if before is None:
        raise EditRefusal("it is binary and no text; code in a python block can change it")
    try:
        after, told = (
            _rewritten(before, block.text) if block.kind == "file" else _edited(before, edit_replacements(block))
        )
        after = after.with_declared_encoding(before)
        data = after.data
    except NotEncodable as error:
        raise EditRefusal(str(error)) from error
    if block.kind == "edit" and data == tree[name]:
        raise EditRefusal("it changes nothing: what it puts there is what stands there")
    problem = _syntax_problem(name, after.text)
    if problem and not (name in tree and _syntax_problem(name, before.text)):
        raise EditRefusal(f"the file would not be {problem}; nothing was changed")
    kept = f", {after.form_text}" if name in tree and after.form_text else ""
    return EditedFile(name=name, data=data, told=f"{told}{kept}")


def _rewritten(before: TextFile, text: str) -> tuple[TextFile, str]:
    """The file with another text, in its own form; and what is said of it."""
    after = before.with_final_newline().with_lines_replaced(0, len(before.lines), text)
    count = len(after.lines)
    return after.without_final_newline() if before.is_open else after, f"written, {count} line{'s'[: count != 1]}"


def _edited(before: TextFile, pairs: Sequence[Replacement]) -> tuple[TextFile, str]:
    if not pairs:
        raise EditRefusal(_FORM)
    after, places = before.with_final_newline(), []
    for number, pair in enumerate(pairs, 1):
        text = after.text
        try:
            place = _only_place(pair, text)
        except EditRefusal as refused:
            if len(pairs) == 1:
                raise
            why = _why_not(pair, before.with_final_newline().text) or str(refused)
            raise EditRefusal(f"of its pairs nothing is applied; in pair {number} {why}") from refused
        places.append(text.count("\n", 0, place) + 1)
        after = after.with_replacement(place, len(pair.old), pair.new)
    where = f"line{'s'[: len(places) > 1]} {', '.join(map(str, places))}"
    told = f"{len(places)} place{'s'[: len(places) > 1]} changed ({where})"
    return after.without_final_newline() if before.is_open else after, told


def _plain(path: str, tree: Mapping[str, bytes]) -> str:
    name = path.removeprefix("./")
    if not name:
        raise EditRefusal("it names no file: its first line is ```edit PATH or ```file PATH")
    if not is_plain_name(name):
        raise EditRefusal("the path leaves the folder; a path is relative to it and has no ..")
    if is_ignored(name):
        raise EditRefusal(
            "this file is left out of the work, with version control, environments, caches and .env files"
        )
    if any(other.startswith(f"{name}/") for other in tree):
        raise EditRefusal("it is a folder")
    parts = name.split("/")
    file = next((outer for end in range(1, len(parts)) if (outer := "/".join(parts[:end])) in tree), "")
    if file:
        raise EditRefusal(f"{file} is a file and no folder")
    return name


def _only_place(pair: Replacement, text: str) -> int:
    if not pair.old.strip():
        raise EditRefusal(
            "the SEARCH text is empty; show the lines to be replaced, or write the whole file with ```file"
        )
    places = list(islice(_places(pair.old, text), _MOST_PLACES + 1))
    if len(places) == 1:
        return places[0]
    if places:
        lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in places[:_MOST_PLACES])
        times = f"{len(places)} times" if len(places) <= _MOST_PLACES else f"more than {_MOST_PLACES} times"
        raise EditRefusal(f"the SEARCH text stands there {times}, at lines {lines}; show more lines of it")
    part = _part_of_lines(pair.old.rstrip("\n"), text)
    if part:
        raise EditRefusal(f"whole lines are needed, and the SEARCH text {part}")
    raise EditRefusal(f"the SEARCH text does not stand there\nnearest to it is\n{_nearest(pair.old, text)}")


def _why_not(pair: Replacement, text: str) -> str:
    """Why a pair does not fit a text, with that text's own line numbers; "" where it does."""
    try:
        _only_place(pair, text)
    except EditRefusal as refused:
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
    wanted, lines = old.removesuffix("\n").split("\n"), text.removesuffix("\n").split("\n")
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


def _syntax_problem(name: str, text: str) -> str:
    """What a file is not that its ending says, and where; "" where it is, or nobody can tell."""
    try:
        if name.endswith(".py"):
            _parse_block(text)
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


def python_tree(text: str) -> ast.Module | None:
    """The tree of a text; None where it is no Python, or too deep to be read."""
    try:
        return _parse_block(text)
    except SyntaxError:
        return None


def _parse_block(text: str) -> ast.Module | None:
    """The tree of a text; None where nobody can tell whether it is Python, such as one nested very deeply.

    Raises:
        SyntaxError: It is no Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its escapes and comparisons
        try:
            return ast.parse(text)
        except (ValueError, RecursionError, MemoryError):
            return None


MOST_SHOWN = 20_000
"""Characters of what one action gave that an observation shows."""

REPLY_S = 120.0
"""Seconds after which no further block of a reply is begun."""

_UNCOUNTED_S = 1.0
"""Seconds of each block that do not count: on a busy machine it takes as long to begin as to run."""

_SHORTEST_SHARE = 400
_GONE = "; the interpreter has ended: variables and temporary files are gone, the folder is as it was"


@dataclass(frozen=True, kw_only=True)
class EditOutcome:
    """What the blocks of an action came to.

    Attributes:
        tree: The folder after them.
        parts: Of each block in order, what it was, how it went and what it gave.
        error: Why one of them failed, in one line; "" where all ran to their end.
        value: The value of the last expression of the last Python block.
        limit: The limit that a block reached, or "".
        lost: A block reached a limit, or the sandbox failed.
    """

    tree: Mapping[str, bytes]
    parts: Sequence[str]
    error: str = ""
    denied: str = ""
    value: Json = None
    limit: str = ""
    lost: bool = False
    fault: bool = False


class BlockRunner:
    """Runs the blocks of one action on a tree.

    Args:
        session: The interpreter that lives in the folder already, if one does.
        opens: Starts another in a copy of a tree.
        protects: Whether a change to a file is not taken.
        seconds: How long all blocks of the action may run, each without its first second. One that runs is not ended by
            it, as it has a limit of its own.
    """

    def __init__(
        self,
        tree: Mapping[str, bytes],
        session: FolderSession | None,
        opens: Callable[[Mapping[str, bytes]], FolderSession],
        protects: Callable[[str], bool],
        seconds: float = REPLY_S,
    ) -> None:
        self._tree, self.session, self._opens, self._protects = tree, session, opens, protects
        self.opened = False
        self._error = self._denied = self._limit = ""
        self._value: Json = None
        self._fault = self._lost = False
        self._most, self._spent = seconds, 0.0

    def run(self, blocks: Sequence[FencedBlock]) -> EditOutcome:
        """Runs them; after one that fails, the rest is said to be not run."""
        parts: list[str] = []
        why = ""
        for number, block in enumerate(blocks, 1):
            name = f"{block.kind} {block.path}" if block.path else block.kind
            if not why and self._spent >= self._most:
                why = self._error = f"the blocks of one reply may run for {self._most:g} s together"
            if why:
                parts.append(f"[{number}] {name}: not run, because {why}")
                continue
            told = self._changed(block) if block.kind in ("edit", "file") else self._run(block)
            parts.append(f"[{number}] {name}{told}")
            why = f"block {number} failed" if self._error else ""
        return EditOutcome(
            tree=self._tree,
            parts=parts,
            error=self._error,
            denied=self._denied,
            value=self._value,
            limit=self._limit,
            lost=self._lost,
            fault=self._fault,
        )

    def _changed(self, block: FencedBlock) -> str:
        try:
            after = apply_block(block, self._tree)
        except EditRefusal as refusal:
            self._error = f"{block.kind} {block.path}: refused: {str(refusal).partition(chr(10))[0]}"
            return f": refused: {refusal}"
        self._tree = {**self._tree, after.name: after.data}
        if self.session is not None:
            self.session.write_file(after.name, after.data)
        idle = "; not taken, because the file is protected" if self._protects(after.name) else ""
        return f": {after.told}{idle}"

    def _run(self, block: FencedBlock) -> str:
        if self.session is None or not self.session.is_alive:
            self.session, self.opened = self._opens(self._tree), True
        with report_activity("block", block.text.strip().partition("\n")[0]):
            result = self.session.run(block)
        self._tree, self._error, self._fault = result.tree, result.error, result.fault
        self._denied, self._lost = self._denied or result.denied, result.lost
        self._limit = result.limit
        self._spent += max(0.0, result.seconds - _UNCOUNTED_S)
        head = f": {result.error}" if result.error else ""
        if block.kind == "sh" and not result.error:
            head = f": exit {result.exit}"
            self._error = f"sh{head}" if result.exit else ""
        if block.kind == "python":
            self._value = result.value
        gave = [result.printed.rstrip("\n"), f"value: {result.shown}" if result.shown else ""]
        if result.secret:
            gave.append(f"not taken, because such files may hold secrets: {', '.join(result.secret)}")
        return "\n".join([f"{head}{_GONE if result.ended else ''}", *filter(None, gave)])


def fit_length(parts: Sequence[str], most: int = MOST_SHOWN) -> str:
    """The parts one below the other; where they are longer together, both ends of the longest ones."""
    left, share = most - len(parts), {}
    order = sorted(range(len(parts)), key=lambda number: len(parts[number]))
    for place, number in enumerate(order):
        room = max(_SHORTEST_SHARE, left // (len(parts) - place))
        share[number] = head_and_tail(parts[number], room)
        left -= len(share[number])
    return head_and_tail("\n".join(share[number] for number in range(len(parts))), most)
