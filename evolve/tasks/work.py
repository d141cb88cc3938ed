"""Work in a folder as a value: the folder, the check that decides, and the files whose changes do not count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Protocol, runtime_checkable

from evolve.core.episodes import Json
from evolve.runtime.sandbox.actions import is_plain_name

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
_WORDS = re.compile(r"[\w./+-]*\w")
_RUN = re.compile(r"(?:(?:^|[\s;&|/])(?:python[\d.]*|sh|bash)\s+(?:-[a-zA-Z]\s+)*|(?:^|[\s;&|])(?=\./))([\w./-]+)")

_MOST_TOLD = 20
"""Protected files that a model is told of by name."""

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
    def cannot_be_verified(self) -> bool:
        """Whether the best that an answer can be is checked, so that it proves nothing to a gate."""
        ...

    def as_json(self) -> Mapping[str, Json]:
        """The work as it stands in a task file."""
        ...

    def identity(self) -> Mapping[str, Json]:
        """What makes two pieces of work the same problem, wherever they lie."""
        ...


@runtime_checkable
class VariedWork(Protocol):
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
    cannot_be_verified: bool = False

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
        protected: Patterns of files whose changes are neither counted nor applied.
        named: Protected files that a person names in the task or in what they keep. A change to one is put to the
            person, and decides nothing in its own favour.
        hidden_check: A command that decides in place of ``check`` and that the policy never sees, or "".
        hidden_files: Files, by relative name, put over the copy before the hidden check runs.
        seconds: Most wall seconds of one run of a check.
        elsewhere: A file names the folder that does not lie around it, so no leave for a change is given beforehand.
    """

    folder: str
    check: str = ""
    base: str = ""
    protected: tuple[str, ...] = PROTECTED
    hidden_check: str = ""
    hidden_files: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 120.0
    elsewhere: bool = False
    named: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """``files``."""
        return "files"

    @property
    def cannot_be_verified(self) -> bool:
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
        if self.elsewhere:
            value["elsewhere"] = True
        if self.named:
            value["named"] = list(self.named)
        return value

    def identity(self) -> dict[str, Json]:
        """The same without the folder."""
        return replace(self, folder="", elsewhere=False, named=()).as_json()

    def summary(self, files: Iterable[str]) -> str:
        """Which of these files are protected and which the task may change all the same, for a model; "" for none."""
        guarded = sorted(name for name in files if self.protects(name))
        if not (guarded or self.named):
            return ""
        more = f" and {len(guarded) - _MOST_TOLD} more" if len(guarded) > _MOST_TOLD else ""
        own = f"; {', '.join(self.named)} may be changed where that is asked for" if self.named else ""
        names = ", ".join(guarded[:_MOST_TOLD]) or "no file yet"
        kept = f"protected, so that a change to them is not taken: {names}{more}"
        return f"{kept}, and new files named like {', '.join(self.protected)}{own}"

    def protects(self, name: str) -> bool:
        """Whether a change to this file is neither counted nor applied."""
        return name not in self.named and is_protected(name, self.guarded_patterns)

    @property
    def guarded_patterns(self) -> tuple[str, ...]:
        """The protected patterns, and the files with the name of a check that a check command names."""
        if not self.protected:
            return ()
        return (
            *self.protected,
            *(name.removeprefix("./") for name in _CHECKS.findall(f"{self.check}\n{self.hidden_check}")),
        )


def files_to_run(command: str) -> frozenset[str]:
    """The files that a shell command runs as scripts, as far as its text tells."""
    return frozenset(name.removeprefix("./") for name in _RUN.findall(command))


def protected_in(text: str, files: Iterable[str], patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The protected files that a text names, by their path or its last parts; also those that it wants made.

    Args:
        files: The names that there are.
    """
    guarded = [name for name in files if is_protected(name, patterns)]
    found: dict[str, None] = {}
    for word in (word.rstrip(".").removeprefix("./") for word in _WORDS.findall(text)):
        there = [name for name in guarded if f"/{name}".endswith(f"/{word}")]
        is_new = not there and "." in word.rpartition("/")[2] and is_plain_name(word) and is_protected(word, patterns)
        found |= dict.fromkeys([*there, *([word] if is_new else [])])
    return tuple(found)


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


def restore_protected(files: Mapping[str, bytes], original: Mapping[str, bytes], work: FolderWork) -> dict[str, bytes]:
    """The files with every protected one as in the original: changed back, put back, or left out where it is new."""
    unprotected = {name: data for name, data in files.items() if not work.protects(name)}
    return {**unprotected, **{name: data for name, data in original.items() if work.protects(name)}}
