"""Where a workspace is and where its parts lie."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from evolve.errors import UsageError, WorkspaceError
from evolve.files import named_path, parse_toml, read_text

MARKER = "evolve.toml"
STORE = "memory_store"
APPROVALS = "evolve-approvals"


@dataclass(frozen=True)
class WorkspacePaths:
    """The layout of one workspace. Naming a path creates nothing."""

    root: Path

    @property
    def marker(self) -> Path:
        return self.root / MARKER

    @property
    def prompts(self) -> Path:
        return self.root / "prompts"

    @property
    def skills(self) -> Path:
        return self.root / "skills"

    @property
    def store(self) -> Path:
        return self.root / STORE

    @property
    def db(self) -> Path:
        return self.store / "memory.db"

    @property
    def objects(self) -> Path:
        return self.store / "objects"

    @property
    def runs(self) -> Path:
        return self.store / "runs"

    @property
    def index(self) -> Path:
        return self.store / "index"

    @property
    def spending(self) -> Path:
        """The book behind limits of day and workspace."""
        return self.store / "spending.db"

    @property
    def lock(self) -> Path:
        return self.store / "lock"


def find_workspace(explicit: str | os.PathLike[str] | None = None, start: Path | None = None) -> Path | None:
    """The workspace to use, or None when only the user's own is left.

    Order: ``explicit``, the variable ``EVOLVE_WORKSPACE``, the nearest marked folder at or above
    ``start`` (default: the current folder). An explicit folder need not exist yet.

    Raises:
        WorkspaceError: The current folder was deleted, or the named folder can be none.
    """
    named = explicit or os.environ.get("EVOLVE_WORKSPACE")
    try:
        if named:
            return workspace_at(named)
        here = (start or Path.cwd()).absolute()
    except FileNotFoundError as error:
        raise WorkspaceError("the current folder no longer exists", hint="change to one that does") from error
    return next((folder for folder in (here, *here.parents) if is_workspace(folder)), None)


def workspace_at(name: str | os.PathLike[str]) -> Path:
    """The folder that a person names as a workspace, which need not exist yet.

    Raises:
        WorkspaceError: There can be no folder of that name, it is a file, or it lies in what another workspace keeps.
    """
    try:
        root = named_path(name)
    except UsageError as error:
        raise WorkspaceError(str(error), hint="choose a folder with -w") from error
    there = next(folder for folder in (root, *root.parents) if os.path.lexists(folder))
    if there.exists() and not there.is_dir():
        inside = f", so {root} cannot be there" if there != root else ""
        raise WorkspaceError(f"{there} is a file, not a folder{inside}", hint="choose a folder with -w")
    for folder in (root, *root.parents):
        if folder.name == STORE and is_workspace(folder.parent):
            raise WorkspaceError(f"{root} lies in {STORE} of the workspace {folder.parent}", hint=f"-w {folder.parent}")
    return root


def is_workspace(folder: Path) -> bool:
    """True when the folder carries ``evolve.toml`` or a ``[tool.evolve]`` table in its pyproject.toml."""
    if (folder / MARKER).is_file():
        return True
    try:
        text = read_text(folder / "pyproject.toml")
    except UsageError:
        return False
    if "tool.evolve" not in text:
        return False
    try:
        return "evolve" in parse_toml(text, "pyproject.toml").get("tool", {})
    except UsageError:
        # Marked but malformed: it is the workspace meant, and reading the settings will name the line.
        return True


def user_workspace() -> Path:
    """The user's own workspace under the platform's data folder; not created here."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        data = os.environ.get("XDG_DATA_HOME", "")
        # The XDG base directory specification says relative values are to be ignored.
        base = Path(data) if os.path.isabs(data) else Path.home() / ".local" / "share"
    return base / "evolve"


def approvals_folder() -> Path:
    """Where is kept what a person approved: outside any workspace, and left out of every folder that is worked on."""
    if sys.platform in ("darwin", "win32"):
        return user_workspace().with_name(APPROVALS)
    state = os.environ.get("XDG_STATE_HOME", "")
    return (Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state") / APPROVALS


def seed_root() -> Path:
    """The folder with the seed ``prompts/`` and ``skills/``: inside the wheel, or the source tree."""
    package = Path(__file__).parent
    packed = package / "_seed"
    return packed if packed.is_dir() else package.parent
