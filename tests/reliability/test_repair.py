"""A damaged workspace is refused by name, and ``evolve status --repair`` brings it back."""

from __future__ import annotations

import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import evolve
from evolve.cli import main
from evolve.core.errors import RecordDamaged, WorkspaceBusy
from evolve.core.ledger import SpendingLimits, Spent
from evolve.core.paths import WorkspacePaths
from evolve.workspace.health.doctor import doctor
from evolve.workspace.health.repair import repair
from tests.reliability.workspaces import everything, garble, opened


def states(folder: Path) -> dict[str, str]:
    return {one.part: one.state for one in doctor(folder) if one.part in ("record", "bodies")}


def test_a_sound_workspace_is_left_as_it_is(folder: Path) -> None:
    before = everything(folder)
    files = kept_files(folder)
    done = repair(folder)
    assert (done.done, done.lost, done.left) == ([], [], [])
    assert kept_files(folder) == files
    assert everything(folder) == before
    assert states(folder) == {"record": "ok", "bodies": "ok"}


def kept_files(folder: Path) -> list[Path]:
    """All but the indexes, and what SQLite lays beside a database while it is read."""
    found = sorted(path for path in folder.rglob("*") if not {"index", "index-notes"} & {*path.parts})
    return [path for path in found if not path.name.endswith(("-wal", "-shm"))]


