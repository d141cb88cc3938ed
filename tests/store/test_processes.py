"""Who is asked to end: the process that holds the lock and described itself, and no other that has its number."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evolve.core.store.lock import is_gone, terminate

HOLD = (
    "import json, sys, time; from pathlib import Path; from evolve.core.store import WriterLock\n"
    "from evolve.core.store.lock import process_identity\n"
    "WriterLock(Path(sys.argv[1])).acquire(); print(json.dumps(process_identity()), flush=True); time.sleep(60)\n"
)


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "lock"


@pytest.fixture
def holder(lock: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def described(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    told: dict[str, Any] = json.loads(process.stdout.readline())
    return told


def test_only_who_described_itself_and_holds_the_lock_is_asked_to_end(
    holder: subprocess.Popen[str], lock: Path, tmp_path: Path
) -> None:
    told = described(holder)
    other = tmp_path / "other"
    other.touch()
    later = {**told, "started": str(int(told["started"]) + 1)}
    assert not terminate(later, holding=lock) and not terminate(told, holding=other)
    assert not terminate({**told, "boot": "another"}, holding=lock) and not is_gone(told)
    assert terminate(told, holding=lock)
    assert holder.wait(timeout=60) == -signal.SIGTERM
    assert is_gone(told) and not terminate(told, holding=lock)
