"""The record's machinery: database, object store and writer lock. Packages declare their own tables."""

from __future__ import annotations

from evolve.store.database import Database, Value
from evolve.store.lock import WriterLock
from evolve.store.migrations import Migration, backups
from evolve.store.objects import ObjectStore

__all__ = ["Database", "Migration", "ObjectStore", "Value", "WriterLock", "backups"]
