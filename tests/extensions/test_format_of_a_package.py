"""The format of docs/extending-tasks.md keeps what every format promises."""

from __future__ import annotations

import pytest

from tests.export.test_formats import *  # noqa: F403
from tests.extensions.test_extending import toys

__all__ = ["toys"]


@pytest.fixture
def to(toys: None) -> str:
    return "plain"
