"""The rules of the Agent Skills format, in the strict reading that all known clients accept.

Written from the format's specification and from what individual clients refuse beyond it.
"""

from __future__ import annotations

import re

DOCUMENT = "SKILL.md"
LONGEST_NAME, LONGEST_DESCRIPTION = 64, 1024
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
