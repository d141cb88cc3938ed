"""A conversation as Markdown."""

from __future__ import annotations

import os
import re
from pathlib import Path

from evolve.errors import UsageError
from evolve.files import write_failure
from evolve.workspace.runs.conversations import ChatTurn, Conversation


def save(conversation: Conversation, file: Path) -> None:
    """Writes it to a new file that only the person can read.

    Raises:
        UsageError: There is such a file.
        WorkspaceError: It cannot be written.
    """
    text = "\n".join([f"# Conversation {conversation.id}", "", *map(_turn, conversation.turns)])
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise UsageError(f"{file} is there already", hint="/save FILE with another name") from error
    except OSError as error:
        raise write_failure(file, error) from error


def _turn(turn: ChatTurn) -> str:
    asked = "\n".join(f"> {line}" for line in turn.asked.split("\n"))
    parts = [f"## {turn.number}", asked]
    if turn.answer:
        kind = "diff" if turn.answer.startswith("--- ") else "python"
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", turn.answer)), default=0))
        parts.append(f"{fence}{kind}\n{turn.answer.rstrip()}\n{fence}")
    parts.append(f"**{turn.status}** {turn.told}".rstrip() + (f" (run {turn.run})" if turn.run else ""))
    return "\n\n".join(parts) + "\n"
