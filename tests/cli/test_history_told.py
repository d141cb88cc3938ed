"""What a person reads of one skill: how often it was used on tasks of its kind, and what trials without it showed."""

from __future__ import annotations

import json

import pytest

import evolve
from evolve.skills import AdmissionVerdict
from evolve.testing import TrustingSandbox
from tests.cli.screens import check_screen
from tests.improve.test_item_history import SKILL, keep_ablation, solved


@pytest.fixture
def learned(tmp_path, private_home):
    """A workspace with a skill that was used once and tried three times, and an insight that no search is told."""
    with evolve.open(tmp_path / "ws") as ws:
        ws._sandbox = TrustingSandbox()
        ws.stores.commit(solved("names-1"), instruction="a name")
        ws.stores.skills.add(SKILL, AdmissionVerdict(digest=SKILL.digest, admitted=True))
        ws.stores.commit(solved("names-2", consumed=(f"skill:{SKILL.digest}",)), instruction="a name")
        ws.stores.commit(solved("names-3"), instruction="a name")
        keep_ablation(ws, "skills", ws.stores.keep_skill(SKILL), (2, 0, 1))
        assert ws.memory.list()


def test_lists_and_pages_of_skills_tell_it(learned, cli) -> None:
    check_screen("skill-with-history", cli("skills", "show", "loud-name").out)
    listed = cli("skills", "list").out
    assert "helped" in listed and "2 of 3" in listed
    (row,) = json.loads(cli("skills", "list", "--json").out)
    assert (row["history"]["better"], row["history"]["of"]) == (2, 2)


@pytest.mark.slow
def test_a_session_tells_it_of_skills_and_claims_no_use_that_there_was_not(learned, chat) -> None:
    done = chat('" x y " -> "X Y"', '"  un" -> "UN"', '"deux " -> "DEUX"', '" tr " -> "TR"', "", "/why", "/skills")
    assert done.code == 0, done.out
    (skill,) = (line for line in done.out.splitlines() if line.startswith("loud-name "))
    assert skill.split()[1:7] == ["admitted", "1", "1", "2", "of", "3"]
    assert "used: " not in done.out
