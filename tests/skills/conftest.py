"""A real sandbox, record and library."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.core.schema import SKILLS
from evolve.core.store import Database, ObjectStore
from evolve.runtime.sandbox import open_sandbox
from evolve.skills import Admission, SkillRepository


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory):
    with open_sandbox(cache_dir=tmp_path_factory.mktemp("cache")) as opened:
        yield opened


@pytest.fixture(scope="session")
def admission(sandbox):
    return Admission(sandbox)


@pytest.fixture
def library(tmp_path: Path):
    with Database(tmp_path / "memory.db", SKILLS) as db:
        yield SkillRepository(db, ObjectStore(tmp_path / "objects"), tmp_path / "skills")
