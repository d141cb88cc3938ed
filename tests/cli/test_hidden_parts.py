"""Parts of answers serve the search: nobody is shown a skill that nobody would ask for."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import evolve
from evolve.core.episodes import Row, SkillDraft
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json
from evolve.policies.search.known_functions import tree_of
from evolve.policies.search.programs.terms import Apply, Input
from evolve.policies.search.programs.types import STR
from evolve.skills import AdmissionVerdict, Skill
from evolve.testing import TrustingSandbox
from evolve.workspace import doctor

WHOLE = Apply("upper", (Apply("strip", (Input(0),)),))
PART = Apply("strip", (Apply("lower", (Input(0),)),))


def draft(name, term, *, part):
    return SkillDraft(
        name=name,
        description="Do in one step: lower, then strip. Use when several such steps follow each other; verified"
        " answers share them."
        if part
        else "Give the loud name.",
        entry=name.replace("-", "_"),
        signature="(text: str) -> str",
        code=f"def {name.replace('-', '_')}(text: str) -> str:\n"
        f"    return text.strip().{'lower' if part else 'upper'}()\n",
        tests=(Row(input=(" Ab ",), output="ab" if part else "AB"), Row(input=("cD",), output="cd" if part else "CD")),
        tree=tree_of(term, (STR,), STR),
        source="task names-1",
        arguments=(tree_of(Input(0), (STR,), STR),) if part else (),
        within=tree_of(WHOLE, (STR,), STR) if part else None,
    )


@pytest.fixture
def opened(tmp_path):
    """A workspace with a skill and a part."""
    with evolve.open(tmp_path / "mine") as workspace:
        workspace._sandbox = TrustingSandbox()
        for one in (draft("loud-name", WHOLE, part=False), draft("strip-lower", PART, part=True)):
            skill = Skill.from_draft(one)
            workspace.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True))
        yield workspace


def test_a_part_is_used_and_not_shown(opened, tmp_path):
    assert [skill.name for skill in opened.skills.list()] == ["loud-name"]
    assert [skill.name for skill in opened.skills.find("lower strip name")] == ["loud-name"]
    assert [part.name for part in opened.skills.parts()] == ["strip-lower"]
    assert {skill.name for skill in opened.stores.practice_state(opened._services.workflow).skills} == {
        "loud-name",
        "strip-lower",
    }
    assert [folder.name for folder in (tmp_path / "mine/skills").iterdir() if folder.is_dir()] == ["loud-name"]
    with pytest.raises(UsageError, match="part of answers"):
        opened.skills.export(["strip-lower"], to=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_workspace_with_a_part_is_sound(opened, tmp_path):
    opened.close()
    assert [found.state for found in doctor(tmp_path / "mine") if found.part == "bodies"] == ["ok"]


def test_the_list_counts_parts_in_a_line(opened, tmp_path, cli):
    opened.close()
    told = cli("-w", tmp_path / "mine", "skills", "list")
    assert "strip-lower" not in told.out + told.err
    assert "1 part of answers that the search uses is not listed" in told.err
    listed = cli("-w", tmp_path / "mine", "skills", "list", "--all", "--json")
    assert [skill["name"] for skill in json.loads(listed.out)] == ["loud-name"]


def test_a_part_of_an_earlier_version_is_told_by_its_words(opened):
    part = opened.stores.skills.get("strip-lower")
    before = {name: value for name, value in part.to_json().items() if name != "part"}
    assert Skill.from_json(before).part
    # Its body keeps its name, so that variants that were judged with it stay what they are.
    assert canonical_json(Skill.from_json(before).to_json()) == canonical_json(before)
    assert not Skill.from_json(opened.stores.skills.get("loud-name").to_json()).part


def test_a_part_that_somebody_takes_is_a_skill(opened, tmp_path):
    opened.skills.own("strip-lower")
    assert [skill.name for skill in opened.skills.list()] == ["loud-name", "strip-lower"]
    assert (tmp_path / "mine/skills/strip-lower/SKILL.md").exists()
    assert opened.skills.parts() == []


def test_with_the_last_skill_go_its_parts(opened):
    opened.skills.retire("loud-name")
    assert opened.skills.parts() == []
    assert opened.stores.skills.active() == []


def test_an_answer_that_does_what_a_part_does_is_a_skill_all_the_same(opened):
    from evolve.trials.skill_drafts import rivals_of

    asked = Skill.from_draft(replace(draft("quiet-name", PART, part=False), name="quiet-name"))
    active = opened.stores.skills.active()
    assert [skill.name for skill in rivals_of(asked, active)] == ["loud-name"]
    assert len(rivals_of(opened.stores.skills.get("strip-lower"), active)) == 2
