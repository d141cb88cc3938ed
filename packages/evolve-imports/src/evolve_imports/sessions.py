"""``ws.sessions``: what a person said in sessions of other agents, proposed to them; nothing acts unkept."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve.activity import doing
from evolve.episodes import Suggestion
from evolve.memory.preferences import Context, Preference
from evolve.workspace.desk import Desk
from evolve.workspace.secrets import scanner_of
from evolve.workspace.shelves.preferences import unfit
from evolve.workspace.shelves.shelf import Shelf
from evolve_imports.corrections import rules_said
from evolve_imports.transcripts import Session, read_sessions

MOST_PROPOSED = 3
"""For one session, or one file of rules or memories."""


@dataclass(frozen=True, kw_only=True)
class Heard:
    """What a session, or a file of rules or memories, suggests.

    Attributes:
        source: The file.
        proposals: What is new, for the person to keep or decline.
        more: How many further sentences are not asked about now; the same call asks once these are decided.
        secrets: How many were left out because they hold a secret.
    """

    source: str
    proposals: tuple[Preference, ...] = ()
    more: int = 0
    secrets: int = 0

    @property
    def told(self) -> str:
        """What came of it, in a line."""
        parts = [f"{len(self.proposals)} proposed"]
        parts += [f"{self.more} more once these are decided"] * bool(self.more)
        parts += [f"{self.secrets} left out that hold something like a password"] * bool(self.secrets)
        return f"{self.source}: {', '.join(parts)}"

    def to_json(self) -> dict[str, Any]:
        """As one JSON object."""
        return {**vars(self), "proposals": [one.offered() for one in self.proposals]}


class Sessions(Shelf):
    """Sessions of other agents and what these wrote down."""

    def __init__(self, desk: Desk, writable: Callable[[], None]) -> None:
        self._desk = desk
        self._writable = writable

    def propose(self, path: str | os.PathLike[str]) -> list[Heard]:
        """Proposes what the person corrected or said twice, at most three things for each session.

        Args:
            path: A file or folder: transcripts of Claude Code, rollouts of Codex, ``CLAUDE.md``, ``AGENTS.md``,
                memories of Hermes or an export of mem0.

        Raises:
            UsageError: There is nothing at the path, or the one file that is named cannot be read.
        """
        self._writable()
        with doing("import", os.fspath(path)):
            return [self._heard(session) for session in read_sessions(Path(path).expanduser())]

    def _heard(self, session: Session) -> Heard:
        scanner = scanner_of(self._desk.paths, [Path(session.folder)] if session.folder else [])
        rules = rules_said(session, unfit)
        clean = [one for one in rules if not scanner.find(one.quote)]
        suggestions = [
            Suggestion(
                kind="repeated" if one.repeated else "rule",
                text=one.text,
                quote=one.quote,
                source="person" if session.typed else "file",
            )
            for one in clean
        ]
        proposals = self._desk.preferences.suggest_remembering(
            suggestions,
            run=Context(folder=session.folder),
            known=[note.text for note in self._desk.stores.memory.notes()],
            most=MOST_PROPOSED,
        )
        more, secrets = max(0, len(clean) - len(proposals)), len(rules) - len(clean)
        return Heard(source=session.source, proposals=tuple(proposals), more=more, secrets=secrets)
