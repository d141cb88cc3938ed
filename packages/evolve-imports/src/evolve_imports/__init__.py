"""Tasks in the formats of published benchmarks, read as evolve's own tasks. The files are parsed, never run."""

from __future__ import annotations

from evolve_imports.reading import Imported, import_tasks

__all__ = ["Imported", "import_tasks"]
