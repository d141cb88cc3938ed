"""Small git repositories with a history as people write it, made by script: the same seed, the same commits."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

_ENV = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C", "HOME": "/nonexistent"}
_WHO = {"NAME": "A", "EMAIL": "a@example.org", "DATE": "2026-01-01T00:00:00+0000"}
_AUTHOR = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in _WHO.items()}
KINDS = ("feature", "feature", "fix", "docs", "untested", "tests only", "passes before", "broken", "short")
"""What a commit is; the first three kinds make a task."""


def git(folder: Path, *words: str) -> str:
    """Runs git on nobody's settings and gives what it printed."""
    environment = {"PATH": os.environ["PATH"], **_ENV, **_AUTHOR}
    return subprocess.run(
        ["git", *words], cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout


def commit(folder: Path, message: str, files: dict[str, str]) -> str:
    """Writes files and commits all that changed; gives the id."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD").strip()


def make_repository(folder: Path, commits: int, seed: int = 0) -> dict[str, str]:
    """A repository of so many commits behind its first; gives the kind of each by its id."""
    draw = random.Random(seed)
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--template=", "-b", "main")
    commit(folder, "Begin", {"tool/__init__.py": "", "README.md": "# tool\n"})
    return {commit(folder, *_change(kind, n, draw)): kind for n, kind in enumerate(_kinds(commits, draw))}


def _kinds(commits: int, draw: random.Random) -> list[str]:
    kinds = [KINDS[n % len(KINDS)] for n in range(commits)]
    draw.shuffle(kinds)
    return kinds


def _change(kind: str, n: int, draw: random.Random) -> tuple[str, dict[str, str]]:
    factor, name = draw.randint(2, 99), f"scale_{n}"
    code = f"def {name}(values):\n    return [value * {factor} for value in values]\n"
    test = (
        f"from tool.part_{n} import {name}\n\n\ndef test_{name}():\n    assert {name}([1, 2]) =="
        f" [{factor}, {2 * factor}]\n    assert {name}([]) == []\n    assert {name}([5]) == [{5 * factor}]\n"
    )
    source, tests = {f"tool/part_{n}.py": code}, {f"tests/test_part_{n}.py": test}
    said = f"Add {name} in tool/part_{n}.py, which multiplies every value of a list by {factor}"
    other = {f"tests/test_part_{n}.py": f"def test_sum_{n}():\n    assert sum([{n}, 1]) == {n + 1}\n"}
    return {
        "feature": (said, {**source, **tests}),
        "fix": (f"{said}\n\nIt was left out by mistake.\n\nReviewed-by: B <b@example.org>", {**source, **tests}),
        "docs": (f"Tell what part {n} is for", {"README.md": f"# tool\n\nPart {n}.\n"}),
        "untested": (f"{said}, untested", source),
        "tests only": (f"Test that sums of {n} are right", other),
        "passes before": (f"{said}, and test sums", {**source, **other}),
        "broken": (
            f"{said}, though its test is wrong",
            {**source, f"tests/test_part_{n}.py": test.replace("[5]", "[6]")},
        ),
        "short": ("wip", {**source, **tests}),
    }[kind]
