"""The record's machinery: database, object store and writer lock. Packages declare their own tables."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.store.connections import peek
    from evolve.store.database import Database, value_of
    from evolve.store.failures import closed
    from evolve.store.lock import WriterLock
    from evolve.store.migrations import Migration
    from evolve.store.objects import ObjectStore
    from evolve.store.processes import is_gone, terminate, this_process
    from evolve.store.salvage import Rebuilt, finish_rebuild, rebuild, still_lost
    from evolve.store.sealing import Value
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".connections": "peek",
            ".database": "Database value_of",
            ".failures": "closed",
            ".lock": "WriterLock",
            ".migrations": "Migration",
            ".objects": "ObjectStore",
            ".processes": "is_gone terminate this_process",
            ".salvage": "Rebuilt finish_rebuild rebuild still_lost",
            ".sealing": "Value",
        },
    )
