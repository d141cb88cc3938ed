"""A patch as a value: what a run would change in a person's folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from evolve.memory.preferences import parse_answer

PatchState = Literal["waiting", "applied", "refused", "undone"]


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """One changed file.

    Attributes:
        name: Relative to the folder.
        before: Digest of the content at the start, "" where there was no such file.
        after: Digest of the new content, "" where the file goes.
        protected: The change is named and never applied.
        mode: Permissions the file had when the change was applied.
    """

    name: str
    before: str
    after: str
    protected: bool = False
    mode: int = 0o644


@dataclass(frozen=True, kw_only=True)
class Patch:
    """What a run would change in a folder.

    Attributes:
        diff: What applying it changes, as a unified diff.
        made: Folders that applying it made, outermost first.
        said: What the person said when they refused it.
    """

    run: str
    folder: str
    state: PatchState
    changes: tuple[FileChange, ...]
    diff: str = ""
    made: tuple[str, ...] = ()
    said: str = ""

    @property
    def reason(self) -> str:
        """Why the person refused it; "" where they did not, or gave no reason."""
        return "" if parse_answer(self.said) else self.said  # nothing is learned from a plain no

    @property
    def names(self) -> tuple[str, ...]:
        """The files it changes."""
        return tuple(change.name for change in self.changes if not change.protected)

    @property
    def protected(self) -> tuple[str, ...]:
        """The files whose changes are no part of what is applied."""
        return tuple(change.name for change in self.changes if change.protected)

    def to_json(self) -> Mapping[str, Any]:
        """What a person wants to know of it, without the diff."""
        names = {"files": list(self.names), "protected": list(self.protected)}
        return {"run": self.run, "folder": self.folder, "state": self.state, **names, "said": self.said}
