"""A workspace is believed that this user made here or trusted; any other is asked about, whoever brought it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import evolve
from evolve.core.errors import RecordDamaged, UntrustedWorkspace, WorkspaceError
from evolve.core.paths import WorkspacePaths, approvals_folder
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database
from evolve.workspace import Options, Workspace, models, servers, trust_proposal
from evolve.workspace.opening import NAMED

ROWS = [("a", "A!"), ("b", "B!"), ("word", "WORD!"), ("two", "TWO!"), ("x y", "X Y!")]
ELSEWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user who used no version yet that knows of trust."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("EVOLVE_WORKSPACE")
    return tmp_path / "state"


@pytest.fixture
def mine(home, tmp_path):
    """A workspace that was made here, with a run on record."""
    with evolve.open(tmp_path / "mine") as opened:
        opened.run(examples=ROWS, budget="300-candidates")
    return tmp_path / "mine"


def opens(path, **options) -> bool:
    try:
        with evolve.open(path, read_only=True, **options):
            return True
    except UntrustedWorkspace:
        return False


def forget(root: Path) -> None:
    """Leaves of a workspace what a version left that knew nothing of trust."""
    shutil.rmtree(approvals_folder(), ignore_errors=True)
    paths = WorkspacePaths(root)
    paths.identity.unlink()
    with Database(paths.db, MIGRATIONS) as db:
        db.delete("meta", {"key": NAMED})


def git(folder: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", folder, *settings, *arguments], check=True, capture_output=True)


def test_what_is_made_here_is_believed_and_trusting_it_changes_nothing(mine):
    assert opens(mine)
    before = (mine / "memory_store" / "identity").read_text()
    evolve.init(mine, trust=True)
    assert opens(mine) and (mine / "memory_store" / "identity").read_text() == before


@pytest.mark.parametrize(
    "brought",
    [
        "evolve.toml",
        "pyproject.toml",
        "prompts/act.md",
        "prices.toml",
        "memory_store/memory.db",
        "memory_store/chats",
    ],
)
def test_what_somebody_else_made_is_used_once_it_was_trusted(home, tmp_path, brought):
    theirs = tmp_path / "theirs"
    (theirs / brought).parent.mkdir(parents=True)
    (theirs / brought).write_text("[tool.evolve]\n" if brought == "pyproject.toml" else "")
    before = sorted(theirs.rglob("*"))
    assert not opens(theirs)
    with pytest.raises(UntrustedWorkspace):
        evolve.init(theirs)
    assert sorted(theirs.rglob("*")) == before
    if "store" not in brought:
        evolve.init(theirs, trust=True)
        assert opens(theirs)
        assert not opens(shutil.copytree(theirs, tmp_path / "again"))


def test_a_folder_that_has_none_of_it_becomes_a_workspace(home, tmp_path):
    (tmp_path / "project" / "prompts").mkdir(parents=True)
    (tmp_path / "project" / "prompts" / "mine.txt").write_text("a prompt of a program of their own")
    (tmp_path / "project" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert evolve.init(tmp_path / "project").created


def test_a_variable_or_an_argument_selects_and_does_not_trust(mine, tmp_path, monkeypatch):
    copy = shutil.copytree(mine, tmp_path / "copy")
    monkeypatch.setenv("EVOLVE_WORKSPACE", str(copy))
    for path in (None, copy):
        with pytest.raises(UntrustedWorkspace) as refused:
            evolve.open(path)
        assert refused.value.exit_code == 3 and refused.value.hint == f"evolve trust {copy}"


def test_every_door_is_shut(mine, tmp_path):
    copy = shutil.copytree(mine, tmp_path / "copy")
    for door in (
        lambda: evolve.open(copy),
        lambda: Workspace(copy, Options(read_only=True)),
        lambda: evolve.config(copy),
        lambda: evolve.repair(copy),
        lambda: evolve.init(copy),
        lambda: models(copy).chosen(),
        lambda: models(copy).check(),
        lambda: models(copy).default("x"),
        lambda: servers(copy).list(),
        lambda: servers(copy).keep_running(),
        lambda: evolve.workspace.workflow(copy).show(),
        lambda: evolve.workspace.sandbox(copy).exec("1"),
        lambda: evolve.workspace.choose_workspace(copy),
    ):
        with pytest.raises(UntrustedWorkspace):
            door()
    found = {finding.part: finding.state for finding in evolve.doctor(copy)}
    assert found["workspace"] == "missing" and "record" not in found
    assert not evolve.where(copy).trusted and evolve.where(mine).trusted


def test_a_copy_an_exchanged_record_and_a_link_to_another_are_asked_about(mine, tmp_path):
    with evolve.open(tmp_path / "other"):
        pass
    moved = tmp_path / "moved"
    mine.rename(moved)
    assert not opens(moved)
    mine.symlink_to(moved)
    assert not opens(mine)
    mine.unlink()
    shutil.copytree(moved, mine)  # the person's own copy comes back
    assert opens(mine)
    theirs, record = WorkspacePaths(tmp_path / "other").db, WorkspacePaths(mine).db
    for path in record.parent.glob("memory.db*"):
        path.unlink()
    shutil.copy(theirs, record)
    assert not opens(mine)


def test_another_workspace_at_the_place_of_a_deleted_one_is_asked_about(mine, tmp_path):
    shutil.rmtree(mine)
    mine.mkdir()
    (mine / "evolve.toml").write_text("seed = 1\n")
    assert not opens(mine)


def test_a_lost_or_damaged_record_is_mended_and_not_asked_about(mine):
    record = WorkspacePaths(mine).db
    record.write_bytes(record.read_bytes()[:5000] + b"\0" * 3000)
    with pytest.raises(RecordDamaged):
        evolve.open(mine)
    evolve.repair(mine)
    assert opens(mine)
    for path in record.parent.glob("memory.db*"):
        path.unlink()
    with pytest.raises(RecordDamaged):
        evolve.open(mine)
    evolve.repair(mine)
    assert opens(mine)
    with Database(record, MIGRATIONS) as db:
        assert db.get_meta(NAMED) == WorkspacePaths(mine).identity.read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("part", ["", "evolve.toml", "memory_store", "memory_store/memory.db", "prompts"])
def test_another_owner_is_asked_about_and_named(mine, part):
    os.chown(mine / part, 65534, 65534)
    assert not opens(mine)
    assert any("nobody" in line or "65534" in line for line in trust_proposal(mine).changes)
    evolve.init(mine, trust=True)
    assert opens(mine) or part  # trust is given to the owner of the folder, and to nobody who owns a part of it


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_folder_of_another_user_is_made_a_workspace_only_with_trust(home, tmp_path):
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", 65534, 65534)
    with pytest.raises(UntrustedWorkspace):
        evolve.init(tmp_path / "theirs")
    assert [*(tmp_path / "theirs").iterdir()] == []
    assert evolve.init(tmp_path / "theirs", trust=True).created and opens(tmp_path / "theirs")


def test_a_marker_above_that_anyone_can_write_is_asked_about(mine, monkeypatch):
    (mine / "deep").mkdir()
    monkeypatch.chdir(mine / "deep")
    assert opens(None)
    mine.chmod(0o777)
    assert not opens(None)
    evolve.init(mine, trust=True)
    assert opens(None)


def test_a_store_that_git_tracks_is_refused_also_where_it_was_trusted(mine):
    git(mine, "init", "-q")
    assert opens(mine)
    (mine / "memory_store" / ".gitignore").write_text("*\n")
    git(mine, "add", "-f", "memory_store/.gitignore", "evolve.toml")
    assert opens(mine)
    git(mine, "add", "-f", "memory_store/memory.db")
    for attempt in (lambda: evolve.open(mine), lambda: evolve.init(mine, trust=True), lambda: evolve.repair(mine)):
        with pytest.raises(WorkspaceError, match="git tracks memory_store/memory.db"):
            attempt()


def test_one_that_nobody_entered_is_asked_about_whoever_made_it(mine):
    forget(mine)
    assert not opens(mine)
    assert opens(mine, trust=True) and opens(mine)


def test_an_address_is_confirmed_by_who_chose_it(mine):
    named = f"{ELSEWHERE}#m"
    models(mine).default(named)
    assert models(mine).chosen() == {"default": named}
    settings = mine / "evolve.toml"
    settings.write_text(f'model = "{named},http://127.0.0.1:10/v1#dear"\n')  # as a pull would
    assert not opens(mine)
    with pytest.raises(UntrustedWorkspace):
        models(mine).check("gpt-5")
    for text in ('base_url = "http://127.0.0.1:10/v1"\n', 'model_judge = "http://127.0.0.1:10/v1#m"\n'):
        settings.write_text(text)
        assert not opens(mine)
    for text in (f'model = "{ELSEWHERE}/#other"\n', 'model = "gpt-5"\n', f'base_url = "{ELSEWHERE}"\n', "seed = 1\n"):
        settings.write_text(text)
        assert opens(mine)
    settings.write_text('model_judge = "http://127.0.0.1:10/v1#m"\n')
    assert opens(mine, trust=True) and opens(mine)


def test_an_address_of_a_variable_or_an_argument_is_the_persons_own(mine, monkeypatch):
    monkeypatch.setenv("EVOLVE_MODEL", f"{ELSEWHERE}#m")
    monkeypatch.setenv("EVOLVE_BASE_URL", ELSEWHERE)
    assert opens(mine) and opens(mine, model="http://127.0.0.1:10/v1#m")


def test_what_was_shown_is_trusted_and_nothing_else(home, tmp_path):
    settings = tmp_path / "theirs" / "evolve.toml"
    settings.parent.mkdir()
    settings.write_text(f'model = "{ELSEWHERE}#m"\n')
    seen = trust_proposal(settings.parent)
    assert any(ELSEWHERE in line for line in seen.changes)
    settings.write_text('model = "http://127.0.0.1:10/v1#m"\n')
    with pytest.raises(WorkspaceError):
        evolve.init(settings.parent, trust=seen)
    assert not opens(settings.parent)
    evolve.init(settings.parent, trust=trust_proposal(settings.parent))
    assert opens(settings.parent)


def test_what_was_shown_cannot_be_exchanged_under_the_same_time(home, tmp_path):
    prompt = tmp_path / "theirs" / "prompts" / "act.md"
    prompt.parent.mkdir(parents=True)
    prompt.write_text("Be kind.")
    seen = trust_proposal(tmp_path / "theirs")
    before = prompt.stat()
    prompt.write_text("Be evil.")
    os.utime(prompt, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(WorkspaceError):
        evolve.init(tmp_path / "theirs", trust=seen)


def test_a_proposal_steers_no_terminal_and_names_servers(home, tmp_path):
    settings = tmp_path / "theirs" / "evolve.toml"
    settings.parent.mkdir()
    settings.write_text('model = "x\\u001b[2Jy"\n[tools.servers.shop]\ncommand = ["sh"]\n')
    changes = trust_proposal(settings.parent).changes
    assert all(line.isprintable() for line in changes) and any("shop" in line for line in changes)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_register_of_another_user_is_refused_with_what_helps(mine):
    [entry] = approvals_folder().rglob("*.json")
    os.chown(entry.parent, 65534, 65534)
    with pytest.raises(WorkspaceError, match="another user") as refused:
        evolve.open(mine)
    assert "XDG_STATE_HOME" in refused.value.hint and "chmod" not in refused.value.hint


def test_a_register_that_others_could_write_is_refused(mine, tmp_path):
    [entry] = approvals_folder().rglob("*.json")
    entry.chmod(0o666)
    with pytest.raises(WorkspaceError, match="written by others"):
        evolve.open(mine)
    entry.chmod(0o600)
    entry.rename(tmp_path / "real.json")
    entry.symlink_to(tmp_path / "real.json")
    with pytest.raises(WorkspaceError, match="is a link"):
        evolve.open(mine)
    entry.unlink()
    entry.write_text("[1]")
    entry.chmod(0o600)
    with pytest.raises(WorkspaceError, match="cannot be understood"):
        evolve.open(mine)
    entry.write_text(json.dumps({**json.loads((tmp_path / "real.json").read_text()), "path": "/elsewhere"}))
    assert not opens(mine)
