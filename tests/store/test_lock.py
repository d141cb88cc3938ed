from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from evolve.core.errors import WorkspaceBusy, WorkspaceError
from evolve.core.store import RecordAccess, WriterLock

HOLD = (
    "import sys, time; from pathlib import Path; from evolve.core.store import WriterLock\n"
    "WriterLock(Path(sys.argv[1])).acquire(); print('held', flush=True); time.sleep(60)\n"
)
HOLD_WITH_WORKER = (
    "import os, sys, time; from pathlib import Path; from evolve.core.store import WriterLock\n"
    "WriterLock(Path(sys.argv[1])).acquire(); worker = os.fork()\n"
    "if worker: print(worker, flush=True)\n"
    "time.sleep(60)\n"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory_store" / "lock"


def start(script: str, path: Path) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    return process, line


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    assert process.stdout is not None
    process.wait()
    process.stdout.close()


def test_a_second_process_is_told_who_writes(path: Path) -> None:
    process, _ = start(HOLD, path)
    try:
        with pytest.raises(WorkspaceBusy, match=rf"in use by process {process.pid}\b") as caught:
            WriterLock(path).acquire()
        assert caught.value.exit_code == 7
    finally:
        end(process)


def test_the_lock_of_a_killed_process_is_free(path: Path) -> None:
    process, _ = start(HOLD, path)
    end(process)
    with WriterLock(path) as lock:
        assert lock.owner_pid() == os.getpid()


def test_orphaned_workers_do_not_keep_the_lock(path: Path) -> None:
    process, worker = start(HOLD_WITH_WORKER, path)
    process.kill()
    process.wait()
    try:
        with WriterLock(path) as lock:
            assert lock.owner_pid() == os.getpid()
            with pytest.raises(WorkspaceBusy, match=str(os.getpid())):
                WriterLock(path).acquire()
    finally:
        os.kill(int(worker), signal.SIGKILL)
        assert process.stdout is not None
        process.stdout.close()


def test_a_kill_while_a_dead_owners_lock_is_replaced_leaves_it_to_the_next(path: Path) -> None:
    process, worker = start(HOLD_WITH_WORKER, path)
    process.kill()
    process.wait()
    try:
        env = {**os.environ, "EVOLVE_FAULT": "lock.takeover:1:kill"}
        taker = subprocess.run([sys.executable, "-c", HOLD, str(path)], env=env, capture_output=True, check=False)
        assert taker.returncode == -signal.SIGKILL
        with WriterLock(path) as lock:
            assert lock.owner_pid() == os.getpid()
    finally:
        os.kill(int(worker), signal.SIGKILL)
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.parametrize(
    "change", [{"boot": "another machine"}, {"namespace": "another container"}, {"pid": "x"}, {"boot": ""}]
)
def test_an_owner_that_cannot_be_judged_from_here_is_taken_to_be_alive(path: Path, change: dict[str, str]) -> None:
    process, worker = start(HOLD_WITH_WORKER, path)
    process.kill()
    process.wait()
    try:
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
        with pytest.raises(WorkspaceBusy):
            WriterLock(path).acquire()
    finally:
        os.kill(int(worker), signal.SIGKILL)
        assert process.stdout is not None
        process.stdout.close()


def test_it_can_be_taken_again_after_release(path: Path) -> None:
    lock = WriterLock(path)
    for _ in range(2):
        with lock:
            assert lock.owner_pid() == os.getpid()
        assert lock.owner_pid() is None
    lock.release()


def test_it_cannot_be_taken_twice(path: Path) -> None:
    with WriterLock(path) as lock:
        with pytest.raises(WorkspaceBusy, match="already holds"):
            lock.acquire()
        with pytest.raises(WorkspaceBusy, match=str(os.getpid())):
            WriterLock(path).acquire()


@pytest.mark.parametrize("content", ["", "garbage", "[1, 2]", '{"pid": 1}'])
def test_what_stands_in_a_free_file_does_not_matter(path: Path, content: str) -> None:
    path.parent.mkdir()
    path.write_text(content)
    with WriterLock(path) as lock:
        assert lock.owner_pid() == os.getpid()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory_store").write_text("a file")
    with pytest.raises(WorkspaceError, match="cannot write"):
        WriterLock(tmp_path / "memory_store" / "lock").acquire()


LEARNER = (
    "import sys, time; from pathlib import Path; from evolve.core.store import WriterLock\n"
    "with WriterLock(Path(sys.argv[1])).hold('learn'): print('held', flush=True); sys.stdin.readline()\n"
)


def test_a_loop_waits_for_who_only_learns_and_for_no_other_loop(path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LEARNER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(WorkspaceBusy, match="learn"), WriterLock(path).hold("improve", wait_s=0.0):
            pass
        threading.Timer(0.2, lambda: process.stdin and (process.stdin.write("\n"), process.stdin.flush())).start()
        with WriterLock(path).hold("improve") as _, pytest.raises(WorkspaceBusy, match="improve"):
            WriterLock(path).acquire("optimize")
    finally:
        end(process)
        process.stdin.close()


def test_a_lock_that_is_held_is_not_given_back_by_who_asks_again(path: Path) -> None:
    lock = WriterLock(path)
    with lock.hold("improve"):
        with pytest.raises(WorkspaceBusy), lock.hold("learn"):
            pass
        assert lock.is_held and not WriterLock(path).try_acquire()


def test_who_has_a_record_alone_keeps_others_out_until_they_share_it(path: Path) -> None:
    one, other = RecordAccess(path), RecordAccess(path)
    assert one.acquire()
    came: list[bool] = []
    thread = threading.Thread(target=lambda: came.append(other.acquire()))
    thread.start()
    thread.join(0.2)
    assert not came
    one.admit_others()
    thread.join()
    assert came == [False]
    assert not one.is_alone() and not other.is_alone()
    with pytest.raises(WorkspaceBusy), RecordAccess(path).hold_exclusively():
        pass
    one.release()
    assert other.is_alone()
    other.release()
    with RecordAccess(path).hold_exclusively():
        assert not RecordAccess(path).is_alone()
