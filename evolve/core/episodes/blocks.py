"""The form of an action as a model writes it: a line or two of thought, then fenced blocks that run in order.

A block opens with three or more backticks and a word for what it is, and closes with as many alone on a line
(CommonMark 0.31, section 4.5). An ``edit`` holds pairs of a text to be found and one to put there, between the marks
that merge conflicts have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["python", "sh", "edit", "file", "plan", "done", "give_up", "ask_user", "recall", "answer"]

RUN = frozenset({"python", "sh", "edit", "file"})
"""Kinds that act; the others say something about the work."""

# Possessive, here and below, because what a model writes may be long, and may be made to be slow.
_OPENING = re.compile(r"^ {0,3}(`{3,}+)[ \t]*+([A-Za-z_][\w-]*+)([^`\n]*+)$")
_WORDS: dict[str, BlockKind] = {
    **{word: "python" for word in ("python", "py", "python3")},
    **{word: "sh" for word in ("sh", "bash", "shell", "console")},
    **{word: word for word in ("edit", "file", "plan", "done", "give_up", "ask_user", "recall", "answer")},
}
_USES = re.compile(r"^\W{0,4}uses\W{0,4}:\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_ID = re.compile(r"\b[ikp]-[0-9a-f]{4,}\b")
_OLD = re.compile(r"<{5,9} ?SEARCH[ \t]*\Z")
_NEW = re.compile(r"={5,9}[ \t]*\Z")
_END = re.compile(r">{5,9} ?REPLACE[ \t]*\Z")


@dataclass(frozen=True, kw_only=True)
class FencedBlock:
    """One fenced block.

    Attributes:
        text: What stands in it, with its last line end where it has a line.
        path: Of ``edit`` and ``file``, the file that is meant, relative to the folder.
    """

    kind: BlockKind
    text: str = ""
    path: str = ""


@dataclass(frozen=True, kw_only=True)
class WrittenReply:
    """A reply, read.

    Attributes:
        thought: What stands outside of blocks.
        blocks: In order; blocks of other languages are part of the thought.
        uses: What the reply says that it relies on: ids of remembered facts and skills, or their words.
        torn: Path of a file whose block may have ended at a fence of the file's own, because another follows; else "".
    """

    thought: str
    blocks: tuple[FencedBlock, ...]
    uses: tuple[str, ...] = ()
    torn: str = ""

    def blocks_of(self, *kinds: BlockKind) -> tuple[FencedBlock, ...]:
        """The blocks of these kinds."""
        return tuple(block for block in self.blocks if block.kind in kinds)


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """A text to find, which has to stand in the file once, and what to put in its place."""

    old: str
    new: str


def read_reply(text: str) -> WrittenReply:
    """The thought and the blocks of a reply. A block that is never closed reaches to the end."""
    thought: list[str] = []
    blocks: list[FencedBlock] = []
    torn = ""
    lines = iter(text.replace("\r\n", "\n").split("\n"))
    for line in lines:
        opening = _OPENING.match(line)
        if opening is None:
            thought.append(line)
            if blocks and blocks[-1].kind in ("edit", "file") and _is_fence(line, 3):
                torn = torn or blocks[-1].path
            continue
        kind = _WORDS.get(opening[2].lower())
        if kind is None:  # what it quotes is not meant to be run
            thought += [line, *_until_closed(lines, len(opening[1]), nests=False), opening[1]]
            continue
        inside = list(_until_closed(lines, len(opening[1]), nests=kind in ("edit", "file")))
        blocks.append(
            FencedBlock(kind=kind, text="".join(f"{line}\n" for line in inside), path=opening[3].strip("`'\" \t"))
        )
    outside = "\n".join(thought).strip()
    named = [name for line in _USES.findall(outside) for name in (_ID.findall(line) or [line.strip()])]
    return WrittenReply(
        thought=_USES.sub("", outside).strip(), blocks=tuple(blocks), uses=tuple(dict.fromkeys(named)), torn=torn
    )


def blocks_of(code: str) -> tuple[FencedBlock, ...]:
    """The blocks of an action's code; code without any is Python."""
    return read_reply(code).blocks_of("python", "sh", "edit", "file") or (FencedBlock(kind="python", text=code),)


def format_blocks(blocks: Iterable[FencedBlock]) -> str:
    """The blocks as text that :func:`read_reply` reads as the same."""
    return "\n".join(_fenced(block) for block in blocks)


def edit_replacements(block: FencedBlock) -> tuple[Replacement, ...]:
    """The pairs of an ``edit``; () where it has none, or where one is not closed or could be parted in two ways.

    Of several lines like the mark between the two texts, the one as long as the mark before them counts.
    """
    pairs: list[Replacement] = []
    inside: list[str] | None = None
    length = 0
    for line in block.text.removesuffix("\n").split("\n"):
        if inside is None:
            if _OLD.match(line):
                inside, length = [], line.count("<")
        elif _END.match(line):
            between = [place for place, each in enumerate(inside) if _NEW.match(each)]
            between = [place for place in between if inside[place].count("=") == length] or between
            if len(between) != 1:
                return ()
            old, new = inside[: between[0]], inside[between[0] + 1 :]
            pairs.append(
                Replacement(old="".join(f"{each}\n" for each in old), new="".join(f"{each}\n" for each in new))
            )
            inside = None
        else:
            inside.append(line)
    return tuple(pairs) if inside is None else ()


def _fenced(block: FencedBlock) -> str:
    longest = max((len(run) for run in re.findall(r"^ {0,3}(`{3,})", block.text, re.MULTILINE)), default=2)
    fence = "`" * max(3, longest + 1)
    body = block.text if not block.text or block.text.endswith("\n") else f"{block.text}\n"
    return f"{fence}{block.kind}{f' {block.path}' if block.path else ''}\n{body}{fence}"


def _until_closed(lines: Iterator[str], ticks: int, *, nests: bool) -> Iterator[str]:
    """The lines before the one that closes a block; in a text file, blocks of its own are passed over."""
    inner = 0
    for line in lines:
        if _is_fence(line, ticks):
            if not inner:
                return
            inner -= 1
        elif nests and (opening := _OPENING.match(line)) and len(opening[1]) >= ticks:
            inner += 1
        yield line


def _is_fence(line: str, ticks: int) -> bool:
    bare = line.strip()
    return len(bare) >= ticks and not bare.strip("`")
