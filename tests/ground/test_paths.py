from __future__ import annotations

import pwd
from pathlib import Path

import pytest

from evolve.core.errors import WorkspaceError
from evolve.core.paths import WorkspacePaths, approvals_folder, find_workspace, is_workspace, user_workspace


@pytest.fixture(autouse=True)
def _no_workspace_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVOLVE_WORKSPACE")


def test_the_nearest_marked_folder_wins(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    deep = inner / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "outer" / "evolve.toml").touch()
    assert find_workspace(start=deep) == tmp_path / "outer"
    (inner / "pyproject.toml").write_text("[tool.evolve]\n")
    assert find_workspace(start=deep) == inner


def test_without_a_mark_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other]\nname = 'x'\n")
    assert find_workspace(start=tmp_path) is None


def test_named_ones_come_first_and_need_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evolve.toml").touch()
    monkeypatch.setenv("EVOLVE_WORKSPACE", str(tmp_path / "variable"))
    assert find_workspace(start=tmp_path) == tmp_path / "variable"
    assert find_workspace(tmp_path / "explicit", tmp_path) == tmp_path / "explicit"


def test_relative_and_home_names_are_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert find_workspace("here") == tmp_path / "here"
    assert find_workspace("~/there") == tmp_path / "me" / "there"


@pytest.mark.parametrize(
    ("content", "marked"),
    [
        (b"[tool.evolve]\nseed = 1\n", True),
        (b"[tool]\nevolve = {seed = 1}  # also tool.evolve\n", True),
        (b"# [tool.evolve]\n[project]\n", False),
        (b"[tool.evolve\n", True),
        (b"[project\n", False),
        (b"\xff\xfe", False),
    ],
)
def test_marks_in_pyproject(tmp_path: Path, content: bytes, marked: bool) -> None:
    (tmp_path / "pyproject.toml").write_bytes(content)
    assert is_workspace(tmp_path) is marked


def test_naming_parts_creates_nothing(tmp_path: Path) -> None:
    paths = WorkspacePaths(tmp_path / "w")
    assert paths.db == tmp_path / "w" / "memory_store" / "memory.db"
    assert {paths.objects.parent, paths.runs.parent, paths.index.parent, paths.lock.parent} == {paths.store}
    assert not paths.root.exists()


def test_the_users_own_lies_in_their_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert user_workspace() == tmp_path / "evolve"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_workspace() == tmp_path / ".local" / "share" / "evolve"
    monkeypatch.setattr("sys.platform", "darwin")
    assert user_workspace() == tmp_path / "Library" / "Application Support" / "evolve"


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> None:
        raise KeyError  # as for the random user number of a container

    for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for place in (user_workspace, approvals_folder):
        with pytest.raises(WorkspaceError) as refused:
            place()
        assert "HOME" in refused.value.hint
