"""Writes skills as Agent Skills folders that other agents load and people can run.

Each folder holds ``SKILL.md``, a script that runs by itself and evaluation cases. Nothing is written unless every
skill of the call passes every rule: format, names, secrets, and that importing the script runs nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from evolve import frontmatter
from evolve.errors import UsageError
from evolve.export.script import render_script, shell_quoted
from evolve.export.secret_scan import find_secrets, known_secrets
from evolve.export.validation import (
    DOCUMENT,
    LONGEST_DESCRIPTION,
    description_problems,
    name_problems,
    validate,
)
from evolve.faults import hit
from evolve.skills import KEPT, Skill, lint, modules_used
from evolve.skills.folder import replace_folder

__all__ = ["export", "validate"]

_GENERATOR = "evolve"
_MOST_EVALS = 5


def export(skills: Sequence[Skill], out: Path) -> list[Path]:
    """Writes one folder per skill into ``out``; gives their paths.

    A folder that an earlier export made is replaced; any other is left alone.

    Raises:
        UsageError: When a skill must not leave (its status, name, a secret), or the place is taken.
        WorkspaceError: When it cannot be written.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: not a folder")
    known = known_secrets(os.environ)
    prepared: dict[Path, dict[str, str]] = {}
    for skill in skills:
        files = _files(skill)
        _check(skill, files, known)
        target = out / skill.name
        if target in prepared:
            raise UsageError(f"the skill {skill.name} is named twice")
        _check_place(target)
        prepared[target] = files
    for target, files in prepared.items():
        hit("export.before")
        replace_folder(target, files)
        hit("export.after")
    return list(prepared)


def describe(skill: Skill) -> str:
    """What the skill does and when to use it, in characters and length that every client accepts."""
    text = skill.description.replace("->", "to").replace("<", "less than ").replace(">", "greater than ")
    text = " ".join(text.replace("---", "-").split()).strip()
    if "use when" in text.lower():
        return text[:LONGEST_DESCRIPTION]
    what = (text or skill.name.replace("-", " ").capitalize()).rstrip(".")
    when = f" Use when a task needs {skill.name.replace('-', ' ')}, or a function with the same results."
    return what[: LONGEST_DESCRIPTION - len(when) - 1] + "." + when


def _files(skill: Skill) -> dict[str, str]:
    description = describe(skill)
    problems = lint(skill.code, skill.entry)
    if problems:
        raise UsageError(f"{skill.name} cannot be exported: {problems[0]}")
    return {
        DOCUMENT: _document(skill, description),
        f"scripts/{skill.name}.py": render_script(skill, description),
        "evals/evals.json": json.dumps(_evals(skill), indent=2) + "\n",
    }


def _check(skill: Skill, files: Mapping[str, str], known: Sequence[str]) -> None:
    problems = name_problems(skill.name) + description_problems(describe(skill))
    if skill.status not in KEPT:
        problems.append(f"its status is {skill.status}; only {', '.join(KEPT)} skills leave the workspace")
    for name, text in files.items():
        problems += [f"{name} contains {kind}" for kind in find_secrets(text, known)]
    if problems:
        raise UsageError(f"{skill.name} cannot be exported: {problems[0]}", hint="rename or mend the skill first")


def _check_place(target: Path) -> None:
    if not os.path.lexists(target):
        return
    try:
        fields, _ = frontmatter.parse((target / DOCUMENT).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, UsageError):
        fields = frontmatter.parse("")[0]
    metadata = fields.get("metadata")
    ours = isinstance(metadata, dict) and metadata.get("generator", "").startswith(_GENERATOR)
    if target.is_symlink() or not ours:
        raise UsageError(f"{target} exists and is not an earlier export", hint="choose another --out folder")


def _document(skill: Skill, description: str) -> str:
    fields: dict[str, str | Mapping[str, str]] = {
        "name": skill.name,
        "description": description,
        "metadata": {
            "generator": _GENERATOR,
            "content-sha256": skill.digest,
            "status": skill.status,
            "tests-passed": f"{len(skill.rows)}/{len(skill.rows)}",
            "tasks-helped": str(len(skill.tasks)),
            "modules": ", ".join(modules_used(skill.code)) or "none",
        },
    }
    return frontmatter.render(fields, _body(skill, description))


def _body(skill: Skill, description: str) -> str:
    first = shell_quoted(json.dumps(list(skill.rows[0].input))) if skill.rows else "'[...]'"
    lines = [
        f"# {skill.name.replace('-', ' ').capitalize()}",
        "",
        description,
        "",
        "## Use",
        "",
        "Run the script with the arguments as one JSON list; the result is printed as JSON.",
        "",
        f"    python scripts/{skill.name}.py {first}",
        "",
        "Without an argument it reads the list from stdin; with `--batch` it reads one list per line.",
        "Exit codes: 0 done, 1 the function failed, 2 wrong input. Python 3.11 or later, no packages.",
        "",
        f"The function is `{skill.entry}{skill.signature}` in `scripts/{skill.name}.py`.",
        "",
        "## Examples",
        "",
    ]
    for row in skill.rows[:_MOST_EVALS]:
        lines.append(f"    {json.dumps(list(row.input))[:200]} gives {json.dumps(row.output)[:200]}")
    return "\n".join(lines) + "\n"


def _evals(skill: Skill) -> dict[str, object]:
    cases = [
        {
            "id": number,
            "prompt": f"{describe(skill)} Arguments: {json.dumps(list(row.input))}. Give the result as JSON.",
            "expected_output": json.dumps(row.output),
            "files": [],
            "assertions": [f"The result equals {json.dumps(row.output)}"],
        }
        for number, row in enumerate(skill.rows[:_MOST_EVALS], 1)
    ]
    return {"skill_name": skill.name, "evals": cases}
