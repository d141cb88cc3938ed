"""Real sandboxes for the tests, one per backend that this machine supports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evolve.errors import SandboxUnavailable
from evolve.sandbox import Sandbox, open_sandbox


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory):
    return tmp_path_factory.mktemp("sandbox-cache")


@pytest.fixture(scope="session", params=["bubblewrap", "landlock"])
def sandbox(request: pytest.FixtureRequest, cache_dir) -> Iterator[Sandbox]:
    try:
        opened = open_sandbox(request.param, cache_dir=cache_dir)
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


@pytest.fixture(scope="session", params=["bubblewrap", "landlock"])
def cold_sandbox(request: pytest.FixtureRequest, cache_dir) -> Iterator[Sandbox]:
    try:
        opened = open_sandbox(request.param, cache_dir=cache_dir, warm=False)
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def default_sandbox(cache_dir) -> Iterator[Sandbox]:
    """The one that is used on this machine; there must be one."""
    with open_sandbox(cache_dir=cache_dir) as opened:
        yield opened
