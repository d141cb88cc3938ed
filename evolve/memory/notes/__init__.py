"""Notes: what people, assistants, tools and documents said, with what later replaced it."""

from __future__ import annotations

from evolve.memory.notes.book import NoteBook
from evolve.memory.notes.kept import KeptNotes
from evolve.memory.notes.note import Note
from evolve.memory.notes.ranking import Arms, Gains, NoteQuestion, answer
from evolve.memory.notes.shelf import NoteShelf, answer_from
from evolve.memory.notes.table import FORGOTTEN, NOTES

__all__ = [
    "FORGOTTEN",
    "NOTES",
    "Arms",
    "Gains",
    "KeptNotes",
    "Note",
    "NoteBook",
    "NoteQuestion",
    "NoteShelf",
    "answer",
    "answer_from",
]
