"""A sandbox, and what hidden tests say of an answer in it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evolve.runtime.sandbox import open_sandbox
from evolve.tasks import CommandVerifier, Submission, TestsVerifier
from evolve.tasks.work import FolderWork
from evolve.workspace.opening import cache_folder


@pytest.fixture(scope="module")
def sandbox(private_home):
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CACHE_HOME", str(private_home / ".cache"))
    with open_sandbox(cache_dir=cache_folder(), python=Path(sys.prefix)) as opened:
        yield opened
    patch.undo()


@pytest.fixture
def verdict(sandbox):
    """The verdict of hidden tests on an answer."""

    def said(code, tests):
        found = TestsVerifier(tests=tests).verify(Submission(code=code), sandbox)
        assert not found.fault, found.text
        return found

    return said


@pytest.fixture
def call(verdict):
    """What hidden tests call an answer: ``verified``, ``checked``, ``accepted`` or ``refused``."""

    def called(code, tests):
        found = verdict(code, tests)
        words = [word for word in ("verified", "checked", "accepted") if getattr(found, word)]
        return (words or ["refused"])[0]

    return called


@pytest.fixture
def check(sandbox):
    """What a check calls a change to ``total.py``."""

    def verdict(change, command, tests, written=None, start="def total(xs):\n    return xs[0]\n", **files):
        original = {"total.py": start.encode(), **{n: t.encode() for n, t in files.items()}}
        if tests:
            original["tests/test_total.py"] = tests.encode()
        work = FolderWork(folder="/", check=command)
        changed = {**original, "total.py": change.encode()}
        changed |= {name: text.encode() for name, text in (written or {}).items()}
        return CommandVerifier(work=work, original=original).verify(Submission(files=changed), sandbox)

    return verdict
