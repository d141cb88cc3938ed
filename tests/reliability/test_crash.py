"""kill -9 at fault points and at random times: nothing saved is lost, nothing is there twice, the command goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter

import pytest

from benchmarks import crash
from benchmarks.crash_record import compare, content, unkept
from benchmarks.crash_work import episode_of, open_stores, work
from benchmarks.doubles import small_suite
from evolve.cli.render.views import episode_line, loop_line
from evolve.core.events import Event
from evolve.core.paths import WorkspacePaths
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database
from tests.architecture.source import ROOT
from tests.reliability.workspaces import stopped


def crashed(*arguments):
    """The file that the benchmark writes when it is run with these arguments."""
    command = [sys.executable, "-m", "benchmarks.crash", "--json", "--damage", "0", *arguments]
    # A killed process leaves the same behind in memory as on a disk, only sooner.
    shm = {"TMPDIR": "/dev/shm"} if os.access("/dev/shm", os.W_OK) else {}
    env = {**os.environ, **shm, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def bad(rows):
    return [row for row in rows if crash._is_bad(row)]


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    """What a workspace holds after the work that nothing stopped."""
    place = tmp_path_factory.mktemp("whole") / "ws"
    work(place)
    return content(place)


# Each point with the episodes and skills of which the record had told by then.
POINTS = [
    ("workspace.marked:1", None),
    ("migration.inside:9", None),
    ("episode.inside:2", (1, 1)),
    ("episode.end:2", (2, 1)),
    ("object.begin:2", (2, 1)),
    ("skill.row:2", (2, 1)),
    ("folder.file:6", (2, 1)),
    ("file.renamed:12", (2, 1)),
    ("episode.begin:3", (2, 2)),
    ("promotion.before:1", (3, 3)),
    ("report.after:1", (3, 3)),
]
FULL = ("episode.inside:2", "object.begin:2", "folder.file:6")


@pytest.mark.parametrize(
    ("point", "told", "action"),
    [*((*one, "kill") for one in POINTS), *((*one, "full") for one in POINTS if one[0] in FULL)],
)
def test_what_the_record_told_of_is_there_once_after_a_stop(wanted, tmp_path, point, told, action):
    place = tmp_path / "ws"
    assert stopped(f"{point}:{action}", lambda: work(place)) == {"kill": -signal.SIGKILL, "full": 1}[action]
    if told:
        with Database(WorkspacePaths(place).db, MIGRATIONS, read_only=True) as db:
            assert tuple(len(db.rows(table)) for table in ("episodes", "skills")) == told
    work(place)
    assert compare(content(place), wanted) == compare(wanted, wanted)


@pytest.mark.slow
def test_the_record_survives_a_kill_at_its_points():
    found = crashed("--scenario", "record", "--trials", "0", "--times", "1", "3", "--sample", "14", "--jobs", "1")
    assert bad(found["rows"]) == []
    assert len(found["rows"]) == 14 and all(row["killed"] for row in found["rows"])


@pytest.mark.slow
def test_commands_survive_kills_at_points_and_at_any_time():
    chosen = [word for name in ("run", "improve", "reindex", "migration") for word in ("--scenario", name)]
    found = crashed(*chosen, "--trials", "4", "--sample", "6", "--seed", "7")
    assert bad(found["rows"]) == []
    assert sum(row["killed"] for row in found["rows"]) >= 6


@pytest.fixture
def done(tmp_path):
    work(tmp_path / "ws")
    return tmp_path / "ws"


def test_the_comparison_sees_what_is_lost_and_what_is_there_twice(done, tmp_path):
    work(tmp_path / "other")
    wanted = content(tmp_path / "other")
    assert compare(content(done), wanted) == compare(wanted, wanted)
    paths = WorkspacePaths(done)
    with Database(paths.db, MIGRATIONS) as db:
        db.delete("memory_statements", "text = 'note 1'")
        stores = open_stores(db, paths)
        (task,) = small_suite(1).tasks
        stores.runs.add(episode_of(task, "r1", name="once more"))
    found = compare(content(done), wanted)
    assert (found.lost, found.extra) == (1, 1)
    (paths.skills / "last" / "skill.py").write_text("torn")
    assert compare(content(done), wanted).lost == 2


def loop(kind, **data):
    """The line with which a loop tells of such an event."""
    return loop_line(Event(kind=kind, data=data))[0]


def practised(episodes, skills):
    return loop("practice", round=1, episodes=episodes, total=24, solved=3, skills=skills)


def judged(verdict):
    return loop("judged", verdict=verdict, pairs=4, reason="so")


SAID = [
    practised(16, 0),
    practised(3, 4),
    loop("proposed", variant="0123456789", skills=2),
    episode_line(Event(kind="admitted", episode="e", data={"skill": "of-nothing"})),
    judged("reject"),
]
SHOWN = [
    '{"episode_id": "no such episode"}',
    '{"finish_reason": "done", "run": "r9"}',
    '{"author": "somebody", "id": "no such note"}',
]


def test_what_was_said_and_is_not_in_the_record_is_found(done):
    assert [len(unkept(done, said, "")) for said in SAID] == [1] * 5
    assert [len(unkept(done, "", shown)) for shown in SHOWN] == [1] * 3
    assert unkept(done, f"{practised(3, 3)}\n{judged('accept')}", "") == []
    assert unkept(done.with_name("never made"), "learned  skill last", "") == ["learned  skill last"]


def test_points_are_killed_at_in_scenarios_that_reach_them():
    options = crash.options_of(["--trials", "6", "--scenarios-per-point", "2", "--times", "1", "5", "--seed", "3"])
    runs = [
        crash.Undisturbed(scenario=one, reached=Counter(reached), content={}, seconds=1.0)
        for one, reached in zip(
            crash.SCENARIOS, [{"file.begin": 9}, {"file.begin": 9, "run.begun": 1}, {"file.begin": 1}], strict=False
        )
    ]
    chosen = list(crash.kills(runs, options))
    points = [(one.point, one.n, one.scenario.name) for one in chosen if one.point]
    first, second, third = (one.name for one in crash.SCENARIOS[:3])
    able = {("file.begin", 1): {first, second, third}, ("file.begin", 5): {first, second}, ("run.begun", 1): {second}}
    assert [(point, n) for point, n, _ in points] == [
        *[("file.begin", 1)] * 2,
        *[("file.begin", 5)] * 2,
        ("run.begun", 1),
    ]
    assert len(set(points)) == 5 and all(name in able[point, n] for point, n, name in points)
    timed = [one for one in chosen if not one.point]
    assert len(timed) == 6 and all(0 < one.at_s <= 1.0 for one in timed)
    assert chosen == list(crash.kills(runs, options))


def test_a_row_that_is_bad_misses_its_target():
    row = {"lost": 0, "duplicates": 0, "resumed": True, "survivors": 0, "killed": True, "tidy": True}
    met = {target.name: target.met for target in crash.targets_of([row], [{"silent_wrong": False}])}
    assert all(met.values())
    rows = [row, {**row, "lost": 1, "duplicates": 1, "resumed": False, "survivors": 1, "tidy": False}]
    targets = crash.targets_of(rows, [])
    assert [target.met for target in targets] == [False] * 5 + [True, False]
