"""A prompt as fixed text with a list of items, and edits that can reach the items alone.

The items of a prompt are the list entries directly below the line ``Advice:``. Everything else (what the reply must
look like, how data is to be read, placeholders) is fixed: no edit can name it. Small edits of single items keep what
whole rewriting would wear away (Zhang et al., "Agentic Context Engineering", arXiv 2510.04618).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.files import clean_text, digest
from evolve.policies.base import PromptEdit

HEADING = "Advice:"
"""The line that items stand below."""

_ENTRY = re.compile(r"(?:[-*]|\d{1,3}[.)]) +(?=\S)")
_NUMBER = re.compile(r"(\d{1,3})([.)]) +")
# A line that goes on with the entry above it.
_MORE = re.compile(r"(?: {2,}|\t)\S")
# Not splitlines(), which also breaks where no line of a file ends; the parts must make up the text without loss.
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, kw_only=True)
class PromptItem:
    """One entry of a prompt's list.

    Attributes:
        source: Its lines as they stand in the file, marker and line ends included.
    """

    source: str

    @property
    def text(self) -> str:
        """What it says, in one line."""
        return " ".join(_ENTRY.sub("", self.source, count=1).split()).replace("$$", "$")

    @property
    def id(self) -> str:
        """Twelve hex digits of the digest of its text; an item that is moved keeps it."""
        return item_id(self.text)

    @property
    def is_protected(self) -> bool:
        """Whether it holds a placeholder, and so is filled in by code that relies on it."""
        return "$" in self.source.replace("$$", "")


def item_id(text: str) -> str:
    """The id of the item that says this."""
    return digest(" ".join(text.split()))[:12]


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A prompt file in four parts, which make up its text without loss.

    Attributes:
        head: What stands before the list.
        heading: The line above the list, or "" where there is none.
        items: The list.
        tail: What stands after it.
    """

    head: str
    heading: str = ""
    items: tuple[PromptItem, ...] = ()
    tail: str = ""

    @property
    def text(self) -> str:
        """The file's text."""
        return "".join([self.head, self.heading, *(item.source for item in self.items), self.tail])

    @property
    def fixed_text(self) -> tuple[str, str]:
        """The text that no edit changes: before the list and after it."""
        return self.head.rstrip("\n"), self.tail

    @property
    def size(self) -> int:
        """Characters of all items."""
        return sum(len(item.source) for item in self.items)


def parse_prompt(text: str) -> Prompt:
    """The parts of a prompt's text; ``parse_prompt(text).text == text`` for every text."""
    lines = _LINES.findall(text)
    at = next((place for place, line in enumerate(lines) if line.strip() == HEADING and _opens(lines, place)), None)
    if at is None:
        return Prompt(head=text)
    items: list[str] = []
    place = at + 1
    while place < len(lines) and (_ENTRY.match(lines[place]) or (items and _MORE.match(lines[place]))):
        if _ENTRY.match(lines[place]):
            items.append(lines[place])
        else:
            items[-1] += lines[place]
        place += 1
    return Prompt(
        head="".join(lines[:at]),
        heading=lines[at],
        items=tuple(PromptItem(source=source) for source in items),
        tail="".join(lines[place:]),
    )


def _opens(lines: Sequence[str], place: int) -> bool:
    """Whether a list may begin below a line: an entry stands there, or nothing."""
    below = lines[place + 1] if place + 1 < len(lines) else ""
    return not below.strip() or _ENTRY.match(below) is not None


@dataclass(frozen=True, kw_only=True)
class ItemLimits:
    """How much advice a prompt may hold.

    Attributes:
        count: Most items.
        size: Most characters of all items.
        item: Most characters of what one item says.
    """

    count: int = 24
    size: int = 3_000
    item: int = 300


@dataclass(frozen=True, kw_only=True)
class AppliedEdit:
    """An edit that was made.

    Attributes:
        before: Id of the item that is gone, or "".
        after: Id of the item that is new, or "".
        why: What called for it.
    """

    before: str
    after: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Revision:
    """A prompt after edits.

    Attributes:
        changes: What was changed, in order.
        refused: Edits that were not made, each with the reason.
    """

    prompt: Prompt
    changes: tuple[AppliedEdit, ...] = ()
    refused: tuple[tuple[PromptEdit, str], ...] = ()


def revise(
    prompt: Prompt, edits: Sequence[PromptEdit], *, limits: ItemLimits | None = None, weak: Sequence[str] = ()
) -> Revision:
    """The prompt after edits, whose numbers name its items as they are now.

    An edit that cannot be made is left out and told. Fixed text stays as it is, whatever the edits say.

    Args:
        weak: Ids of items that may go where room is needed, those that go first in front.
    """
    bounds = limits or ItemLimits()
    work = _RevisionBuilder(prompt, bounds, list(weak))
    for edit in edits:
        reason = work.apply(edit)
        if reason:
            work.refused.append((edit, reason))
    return Revision(prompt=work.result(), changes=tuple(work.changes), refused=tuple(work.refused))


