"""A sandbox, and what hidden tests say of an answer in it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evolve.sandbox import open_sandbox
from evolve.tasks import Submission, TestsVerifier
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
