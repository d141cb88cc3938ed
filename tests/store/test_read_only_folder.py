"""Reading a record in a folder that must not be written, such as another user's or a mounted snapshot."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evolve.core.store import Database
from tests.store.test_database import THINGS
from tests.write_protection import without_power_over_permissions

READ = """
import sys
from pathlib import Path
from evolve.core.errors import WorkspaceError
from evolve.core.store import Database
try:
    with Database(Path(sys.argv[1]), read_only=True) as db:
        print(*(row["id"] for row in db.rows("things")), len(db.check()))
except WorkspaceError as error:
    print(error, error.hint, sep="|")
"""

KILLED = """
import os, signal, sys
from pathlib import Path
from evolve.core.store import Database
from tests.store.test_database import THINGS
db = Database(Path(sys.argv[1]), [THINGS])
db.insert("things", {"id": "late"})
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a record that was closed."""
    folder = tmp_path / "memory_store"
    with Database(folder / "memory.db", [THINGS]) as db:
        db.insert("things", {"id": "early"})
    yield folder
    folder.chmod(0o755)


def read_protected(folder: Path) -> str:
    """What a process prints that may read the folder and not write it."""
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    done = _python(READ, folder, check=True, preexec_fn=without_power_over_permissions)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    return done.stdout.strip()


def _python(source: str, folder: Path, **more: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    command = [sys.executable, "-c", source, str(folder / "memory.db")]
    return subprocess.run(command, env=env, capture_output=True, text=True, **more)  # type: ignore[call-overload]


def test_a_closed_record_is_read(folder: Path) -> None:
    assert read_protected(folder) == "early 0"


@pytest.mark.slow
def test_what_a_killed_writer_left_in_its_log_is_read_too(folder: Path) -> None:
    _python(KILLED, folder)
    assert (folder / "memory.db-wal").stat().st_size
    assert read_protected(folder) == "early late 0"


@pytest.mark.slow
def test_a_log_that_cannot_be_read_is_never_passed_over(folder: Path) -> None:
    _python(KILLED, folder)
    (folder / "memory.db-shm").unlink()
    refusal = read_protected(folder)
    assert "memory.db-wal" in refusal and "cannot be read" in refusal
    assert refusal.endswith(f"make {folder} writable, or copy it to a folder that is")
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    copy.chmod(0o755)  # a copy keeps permissions
    with Database(copy / "memory.db", read_only=True) as db:
        assert len(db.rows("things")) == 2


@pytest.mark.slow
def test_an_empty_log_is_no_hindrance(folder: Path) -> None:
    (folder / "memory.db-wal").touch()
    assert read_protected(folder) == "early 0"
