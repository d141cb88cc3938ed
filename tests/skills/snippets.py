"""Named programs in text files: ``### name`` starts one."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def snippets(name: str) -> dict[str, str]:
    """The programs of one file, by name."""
    found: dict[str, str] = {}
    for part in ("\n" + (HERE / name).read_text(encoding="utf-8")).split("\n### ")[1:]:
        title, _, source = part.partition("\n")
        assert title not in found, title
        found[title] = source
    return found
