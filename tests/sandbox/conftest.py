"""Real sandboxes for the tests, one per backend that this machine supports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import Sandbox, open_sandbox


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory):
    return tmp_path_factory.mktemp("sandbox-cache")


def opened_or_skipped(backend: str, **more: Any) -> Sandbox:
    """A sandbox; skips where this machine lacks the backend, and fails where code runs in it and reaches out."""
    try:
        return open_sandbox(backend, **more)
    except SandboxUnavailable as error:
        if re.search(rf"{backend}: (present|works)\b", str(error)):
            pytest.skip(str(error))
        raise


@pytest.fixture(scope="session", params=["bubblewrap", "landlock"])
def sandbox(request: pytest.FixtureRequest, cache_dir) -> Iterator[Sandbox]:
    with opened_or_skipped(request.param, cache_dir=cache_dir) as opened:
        yield opened


@pytest.fixture(scope="session", params=["bubblewrap", "landlock"])
def cold_sandbox(request: pytest.FixtureRequest, cache_dir) -> Iterator[Sandbox]:
    with opened_or_skipped(request.param, cache_dir=cache_dir, warm=False) as opened:
        yield opened


@pytest.fixture(scope="session")
def default_sandbox(cache_dir) -> Iterator[Sandbox]:
    """The one that is used on this machine; there must be one."""
    with open_sandbox(cache_dir=cache_dir) as opened:
        yield opened