class _RevisionBuilder:
    """Makes the edits of one revision, one after the other."""

    def __init__(self, prompt: Prompt, limits: ItemLimits, weak: list[str]) -> None:
        self._prompt = prompt
        self._limits = limits
        self._weak = weak
        # Items that go leave None behind: the numbers in later edits name the items as they were at the start.
        self._slots: list[PromptItem | None] = list(prompt.items)
        self._touched: set[int] = set()
        self.changes: list[AppliedEdit] = []
        self.refused: list[tuple[PromptEdit, str]] = []

    def apply(self, edit: PromptEdit) -> str:
        """Makes an edit; gives why not where it cannot be made."""
        if edit.op == "add":
            return self._put(None, edit)
        place = edit.item - 1
        if not 0 <= place < len(self._prompt.items):
            return f"there is no item {edit.item}"
        old = self._slots[place]
        if old is None or place in self._touched:
            return f"item {edit.item} was changed already"
        if old.is_protected:
            return f"item {edit.item} holds a placeholder"
        if edit.op == "replace":
            return self._put(place, edit)
        self._retire(place, edit.why)
        return ""

    def _put(self, place: int | None, edit: PromptEdit) -> str:
        text = " ".join(clean_text(edit.text).split())
        reason = _unfit_item(text, self._limits.item) or self._repeated(text)
        if reason:
            return reason
        # Prompts are filled in with string.Template, to which a single dollar is a placeholder.
        new = PromptItem(source=f"{self._marker(place)}{text.replace('$', '$$')}\n")
        old = self._slots[place] if place is not None else None
        if not self._make_room(new, place):
            return f"the prompt holds no more than {self._limits.count} items of {self._limits.size:,} characters"
        if place is None:
            self._slots.append(new)
            self._touched.add(len(self._slots) - 1)
        else:
            self._slots[place] = new
            self._touched.add(place)
        self.changes.append(AppliedEdit(before=old.id if old else "", after=new.id, why=edit.why))
        return ""

    def _repeated(self, text: str) -> str:
        key = _key(text)
        return "the prompt says it already" if any(_key(item.text) == key for item in self._items()) else ""

    def _make_room(self, new: PromptItem, place: int | None) -> bool:
        """Whether the item fits; weak items go for it only if that makes it fit."""
        occupied = [at for at, item in enumerate(self._slots) if item is not None and at != place]
        leaving: list[int] = []
        order = [at for name in self._weak for at in occupied if self._named(at) == name and at not in self._touched]
        while not self._fits(new, [at for at in occupied if at not in leaving]):
            if not order:
                return False
            leaving.append(order.pop(0))
        for at in leaving:
            self._retire(at, "it made room and had not helped")
        return True

    def _named(self, at: int) -> str:
        item = self._slots[at]
        return "" if item is None or item.is_protected else item.id

    def _fits(self, new: PromptItem, places: Sequence[int]) -> bool:
        sizes = [len(item.source) for at in places if (item := self._slots[at]) is not None]
        return len(sizes) < self._limits.count and sum(sizes) + len(new.source) <= self._limits.size

    def _retire(self, place: int, why: str) -> None:
        old = self._slots[place]
        if old is not None:
            self._slots[place] = None
            self._touched.add(place)
            self.changes.append(AppliedEdit(before=old.id, after="", why=why))

    def _items(self) -> list[PromptItem]:
        return [item for item in self._slots if item is not None]

    def _marker(self, place: int | None) -> str:
        """The marker of the item that is replaced, else one that goes on from the last."""
        old = self._slots[place] if place is not None else None
        model = old or next((item for item in reversed(self._items())), None)
        if model is None:
            return "- "
        number = _NUMBER.match(model.source)
        if number and old is None:
            # With four digits it would no longer be read as an entry.
            return f"{min(int(number[1]) + 1, 999)}{number[2]} "
        marker = _ENTRY.match(model.source)
        return marker[0] if marker else "- "

    def result(self) -> Prompt:
        items = self._items()
        if not self.changes:
            return self._prompt
        ended = tuple(item if item.source.endswith("\n") else PromptItem(source=item.source + "\n") for item in items)
        heading, head = self._prompt.heading, self._prompt.head
        if items and not heading:
            heading = f"{HEADING}\n"
            head = head.rstrip("\n") + "\n\n" if head.strip("\n") else head
        elif not heading.endswith("\n"):
            heading += "\n"
        return Prompt(head=head, heading=heading if items else "", items=ended, tail=self._prompt.tail)


def _unfit_item(text: str, most: int = 300) -> str:
    """Why a text cannot be an item of a prompt, or ""."""
    if not any(sign.isalnum() for sign in text):
        return "it says nothing"
    if len(text) > most:
        return f"it is longer than {most} characters"
    if any(unicodedata.category(sign) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp") for sign in text):
        return "it holds invisible characters"
    # An item could otherwise seem to end the quoted data that follows it, or pass as data itself.
    if re.search(r"<\s*/?\s*data\b", text, re.IGNORECASE):
        return "it holds a mark of quoted data"
    return ""


def _key(text: str) -> str:
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(words) or text
