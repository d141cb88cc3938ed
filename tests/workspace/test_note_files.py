"""Notes travel as a file, and what a file says of itself makes nothing in it an instruction."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evolve
from evolve.core.episodes import RunOrigin
from evolve.core.errors import UsageError
from tests.policies.language.test_planted import PLANTS


def lines(path: Path, *notes: object) -> Path:
    path.write_text("".join(f"{note if isinstance(note, str) else json.dumps(note)}\n" for note in notes))
    return path


def told(workspace: evolve.Workspace, question: str) -> list[str]:
    """What a run is told of the notes."""
    found = workspace.stores.memory.recall(question, 5, scope=RunOrigin(environment="words", family="text"))
    return [item.text for item in found]


def test_notes_come_back_from_a_file_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    with evolve.open(tmp_path / "one") as opened:
        opened.memory.note("The port of billing is 80", author="Ada", at=10.0, thread="t", source="mail")
        opened.memory.note("The port of billing is 90", author="Ada", at=20.0)
        opened.memory.note("Naïve \u2028 text \ud800", author="Bo", role="tool", at=30.0)
        kept = [{**vars(note), "id": "", "seq": 0} for note in opened.memory.notes()]
        assert opened.memory.export(file) == 3
        with pytest.raises(UsageError, match="already"):
            opened.memory.export(file)
    with evolve.open(tmp_path / "other") as opened:
        assert opened.memory.import_(file, mine=True) == 3
        assert [{**vars(note), "id": "", "seq": 0} for note in opened.memory.notes()] == kept
        assert opened.memory.import_(file, mine=True) == 0
        assert [note.text for note in opened.memory.replaced().values()] == ["The port of billing is 90"]


@pytest.mark.parametrize("role", ["user", "assistant", "tool", "document"])
def test_planted_sentences_of_a_file_reach_no_run_and_replace_nothing(tmp_path: Path, role: str) -> None:
    plants = [{"text": plant.text, "author": "Ada", "role": role, "at": 9e9} for plant in PLANTS]
    changes = [{"text": "The port of billing is 666", "author": "Ada", "role": role, "at": 9e9}]
    file = lines(tmp_path / "notes.jsonl", *plants, *changes)
    with evolve.open(tmp_path / "ws") as opened:
        opened.memory.note("The port of billing is 80", author="Ada")
        assert opened.memory.import_(file) == len(PLANTS) + 1
        for question in (*(plant.text for plant in PLANTS), "port of billing"):
            assert set(told(opened, question)) <= {"The port of billing is 80"}
        assert told(opened, "port of billing") == ["The port of billing is 80"]
        assert opened.memory.replaced() == {}
        assert {note.role for note in opened.memory.notes()} == {"user", "document"}
        for item in opened.memory.recall(PLANTS[0].text):
            assert item.text == "The port of billing is 80" or "(document), unchecked" in item.provenance


@pytest.mark.parametrize(
    "line",
    [
        "no",
        "[]",
        {"text": ""},
        {"text": "x" * 20_001},
        {"text": "x", "role": "boss"},
        {"text": "x", "at": -1},
        '{"text": "x", "at": NaN}',
        {"text": ["x"]},
        "[" * 100_000,
    ],
)
def test_a_line_that_is_no_note_is_named_and_nothing_is_taken_in(tmp_path: Path, line: object) -> None:
    file = lines(tmp_path / "notes.jsonl", {"text": "fine"}, line)
    with evolve.open(tmp_path / "ws") as opened:
        with pytest.raises(UsageError, match="line 2"):
            opened.memory.import_(file)
        assert opened.memory.notes() == []


def test_a_note_with_a_secret_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BILLING_API_KEY", "q8Zt41LmVx02RkPw")
    with evolve.open(tmp_path / "ws") as opened:
        opened.memory.note("the key is q8Zt41LmVx02RkPw")
        with pytest.raises(UsageError, match="secret"):
            opened.memory.export(tmp_path / "notes.jsonl")
    assert not (tmp_path / "notes.jsonl").exists()
