"""What the person typed before, kept in the workspace for that person only."""

from __future__ import annotations

import json
import os
from pathlib import Path

_MOST_READ = 2_000
"""Most inputs that a session reads back, the latest; the file keeps them all."""


class TypedLines:
    """A file of inputs, oldest first, one JSON text a line.

    Args:
        path: Made with the first input; only its owner can read it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[str]:
        """The latest inputs; lines that cannot be read are passed over."""
        texts = []
        try:
            lines = self._path.read_bytes().splitlines()[-_MOST_READ:]
        except OSError:
            return []
        for line in lines:
            try:
                text = json.loads(line)
            except ValueError:
                continue
            if isinstance(text, str):
                texts.append(text)
        return texts

    def add(self, text: str) -> None:
        """Keeps an input. History that cannot be written is no reason to stop."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Made with its mode at once: chmod afterwards would leave a moment in which others can read it.
            with os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as stream:
                stream.write(json.dumps(text).encode("ascii") + b"\n")
        except OSError:
            return
