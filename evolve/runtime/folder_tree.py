"""Reads a folder as a value, within bounds and without following links."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest
from evolve.core.paths import APPROVALS, MARKER
from evolve.core.progress import report_activity
from evolve.runtime.sandbox.actions import is_plain_name

IGNORED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".tox",
        ".nox",
        "memory_store",
        MARKER,
        APPROVALS,
    }
)
"""Names left out at any depth beside ``.env`` files: version control, environments, caches, and what evolve itself
keeps. Its settings too: a folder may become a workspace after its task was made, and limits are not the agent's to
change."""

_SECRETS = re.compile(r"(?:\.env(?:\..+)?|.+\.env)\Z")
_TEMPLATES = (".example", ".sample", ".template")

_MOST_NAMED = 3
"""Files that are left out, of each kind, that a person and a model are told of by name."""

MAX_TREE_FILES = 10_000
MAX_TREE_BYTES = 500 * 2**20

# A name may become a link or a named pipe after it was looked at: a link is then refused, and opening a pipe does not
# wait for a writer.
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, kw_only=True)
class FolderTree:
    """The files of a folder.

    Attributes:
        files: Content by name relative to the folder, components joined by ``/``.
        executable: Names of files whose owner may execute them.
        skipped: Names of what is neither a regular file nor a folder, or has a name that cannot travel.
        secret: Names of files that are left out because they may hold secrets.
        folders: Names of folders in which nothing is left.
    """

    files: Mapping[str, bytes] = field(repr=False)
    executable: frozenset[str] = frozenset()
    skipped: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """Which files are not in a copy, in a line; version control, environments and caches are not told of."""
        parts = [(self.secret, "may hold secrets"), (self.skipped, "a link or a special file")]
        named = [f"{name} ({why})" for names, why in parts for name in names[:_MOST_NAMED]]
        more = sum(max(0, len(names) - _MOST_NAMED) for names, _ in parts)
        return f"not in the copy: {', '.join(named)}{f' and {more} more' if more else ''}" if named else ""

    @property
    def digest(self) -> str:
        """Identity of the content."""
        named = [[name, digest(data), name in self.executable] for name, data in sorted(self.files.items())]
        return digest(canonical_json(named))


def is_ignored(name: str) -> bool:
    """Whether a relative name lies in something that is left out. Case does not matter: some disks do not mind it."""
    return any(part in IGNORED or holds_secrets(part) for part in name.casefold().split("/"))


def holds_secrets(name: str) -> bool:
    """Whether a name is that of a ``.env`` file, such as ``.env.local`` or ``prod.env``, and of no template for one."""
    last = name.casefold().rpartition("/")[2]
    return bool(_SECRETS.match(last)) and not last.endswith(_TEMPLATES)


def read_tree(folder: str | os.PathLike[str]) -> FolderTree:
    """The regular files of a folder. Links are not followed and not taken along.

    Raises:
        UsageError: It is no folder, cannot be read, or holds more than :data:`MAX_TREE_FILES` files or
            :data:`MAX_TREE_BYTES` bytes beside what is left out.
    """
    root = Path(folder)
    try:
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", "") or "not a folder's name").lower()
        raise UsageError(f"{root}: {reason}", hint="name a folder with --dir") from error
    reader = _TreeReader(root)
    try:
        with report_activity("tree", str(root), count=lambda: len(reader.files)):
            reader.read(handle, "")
    except OSError as error:
        raise UsageError(f"{root}: cannot be read: {(error.strerror or str(error)).lower()}") from error
    finally:
        os.close(handle)
    return FolderTree(
        files=reader.files,
        executable=frozenset(reader.executable),
        skipped=tuple(reader.skipped),
        secret=tuple(reader.secret),
        folders=tuple(reader.folders),
    )


class _TreeReader:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, bytes] = {}
        self.executable: set[str] = set()
        self.skipped: list[str] = []
        self.secret: list[str] = []
        self.folders: list[str] = []
        self.bytes = 0

    def read(self, folder: int, prefix: str) -> None:
        before = len(self.files), len(self.folders)
        for name in sorted(os.listdir(folder)):
            path = prefix + name
            if is_ignored(name):
                self.secret += [path] if holds_secrets(name) else []
                continue
            state = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if not is_plain_name(path) or not (stat.S_ISDIR(state.st_mode) or stat.S_ISREG(state.st_mode)):
                self.skipped.append(path)
            elif stat.S_ISDIR(state.st_mode):
                self._inner(folder, name, path)
            else:
                self._file(folder, name, path, state)
        if prefix and before == (len(self.files), len(self.folders)):
            self.folders.append(prefix.rstrip("/"))

    def _inner(self, folder: int, name: str, path: str) -> None:
        handle = os.open(name, _FOLDER, dir_fd=folder)
        try:
            self.read(handle, f"{path}/")
        finally:
            os.close(handle)

    def _file(self, folder: int, name: str, path: str, state: os.stat_result) -> None:
        self.bytes += state.st_size
        if len(self.files) >= MAX_TREE_FILES or self.bytes > MAX_TREE_BYTES:
            raise UsageError(
                f"{self.root} holds more than {MAX_TREE_FILES:,} files or {MAX_TREE_BYTES >> 20} MiB,"
                " version control, environments and caches not counted",
                hint="name a folder inside it",
            )
        with open(os.open(name, _FILE, dir_fd=folder), "rb") as stream:
            self.files[path] = stream.read(state.st_size + 1)
        if state.st_mode & stat.S_IXUSR:
            self.executable.add(path)
