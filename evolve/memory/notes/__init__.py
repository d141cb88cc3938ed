"""Notes: what people, assistants, tools and documents said, with what later replaced it."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.memory.notes.cache import KeptNotes
    from evolve.memory.notes.note import Note
    from evolve.memory.notes.ranking import NoteQuestion, RankingGains, SearchArms, rank_notes
    from evolve.memory.notes.repository import NoteRepository, recall_notes
    from evolve.memory.notes.superseded import ResolvedNotes

else:
    __getattr__, __dir__ = attach(__name__)
