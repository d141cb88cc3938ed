"""``python -m evolve``."""

from __future__ import annotations

from evolve.cli import main

if __name__ == "__main__":
    main()
