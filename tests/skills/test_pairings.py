"""A skill is offered where it is verified for the policy and the sandbox at hand; a new pairing is tried first."""

from __future__ import annotations

from dataclasses import replace

from evolve.skills import AdmissionVerdict, Skill
from evolve.trials.learned_state import verified_pairings
from tests.skills.samples import GOOD

SKILL = Skill.from_draft(GOOD)
BROKEN = replace(SKILL, name="fails-here", test_code="from skill import *\n\n\ndef test_it():\n    assert False\n")


def kept(library, skill: Skill) -> Skill:
    verdict = AdmissionVerdict(digest=skill.digest, policy="search", fingerprint="elsewhere", admitted=True)
    return library.add(skill, verdict)


def test_a_new_pairing_is_tried_once_by_the_skills_own_tests(library, sandbox) -> None:
    skills = [kept(library, SKILL), kept(library, BROKEN)]
    assert verified_pairings(library, skills, "language:one", sandbox) == skills[:1]
    verdicts = [library.verdicts(skill.digest)[-1] for skill in skills]
    assert [(one.policy, one.fingerprint, one.admitted) for one in verdicts] == [
        ("language:one", sandbox.backend, True),
        ("language:one", sandbox.backend, False),
    ]
    assert "test_it" in verdicts[1].reason
    assert verified_pairings(library, skills, "language:one", sandbox) == skills[:1]
    assert [len(library.verdicts(skill.digest)) for skill in skills] == [2, 2]


def test_another_model_is_another_pairing_and_a_status_stays(library, sandbox) -> None:
    skills = [kept(library, BROKEN)]
    for policy in ("search", "language:one"):
        assert verified_pairings(library, skills, policy, sandbox) == []
    assert library.get(BROKEN.digest).status == "admitted"


def test_an_admission_takes_the_place_of_a_refusal(library, sandbox) -> None:
    refused = AdmissionVerdict(digest=SKILL.digest, policy="search", fingerprint=sandbox.backend, failed="duplicate")
    library.record_verdict(refused)
    assert library.paired("search", sandbox.backend) == {}
    library.add(SKILL, replace(refused, admitted=True, failed=""))
    assert library.paired("search", sandbox.backend) == {SKILL.digest: True}


def test_a_procedure_rests_on_folders_and_not_on_tests(library, sandbox) -> None:
    skill = replace(kept(library, SKILL), environment="files")
    assert verified_pairings(library, [skill], "language:one", sandbox) == [skill]
