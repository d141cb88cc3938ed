"""Several processes on one workspace, as a person meets them: readers, short writes, runs and loops."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import evolve
from evolve.core.errors import WorkspaceBusy
from evolve.core.paths import WorkspacePaths
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database, Migration, WriterLock
from evolve.workspace.health.repair import repair
from tests.architecture.source import ROOT
from tests.reliability.workspaces import opened

HOLD = """
import os, sys, time
import evolve
with evolve.open(sys.argv[1]) as workspace, workspace._services.lock.hold("improve"):
    if sys.argv[2:] and not os.fork():
        time.sleep(60)
    print("held", flush=True)
    time.sleep(60)
"""
NOTES = """
import sys
import evolve
for number in range(int(sys.argv[3])):
    with evolve.open(sys.argv[1]) as workspace:
        workspace.memory.note(f"{sys.argv[2]} {number}", author="ada")
"""


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


@contextmanager
def held(workspace: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A process that goes on with a loop in a workspace."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(workspace), *more],
        env=environment(), stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        with suppress(ProcessLookupError):  # a child that outlived it is of its group
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="module")
def beside(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """A workspace with one of everything in which another process goes on with a loop, and that process."""
    folder = evolve.init(shutil.copytree(made, tmp_path_factory.mktemp("beside") / "ws"), trust=True).paths.root
    with held(folder) as process:
        yield folder, process.pid


LOOKING = [
    "status",
    "status --json",
    "report",
    "runs list --json",
    "runs show r1",
    "why r1",
    "why {insight}",
    "memory list --json",
    "memory recall total",
    "memory export {out}/notes.jsonl",
    "memory graph",
    "memory proposals",
    "memory preferences list",
    "skills list --json",
    "skills show {skill}",
    "skills find total",
    "skills export {skill} --to {out}/exported",
    "lab gate list",
    "lab variants list",
    "lab variants show active",
    "lab workflow show",
]


def typed(line: str, folder: Path, out: Path) -> list[str]:
    with evolve.open(folder, read_only=True) as workspace:
        skill = workspace.skills.list()[0].name
        insight = workspace.memory.list()[0].id
        episode = workspace.stores.runs.episodes()[0].episode
    return ["-w", str(folder), *line.format(skill=skill, insight=insight, episode=episode, out=out).split()]


@pytest.mark.parametrize("line", LOOKING)
def test_whoever_looks_sees_the_same_beside_a_loop(cli, beside, folder, tmp_path, line) -> None:
    alone = cli(*typed(line, folder, tmp_path / "alone"))
    done = cli(*typed(line, beside[0], tmp_path / "beside"))
    assert (done.code, bool(done.out)) == (alone.code, bool(alone.out)), done.err
    assert done.code in (0, 1) if line in ("report", "status") else done.code == 0


WRITING = [
    "memory note 'dates are written out'",
    "memory preferences add 'use tabs'",
    "runs comment r1 'too long'",
    "skills own {skill}",
    "forget {insight}",
    "lab variants rollback",
]


@pytest.mark.parametrize("line", WRITING)
def test_a_short_write_is_done_beside_a_loop(cli, beside, tmp_path, line) -> None:
    import shlex

    words = typed(line.replace("'", ""), beside[0], tmp_path)[2:]
    words = [*words[: len(shlex.split(line)) - 1], " ".join(words[len(shlex.split(line)) - 1 :])]
    done = cli("-w", beside[0], *words)
    assert done.code == 0, done.err


def test_a_note_beside_a_loop_can_be_read_at_once(cli, beside) -> None:
    assert cli("-w", beside[0], "memory", "note", "meet at noon").code == 0
    assert "meet at noon" in cli("-w", beside[0], "memory", "list").out


@pytest.mark.parametrize("line", ["improve everyday", "lab optimize everyday", "status --repair"])
def test_a_second_loop_is_told_which_one_is_there(cli, beside, line) -> None:
    done = cli("-w", beside[0], *line.split(), "--json")
    assert done.code == 7
    told = json.loads(done.out)
    assert f"process {beside[1]} (improve)" in told["error"] and "evolve" in told["hint"]


def test_a_run_beside_a_loop_is_on_record_and_learned_from_later(cli, tmp_path: Path) -> None:
    folder = evolve.init(tmp_path / "ws").paths.root
    table = tmp_path / "names.csv"
    table.write_text("name,upper\nann,ANN\nbob,BOB\ncy,CY\ndee,DEE\neve,\n")
    with held(folder):
        done = cli("-w", folder, "fill", table, "--out", tmp_path / "filled.csv", "--json")
        assert done.code in (0, 1) and "improve" in done.err, done.err + done.out
        assert "EVE" in (tmp_path / "filled.csv").read_text()
        with evolve.open(folder, read_only=True) as workspace:
            (run,) = workspace.runs.unlearned()
            assert workspace.runs.show(run).run.state == "done"
        assert cli("-w", folder, "learn").code == 0
        with evolve.open(folder, read_only=True) as workspace:
            assert workspace.runs.unlearned() == [run]
    assert cli("-w", folder, "learn").code == 0
    with evolve.open(folder, read_only=True) as workspace:
        assert workspace.runs.unlearned() == []


def test_a_loop_learns_from_what_ran_beside_it(folder: Path) -> None:
    from benchmarks.doubles import small_suite

    with opened(folder) as loop:
        with loop._services.lock.hold("improve"), opened(folder) as other:
            for task in small_suite(10).tasks[8:]:
                other.run(task)
            assert len(other.runs.unlearned()) == 2
        loop._loop_left = evolve.core.ledger.Ledger(evolve.core.ledger.Budget())
    with opened(folder, read_only=True) as reader:
        assert reader.runs.unlearned() == []


def test_two_processes_with_the_same_task_make_two_runs(folder: Path) -> None:
    from benchmarks.doubles import small_suite

    task = small_suite(9).tasks[8]
    with opened(folder) as one, opened(folder) as other:
        lock = WriterLock(one.paths.runs / "r9" / "lock")
        with one.delivering():
            first = one.run(task)
            with lock.hold("run"):  # as long as a process works on it
                second = other.run(task)
            again = other.run(task)
    assert (first.run_id, second.run_id, again.run_id) == ("r9", "r10", "r9")


def test_a_run_that_a_process_works_on_is_not_told_as_cut_off(folder: Path) -> None:
    with opened(folder) as workspace:
        workspace.stores.runs.begin("run", "key", {"task": "t"}, started="")
        with WriterLock(workspace.paths.runs / "r9" / "lock").hold("run"):
            assert evolve.status(folder).unfinished == ()
        assert [one.run for one in evolve.status(folder).unfinished] == ["r9"]


def test_a_run_is_answered_by_one_process_at_a_time(folder: Path) -> None:
    from evolve.workspace.runs.context import RunRequest
    from evolve.workspace.runs.solving import run_task

    with opened(folder) as workspace:
        task = workspace.runs.start_of("r1")
        assert task is not None
        with WriterLock(workspace.paths.runs / "r1" / "lock").hold("run"), pytest.raises(WorkspaceBusy):
            run_task(workspace._services, RunRequest(task=task.task), workspace.stores.runs.run("r1"))


def test_what_many_processes_write_at_once_is_there_once(folder: Path) -> None:
    script = [sys.executable, "-c", NOTES, str(folder)]
    writers = [subprocess.Popen([*script, name, "12"], env=environment()) for name in "abc"]
    assert [process.wait() for process in writers] == [0, 0, 0]
    with evolve.open(folder, read_only=True) as workspace:
        noted = sorted(note.text for note in workspace.memory.notes() if note.author == "ada")
        assert workspace.stores.db.check() == []
    assert noted == sorted(["dates are day first", *(f"{name} {n}" for name in "abc" for n in range(12))])


POINTS = ["record.begin", "record.commit.before", "record.commit.after"]


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("n", [1, 2])
def test_a_short_write_that_is_killed_is_there_once_after_the_same_command(
    beside: tuple[Path, int], point: str, n: int
) -> None:
    text = f"{point} {n}"
    script = [sys.executable, "-c", NOTES, str(beside[0]), text, "1"]
    subprocess.run(script, env=environment(EVOLVE_FAULT=f"{point}:{n}:kill"), check=False)
    assert subprocess.run(script, env=environment(), check=False).returncode == 0
    with evolve.open(beside[0], read_only=True) as workspace:
        assert [note.text for note in workspace.memory.notes() if note.text.startswith(text)] == [f"{text} 0"]


def test_a_write_waits_for_the_transaction_of_another_process(folder: Path) -> None:
    with opened(folder) as one, opened(folder) as other:
        began, end = threading.Event(), threading.Event()

        def long() -> None:
            with one.stores.db.transaction():
                one.stores.db.set_meta("long", "yes")
                began.set()
                end.wait(30)

        thread = threading.Thread(target=long)
        thread.start()
        began.wait(30)
        threading.Timer(0.3, end.set).start()
        other.memory.note("patience", author="ada")
        thread.join()
        assert other.stores.db.get_meta("long") == "yes"
        assert "patience" in [note.text for note in one.memory.notes()]


def test_what_another_process_forgot_is_forgotten_here(folder: Path) -> None:
    with opened(folder) as one, opened(folder) as other:
        (note,) = one.memory.notes()
        assert len(one.memory.list()) > 0 and one.memory.recall("dates")
        copies = set((folder / "memory_store" / "backups").glob("*"))
        other.memory.forget(note.id)
        other.memory.forget(everything=True)
        assert one.memory.list() == [] and one.memory.notes() == [] and one.memory.recall("dates") == []
    # A deletion is enough for a copy of the record, whoever closes last.
    assert set((folder / "memory_store" / "backups").glob("*")) - copies
    assert b"dates are day first" not in b"".join(
        path.read_bytes() for path in (folder / "memory_store").glob("notes.kept*")
    )


def test_nobody_migrates_or_repairs_a_record_that_another_process_has_open(folder: Path) -> None:
    with opened(folder) as workspace:
        with pytest.raises(WorkspaceBusy):
            repair(folder)
        newer = Migration("later", 1, "CREATE TABLE later (checksum TEXT NOT NULL)")
        with pytest.raises(WorkspaceBusy, match="earlier version"):
            Database(workspace.paths.db, [*MIGRATIONS, newer], shared=True)
    assert repair(folder).left == []


def test_a_record_that_others_wrote_to_is_marked_as_sound_by_who_is_alone(folder: Path) -> None:
    mark = WorkspacePaths(folder).db.with_name("memory.db.clean")
    with opened(folder) as one:
        with opened(folder) as other:
            other.memory.note("more", author="ada")
        assert not mark.exists()
        one.memory.note("most", author="ada")
    assert mark.exists()


@pytest.mark.parametrize("outlived", [(), ("a child holds the lock's descriptor on",)])
def test_the_lock_of_a_killed_loop_is_taken_over(cli, folder: Path, outlived: Sequence[str]) -> None:
    with held(folder, *outlived) as first:
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        with opened(folder) as workspace, workspace._services.lock.hold("improve"):
            assert workspace._services.lock.owner_pid() == os.getpid()
        assert not WorkspacePaths(folder).lock.read_bytes()
