"""The record's machinery: database, object store and writer lock. Packages declare their own tables."""

from __future__ import annotations

from evolve.store.backups import backups
from evolve.store.database import Database, value_of
from evolve.store.failures import closed
from evolve.store.lock import WriterLock
from evolve.store.migrations import Migration
from evolve.store.objects import ObjectStore
from evolve.store.salvage import Rebuilt, finish_rebuild, rebuild, still_lost
from evolve.store.sealing import Value

__all__ = [
    "Database",
    "Migration",
    "ObjectStore",
    "Rebuilt",
    "Value",
    "WriterLock",
    "backups",
    "closed",
    "finish_rebuild",
    "rebuild",
    "still_lost",
    "value_of",
]
