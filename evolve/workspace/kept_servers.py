"""Servers of tools that go on running while their workspace is closed and opened again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolve.functions.servers import ServerFunctions


@dataclass(frozen=True, kw_only=True)
class KeptServers:
    """Servers that outlast openings of their workspace, as turns of a conversation are; for ``Options(servers=...)``.

    A context manager. None runs before a tool of it was called.

    Attributes:
        root: Of the workspace that they were approved for.
    """

    root: Path
    functions: ServerFunctions

    def close(self) -> None:
        """Ends them; closing twice is no error."""
        self.functions.close()

    def __enter__(self) -> KeptServers:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()
