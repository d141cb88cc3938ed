"""The kind of tools of docs/extending-tasks.md keeps what every kind promises."""

from __future__ import annotations

import pytest

from evolve.runtime.functions.servers import Server
from tests.extensions.test_extending import toys
from tests.functions.test_kinds import *  # noqa: F403
from tests.functions.test_kinds import Case

__all__ = ["toys"]


@pytest.fixture
def case(toys: None) -> Case:
    a, b = (Server(name="letters", kind="counter", settings={"letter": letter}) for letter in "ab")
    return Case(server=a, function="letters_count", arguments={"text": "banana"}, value=3, wrong={"text": 5}, other=b)
