"""Every action of the hostile corpus once against every backend, judged by oracles outside the sandbox."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.hostile import Batch, run_batch, usable
from benchmarks.hostile_actions import ACTIONS

BACKENDS = ("bubblewrap", "landlock")


@pytest.mark.slow
def test_hostile_code_stays_in(tmp_path: Path):
    names, missing = usable("all", tmp_path)
    assert set(BACKENDS) <= set(names), missing
    everything = tuple(action.name for action in ACTIONS)
    parts = [Batch(backend=name, mode="zygote", round=0, actions=everything, cache=str(tmp_path)) for name in BACKENDS]
    with ThreadPoolExecutor(len(parts)) as pool:
        rows = [row for found in pool.map(run_batch, parts) for row in found]
    assert len([row for row in rows if row["action"]]) == len(BACKENDS) * len(ACTIONS)
    assert [row for row in rows if row.get("escaped") or row["survivors"]] == []
    assert [row for row in rows if not row.get("expected", True)] == []
    assert [row for row in rows if row.get("overrun_s", 0) > 1] == []
