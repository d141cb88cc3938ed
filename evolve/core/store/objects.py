"""Content-addressed bodies: a file's name is the SHA-256 of its bytes, so damage shows on reading."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from evolve.core.errors import RecordDamaged, WorkspaceError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, digest, write_atomic

_REPAIR = "evolve status --repair"
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")


class ObjectStore:
    """Immutable objects in one folder. Writing the same bytes again costs nothing.

    An object is durable when :meth:`put_object` returns. The row that refers to it is the commit point, so
    objects are put before the transaction that names them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)

    def put_object(self, data: bytes) -> str:
        """Stores bytes; gives their digest.

        Raises:
            WorkspaceError: When the disk is full or the folder cannot be written.
        """
        name = digest(data)
        path = self.folder / name
        try:
            # Read, not only looked for: a damaged object is written anew by the next who puts it.
            intact = path.read_bytes() == data
        except OSError:  # missing or unreadable; writing it says what is wrong, if anything is
            intact = False
        if not intact:
            hit_failpoint("object.begin")
            write_atomic(path, data)
            hit_failpoint("object.kept")
        return name

    def get(self, name: str) -> bytes:
        """The bytes of an object, verified.

        Raises:
            RecordDamaged: When the object is missing, or does not match its digest; then it has
                been moved aside and the message says where.
            WorkspaceError: When it cannot be read.
        """
        path = self._path(name)
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise RecordDamaged(f"the object {path} is missing", hint=_REPAIR) from error
        except OSError as error:
            raise WorkspaceError(f"cannot read {path}: {error.strerror}") from error
        if digest(data) == name:
            return data
        number = 1
        while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
            number += 1
        path.rename(aside)
        raise RecordDamaged(f"the object {path} does not match its digest; it was moved to {aside.name}", hint=_REPAIR)

    def put_json(self, value: Any) -> str:
        """Stores a JSON value in canonical form; equal values give equal digests."""
        return self.put_object(canonical_json(value).encode())

    def get_json(self, name: str) -> Any:
        """The JSON value of an object."""
        return json.loads(self.get(name))

    def __contains__(self, name: str) -> bool:
        return self._path(name).is_file()

    def digests(self) -> list[str]:
        """The digests of all objects, sorted; what was moved aside is not among them."""
        if not self.folder.is_dir():
            return []
        return sorted(name for name in os.listdir(self.folder) if _DIGEST.match(name))

    def delete(self, name: str) -> None:
        """Removes an object that nothing refers to any more; a missing one is no error."""
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        if not _DIGEST.match(name):
            raise RecordDamaged(f"not an object's digest: {name!r}")
        return self.folder / name
