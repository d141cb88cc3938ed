"""A note that was forgotten is as one that was never said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evolve
from evolve.core.errors import UsageError
from evolve.core.schema import MEMORY
from evolve.core.store import Database
from evolve.memory import MemoryRepository
from evolve.memory.index import open_index
from evolve.memory.notes import KeptNotes
from evolve.memory.notes.cache import WORTH_KEEPING
from evolve.runtime.retrieval import HashingEmbedder

TOLD = (
    "The port of billing is 8000",
    "The port of billing is 9000",
    "The owner of machine 3 is Bo",
    "We switched the kettle of the kitchen to a blue one",
    "The kettle of the kitchen is green",
    "Machine 3 stands beside shelf 12",
)
QUESTIONS = ("the port of billing", "who owns machine 3", "kettle of the kitchen", "shelf 12")


class Counting(HashingEmbedder):
    texts = 0

    def encode(self, texts):
        self.texts += len(texts)
        return super().encode(texts)


def found(memory: MemoryRepository, kinds: str) -> list[list[str]]:
    return [[item.text for item in memory.recall(question, kinds=[kinds])] for question in QUESTIONS]


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(gone=st.sets(st.sampled_from(range(len(TOLD))), min_size=1), again=st.booleans())
def test_what_is_left_is_as_if_the_others_had_never_been_said(tmp_path_factory, gone: set[int], again: bool) -> None:
    def memory_in(folder: Path) -> MemoryRepository:
        def index(dimension: int):
            return open_index(folder, "notes", dimension)

        return MemoryRepository(Database(folder / "m.db", MEMORY), index, HashingEmbedder(64), note_index=index)

    some, all_of_them = memory_in(tmp_path_factory.mktemp("some")), memory_in(tmp_path_factory.mktemp("all"))
    for number, text in enumerate(TOLD):
        all_of_them.add_note(text, "Ada", at=float(number + 1), id=f"note {number}")
        if number not in gone:
            some.add_note(text, "Ada", at=float(number + 1), id=f"note {number}")
    if again:
        found(all_of_them, "add_note")  # with what is derived made before
    assert all_of_them.forget([f"note {number}" for number in gone]) == len(gone)
    assert [note.text for note in all_of_them.list_notes()] == [note.text for note in some.list_notes()]
    assert {name: note.id for name, note in all_of_them.replaced_notes().items()} == {
        name: note.id for name, note in some.replaced_notes().items()
    }
    for kinds in ("note", "replaced"):
        assert found(all_of_them, kinds) == found(some, kinds)
    assert all_of_them.check().ok
    # The number of the last one is used again.
    assert all_of_them.add_note("The kettle is red", "Ada", id="new").id == "new"
    assert "The kettle is red" in found(all_of_them, "add_note")[2]


def test_its_words_stand_in_no_file_and_the_others_are_not_encoded_again(tmp_path: Path) -> None:
    counting = Counting(64)

    def opened(db: Database) -> MemoryRepository:
        kept = KeptNotes(tmp_path / "notes.kept")

        def index(dimension: int):
            return open_index(tmp_path / "index", "notes", dimension)

        return MemoryRepository(db, index, counting, note_index=index, kept_notes=kept)

    def holds_it() -> list[str]:
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        return sorted(path.name for path in files if b"xylograph" in path.read_bytes().lower())

    with Database(tmp_path / "m.db", MEMORY) as db:
        memory = opened(db)
        for number in range(WORTH_KEEPING + 9):
            memory.add_note(f"Shelf {number} holds item {number * 7}", "Ada")
        memory.add_note("The Xylograph is in the attic", "Ada", id="mine")
        memory.recall("xylograph")
        memory.close()
    assert holds_it() == ["m.db", "notes.kept"]
    with Database(tmp_path / "m.db", MEMORY) as db:
        memory = opened(db)
        counting.texts = 0
        assert memory.forget("mine") == 1
        assert all("Xylograph" not in item.text for item in memory.recall("xylograph"))
        assert counting.texts == 1
        memory.close()
    assert holds_it() == []


def test_notes_and_insights_are_forgotten_alike_and_all_or_none(memory: MemoryRepository, lesson) -> None:
    memory.commit(lesson(1))
    insight, note = memory.list_insights()[0], memory.add_note("The kettle is red", "Ada")
    with pytest.raises(UsageError, match="no insight or note with id 'nonsense'"):
        memory.forget([note.id, "nonsense"])
    assert memory.list_notes() == [note] and memory.forget([insight.id[:12], note.id[:12]]) == 2
    assert memory.list_notes() == memory.list_insights() == []


def test_a_file_from_before_does_not_bring_it_back_and_noting_it_does(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    with evolve.open(tmp_path / "workspace") as opened:
        opened.memory.note("The kettle is red", id="kettle")
        opened.memory.note("The kettle stands in the kitchen")
        opened.memory.export(file)
        file.write_text(
            "".join(json.dumps({**json.loads(line), "author": "Ben"}) + "\n" for line in file.read_text().splitlines())
        )
        assert opened.memory.forget("kettle") == 1
        assert opened.memory.import_(file) == 1  # the other one, as a document's of another person
        assert all("red" not in note.text for note in opened.memory.notes())
        opened.memory.note("The kettle is red ")
        assert opened.memory.import_(file) == 1


def test_a_forgotten_note_leaves_what_is_active_as_it_is(tmp_path: Path, monkeypatch) -> None:
    with evolve.open(tmp_path / "workspace") as opened:
        emptied: list[bool] = []
        monkeypatch.setattr(opened.memory, "_on_empty", lambda: emptied.append(True))
        opened.memory.forget(opened.memory.note("The kettle is red").id)
        assert not emptied
        opened.memory.forget(everything=True)
        assert emptied
