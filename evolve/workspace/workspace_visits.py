"""What a person saw of a workspace when they looked last, so that what happened since can be told.

It is kept beside what they approved, outside of the workspace: a mere look changes nothing in there.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from evolve.core.errors import WorkspaceError
from evolve.core.files import digest, replacing
from evolve.core.paths import approvals_folder


@dataclass(frozen=True, kw_only=True)
class Visit:
    """What was there when a person looked.

    Attributes:
        at: When that was, in seconds since the epoch.
        unfinished: Ids of the runs that had not ended.
    """

    insights: int = 0
    skills: int = 0
    unfinished: tuple[str, ...] = ()
    at: float = field(default_factory=time.time)


def last_visit(root: Path) -> Visit | None:
    """The last visit to a workspace, or None where there was none or what is kept of it cannot be understood."""
    try:
        kept = json.loads(_file(root).read_bytes())
        return Visit(
            insights=int(kept["insights"]),
            skills=int(kept["skills"]),
            unfinished=tuple(map(str, kept["unfinished"])),
            at=float(kept["at"]),
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None


def keep_visit(root: Path, visit: Visit) -> None:
    """Keeps a visit in place of the one before; where nothing can be written, the next one tells the same again."""
    with suppress(WorkspaceError), replacing(_file(root), mode=0o600) as stream:
        stream.write(json.dumps(asdict(visit)).encode("ascii"))


def _file(root: Path) -> Path:
    return approvals_folder() / "visits" / f"{digest(str(root).encode())[:16]}.json"
