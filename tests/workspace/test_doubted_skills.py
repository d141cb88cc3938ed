"""A skill whose own tests fail is taken out of use, and so is what is made of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import evolve
from evolve.core.episodes import Row, SkillDraft
from evolve.core.errors import SandboxUnavailable
from evolve.skills import AdmissionVerdict, Skill
from evolve.testing import TrustingSandbox

LAST = "def last_word(text: str) -> str:\n    return text.split()[-1]\n"


def drafted(name, code, output):
    draft = SkillDraft(
        name=name,
        description=f"Gives the {name}.",
        entry=name.replace("-", "_"),
        signature="(text: str) -> str",
        code=code,
        tests=(Row(input=("a b",), output=output),),
        source="task words-1",
    )
    return Skill.from_draft(draft)


@pytest.fixture
def opened(tmp_path):
    with evolve.open(tmp_path / "mine") as workspace:
        yield workspace


@pytest.fixture
def words(opened):
    """A workspace with a skill, one that is made of it, and one apart; and a way to make the first one's tests fail."""
    opened._sandbox = sandbox = Breakable()
    skills = (
        drafted("last-word", LAST, "b"),
        drafted("loud-word", f"{LAST}\ndef loud_word(text: str) -> str:\n    return last_word(text).upper()\n", "B"),
        drafted("first-word", "def first_word(text: str) -> str:\n    return text.split()[0]\n", "a"),
    )
    for skill in skills:
        opened.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True))
    return opened, sandbox


class Breakable(TrustingSandbox):
    """Runs tests as they are, of a changed program, or not at all."""

    changed = ("", "")
    fault = ""

    def run_tests(self, modules, limits=None):
        found = [
            replace(one, files={name: text.replace(*self.changed) for name, text in one.files.items()})
            if self.changed[0]
            else one
            for one in modules
        ]
        return replace(super().run_tests(found, limits), fault=self.fault)


def statuses(workspace):
    return {skill.name: skill.status for skill in workspace.skills.list()}


def test_a_failed_verification_makes_doubtful_and_a_passed_one_takes_it_back(words) -> None:
    workspace, sandbox = words
    sandbox.changed = ("split()[-1]", "split()[0]")  # as if what it rests on had changed
    assert not all(one.ok for one in workspace.skills.verify("last-word"))
    assert statuses(workspace) == {"last-word": "doubtful", "loud-word": "doubtful", "first-word": "admitted"}
    assert "fails" in workspace.skills.reason("last-word") and "last-word" in workspace.skills.reason("loud-word")
    assert [skill.name for skill in workspace.stores.practice_state(workspace.workflow.show()).skills] == ["first-word"]
    sandbox.changed = ("", "")
    assert all(one.ok for one in workspace.skills.verify("last-word"))
    assert statuses(workspace)["last-word"] == "admitted"


def test_a_sandbox_that_failed_says_nothing_of_a_skill(words) -> None:
    workspace, sandbox = words
    sandbox.fault = "it could not start"
    with pytest.raises(SandboxUnavailable, match="could not start"):
        workspace.skills.verify("last-word")
    assert set(statuses(workspace).values()) == {"admitted"}


def test_what_a_person_owns_is_told_and_not_changed(words) -> None:
    workspace, sandbox = words
    workspace.skills.own("last-word")
    sandbox.changed = ("split()[-1]", "split()[0]")
    assert not all(one.ok for one in workspace.skills.verify("last-word"))
    assert statuses(workspace)["last-word"] == "admitted"
