"""Names in notes: who is called what, what belongs to whom, and what a question finds by it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.episodes import RunOrigin
from evolve.core.schema import MEMORY
from evolve.core.store import Database
from evolve.memory import MemoryRepository, Note, NoteQuestion, recall_notes
from evolve.memory.index import MemoryIndex
from evolve.memory.notes.name_statements import read_names
from evolve.runtime.retrieval import HashingEmbedder, split_words

CHAFF = [
    *("Pip's sister is Greta.", "Hugo's sister is Zelda.", "Monty's sister is Gudrun.", "Tilly's sister is Faisal."),
    *("Vera's sister is Nina.", "Nina lives in Ghent.", "Greta lives in Turin.", "Zelda lives in Cork."),
    *("Invoices go out on the last working day.", "Kit has bought a kayak.", "Kit sits in room 12."),
]
LINKED = ["Bob goes by Robbie.", "Bob's sister is Anna.", "Anna plays chess on Mondays."]
QUESTION = "What does Robbie's sister do?"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryRepository]:
    with Database(tmp_path / "m.db", MEMORY) as db:
        memory = MemoryRepository(db, MemoryIndex, HashingEmbedder())
        for place, text in enumerate([*CHAFF, *LINKED], 1):
            memory.add_note(text, "Ada", at=float(place))
        yield memory
        memory.close()


def found(memory: MemoryRepository, question: str, k: int = 5) -> list[str]:
    return [item.text for item in memory.recall(question, k, kinds=["note"])]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Bob goes by Robbie.", {"Bob is Robbie"}),
        ("Everyone calls Robert Aalto Robbie.", {"Robert Aalto is Robbie"}),
        ("PO is short for purchase order", {"PO is purchase order"}),
        ("We call the invoice folder 'brick'", {"invoice folder is brick"}),
        ("the invoice folder belongs to Carla", {"invoice folder belongs to Carla"}),
        ("The blue van is Omar's.", {"blue van belongs to Omar"}),
        ("Anna, Bob's sister, lives upstairs", {"Bob's sister is Anna"}),
        ("The lead of the design team is Ruth Bell.", {"design team's lead is Ruth Bell"}),
        ("Anna Lindqvist (AL) works at Nordvik", {"Anna Lindqvist is AL", "Anna Lindqvist works for Nordvik"}),
        ("My sister is Anna", {"Ada's sister is Anna"}),
        ("Bob is not called Robbie.", set()),
        ("Is Anna Bob's sister?", set()),
        ("Tom Alvarez gets to the office by bus.", set()),
        ("The parrot of Omar Haddad went to a farm", set()),
        ("In March Tom visited us", set()),
        ("The port of billing is 9000.", set()),
    ],
)
def test_a_sentence_says_who_is_who(text: str, told: set[str]) -> None:
    assert {str(one) for one in read_names([text], "Ada") if not one.loose} == told


def test_another_name_and_a_link_lead_to_the_note_that_answers(memory: MemoryRepository) -> None:
    items = memory.recall(QUESTION, 3, kinds=["note"])
    assert LINKED[2] in [item.text for item in items]
    why = next(item.why for item in items if item.text == LINKED[2])
    assert "Bob is Robbie" in why and "Bob's sister is Anna" in why


def test_a_first_name_stands_for_a_full_name_that_is_alone_with_it(memory: MemoryRepository) -> None:
    memory.add_note("Carla Lindqvist is also known as Cee.", "Ada", at=90.0)
    memory.add_note("C. Lindqvist signed the lease.", "Ada", at=91.0)
    assert "C. Lindqvist signed the lease." in found(memory, "What about Cee?")


def test_a_forgotten_note_leads_nowhere(memory: MemoryRepository) -> None:
    before = found(memory, QUESTION, 3)
    memory.forget([note.id for note in memory.list_notes() if note.text == LINKED[1]])
    assert LINKED[2] in before and LINKED[2] not in found(memory, QUESTION, 3)


def test_a_replaced_note_leads_nowhere(memory: MemoryRepository) -> None:
    memory.add_note("Bob's sister is Nina.", "Ada", at=90.0)
    items = memory.recall(QUESTION, 5, kinds=["note"])
    assert "Nina lives in Ghent." in [item.text for item in items]
    assert not any("is Anna" in item.why for item in items)


def test_what_a_document_says_of_names_leads_no_run_anywhere(memory: MemoryRepository) -> None:
    memory.add_note("Bob's manager is Zelda.", "a file", role="document", at=90.0)
    origin = RunOrigin(environment="words", family="", policy="m")
    items = memory.recall("Where does Bob's manager live?", 8, scope=origin, kinds=["note"])
    assert not any("Zelda" in item.why for item in items)


@given(st.lists(st.sampled_from(split_words("invoices go out when the last day is it for a kayak room")), min_size=1))
@settings(max_examples=25, deadline=None)
def test_what_is_said_of_names_changes_nothing_for_a_question_without_one(words: list[str]) -> None:
    asked = NoteQuestion(text=" ".join(words), k=4, now=1e6)
    notes = [Note(id=f"{place:02}", text=text, author="Ada", at=place, seq=place) for place, text in enumerate(CHAFF)]
    assert not any(": Ada noted it" in item.why for item in recall_notes(notes, HashingEmbedder(), asked))


def test_only_a_question_with_a_name_of_the_graph_loads_it() -> None:
    code = (
        "import sys\nfrom evolve.memory import Note, NoteQuestion, recall_notes\n"
        "from evolve.runtime.retrieval import HashingEmbedder\n"
        "notes = [Note(id='1', text='Bob goes by Robbie.', author='a', at=1.0, seq=1)]\n"
        "for text in ('who goes home', 'who is Robbie'):\n"
        "    recall_notes(notes, HashingEmbedder(), NoteQuestion(text=text, k=3, now=9.0))\n"
        "    print('networkx' in sys.modules)\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["False", "True"]
