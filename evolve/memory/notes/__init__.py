"""Notes: what people, assistants, tools and documents said, with what later replaced it."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.memory.notes.book import ResolvedNotes
    from evolve.memory.notes.kept import KeptNotes
    from evolve.memory.notes.note import Note
    from evolve.memory.notes.ranking import Arms, Gains, NoteQuestion, answer_question
    from evolve.memory.notes.shelf import NoteRepository, answer_from

else:
    __getattr__, __dir__ = attach(__name__)
