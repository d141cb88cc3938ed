"""Work in repositories, in the format of SWE-bench (Jimenez et al. 2024), on folders that lie on this machine."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from pydantic import BaseModel

from evolve.runtime.folder_tree import FolderTree, read_tree
from evolve.tasks.model import Task
from evolve.tasks.reading.limits import FilePosition
from evolve.tasks.work import FolderWork
from evolve_imports.patches import patched

_SECONDS = 900.0
_COMMIT = re.compile(r"[0-9a-f]{40}\Z")


class RepositoryRow(BaseModel):
    """One line of a SWE-bench-format file; the reference ``patch`` is read for nothing."""

    instance_id: str
    repo: str = ""
    base_commit: str = ""
    problem_statement: str
    test_patch: str = ""
    FAIL_TO_PASS: list[str] | str
    PASS_TO_PASS: list[str] | str = []


def repository_task(row: RepositoryRow, repos: Path, place: FilePosition) -> Task:
    """Work in the repository's folder, decided by the named tests as the test patch leaves them.

    The folder is ``REPOS/<instance_id>``, else ``REPOS/<owner>__<name>``, else ``REPOS/<name>``.

    Raises:
        TaskError: No such folder, another commit than the base is checked out, the test patch does not fit, or a
            test is not named as pytest names it.
        UsageError: The folder cannot be read or is too large.
    """
    folder = _folder(row, repos, place)
    warnings = _check_commit(row, folder, place)
    tree = read_tree(folder)
    tests = [
        *_names(row.FAIL_TO_PASS, place.field_position("FAIL_TO_PASS")),
        *_names(row.PASS_TO_PASS, place.field_position("PASS_TO_PASS")),
    ]
    if not tests:
        raise place.field_position("FAIL_TO_PASS").error("no test decides")
    hidden = patched(row.test_patch, lambda name: _text(tree, name), place.field_position("test_patch"))
    return Task(
        id=row.instance_id,
        family=row.repo or "repository",
        instruction=row.problem_statement,
        examples=(),
        work=FolderWork(
            folder=str(folder),
            base=tree.digest,
            hidden_check="python3 -m pytest -q " + shlex.join(tests),
            hidden_files=hidden,
            seconds=_SECONDS,
        ),
        warnings=warnings,
    )


def _folder(row: RepositoryRow, repos: Path, place: FilePosition) -> Path:
    names = [row.instance_id, row.repo.replace("/", "__"), row.repo.rpartition("/")[2]]
    for name in filter(None, names):
        if "/" not in name and name not in (".", "..") and (repos / name).is_dir():
            return (repos / name).resolve()
    raise place.field_position("repo").error(f"no folder {names[0]} or {names[1]} in {repos}", hint="clone it there")


def _check_commit(row: RepositoryRow, folder: Path, place: FilePosition) -> tuple[str, ...]:
    """Refuses another commit than the base; what cannot be told is a warning."""
    if not row.base_commit:
        return ()
    commit = _checked_out(folder)
    if commit is None:
        return (f"{folder} does not say which commit it is; {row.base_commit[:12]} is meant",)
    if not commit.startswith(row.base_commit):
        raise place.field_position("base_commit").error(
            f"{folder} is at {commit[:12]}, not {row.base_commit[:12]}",
            hint=f"git -C {shlex.quote(str(folder))} checkout {row.base_commit[:12]}",
        )
    return ()


def _checked_out(folder: Path) -> str | None:
    """The commit that is checked out, read from the files of git itself; git is not started on foreign settings."""
    git = folder / ".git"
    try:
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if head.startswith("ref: "):
            name = head[5:]
            packed = git / "packed-refs"
            if (git / name).is_file():
                head = (git / name).read_text(encoding="utf-8").strip()
            else:
                lines = packed.read_text(encoding="utf-8").splitlines()
                head = next((line.split(" ")[0] for line in lines if line.endswith(f" {name}")), "")
    except (OSError, UnicodeDecodeError, ValueError):
        return None
    return head if _COMMIT.match(head) else None


def _names(value: list[str] | str, place: FilePosition) -> list[str]:
    try:
        names = json.loads(value) if isinstance(value, str) else value
    except ValueError as error:
        raise place.error("neither a list nor the JSON of one") from error
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise place.error("not a list of names")
    for name in names:
        if ".py" not in name or name.startswith("-"):
            raise place.error(f"{name[:60]!r} is not how pytest names a test, such as tests/test_a.py::test_b")
    return names


def _text(tree: FolderTree, name: str) -> str | None:
    data = tree.files.get(name)
    return None if data is None else data.decode("utf-8", "replace")
