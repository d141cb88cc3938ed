"""Tasks from the history of a repository: a commit that brings tests of its own is a problem with its answer.

The folder is that of the commit's parent, the instruction its message. Its tests decide, and whoever solves it sees
neither them nor any later commit. Kept is a commit only where its tests fail on the parent and pass on the commit, both
in the sandbox and by the judge that will judge the answers (the idea: SWE-bench, Jimenez et al. 2024).
"""

from __future__ import annotations

import re
import shlex
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evolve.core.errors import SandboxUnavailable, UsageError
from evolve.core.files import write_failure
from evolve.core.progress import doing
from evolve.runtime.folder_tree import Tree, read_tree
from evolve.runtime.sandbox.protocol import Sandbox
from evolve.tasks.model import Task
from evolve.tasks.reading.reading_git_objects import Commit, Entries, GitObjects
from evolve.tasks.verification.verifiers import CommandVerifier, Submission
from evolve.tasks.work import FolderWork

PYTEST = "python -m pytest -q {tests}"
MOST_COMMITS = 20
"""Commits that are looked at for each task that is wanted."""
_TEST_FOLDERS = frozenset({"test", "tests", "spec", "specs", "__tests__"})
_TEST_NAME = re.compile(r"(?:test_.*|.*_test|.*_spec|.*\.test|.*\.spec)\.\w+\Z|conftest\.py\Z")
_RUNS = re.compile(r"(?:.*/)?(?:test_[^/]*|[^/]*_test)\.py\Z")
_TRAILER = re.compile(r"[A-Z][\w-]+-by: .*|Change-Id: .*")
_FEWEST_WORDS = 3


@dataclass(frozen=True, kw_only=True)
class HistoryRules:
    """What is taken from a history.

    Attributes:
        last: The most tasks, of the newest commits.
        check: The command that decides; ``{tests}`` stands for the commit's test files.
        without: Tells of a file's name whether it is left out everywhere.
    """

    last: int = 20
    check: str = PYTEST
    without: Callable[[str], bool] = lambda name: False


@dataclass(frozen=True, kw_only=True)
class History:
    """The tasks of so many commits that were looked at, and why the others are none, with how many each."""

    tasks: tuple[Task, ...]
    commits: int
    left: Mapping[str, int] = field(default_factory=dict)


def tasks_from_git(repo: Path, folders: Path, rules: HistoryRules, sandbox: Sandbox) -> History:
    """Tasks of the newest commits that make one; their folders are written below ``folders``.

    Raises:
        UsageError: It is no repository, or other files are where a folder is to be.
        SandboxUnavailable: The sandbox failed.
        WorkspaceError: A folder cannot be written.
    """
    tasks: list[Task] = []
    left: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="evolve-git-") as own:
        objects = GitObjects(repo, Path(own))
        commits = objects.commits(rules.last * MOST_COMMITS)
        with doing("commits", total=len(commits), count=lambda: len(tasks) + left.total()):
            for commit in commits:
                found = _task_of(commit, objects, folders, rules, sandbox)
                if isinstance(found, str):
                    left[found] += 1
                else:
                    tasks.append(found)
                if len(tasks) == rules.last:
                    break
    return History(tasks=tuple(tasks), commits=len(tasks) + left.total(), left=dict(left.most_common()))


def _task_of(commit: Commit, objects: GitObjects, folders: Path, rules: HistoryRules, sandbox: Sandbox) -> Task | str:
    """The task that a commit makes, with its folder on disk; or why it makes none."""
    kept: list[Entries] = []
    for name_of in (commit.parent, commit.id):
        kept.append({name: one for name, one in objects.entries(name_of).items() if not rules.without(name)})
    before, after = kept
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    tests = sorted(name for name in changed & after.keys() if _is_test(name))
    run = tests if rules.check != PYTEST else [name for name in tests if _RUNS.match(name)]
    words = "\n".join(line for line in commit.message.splitlines() if not _TRAILER.match(line)).strip()
    words = "".join(
        sign for sign in words if sign.isprintable() or sign in "\n\t"
    )  # a model would read what nobody sees
    if not run:
        return "no tests changed"
    if all(map(_is_test, changed)):
        return "only tests changed"
    if len(words.split()) < _FEWEST_WORDS:
        return f"the message has fewer than {_FEWEST_WORDS} words"
    old, new = objects.tree(before), objects.tree(after)
    try:
        hidden = {name: new.files[name].decode() for name in tests}
    except UnicodeDecodeError:
        return "a test file is no text"
    check, folder = rules.check.replace("{tests}", shlex.join(run)), folders / commit.id[:12]
    work = FolderWork(folder=str(folder), hidden_check=check, hidden_files=hidden, base=old.digest)
    judge = CommandVerifier(work=work, original=old.files, executable=old.executable)
    unsolved = judge.run(Submission(files=old.files, executable=old.executable), sandbox)
    if unsolved.ok:
        return "its tests pass before it"
    solved = judge.verify(Submission(files=new.files, executable=new.executable), sandbox)
    if unsolved.fault or solved.fault:
        raise SandboxUnavailable(unsolved.error or solved.text)
    if not solved.accepted:
        return "its tests fail after it"
    write_tree(old, folder)
    return Task(id=folder.name, family="git", instruction=words, examples=(), work=work)


def _is_test(name: str) -> bool:
    """Whether a file belongs to the tests, by the names that are usual in most languages."""
    *folders, last = name.split("/")
    return not _TEST_FOLDERS.isdisjoint(folders) or _TEST_NAME.match(last) is not None


def write_tree(tree: Tree, folder: Path) -> None:
    """Writes a folder whole or not at all; one that is there already must hold the same.

    Raises:
        UsageError: It does not.
        WorkspaceError: It cannot be written.
    """
    if folder.exists():
        if read_tree(folder).digest != tree.digest:
            raise UsageError(f"{folder} is there already and holds something else", hint="name another place")
        return
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        for name, data in tree.files.items():
            place = fresh / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            place.chmod(0o755 if name in tree.executable else 0o644)
        for name in tree.folders:
            (fresh / name).mkdir(parents=True, exist_ok=True)
        fresh.chmod(0o755)
        fresh.rename(folder)
    except OSError as error:
        raise write_failure(folder, error) from error
