"""Work in a folder as a value: the folder, the check that decides, and the files whose changes do not count."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Protocol, runtime_checkable

from evolve.episodes import Json

PROTECTED = (
    "tests/",
    "test/",
    "test_*.py",
    "*_test.py",
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "tox.ini",
    "setup.cfg",
    "pyproject.toml",
    "pytest.py",
    "pytest/",
    "sitecustomize.py",
    "usercustomize.py",
)
"""Files that say what a check checks. A pattern with a slash at its end is a folder of that name at any depth."""

_CHECKS = re.compile(r"(?<![\w./=-])[\w./-]*(?:test|check|verify)[\w-]*\.\w+(?![\w./-])")
_RUN = re.compile(r"(?:(?:^|[\s;&|/])(?:python[\d.]*|sh|bash)\s+(?:-[a-zA-Z]\s+)*|(?:^|[\s;&|])(?=\./))([\w./-]+)")

MAX_CHECK_S = 3600.0


class Work(Protocol):
    """What a task is about besides rows and words, in the environment that reads it."""

    @property
    def kind(self) -> str:
        """Name of the environment, and key of the work in task files."""
        ...

    @property
    def folder(self) -> str:
        """The person's folder that is worked on, or ""."""
        ...

    @property
    def check(self) -> str:
        """The check that a policy may read and run, or ""."""
        ...

    @property
    def only_checked(self) -> bool:
        """Whether the best that an answer can be is checked, so that it proves nothing to a gate."""
        ...

    def as_json(self) -> Mapping[str, Json]:
        """The work as it stands in a task file."""
        ...

    def identity(self) -> Mapping[str, Json]:
        """What makes two pieces of work the same problem, wherever they lie."""
        ...


@runtime_checkable
class Varied(Protocol):
    """Optional: work that is one of many variations, in all of which the same acts do much the same."""

    @property
    def place(self) -> str:
        """What it is a variation of, and which one, behind the last slash."""
        ...


@dataclass(frozen=True, kw_only=True)
class PlainWork:
    """Work that is what its task file says and no more; implements :class:`Work`.

    Attributes:
        data: What stands under the kind's name.
    """

    kind: str
    data: Mapping[str, Json]
    folder: str = ""
    check: str = ""
    only_checked: bool = False

    def as_json(self) -> Mapping[str, Json]:
        """The work as it stands in a task file."""
        return self.data

    def identity(self) -> Mapping[str, Json]:
        """All of it."""
        return self.data


@dataclass(frozen=True, kw_only=True)
class FolderWork:
    """A folder to work in and how to tell that the work is done; implements :class:`Work`.

    Attributes:
        folder: Path of the folder; only a copy of it is worked on.
        check: A shell command, run in the copy's root; it passes when it ends with 0. The policy may read and run it.
        base: Digest of the folder's content when the task was made, or "".
        protected: Patterns of files whose changes are shown and not counted.
        hidden_check: A command that decides in place of ``check`` and that the policy never sees, or "".
        hidden_files: Files, by relative name, put over the copy before the hidden check runs.
        seconds: Most wall seconds of one run of a check.
    """

    folder: str
    check: str = ""
    base: str = ""
    protected: tuple[str, ...] = PROTECTED
    hidden_check: str = ""
    hidden_files: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 120.0

    @property
    def kind(self) -> str:
        """``files``."""
        return "files"

    @property
    def only_checked(self) -> bool:
        """Always: a check shares its process tree with the code under test."""
        return True

    def as_json(self) -> dict[str, Json]:
        """The work as it stands in a task file, under the key ``files``."""
        value: dict[str, Json] = {"folder": self.folder}
        if self.check:
            value["check"] = self.check
        if self.base:
            value["base"] = self.base
        if self.protected != PROTECTED:
            value["protected"] = list(self.protected)
        if self.hidden_check:
            value["hidden_check"] = self.hidden_check
            value["hidden_files"] = dict(self.hidden_files)
        if self.seconds != 120.0:
            value["seconds"] = self.seconds
        return value

    def identity(self) -> dict[str, Json]:
        """The same without the folder."""
        return {**self.as_json(), "folder": ""}

    @property
    def guarded(self) -> tuple[str, ...]:
        """The protected patterns, and the files with the name of a check that a check command names."""
        if not self.protected:
            return ()
        return (
            *self.protected,
            *(name.removeprefix("./") for name in _CHECKS.findall(f"{self.check}\n{self.hidden_check}")),
        )


def files_run(command: str) -> frozenset[str]:
    """The files that a shell command runs as scripts, as far as its text tells."""
    return frozenset(name.removeprefix("./") for name in _RUN.findall(command))


def is_protected(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a relative name matches a pattern by its last component, as a whole, or by a folder it lies in."""
    *folders, last = name.split("/")
    for pattern in patterns:
        if pattern.endswith("/"):
            if any(fnmatchcase(folder, pattern[:-1]) for folder in folders):
                return True
        elif fnmatchcase(last, pattern) or fnmatchcase(name, pattern):
            return True
    return False


def restored(files: Mapping[str, bytes], original: Mapping[str, bytes], protected: tuple[str, ...]) -> dict[str, bytes]:
    """The files with every protected one as in the original: changed back, put back, or left out where it is new."""
    unprotected = {name: data for name, data in files.items() if not is_protected(name, protected)}
    return {**unprotected, **{name: data for name, data in original.items() if is_protected(name, protected)}}
