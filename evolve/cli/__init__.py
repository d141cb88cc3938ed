"""The command line. Importing it loads nothing heavy; every command loads what it needs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with its code."""
    try:
        from evolve.cli import program
    except KeyboardInterrupt:  # Ctrl-C while the program was still being loaded
        import shlex

        command = shlex.join(["evolve", *(sys.argv[1:] if argv is None else argv)])
        sys.stderr.write(f"evolve: interrupted before anything was begun\n  continue with: {command}\n")
        sys.exit(130)
    program.main(argv)
