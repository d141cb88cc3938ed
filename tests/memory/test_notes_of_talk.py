"""Turns of conversations as notes: who said it, what stands beside it, what says little, and what a name joins."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path

import pytest

import evolve
from benchmarks import conversations
from benchmarks.talks import draw_talk
from evolve.core.errors import UsageError
from evolve.core.schema import MEMORY
from evolve.core.store import Database
from evolve.memory import MemoryRepository, Note
from evolve.memory.index import MemoryIndex
from evolve.memory.notes import ResolvedNotes
from evolve.memory.notes.ranking import _NAME, _information, extract_entities
from evolve.memory.notes.superseded import is_same_subject
from evolve.memory.notes.times import asks_when, names_time
from evolve.runtime.retrieval import HashingEmbedder


@pytest.fixture
def memory(tmp_path: Path):
    with Database(tmp_path / "record.db", MEMORY) as db:
        memory = MemoryRepository(db, MemoryIndex, HashingEmbedder())
        yield memory
        memory.close()


def tell(memory: MemoryRepository, *turns: tuple[str, str], thread: str = "talk") -> None:
    for place, (who, text) in enumerate(turns, 1):
        memory.add_note(text, who, thread=thread, at=float(place))


def found(memory: MemoryRepository, question: str, k: int = 5, **more) -> list[str]:
    return [item.text for item in memory.recall(question, k, kinds=["note"], **more)]


def test_a_date_may_be_text(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        note = workspace.memory.note("The port of billing is 80", at="2026-03-31T14:30", speaker="Ann")
        assert (note.at, note.thread) == (datetime(2026, 3, 31, 14, 30).timestamp(), "talk of 2026-03-31")
        assert workspace.memory.note("The gate is green", at="2026-03-31").at == datetime(2026, 3, 31).timestamp()
        before, after = (workspace.memory.recall("port", as_of=day) for day in ("2026-03-30", "2026-04-01"))
        assert any(item.id == note.id for item in after) and not any(item.id == note.id for item in before)
        for wrong in ("tomorrow", "", "31.3.2026"):
            with pytest.raises(UsageError, match="no date"):
                workspace.memory.note("text", at=wrong)


def test_two_notes_that_only_a_name_joins_are_both_found(memory: MemoryRepository) -> None:
    tell(
        memory,
        ("Ann", "My pottery teacher is called Elif Demir and she is so patient."),
        ("Bo", "Nice, I should try that as well."),
        ("Ann", "The bus was late again this morning."),
        ("Bo", "Mine too, what a mess."),
        ("Bo", "I heard that Elif grew up in Bergen."),
        *(("Ann", f"I bought {count} tomatoes on the market.") for count in range(20, 40)),
    )
    answers = found(memory, "Where does Ann's pottery teacher come from?")
    assert answers[0].startswith("My pottery teacher")
    assert "I heard that Elif grew up in Bergen." in answers


def test_files_and_code_join_notes_too(memory: MemoryRepository) -> None:
    memory.add_note("The nightly export is done by tools/dump_all.py", "Ann")
    memory.add_note("Whoever touches tools/dump_all.py has to ask Priya first", "Ann")
    for number in range(20):
        memory.add_note(f"The ticket number {number} is about the exported rows of nightly work", "Ann")
    assert any("Priya" in text for text in found(memory, "Who has to be asked about what does the nightly export?"))


def test_names_at_the_start_of_a_sentence_and_days_are_no_entities() -> None:
    assert extract_entities(
        "The ship left on Tuesday with Elif. Later `load_all` ran in src/main.py for Ada Lovelace"
    ) == {
        "Elif",
        "load_all",
        "src/main.py",
        "Ada",
        "Lovelace",
    }


@pytest.mark.slow
@pytest.mark.parametrize("sign", ["/", "ab12", "x Bob ", "a-", "~/", "~", ".", "Aa", "`", "   Bob", "a.b/"])
def test_no_text_is_long_in_being_searched_for_names(sign: str) -> None:
    """It takes minutes where the work grows with the square of the length."""
    text = sign * (200_000 // len(sign)) + " "
    begun = time.process_time()
    extract_entities(text)
    is_same_subject(text, text)
    _NAME.findall(text)
    assert time.process_time() - begun < 20


def test_what_is_about_somebody_else_leads_nowhere(memory: MemoryRepository) -> None:
    memory.add_note("Jonas Weber spends the weekends with a kayak", "Ann")
    memory.add_note("In winter Jonas Weber is based in Turin", "Ann")
    memory.add_note("For fun Kate Lind has taken up the cello", "Ann")
    memory.add_note("On most days Kate Lind takes the tram", "Ann")
    assert "In winter Jonas Weber is based in Turin" not in found(memory, "What does Kate Lind do on weekends?", 3)


def test_a_turn_that_says_little_is_held_back_and_length_is_no_merit() -> None:
    long = "Last spring the marathon through the old town and along the river took me five hours"
    turns = ("Marathon, wow!", long, f"{long}, and then I slept for two days in a hotel with a view of the harbour")
    book = ResolvedNotes(
        Note(id=text, text=text, author="Ann", thread=text, seq=at) for at, text in enumerate(turns, 1)
    )
    factors = sorted(_information(book, book.notes).values())
    assert factors[0] < 0.8 and factors[1:] == [1.0, 1.0]


def test_a_conversation_keeps_what_a_later_turn_replaced(memory: MemoryRepository) -> None:
    tell(memory, ("Ann", "My last trip was to Rome."), ("Bo", "Lovely!"), ("Ann", "My last trip was to Paris."))
    answers = found(memory, "Where did the last trip go?")
    assert answers.index("My last trip was to Paris.") < answers.index("My last trip was to Rome.")
    told = [item for item in memory.recall("last trip", 5, kinds=["note"]) if "Rome" in item.text]
    assert [item.status for item in told] == ["superseded"]


def test_words_that_may_tell_of_a_change_need_two_notes_that_are_alike(memory: MemoryRepository) -> None:
    memory.add_note("Kate Lind plays the tuba in the town band", "Ann", at=1.0)
    memory.add_note("Kate Lind left the town hall after noon", "Ann", at=2.0)
    assert not memory.replaced_notes()
    memory.add_note("Omar Said laid the tuba of the town band aside", "Ann", at=3.0)
    assert not memory.replaced_notes()  # somebody else
    memory.add_note("Kate Lind laid the tuba of the town band aside for drums", "Ann", at=4.0)
    assert [note.text[:9] for note in memory.replaced_notes().values()] == ["Kate Lind"]


@pytest.mark.parametrize("question", ["When did she leave?", "In what year was that?", "How long ago was it?"])
def test_a_question_for_a_time_is_seen(question: str) -> None:
    assert asks_when(question)


def test_times_are_named_and_may_is_a_verb() -> None:
    assert all(map(names_time, ("I went yesterday", "since 2021", "on Fridays", "last month I quit", "the 3rd of it")))
    assert not any(map(names_time, ("you may go", "what a day", "I have 12 of them")))
    assert not asks_when("Who says when?")


def test_a_speaker_makes_a_turn_of_the_day(tmp_path: Path) -> None:
    with evolve.open(tmp_path / "ws") as workspace:
        at = 1_700_000_000.0
        workspace.memory.note("Shall we go to the harbour?", speaker="Ann", at=at)
        workspace.memory.note("Yes, at nine!", speaker="Bo", at=at + 60)
        notes = workspace.memory.notes()
        assert [note.author for note in notes] == ["Ann", "Bo"]
        assert len({note.thread for note in notes}) == 1 and notes[0].thread.startswith("talk of 2023-11-")
        assert "Yes, at nine!" in [item.text for item in workspace.memory.recall("When do they go to the harbour?")]
        with pytest.raises(UsageError, match="the same"):
            workspace.memory.note("twice", author="Ann", speaker="Bo")


def test_talks_are_the_same_for_a_seed_and_their_evidence_is_there() -> None:
    talk = draw_talk(3)
    assert talk == draw_talk(3) != draw_talk(4)
    ids = {turn.id for turn in talk.turns}
    assert len(ids) == len(talk.turns) > 300
    assert {question.kind for question in talk.questions} >= {"one", "several", "when", "who", "beside", "joined"}
    assert all(question.evidence <= ids for question in talk.questions)


@pytest.mark.slow
def test_a_workspace_finds_what_the_ranking_with_all_gains_finds() -> None:
    rows = conversations.measure(1)
    by_way = {way: [row["recall@5"] for row in rows if row["way"] == way] for way in {row["way"] for row in rows}}
    assert by_way[conversations.OURS] == by_way["+ links"]
    assert sum(by_way["+ links"]) > sum(by_way["fused"])
