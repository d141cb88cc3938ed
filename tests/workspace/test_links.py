"""A folder that somebody else made does not lead what evolve writes, or reads, to another place."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import evolve
from evolve.core.errors import WorkspaceError
from evolve.core.paths import WorkspacePaths
from evolve.core.store import WriterLock
from evolve.workspace import choose_workspace, doctor, init, models, repair, servers

FILES = (
    "evolve.toml",
    "memory_store/lock",
    "memory_store/lock.takeover",
    "memory_store/access",
    "memory_store/access.door",
    "memory_store/index.lock",
    "memory_store/runs/r1/lock",
    "memory_store/memory.db",
    "memory_store/memory.db-wal",
    "memory_store/memory.db-shm",
    "memory_store/memory.db.clean",
    "memory_store/spending.db",
    "memory_store/notes.kept",
    "memory_store/index/vectors",
    "memory_store/backups/memory-0001-000001.db",
    "memory_store/runs/r1/patch.json",
    "memory_store/runs/r1/e1/events.jsonl",
    "memory_store/runs/r1/e1/calls.jsonl",
    "memory_store/runs/r1/e1/checkpoint.db",
    "memory_store/runs/chats/c1.jsonl",
    f"memory_store/objects/{'0' * 64}",
    "prompts/act.md",
)
FOLDERS = (
    "skills",
    "prompts",
    "memory_store",
    "memory_store/objects",
    "memory_store/runs",
    "memory_store/runs/r1",
    "memory_store/runs/chats",
    "memory_store/index",
    "memory_store/backups",
)
OPENINGS: dict[str, Callable[[Path], object]] = {
    "open": evolve.open,
    "look": lambda place: evolve.open(place, read_only=True),
    "locate": choose_workspace,
    "init": init,
    "repair": repair,
    "models": lambda place: models(place).default("http://localhost:1/v1#m"),
    "servers": lambda place: servers(place).list(),
}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder laid out as a workspace is."""
    place = tmp_path / "clone"
    for name in ("skills", "prompts", "memory_store/runs"):
        (place / name).mkdir(parents=True)
    (place / "evolve.toml").touch()
    return place


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder that is none of the workspace's business."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious").write_text("precious")
    return tmp_path / "elsewhere"


def put_link(place: Path, target: Path) -> None:
    """Puts a link where a file or an empty folder of the workspace may be."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        for folder in sorted(place.rglob("*"), reverse=True):
            folder.rmdir()
        place.rmdir()
    place.unlink(missing_ok=True)
    place.symlink_to(target)


@pytest.mark.parametrize("name", FILES)
def test_a_link_in_the_place_of_a_file_is_refused_by_name(clone: Path, elsewhere: Path, name: str) -> None:
    put_link(clone / name, elsewhere / "precious")
    with pytest.raises(WorkspaceError, match="symbolic link") as refused:
        evolve.open(clone)
    assert str(clone / name) in str(refused.value) and refused.value.exit_code == 3
    assert (elsewhere / "precious").read_text() == "precious" and os.listdir(elsewhere) == ["precious"]


@pytest.mark.parametrize("name", FOLDERS)
def test_a_link_in_the_place_of_a_folder_is_refused_by_name(clone: Path, elsewhere: Path, name: str) -> None:
    put_link(clone / name, elsewhere)
    with pytest.raises(WorkspaceError, match="symbolic link") as refused:
        evolve.open(clone)
    assert str(clone / name) in str(refused.value)
    assert os.listdir(elsewhere) == ["precious"]


@pytest.mark.parametrize("way", OPENINGS)
@pytest.mark.parametrize("name", ["memory_store/lock", "memory_store/runs", "skills"])
def test_every_way_to_open_a_workspace_refuses_a_link(clone: Path, elsewhere: Path, way: str, name: str) -> None:
    put_link(clone / name, elsewhere / "precious" if name.endswith("lock") else elsewhere)
    with pytest.raises(WorkspaceError, match="symbolic link"):
        OPENINGS[way](clone)
    assert (elsewhere / "precious").read_text() == "precious" and os.listdir(elsewhere) == ["precious"]


def test_a_link_to_nothing_makes_no_file_there(clone: Path, elsewhere: Path) -> None:
    put_link(clone / "memory_store" / "memory.db", elsewhere / "new")
    with pytest.raises(WorkspaceError, match="symbolic link"):
        evolve.open(clone)
    assert os.listdir(elsewhere) == ["precious"]


@pytest.mark.parametrize("name", ["memory_store/lock", "memory_store/memory.db", "memory_store/runs/r1/e1/calls.jsonl"])
def test_a_hard_link_to_a_file_elsewhere_is_refused(clone: Path, elsewhere: Path, name: str) -> None:
    (clone / name).parent.mkdir(parents=True, exist_ok=True)
    os.link(elsewhere / "precious", clone / name)
    with pytest.raises(WorkspaceError, match="hard link"):
        evolve.open(clone)
    assert (elsewhere / "precious").read_text() == "precious"


def test_two_names_of_one_file_inside_the_store_are_no_way_out(clone: Path) -> None:
    with evolve.open(clone, trust=True):
        pass
    store = clone / "memory_store"
    (store / "spending.db.damaged-1").touch()
    os.link(store / "spending.db.damaged-1", store / "spending.db.old")  # as a repair that was cut off leaves
    with evolve.open(clone) as workspace:
        assert workspace.runs.list() == []


@pytest.mark.parametrize(
    "name", ["memory_store/lock", "memory_store/memory.db", "memory_store/runs/r1", "prompts/act.md"]
)
def test_a_pipe_is_refused_and_not_waited_for(clone: Path, name: str) -> None:
    os.mkfifo(clone / name)
    with pytest.raises(WorkspaceError, match="a pipe, a socket or a device"):
        evolve.open(clone)


def test_the_folder_of_the_workspace_and_those_above_it_may_be_links(clone: Path, tmp_path: Path) -> None:
    init(clone, trust=True)
    (tmp_path / "root").symlink_to(clone)
    (tmp_path / "above").symlink_to(tmp_path)
    for place in (tmp_path / "root", tmp_path / "above" / "clone", tmp_path / "above" / "root"):
        with evolve.open(place) as workspace:
            workspace.memory.note(f"through {place.relative_to(tmp_path)}")
    with evolve.open(clone, read_only=True) as workspace:
        assert len(workspace.memory.notes()) == 3


def test_the_health_check_names_the_link_and_reads_nothing_through_it(clone: Path, elsewhere: Path) -> None:
    put_link(clone / "memory_store" / "memory.db", elsewhere / "precious")
    found = {finding.part: finding for finding in doctor(clone)}
    told = found["workspace"]
    assert told.state == "missing" and str(clone / "memory_store" / "memory.db") in told.text
    assert not found.keys() & {"record", "bodies", "spending", "skills"}


@pytest.mark.parametrize(
    "make", [os.symlink, os.link, lambda _, place: os.mkfifo(place)], ids=["symbolic", "hard", "pipe"]
)
def test_the_lock_itself_is_taken_on_no_other_file(
    clone: Path, elsewhere: Path, make: Callable[[Path, Path], None]
) -> None:
    lock = WorkspacePaths(clone).lock
    make(elsewhere / "precious", lock)
    with pytest.raises(WorkspaceError):
        WriterLock(lock).acquire()
    assert (elsewhere / "precious").read_text() == "precious"
