"""Writes skills as an export does, without a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evolve.skills import Skill
from evolve.skills.export import ExportRules, prepare_export


def export(
    skills: Sequence[Skill], to: Path, rules: ExportRules | None = None, *, format: str = "bundle"
) -> list[Path]:
    """The folders and files that stand there now."""
    return prepare_export(skills, rules or ExportRules(), to=to, format=format).write()
