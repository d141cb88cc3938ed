"""``docs/prompts.md`` shows every kind of prompt as it is sent now."""

from __future__ import annotations

from docs import prompts
from evolve.paths import seed_root


def test_the_page_shows_what_is_sent():
    assert prompts.PAGE.read_text("utf-8") == prompts.page(), f"renew with: {prompts.RENEW}"


def test_every_prompt_that_ships_is_on_the_page():
    listed = (seed_root() / "prompts" / "SEEDS").read_text("utf-8").splitlines()
    page = prompts.PAGE.read_text("utf-8")
    assert [name for name in listed if name.endswith(".md") and f"\n## {name}" not in page] == []
