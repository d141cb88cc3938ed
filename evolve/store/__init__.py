"""The record's machinery: database, object store and writer lock. Packages declare their own tables."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.store.access import RecordAccess
    from evolve.store.connections import closed, peek
    from evolve.store.database import Database
    from evolve.store.lock import WriterLock, is_gone, terminate, this_process
    from evolve.store.migrations import Migration
    from evolve.store.objects import ObjectStore
    from evolve.store.salvage import finish_rebuild, rebuild, still_lost
    from evolve.store.sealing import Value, value_of
else:
    __getattr__, __dir__ = attach(__name__)
