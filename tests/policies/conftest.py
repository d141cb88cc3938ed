from __future__ import annotations

from collections.abc import Iterator

import pytest

from evolve.policies.search import Guide, SearchPolicy, fit_guide
from evolve.runtime.sandbox import Sandbox, open_sandbox
from tests.policies.samples import PRACTICE, TRAINING, Evidence, practise, views_of


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """The sandbox that is used on this machine; there must be one."""
    with open_sandbox(cache_dir=tmp_path_factory.mktemp("sandbox-cache")) as opened:
        yield opened


@pytest.fixture(scope="session")
def unlearned() -> SearchPolicy:
    return SearchPolicy()


@pytest.fixture(scope="session")
def experience(unlearned: SearchPolicy, sandbox: Sandbox) -> list[Evidence]:
    """What the unlearned policy found out by solving and ablating the practice tasks."""
    return practise(unlearned, views_of(PRACTICE), sandbox)


@pytest.fixture(scope="session")
def guide(experience: list[Evidence]) -> Guide:
    return fit_guide(experience, views_of(PRACTICE), (), 0, TRAINING)


@pytest.fixture(scope="session")
def learned(guide: Guide) -> SearchPolicy:
    return SearchPolicy(guide=guide)
