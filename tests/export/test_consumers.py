"""Other agents' frameworks, at their newest versions, call a bundle unchanged; each is installed beside the tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.export.__main__ import CONSUMERS, calls_of, consumed, environment_of
from evolve.runtime.sandbox import open_sandbox
from evolve.skills.export import ExportRules
from tests.export.exports import export
from tests.export.test_bundle import ALL


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with open_sandbox(cache_dir=tmp_path_factory.mktemp("cache")) as sandbox:
        (place,) = export(ALL, tmp_path_factory.mktemp("to") / "my_skills", ExportRules(sandbox=sandbox))
    return place


@pytest.mark.index
@pytest.mark.parametrize("name", list(CONSUMERS))
def test_a_consumer_gets_equal_values_a_full_schema_and_texts_for_bad_input(
    bundle: Path, tmp_path: Path, name: str
) -> None:
    calls = calls_of(bundle)
    cache = Path(os.environ.get("CONSUMERS_CACHE", tmp_path))
    told = consumed(name, environment_of(name, cache), bundle, calls)
    assert told["ended"], told["error"]
    assert (told["equal"], told["bad_told"], told["described"]) == (told["calls"], told["bad"], len(ALL)), told
    assert told["calls"] and told["bad"]
