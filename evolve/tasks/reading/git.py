"""Tasks from a repository's history: a commit that brings tests is a problem with its answer.

The folder is that of the commit's parent, the instruction its message. Its tests decide, and whoever solves it sees
neither them nor any later commit. Kept is a commit only where its tests fail on the parent and pass on the commit, both
in the sandbox and by the judge that will judge the answers (the idea: SWE-bench, Jimenez et al. 2024).

Its objects are looked at from an empty repository of our own, so hooks, filters, attributes, replaced objects, remotes
and submodules of the one that is read mean nothing here.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evolve.core.errors import SandboxUnavailable, UsageError
from evolve.core.files import write_failure
from evolve.core.progress import report_activity
from evolve.runtime.folder_tree import MAX_TREE_BYTES, MAX_TREE_FILES, FolderTree, is_ignored, read_tree
from evolve.runtime.sandbox.actions import is_plain_name
from evolve.runtime.sandbox.protocol import Sandbox
from evolve.runtime.sandbox.server_process import run_outside
from evolve.tasks.model import Task
from evolve.tasks.verification.verifiers import CommandVerifier, Submission
from evolve.tasks.work import FolderWork

_FILES = {b"100644": False, b"100755": True}
"""Modes of what is taken along, and whether it is executable; links and submodules are not."""
_GIT = ("git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "safe.directory=*", "--no-pager")
_VARIABLES = {
    **{"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
    **{"GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "HOME": "/nonexistent"},
}
Entries = Mapping[str, tuple[str, bool]]
"""The regular files of a commit by name: the name of the content, and whether it is executable."""


@dataclass(frozen=True, kw_only=True)
class Commit:
    """A commit with one parent."""

    id: str
    parent: str
    message: str


class GitObjects:
    """The history behind the commit ``head`` that is checked out in a repository.

    Args:
        repo: A folder in a work tree, or a bare repository.
        own: An empty folder for the repository of our own.

    Raises:
        UsageError: It is no repository with a commit.
        SandboxUnavailable: Git is not installed.
    """

    def __init__(self, repo: Path, own: Path) -> None:
        if not repo.is_dir():
            raise UsageError(f"{repo}: no folder", hint="name the folder of a git repository")
        self._repo, self._own, self._blobs = repo, own, dict[str, bytes]()
        said = self._git("rev-parse", "HEAD", "--git-path", "objects", "--git-path", "shallow", at=repo)
        self.head, objects, shallow = os.fsdecode(said).splitlines()
        kind = "sha1" if len(self.head) == 40 else "sha256"
        self._git("init", "--quiet", "--bare", "--template=", f"--object-format={kind}", ".")
        (own / "objects" / "info" / "alternates").write_bytes(os.fsencode((repo / objects).resolve()) + b"\n")
        if (repo / shallow).is_file():
            (own / "shallow").write_bytes((repo / shallow).read_bytes())

    def newest_commits(self, most: int) -> list[Commit]:
        """The newest commits with one parent, newest first."""
        said = self._git("rev-list", f"--max-count={most}", "--no-merges", "--parents", self.head)
        pairs = [ids for line in said.decode().splitlines() if len(ids := line.split()) == 2]
        bodies = self._contents(own for own, _ in pairs)
        messages = {own: body.partition(b"\n\n")[2].decode("utf-8", "replace").strip() for own, body in bodies.items()}
        return [Commit(id=own, parent=parent, message=messages[own]) for own, parent in pairs]

    def entries(self, commit: str) -> Entries:
        """The files of a commit, as far as they are taken along to work on.

        Raises:
            UsageError: They are too many or too large.
        """
        found: dict[str, tuple[str, bool]] = {}
        size = 0
        for line in filter(None, self._git("ls-tree", "-r", "-l", "-z", "--full-tree", commit).split(b"\0")):
            head, _, raw = line.partition(b"\t")
            name, (mode, _, blob, length) = raw.decode("utf-8", "replace"), head.split()
            if mode in _FILES and is_plain_name(name) and name.encode() == raw and not is_ignored(name):
                found[name], size = (blob.decode(), _FILES[mode]), size + int(length)
        if len(found) > MAX_TREE_FILES or size > MAX_TREE_BYTES:
            raise UsageError(f"{self._repo}: its commits are too large to be worked on")
        return found

    def tree(self, entries: Entries) -> FolderTree:
        """These files with their contents."""
        wanted = {blob for blob, _ in entries.values()}
        kept = {blob: data for blob, data in self._blobs.items() if blob in wanted}
        self._blobs = {**kept, **self._contents(sorted(wanted - kept.keys()))}
        files = {name: self._blobs[blob] for name, (blob, _) in entries.items()}
        return FolderTree(files=files, executable=frozenset(name for name, (_, runs) in entries.items() if runs))

    def _contents(self, names: Iterable[str]) -> dict[str, bytes]:
        wanted, place, found = list(names), 0, dict[str, bytes]()
        said = self._git("cat-file", "--batch", given="".join(f"{name}\n" for name in wanted).encode())
        for name in wanted:
            begin = said.find(b"\n", place) + 1
            size = said[place:begin].split()[-1]
            if not size.isdigit():
                raise UsageError(f"{self._repo}: the object {name[:12]} is missing", hint="git fsck")
            found[name] = said[begin : begin + int(size)]
            place = begin + int(size) + 1
        return found

    def _git(self, *words: str, at: Path | None = None, given: bytes = b"") -> bytes:
        where = () if at or words[0] == "init" else ("--git-dir=.",)
        variables = {"PATH": os.environ.get("PATH", os.defpath), **_VARIABLES}
        ran = run_outside([*_GIT, *where, *words], at or self._own, variables=variables, seconds=120.0, given=given)
        if ran.status != 0:
            why = ran.errors.decode("utf-8", "replace").strip().rpartition("\n")[2].removeprefix("fatal: ")
            raise UsageError(f"{self._repo}: {why or 'git fails'}", hint="name a git repository with commits")
        return ran.output


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
class CommitHistory:
    """The tasks of so many commits that were looked at, and why the others are none, with how many each."""

    tasks: tuple[Task, ...]
    commits: int
    left: Mapping[str, int] = field(default_factory=dict)


def tasks_from_git(repo: Path, folders: Path, rules: HistoryRules, sandbox: Sandbox) -> CommitHistory:
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
        commits = objects.newest_commits(rules.last * MOST_COMMITS)
        with report_activity("commits", total=len(commits), count=lambda: len(tasks) + left.total()):
            for commit in commits:
                found = _task_of(commit, objects, folders, rules, sandbox)
                if isinstance(found, str):
                    left[found] += 1
                else:
                    tasks.append(found)
                if len(tasks) == rules.last:
                    break
    return CommitHistory(tasks=tuple(tasks), commits=len(tasks) + left.total(), left=dict(left.most_common()))


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


def write_tree(tree: FolderTree, folder: Path) -> None:
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
