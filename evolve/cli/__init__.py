"""The command line. Importing it loads nothing heavy; every command loads what it needs."""

from __future__ import annotations

from evolve.cli.program import main

__all__ = ["main"]
