"""Runs the blocks of one action in order until one fails, and tells what each gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evolve.core.episodes import Json
from evolve.core.episodes.blocks import FencedBlock
from evolve.core.files import both_ends
from evolve.core.progress import doing
from evolve.environments.files.editing import EditRefusal, apply_block
from evolve.environments.files.folder_session import FolderSession

MOST_SHOWN = 20_000
"""Characters of what one action gave that an observation shows."""

REPLY_S = 120.0
"""Seconds after which no further block of a reply is begun."""

_UNCOUNTED_S = 1.0
"""Seconds of each block that do not count: on a busy machine it takes as long to begin as to run."""

_SHORTEST_SHARE = 400
_GONE = "; the interpreter has ended: variables and temporary files are gone, the folder is as it was"


@dataclass(frozen=True, kw_only=True)
class Acted:
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

    def run(self, blocks: Sequence[FencedBlock]) -> Acted:
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
        return Acted(
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
            self.session.put(after.name, after.data)
        idle = "; not taken, because the file is protected" if self._protects(after.name) else ""
        return f": {after.told}{idle}"

    def _run(self, block: FencedBlock) -> str:
        if self.session is None or not self.session.alive:
            self.session, self.opened = self._opens(self._tree), True
        with doing("block", block.text.strip().partition("\n")[0]):
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
        share[number] = both_ends(parts[number], room)
        left -= len(share[number])
    return both_ends("\n".join(share[number] for number in range(len(parts))), most)
