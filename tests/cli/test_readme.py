"""The README is short, its set-up lines are those that are tested, and what it names is there."""

from __future__ import annotations

import re

from tests.cli.conftest import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def test_it_is_short():
    assert len(README.split()) <= 1_100


def test_its_first_command_is_the_demo():
    first = re.search(r"^    (python -m venv .*)$", README, re.MULTILINE)
    assert first is not None and first[1].endswith(".venv/bin/evolve demo")


def test_what_it_links_to_is_there():
    links = [*re.findall(r"\]\(([^)#:]+)\)", README), *re.findall(r'(?:src|srcset)="([^"]+)"', README)]
    assert [name for name in links if not (ROOT / name).exists()] == []
