"""The rules of the Agent Skills format, in the strict reading that all known clients accept.

Written from the format's specification and from what individual clients refuse beyond it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from evolve.core import frontmatter
from evolve.core.errors import UsageError
from evolve.core.files import read_text

DOCUMENT = "SKILL.md"
LONGEST_NAME, LONGEST_DESCRIPTION, LONGEST_COMPATIBILITY = 64, 1024, 500
# the format recommends to stay below
_MOST_LINES = 500
_FIELDS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
# one platform refuses names that contain these
_RESERVED = ("anthropic", "claude")


def name_problems(name: str) -> list[str]:
    """Why a name cannot be exported; [] when it can."""
    problems = []
    if not _NAME.match(name) or len(name) > LONGEST_NAME:
        problems.append(f"the name must be kebab-case ASCII of at most {LONGEST_NAME} characters")
    return problems + [f"the name must not contain {word!r}" for word in _RESERVED if word in name]


def description_problems(description: str) -> list[str]:
    """Why a description cannot be exported; [] when it can."""
    problems = []
    if not description.strip():
        problems.append("the description is empty")
    if len(description) > LONGEST_DESCRIPTION:
        problems.append(f"the description is longer than {LONGEST_DESCRIPTION} characters")
    if re.search("[<>]", description):
        problems.append("the description contains '<' or '>'")
    # clients choose skills by this text alone
    if "use " not in description.lower():
        problems.append("the description does not say when to use the skill")
    return problems


def validate(folder: Path) -> list[str]:
    """Everything that a strict reader would refuse about an exported folder; [] when it is fine."""
    document = folder / DOCUMENT
    if not document.is_file():
        return [f"{DOCUMENT} is missing"]
    try:
        fields, body = frontmatter.parse(read_text(document))
    except UsageError as error:
        return [str(error)]
    problems = [f"unknown field {name!r}" for name in fields if name not in _FIELDS]
    name, description = fields.get("name", ""), fields.get("description", "")
    if not isinstance(name, str) or not isinstance(description, str):
        return [*problems, "name and description must be text"]
    problems += name_problems(name) + description_problems(description)
    if name != folder.name:
        problems.append(f"the name must be that of its folder, {folder.name!r}")
    if body.count("\n") > _MOST_LINES:
        problems.append(f"the body is longer than {_MOST_LINES} lines")
    return problems + _optional_problems(fields) + _file_problems(folder)


def _optional_problems(fields: Mapping[str, str | dict[str, str]]) -> list[str]:
    problems = []
    if not isinstance(fields.get("metadata", {}), dict):
        problems.append("metadata must map text to text")
    for name in ("license", "compatibility", "allowed-tools"):
        value = fields.get(name)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            problems.append(f"{name} must be text and not empty")
    compatibility = fields.get("compatibility")
    if isinstance(compatibility, str) and len(compatibility) > LONGEST_COMPATIBILITY:
        problems.append(f"compatibility is longer than {LONGEST_COMPATIBILITY} characters")
    return problems


def _file_problems(folder: Path) -> list[str]:
    problems = []
    for path in sorted(folder.rglob("*")):
        shown = path.relative_to(folder)
        if path.is_symlink():
            problems.append(f"{shown} is a link")
        elif path.suffix in (".pkl", ".pickle", ".pyc", ".npy", ".pt", ".joblib"):
            problems.append(f"{shown} is of a kind that can run code when it is loaded")
    return problems
