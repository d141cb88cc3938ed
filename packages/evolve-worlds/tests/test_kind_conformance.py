"""The kind ``worlds`` keeps what every kind of environment promises."""

from __future__ import annotations

import pytest

from evolve.tasks import Task
from evolve_worlds.environment import WorldWork
from tests.environments.test_conformance import *  # noqa: F403
from tests.environments.test_conformance import Case
from tests.offering import offer
from world_doubles.vault import Vault

KINDS = ("worlds",)
WAYS = ["go garden", "take key"], ["go hall", "open chest"]


@pytest.fixture
def case(request, tmp_path, monkeypatch):
    offer(monkeypatch, tmp_path / "vault", "worlds", "vault", Vault)
    work = WorldWork(world="vault", task="open", variation=0)
    half, rest = (f"from functions import act\n[act(move) for move in {way!r}][-1]" for way in WAYS)
    return Case(Task(id="vault", family="vault", instruction="open it", examples=(), work=work), half, rest)
