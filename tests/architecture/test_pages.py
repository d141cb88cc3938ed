"""The pages for contributors: one map that is read in one sitting, and a page beside the code of each package."""

from __future__ import annotations

from tests.architecture.source import PACKAGE, ROOT

MAP_LINES, PACKAGE_LINES = 250, 150


def test_the_map_is_short_and_leads_to_every_package() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    assert text.count("\n") <= MAP_LINES
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert [name for name in sorted(folders) if f"(../evolve/{name}/README.md)" not in text] == []


def test_every_package_has_a_short_page() -> None:
    pages = {path.parent.name: path.parent / "README.md" for path in PACKAGE.glob("*/__init__.py")}
    lines = {name: page.read_text("utf-8").count("\n") if page.exists() else 0 for name, page in pages.items()}
    assert {name: count for name, count in lines.items() if not 0 < count <= PACKAGE_LINES} == {}
