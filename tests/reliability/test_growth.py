"""A workspace that is used for many days stays bounded in memory, and on disk by what was learned."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.doubles import small_suite
from evolve.core.paths import WorkspacePaths
from evolve.core.store import Database, ObjectStore
from evolve.core.store.backups import KEPT_BACKUPS, backups
from evolve.workspace.health.housekeeping import clean_up
from tests.cli.conftest import ROOT
from tests.reliability.workspaces import everything, opened

SESSIONS = 12
EPISODES = 150
WARM, STILL = 10, 30
RSS_SLACK_KB = 2_000
"""Most growth of the process over thirty rounds of work in one long session, once ten have filled its pools."""


@pytest.mark.slow
def test_thousands_of_episodes_leave_no_garbage_and_no_leak(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    paths = WorkspacePaths(folder)
    grown = in_a_process_of_its_own(folder)
    assert grown[-1] - grown[WARM] < RSS_SLACK_KB
    assert len(backups(paths.db)) <= KEPT_BACKUPS + 1
    assert not list(paths.runs.rglob("checkpoint.db*"))
    assert not [path for path in paths.store.iterdir() if path.name.endswith((".new", ".old", ".tmp"))]
    learned = paths.db.stat().st_size
    whole = sum(path.stat().st_size for path in paths.store.rglob("*") if path.is_file())
    index = sum(path.stat().st_size for path in paths.index.rglob("*") if path.is_file())
    assert whole - index < (KEPT_BACKUPS + 2) * learned + 200_000
    assert index < 12_000 * SESSIONS * EPISODES


def in_a_process_of_its_own(folder: Path) -> list[int]:
    """What :func:`days` gives, undisturbed by what other tests left in memory."""
    code = f"import json; from tests.reliability.test_growth import days; print(json.dumps(days({str(folder)!r})))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, check=True, timeout=300)
    grown: list[int] = json.loads(done.stdout)
    return grown


def days(folder: str) -> list[int]:
    """Sessions in which much is learned, then a long one of work; memory of the process after each round of that."""
    with opened(Path(folder)) as workspace:
        workspace.run(small_suite(1).tasks[0])
        (pattern,) = workspace.stores.runs.episodes()
    for session in range(SESSIONS):
        with opened(Path(folder)) as workspace:
            for number in range(EPISODES):
                name = f"s{session:02d}e{number:03d}"
                workspace.stores.commit(replace(pattern, episode=name, task=name), instruction=f"task {name}")
                workspace.stores.objects.put_json({"left over": name} if number % 50 == 0 else {})
            workspace.memory.recall("total of a list")
            workspace.run(small_suite(1).tasks[0])
    grown = []
    with opened(Path(folder)) as workspace:
        for number in range(WARM + STILL):
            workspace.memory.note(f"note {number}", author="ada")
            for _ in range(5):
                workspace.memory.recall("total of a list")
            workspace.run(small_suite(1).tasks[0])
            grown.append(resident_kb())
    return grown


def resident_kb() -> int:
    """Memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def test_bodies_that_nothing_refers_to_go_and_all_others_stay(folder: Path) -> None:
    paths = WorkspacePaths(folder)
    objects = ObjectStore(paths.objects)
    before = everything(folder)
    named = set(objects.digests())
    old, young = objects.put_object(b"old"), objects.put_object(b"young")
    long_ago = time.time() - 10 * 24 * 3600
    for name in (*named, old):
        os.utime(paths.objects / name, (long_ago, long_ago))
    with Database(paths.db, read_only=True) as db:
        assert clean_up(paths, db) == ["removed 1 objects that nothing refers to"]
    assert set(objects.digests()) == {*named, young}
    assert everything(folder) == before


def test_copies_are_made_when_enough_changed_and_old_ones_go(folder: Path) -> None:
    path = WorkspacePaths(folder).db
    before = len(backups(path))
    everything(folder)
    assert len(backups(path)) == before
    for number in range(6):
        with opened(folder) as workspace:
            workspace.memory.note(f"note {number}", author="ada")
            workspace.stores.db.delete("memory_statements", "")
    assert len(backups(path)) == KEPT_BACKUPS
    with Database(backups(path)[-1], read_only=True) as copy:
        assert copy.rows("memory_statements") == []