def test_a_folder_without_a_workspace_needs_no_repair(tmp_path: Path) -> None:
    assert repair(tmp_path / "none").left == []
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("content", [b"", b"not a database" * 999, "cut", None])
def test_a_lost_record_is_refused_and_comes_back_from_its_backup(folder: Path, content: bytes | str | None) -> None:
    paths = WorkspacePaths(folder)
    with opened(folder) as workspace:
        workspace.stores.db.delete("memory_statements", "")
    before = everything(folder)
    whole = paths.db.read_bytes()
    if content is None:
        paths.db.unlink()
    else:
        paths.db.write_bytes(whole[: len(whole) // 2] if content == "cut" else content)  # type: ignore[arg-type]
    for read_only in (False, True):
        with pytest.raises(RecordDamaged, match="memory.db is (damaged|missing)") as refused:
            evolve.open(folder, read_only=read_only)
        assert refused.value.hint == "evolve status --repair"
    assert states(folder)["record"] == "missing"
    done = repair(folder)
    assert done.left == []
    assert [line.split(" the backup ")[0] for line in done.lost] == (
        [] if content == "cut" else ["whatever was recorded after"]
    )
    assert everything(folder) == before
    assert content is None or (paths.store / "memory.db.corrupt-1").exists()
    assert repair(folder).done == []


def test_without_a_backup_the_loss_is_told(folder: Path) -> None:
    paths = WorkspacePaths(folder)
    shutil.rmtree(paths.store / "backups", ignore_errors=True)
    paths.db.write_bytes(b"")
    done = repair(folder)
    assert done.lost == ["everything in the record: no row could be read and there was no backup"]
    assert everything(folder)["episodes"] == {}


def test_rows_that_others_refer_to_are_made_anew(folder: Path) -> None:
    before = everything(folder)
    with opened(folder) as workspace:
        db = workspace.stores.db
        for table in ("memory_features", "memory_insights", "memory_claims"):
            db.delete(table, "")
        db.delete("memory_evidence", {"seq": 3})
    done = repair(folder)
    assert "made 1 rows of evidence anew from the episodes they came from" in done.done
    after = everything(folder)
    assert (done.lost, {**after, "runs": before["runs"]}) == ([], before)


def test_a_skill_is_mended_from_its_folder_or_set_aside_and_the_others_work(folder: Path) -> None:
    paths = WorkspacePaths(folder)
    skills = sorted(everything(folder)["skills"])
    with opened(folder) as workspace:
        bodies = {str(row["name"]): str(row["object"]) for row in workspace.stores.db.rows("skills")}
    for name in skills[:2]:
        garble(paths.objects / bodies[name], 5, 40)
    (paths.skills / skills[0] / "SKILL.md").write_text("---\nno skill\n")
    (paths.skills / skills[2] / "skill.py").write_text("def other(): ...\n")
    assert states(folder) == {"record": "ok", "bodies": "missing"}
    assert sorted(everything(folder)["skills"]) == skills[1:]
    done = repair(folder)
    assert done.lost == [f"skill {skills[0]}: its body is damaged, and its folder is not the same skill"]
    assert sorted(everything(folder)["skills"]) == skills[1:]
    assert (paths.skills / f"{skills[2]}.damaged-1" / "skill.py").read_text() == "def other(): ...\n"
    assert states(folder) == {"record": "ok", "bodies": "ok"}


def bodies(folder: Path) -> tuple[str, str]:
    (found,) = [one for one in doctor(folder) if one.part == "bodies"]
    return found.state, found.text


def test_a_changed_letter_in_any_file_of_a_learned_skill_is_found_and_mended(folder: Path) -> None:
    skills = folder / "skills"
    place = sorted(path for path in skills.iterdir() if path.is_dir())[0]
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    assert {"SKILL.md", "skill.py", "test_skill.py", "examples.json"} <= set(before)
    (place / "__pycache__").mkdir()  # of whoever imported it
    assert bodies(folder)[0] == "ok"
    for name, data in before.items():
        (place / name).write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
        assert bodies(folder) == (
            "missing",
            f"1 damaged: skill {place.name}: its folder was edited or damaged: {name}",
        )
        (done,) = repair(folder).done
        assert name in done and "written anew from the record" in done
        assert {path.name: path.read_bytes() for path in place.iterdir()} == before


@pytest.mark.parametrize("harm", ["added", "missing", "link", "folder", "deep"])
def test_what_is_added_to_a_learned_skill_or_taken_from_it_is_named(folder: Path, tmp_path: Path, harm: str) -> None:
    place = sorted(path for path in (folder / "skills").iterdir() if path.is_dir())[0]
    name = {"added": "run.sh", "deep": "scripts/run.sh"}.get(harm, "SKILL.md")
    file = place / name
    if harm in ("missing", "link", "folder"):
        text = file.read_text()
        file.unlink()
        if harm == "folder":
            file.mkdir()
        elif harm == "link":
            (tmp_path / "elsewhere").write_text(text)
            file.symlink_to(tmp_path / "elsewhere")
    else:
        file.parent.mkdir(exist_ok=True)
        file.write_text("echo\n")
    state, text = bodies(folder)
    assert state == "missing" and text.endswith(f"edited or damaged: {name}"), text
    assert repair(folder).left == []
    assert bodies(folder)[0] == "ok"


def test_what_a_person_changed_in_their_own_skill_is_said_and_no_damage(folder: Path) -> None:
    with opened(folder) as workspace:
        name = workspace.skills.list()[0].name
        workspace.skills.own(name)
    (folder / "skills" / name / "SKILL.md").write_text("mine\n")
    state, text = bodies(folder)
    assert state == "ok" and f"your own {name} is not as it was learned: SKILL.md" in text


def test_what_a_person_changed_in_their_own_skill_stays(folder: Path) -> None:
    with opened(folder) as workspace:
        name = workspace.skills.list()[0].name
        workspace.skills.own(name)
    code = folder / "skills" / name / "skill.py"
    code.write_text("# mine\n")
    assert repair(folder).done == []
    assert code.read_text() == "# mine\n"


def test_a_variant_whose_guide_is_lost_no_longer_acts(folder: Path) -> None:
    paths = WorkspacePaths(folder)
    active = everything(folder)["active"]["variant"]
    with opened(folder) as workspace:
        guide = workspace.stores.variants.get(active).guide
    (paths.objects / guide).unlink()
    with opened(folder) as workspace, pytest.raises(RecordDamaged, match=guide):
        workspace.stores.active_state(workspace.workflow.show())
    done = repair(folder)
    assert done.lost == [f"variant {active}: a body it needs is gone; unlearned acts instead"]
    assert everything(folder)["active"] == {"variant": "unlearned"}


@pytest.mark.slow
def test_the_command_tells_each_loss_and_ends_with_zero_when_all_is_well(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    paths = WorkspacePaths(folder)
    shutil.rmtree(paths.store / "backups", ignore_errors=True)  # with a copy of the row nothing would be lost
    connection_free_edit(paths.db)
    assert code_of("-w", str(folder), "memory", "list") == 3
    told = capfd.readouterr().err
    assert "memory_statements row" in told and "status --repair" in told
    assert code_of("-w", str(folder), "status", "--repair", "--json") == 0
    report = json.loads(capfd.readouterr().out)
    assert len(report["lost"]) == 1 and report["lost"][0].startswith("memory_statements row")
    assert report["left"] == []
    assert code_of("-w", str(folder), "memory", "list") == 0


def connection_free_edit(path: Path) -> None:
    """Changes one letter of a note, as a bad disk would."""
    data = path.read_bytes()
    assert data.count(b"dates are day first") == 1
    path.write_bytes(data.replace(b"dates are day first", b"dates are day fIrst"))


def code_of(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def test_nobody_repairs_what_another_process_uses(folder: Path) -> None:
    with opened(folder), pytest.raises(WorkspaceBusy):
        repair(folder)


def book_of(folder: Path) -> SpendingLimits:
    return SpendingLimits(WorkspacePaths(folder).spending, date=lambda: "2030-01-02")


@pytest.mark.parametrize("harm", ["cut", "garbage", "a table is gone", "less than nothing"])
def test_a_damaged_book_of_spending_is_told_and_made_anew_without_forgetting_its_limit(folder: Path, harm: str) -> None:
    book, file = book_of(folder), WorkspacePaths(folder).spending
    for day in ("2030-01-01", "2030-01-02"):
        book.add_spending(day, Spent(tokens=500, calls=1))
    book.reserve(Spent(tokens=100))
    with opened(folder) as workspace:
        record = workspace.stores.runs.episodes()[0]
        paid = replace(record, episode="paid", cost=replace(record.cost, tokens=5_000, calls=3))
        workspace.stores.runs.add(paid)
    assert spending_state(folder) == "ok"
    if harm in ("cut", "garbage"):
        file.write_bytes(file.read_bytes()[:5_000] if harm == "cut" else b"x" * 9_000)
    else:
        with sqlite3.connect(file) as db:
            db.execute("DROP TABLE days" if harm == "a table is gone" else "UPDATE days SET tokens = -9 WHERE calls")
    assert spending_state(folder) == "missing"
    done = repair(folder)
    assert "spending.db.damaged-1" in done.done[-1] and done.left == []
    assert spending_state(folder) == "ok"
    assert file.with_name("spending.db.damaged-1").exists()
    assert book_of(folder).spent().tokens >= 5_000  # what the record knows of
    whole = harm in ("a table is gone", "less than nothing")
    assert book_of(folder).spent("2030-01-02").tokens == (100 if whole else 0)
    assert repair(folder).done == []


def spending_state(folder: Path) -> str:
    return next(one.state for one in doctor(folder) if one.part == "spending")
