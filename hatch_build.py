"""Puts the seeds that the committed lists name, and nothing else of those folders, into a build.

An editable install, which only a clone can be, offers what draws fresh tasks; a wheel has the suites that ship.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

KINDS = ("prompts", "skills")


class SeedBuildHook(BuildHookInterface):
    """Wheel: ``evolve/_seed/<kind>/...``; source distribution: where they lie."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds each listed file; a listed file that is missing fails the build."""
        if version == "editable":
            self.metadata.core.entry_points["evolve.suites"] = generators(Path(self.root))
            return
        folder = "evolve/_seed/" if self.target_name == "wheel" else ""
        for kind in KINDS:
            for name in ["SEEDS", *seeds(Path(self.root, kind))]:
                source = Path(self.root, kind, name)
                if not source.is_file():
                    raise FileNotFoundError(f"{kind}/SEEDS names {name}, which does not exist")
                build_data["force_include"][str(source)] = f"{folder}{kind}/{name}"


def seeds(folder: Path) -> list[str]:
    """The relative file names listed in a folder's SEEDS, without the digests there."""
    lines = (line.strip() for line in (folder / "SEEDS").read_text("utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#") and " " not in line]


def generators(root: Path) -> dict[str, str]:
    """What draws the tasks of each suite that ships, as entry points."""
    shipped = sorted(path.name.split(".")[0] for path in root.glob("evolve/tasks/suites/*.jsonl.bz2"))
    return {name: f"benchmarks.suites.{name}:generate" for name in shipped}
