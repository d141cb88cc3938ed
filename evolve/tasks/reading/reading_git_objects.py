"""Reads commits of a git repository as values. Nothing of the repository is run, and none of its settings count.

Its objects are looked at from an empty repository of our own, so hooks, filters, attributes, replaced objects, remotes
and submodules of the one that is read mean nothing here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from evolve.core.errors import UsageError
from evolve.runtime.folder_tree import MAX_TREE_BYTES, MAX_TREE_FILES, Tree, is_ignored
from evolve.runtime.sandbox.actions import is_plain_name
from evolve.runtime.sandbox.server_process import run_outside

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

    def commits(self, most: int) -> list[Commit]:
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

    def tree(self, entries: Entries) -> Tree:
        """These files with their contents."""
        wanted = {blob for blob, _ in entries.values()}
        kept = {blob: data for blob, data in self._blobs.items() if blob in wanted}
        self._blobs = {**kept, **self._contents(sorted(wanted - kept.keys()))}
        files = {name: self._blobs[blob] for name, (blob, _) in entries.items()}
        return Tree(files=files, executable=frozenset(name for name, (_, runs) in entries.items() if runs))

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
