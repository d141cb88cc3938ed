"""Notes: what people, assistants, tools and documents said, with what later replaced it."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.memory.notes.book import NoteBook
    from evolve.memory.notes.kept import KeptNotes
    from evolve.memory.notes.note import Note
    from evolve.memory.notes.ranking import Arms, Gains, NoteQuestion, answer
    from evolve.memory.notes.shelf import NoteShelf, answer_from

else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".book": "NoteBook",
            ".kept": "KeptNotes",
            ".note": "Note",
            ".ranking": "Arms Gains NoteQuestion answer",
            ".shelf": "NoteShelf answer_from",
        },
    )
