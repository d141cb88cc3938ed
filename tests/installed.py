"""A package that offers something by an entry point, as an installed one does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def offering(folder: Path, seam: str, name: str, place: str) -> Iterator[None]:
    """While it lasts, the name of the seam stands for what is at ``module:name``."""
    package = folder / "site" / f"evolve_{name}-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: evolve-{name}\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[evolve.{seam}]\n{name} = {place}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(package.parent)
        yield
