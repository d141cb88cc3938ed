"""What git tracks is read from its own files, which may be anybody's."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import evolve
from evolve.core.errors import WorkspaceError
from evolve.workspace.git_tracked import tracked_file


def git(folder: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", folder, *settings, *arguments], check=True, capture_output=True)


@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize("hashing", ["sha1", "sha256"])
@pytest.mark.parametrize("inside", ["", "deep/down/"])
def test_what_git_tracks_is_read_from_its_index(tmp_path: Path, version: str, hashing: str, inside: str) -> None:
    git(tmp_path, "init", "-q", f"--object-format={hashing}")
    names = ["a.txt", "memory.txt", "memory_stores/x", f"{inside}Memory_Store/runs/r1/é", "z" * 200]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", ".")
    git(tmp_path, "update-index", "--index-version", version)
    assert tracked_file(tmp_path / inside, "memory_store") == names[3]
    git(tmp_path, "rm", "-q", "--cached", names[3])
    assert tracked_file(tmp_path / inside, "memory_store") == ""
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "all")
    git(tmp_path, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert tracked_file(tmp_path / "tree" / inside, "memory_store") == names[3]
    (tmp_path / ".git" / "index").write_bytes(b"DIRC" + b"\0" * 3 + b"\x04" + b"\xff" * 30)
    with pytest.raises(WorkspaceError):
        tracked_file(tmp_path / inside, "memory_store")


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_comment_in_the_settings_of_git_hides_no_name(tmp_path: Path, version: str) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "memory_store").mkdir()
    (tmp_path / "memory_store" / "memory.db").write_text("theirs")
    git(tmp_path, "add", ".")
    git(tmp_path, "update-index", "--index-version", version)
    with (tmp_path / ".git" / "config").open("a") as config:
        config.write("# objectformat = sha256\n")
    assert tracked_file(tmp_path, "memory_store") == "memory_store/memory.db"


def _long_names(index: Path) -> None:
    """An index in which a name of 20 MB is to be taken over by a hundred thousand others."""
    entry = b"\0" * 60 + b"\x0f\xff"
    following = (entry + b"\0a\0") * 100_000
    index.write_bytes(b"DIRC\0\0\0\x04\0\1\x86\xa1" + entry + b"\0" + b"m" * 20_000_000 + b"\0" + following)


def _sparse(place: Path) -> None:
    place.touch()
    os.truncate(place, 2**40)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("", os.mkfifo),
        ("", _sparse),
        ("", lambda git: git.write_text("gitdir: " + "a" * 3000)),
        ("index", os.mkfifo),
        ("index", _sparse),
        ("index", _long_names),
        ("sharedindex.1", os.mkfifo),
    ],
)
def test_a_repository_that_cannot_be_read_is_refused_and_not_waited_for(
    tmp_path: Path, name: str, make: Callable[[Path], object]
) -> None:
    place = tmp_path / ".git" / name
    place.parent.mkdir(exist_ok=True)
    make(place)
    done = []

    def look() -> None:
        with pytest.raises(WorkspaceError, match="cannot be understood"):
            tracked_file(tmp_path, "memory_store")
        done.append(True)

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    looking.join(60)
    assert done


def test_a_commit_of_everything_takes_no_record_along_and_others_cannot_read_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    evolve.init(tmp_path)
    assert os.stat(tmp_path / "memory_store").st_mode & 0o077 == 0
    git(tmp_path, "add", "-A")
    assert tracked_file(tmp_path, "memory_store") == ""
    with evolve.open(tmp_path):  # which refuses a record that git tracks
        pass
