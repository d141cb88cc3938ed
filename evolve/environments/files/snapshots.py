"""Keeps the states of a folder after each action, as differences to the start."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evolve.core.files import canonical_json, digest
from evolve.core.redaction import MARK
from evolve.core.store import ObjectStore
from evolve.runtime.folder_tree import MAX_TREE_BYTES, MAX_TREE_FILES

_MARKS = re.compile(b"\0*".join(re.escape(sign).encode() for sign in MARK))  # in wide characters too


@dataclass(frozen=True, kw_only=True)
class Changes:
    """How a folder differs from its start.

    Attributes:
        written: New content by name, of changed and of added files.
        deleted: Names of files that are gone.
        before: What the changed and deleted files held at the start.
    """

    written: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    deleted: tuple[str, ...] = ()
    before: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def changed_names(self) -> tuple[str, ...]:
        """Every changed name, sorted."""
        return tuple(sorted({*self.written, *self.deleted}))

    @property
    def new_contents(self) -> dict[str, bytes | None]:
        """What they leave of each changed file; None of one that is gone."""
        return {**dict.fromkeys(self.deleted), **self.written}

    def apply_to(self, original: Mapping[str, bytes]) -> dict[str, bytes]:
        """The original with the changes made."""
        deleted = set(self.deleted)
        unchanged = {name: data for name, data in original.items() if name not in deleted}
        return {**unchanged, **self.written}


def changes_between(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Changes:
    """What has to be done to get from one tree to the other."""
    written = {name: data for name, data in after.items() if before.get(name) != data}
    deleted = tuple(sorted(set(before) - set(after)))
    originals = {name: before[name] for name in (*written, *deleted) if name in before}
    return Changes(written=written, deleted=deleted, before=originals)


def is_too_large(tree: Mapping[str, bytes]) -> str:
    """Why a tree is too large to be kept; "" where it is not."""
    if len(tree) > MAX_TREE_FILES or sum(map(len, tree.values())) > MAX_TREE_BYTES:
        return f"more than {MAX_TREE_FILES:,} files or {MAX_TREE_BYTES >> 20} MiB; nothing was changed"
    return ""


def manifest_digest(written: Mapping[str, str], deleted: Sequence[str], before: Mapping[str, str]) -> str:
    """The digest of a snapshot with these names, where each content stands as its digest."""
    return digest(_manifest(written, deleted, before))


def _manifest(written: Mapping[str, str], deleted: Sequence[str], before: Mapping[str, str]) -> bytes:
    return canonical_json({"written": written, "deleted": list(deleted), "before": before}).encode()


class Snapshots:
    """Changes by digest. A snapshot is whole when its digest is given back.

    Args:
        folder: Where they are kept; None keeps them in memory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._store = None if folder is None else ObjectStore(folder)
        self._memory: dict[str, bytes] = {}

    def save_changes(self, changes: Changes) -> str:
        """Keeps the changes; gives their digest.

        Raises:
            WorkspaceError: Disk full, or the folder cannot be written.
        """
        written = {name: self._put(data) for name, data in sorted(changes.written.items())}
        before = {name: self._put(data) for name, data in sorted(changes.before.items())}
        # Last, so that whoever holds the digest can have the whole snapshot after a crash.
        return self._put(_manifest(written, changes.deleted, before))

    def load_changes(self, snapshot: str) -> Changes:
        """The changes behind a digest; none behind "".

        Raises:
            RecordDamaged: Something of the snapshot is missing or not what was written.
        """
        if not snapshot:
            return Changes()
        manifest = json.loads(self._get(snapshot))
        written = {name: self._get(key) for name, key in manifest["written"].items()}
        before = {name: self._get(key) for name, key in manifest["before"].items()}
        return Changes(written=written, deleted=tuple(manifest["deleted"]), before=before)

    def keep_text(self, text: str) -> str:
        """Keeps a text; gives its digest."""
        return self._put(text.encode())

    def text(self, name: str) -> str:
        """The text behind a digest.

        Raises:
            RecordDamaged: It is missing or not what was written.
        """
        return self._get(name).decode()

    def _put(self, data: bytes) -> str:
        if self._store is not None:
            return self._store.put_object(data)
        name = digest(data)
        self._memory[name] = data
        return name

    def _get(self, name: str) -> bytes:
        return self._memory[name] if self._store is None else self._store.get(name)


def newly_redacted(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[str, ...]:
    """Names of files that hold more marks of a secret than before: a value that was not shown would be lost there."""
    changed = [name for name, data in after.items() if before.get(name) != data and _MARKS.search(data)]
    known = set(before.values()) if changed else set()
    more = (name for name in changed if len(_MARKS.findall(after[name])) > len(_MARKS.findall(before.get(name, b""))))
    return tuple(sorted(name for name in more if after[name] not in known))
