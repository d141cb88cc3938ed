"""A change of the public surface is seen in review: it changes a committed file."""

from __future__ import annotations

import importlib

import pytest

from tests.architecture.public_api import SNAPSHOT, names, offered
from tests.architecture.source import modules


@pytest.mark.slow
def test_the_public_surface_is_the_recorded_one() -> None:
    recorded = SNAPSHOT.read_text("utf-8").splitlines()
    assert offered() == recorded, "renew with: python -m tests.architecture.public_api"


def test_every_offered_name_can_be_had() -> None:
    doors = [module for module in modules() if module.path.name == "__init__.py"]
    missing = [
        f"{door.name}.{name}"
        for door in doors
        for name in names(door)
        if not hasattr(importlib.import_module(door.name), name)
    ]
    assert missing == []
