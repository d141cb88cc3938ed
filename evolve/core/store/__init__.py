"""The record's machinery: database, object store and writer lock. Packages declare their own tables."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.core.store.checksums import Value, value_of
    from evolve.core.store.connections import RecordAccess, closed_error, query_untrusted_file
    from evolve.core.store.database import Database
    from evolve.core.store.lock import WriterLock, is_gone, process_identity, terminate
    from evolve.core.store.migrations import Migration
    from evolve.core.store.objects import ObjectStore
    from evolve.core.store.rebuild import finish_rebuild, rebuild_database, still_lost
else:
    __getattr__, __dir__ = attach(__name__)
