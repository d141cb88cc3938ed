"""What somebody said, as a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

TRUST: Mapping[str, int] = {"user": 2, "assistant": 1, "tool": 0, "document": 0}
"""Roles of who says something. What one role said is replaced by nothing that a less trusted one says."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """What somebody said: shown and attributed, never evidence.

    Attributes:
        id: Unique in the record.
        author: Who said it.
        at: When, in seconds since the epoch; facts that changed go by it.
        role: Whether the person, an assistant, a tool or a document says it; see :data:`TRUST`.
        thread: The conversation that it is part of; "" for none.
        source: Where it was found, such as a file; "" for none.
        environment: Only for work of this kind; "" for any. So is ``family``.
        seq: Place in the record, rising.
    """

    id: str
    text: str
    author: str
    at: float = 0.0
    role: str = "user"
    thread: str = ""
    source: str = ""
    environment: str = ""
    family: str = ""
    seq: int = 0

    @property
    def key(self) -> str:
        """The id by which an index knows it."""
        return self.id

    @property
    def text_with_speaker(self) -> str:
        """Its text, behind the speaker where it is part of a conversation."""
        return f"{self.author}: {self.text}" if self.thread else self.text

    @property
    def retrieval_keys(self) -> tuple[tuple[float, ...], str]:
        """What it is found by."""
        return (), self.text_with_speaker

    @property
    def tags(self) -> dict[str, str]:
        """What queries may be restricted to."""
        return {"role": self.role}

    @property
    def date(self) -> str:
        """The day on which it was said, in local time; "" for a time that no calendar has."""
        try:
            return f"{datetime.fromtimestamp(self.at):%Y-%m-%d}"
        except (ValueError, OverflowError, OSError):
            return ""

    @property
    def provenance(self) -> str:
        """Who said it, when and where, on one line that is no wording of theirs."""
        day = f" on {self.date}" if self.date else ""
        parts = [
            f"noted by {self.author}{day}"
            if self.role == "user"
            else f"said by {self.author} ({self.role}), unchecked{day and ','}{day}"
        ]
        parts += [f"in {self.thread}"] * bool(self.thread) + [f"from {self.source}"] * bool(self.source)
        return re.sub(r"\s+", " ", ", ".join(parts))
