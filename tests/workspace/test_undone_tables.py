"""A table that was filled in place is taken back whole: from what the record holds, and from nothing else."""

from __future__ import annotations

import json
import os

import openpyxl
import pytest

import evolve
from evolve.core.errors import EvolveError, UsageError
from evolve.core.files import digest
from evolve.workspace import Person, doctor
from evolve.workspace.runs import files as table_writing

SHOUT = "def f(a):\n    return a.upper()\n"
NAMES = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Tony Hoare", "John Backus", "Donald Knuth", "Leslie Lamport")


@pytest.fixture
def workspace(tmp_path):
    with evolve.open(tmp_path / "ws", model="") as opened:
        yield opened


@pytest.fixture
def fill(workspace, tmp_path):
    """Fills a table in place by a function that is given; gives what became of it, and the bytes that were there."""
    (tmp_path / "f.py").write_text(SHOUT)

    def run(name="t.csv", text=b"\xef\xbb\xbfa;b\r\nx;X\r\ny;\r\n", **options):
        file = tmp_path / name
        if text is not None:
            file.write_bytes(text)
        before = file.read_bytes()
        return workspace.fill(file, function=tmp_path / "f.py", in_place=True, **options), before

    return run


def test_a_table_is_as_it_was_byte_for_byte_with_its_permissions(workspace, fill, tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes(b"a;b\r\nx;X\r\ny;")
    file.chmod(0o600)
    filled, before = fill(text=None)
    assert file.read_bytes() != before
    patch = workspace.undo()
    assert (patch.run, patch.state, patch.names) == (filled.undo, "undone", ("t.csv",))
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (before, 0o600)
    with pytest.raises(UsageError):
        workspace.undo(filled.undo)
    assert workspace.runs.apply(filled.undo).state == "applied"
    assert file.read_bytes() == b"a;b\r\nx;X\r\ny;Y"


def test_a_table_whose_function_was_searched_for_is_taken_back_by_that_run(workspace, tmp_path):
    file = tmp_path / "people.csv"
    lines = [f"{name},{name.upper() if place < 6 else ''}" for place, name in enumerate(NAMES)]
    file.write_text("\n".join(["name,shout", *lines]) + "\n")
    before = file.read_bytes()
    filled = workspace.fill(file, in_place=True)
    assert filled.result is not None and filled.undo == filled.result.run_id
    assert workspace.runs.why(filled.undo).applied == str(file)
    workspace.undo(filled.undo)
    assert file.read_bytes() == before and workspace.runs.why(filled.undo).applied == ""


def test_a_workbook_is_taken_back_and_fills_are_taken_back_one_after_the_other(workspace, fill, tmp_path):
    book = openpyxl.Workbook()
    for row in (("a", "b"), ("x", "X"), ("y", None)):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    first, _ = fill("t.xlsx", None)
    book = openpyxl.load_workbook(tmp_path / "t.xlsx")
    book.active.append(("z", None))
    book.save(tmp_path / "t.xlsx")
    second, between = fill("t.xlsx", None)
    assert first.undo != second.undo
    with pytest.raises(UsageError):
        workspace.undo(first.undo)
    assert workspace.undo().run == second.undo
    assert (tmp_path / "t.xlsx").read_bytes() == between


def test_what_changed_since_is_left_as_it_is_unless_the_person_gives_leave(workspace, fill, tmp_path):
    filled, before = fill()
    mine = (tmp_path / "t.csv").read_bytes() + b"z;Z\r\n"
    (tmp_path / "t.csv").write_bytes(mine)
    with pytest.raises(UsageError) as refused:
        workspace.undo()
    assert filled.undo in refused.value.hint and (tmp_path / "t.csv").read_bytes() == mine
    workspace.undo(person=Person(approve="auto"))
    assert (tmp_path / "t.csv").read_bytes() == before


def test_no_link_is_followed(workspace, fill, tmp_path):
    filled, _ = fill()
    other = tmp_path / "other.csv"
    (tmp_path / "t.csv").rename(other)
    (tmp_path / "t.csv").symlink_to(other)
    now = other.read_bytes()
    with pytest.raises(UsageError):
        workspace.undo(filled.undo, person=Person(approve="auto"))
    assert other.read_bytes() == now


def test_a_table_behind_a_link_is_taken_back_where_it_lies(workspace, tmp_path):
    (tmp_path / "deep").mkdir()
    file = tmp_path / "deep" / "t.csv"
    file.write_text("a,b\nx,X\ny,\n")
    (tmp_path / "link.csv").symlink_to(file)
    (tmp_path / "f.py").write_text(SHOUT)
    workspace.fill(tmp_path / "link.csv", function=tmp_path / "f.py", in_place=True)
    workspace.undo()
    assert file.read_text() == "a,b\nx,X\ny,\n" and (tmp_path / "link.csv").is_symlink()


@pytest.mark.parametrize("field", ["folder", "name", "before", "after", "more", "body"])
def test_only_what_the_record_holds_is_written(workspace, fill, tmp_path, field):
    filled, _ = fill()
    run = tmp_path / "ws" / "memory_store" / "runs" / filled.undo
    (tmp_path / "home").mkdir()
    victim = tmp_path / "home" / "t.csv"
    victim.write_bytes((tmp_path / "t.csv").read_bytes())
    (tmp_path / "u.csv").write_bytes((tmp_path / "t.csv").read_bytes())
    (run / "patch" / digest("evil")).write_text("evil")
    patch = json.loads((run / "patch.json").read_text())
    change = patch["changes"][0]
    if field == "folder":
        patch["folder"] = str(tmp_path / "home")
    elif field == "name":
        change["name"] = "u.csv"
    elif field == "more":
        patch["changes"].append({**change, "name": "u.csv"})
    elif field == "body":
        (run / "patch" / change["before"]).write_text("evil")
    else:
        change[field] = digest("evil")
    (run / "patch.json").write_text(json.dumps(patch))
    files = {path: path.read_bytes() for path in (victim, tmp_path / "t.csv", tmp_path / "u.csv")}
    with pytest.raises(EvolveError):
        workspace.undo(filled.undo, person=Person(approve="auto"))
    assert {path: path.read_bytes() for path in files} == files


def test_a_sound_record_of_a_filled_table_is_no_damage(workspace, fill, tmp_path):
    fill()
    workspace.close()
    assert not [finding for finding in doctor(tmp_path / "ws") if "patch" in str(finding)]


def test_what_is_too_large_or_of_a_name_that_nothing_touches_is_filled_without_a_copy(
    workspace, fill, tmp_path, monkeypatch
):
    filled, _ = fill(".env.csv")
    assert filled.undo == ""
    monkeypatch.setattr(table_writing, "MOST_KEPT", 8)
    filled, before = fill("large.csv")
    assert filled.undo == "" and (tmp_path / "large.csv").read_bytes() != before
    with pytest.raises(UsageError):
        workspace.undo()


def test_a_file_beside_the_table_is_nothing_to_take_back(workspace, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\nx,X\ny,\n")
    (tmp_path / "f.py").write_text(SHOUT)
    assert workspace.fill(tmp_path / "t.csv", function=tmp_path / "f.py").undo == ""
    assert os.path.exists(tmp_path / "t.filled.csv") and workspace.folders.list() == []
