"""What a model says of an answer counts only if it was found to be good at judging."""

from __future__ import annotations

import pytest

import evolve
from evolve.testing import ScriptedEndpoint, TrustingSandbox
from evolve.testing.doubles import schema_of
from evolve.trials.gate import is_verified
from evolve.trials.gate.judges import Measurement
from evolve.workspace.judging import name_of
from evolve.workspace.runs.tasks import in_words, with_rubric
from tests.doubles.judges import GullibleJudge
from tests.doubles.wishes import WishDouble

ANY = in_words("any task")


class Both:
    """One model that acts and judges."""

    def __init__(self, judge):
        self._act, self._judge = WishDouble(), judge

    def answer(self, body):
        title = (schema_of(body, "") or {}).get("title")
        return (self._judge if title == "verdict" else self._act).answer(body)


def opened(folder, serving):
    workspace = evolve.open(folder, model=serving.model)
    workspace._sandbox = TrustingSandbox()  # the programs are the doubles' own
    return workspace


def kept(workspace, **counts):
    numbers = {"sound": 40, "accepted_sound": 40, "wrong": 40, "accepted_wrong": 0, **counts}
    judge = workspace._services.rubric_judge
    name = name_of(judge.uncalibrated_verifier(ANY))
    judge.decisions.add_measurement(Measurement(model=name, prompt=judge.prompt_digest, suite="strings", **numbers))


@pytest.mark.parametrize(
    ("counts", "standing", "status"),
    [
        (None, "unmeasured", "unverified"),
        ({"accepted_wrong": 20}, "below the bar", "unverified"),
        ({}, "measured", "solved"),
    ],
)
def test_only_a_measured_judge_makes_words_solved_and_none_makes_them_verified(tmp_path, counts, standing, status):
    task = with_rubric(in_words("Write the date of the meeting"), "It is a date.")
    with ScriptedEndpoint(double=Both(GullibleJudge())) as serving, opened(tmp_path, serving) as workspace:
        if counts is not None:
            kept(workspace, **counts)
        result = workspace.run(task)
        record = workspace.stores.runs.episodes(run="r1")[-1]
    assert (result.status, result.verified, result.judged) == (status, False, True)
    assert f", {standing}, not verified" in record.note
    assert not is_verified(record)
    assert (record.claims, record.drafts) == ((), ())


def test_another_prompt_makes_the_judge_unmeasured_again(tmp_path):
    with ScriptedEndpoint(double=GullibleJudge()) as serving, opened(tmp_path, serving) as workspace:
        kept(workspace)
        assert workspace._services.judge(ANY).standing == "measured"
        (tmp_path / "prompts" / "judge.md").write_text("Be kind. $task $rubric")
        assert workspace._services.judge(ANY).standing == "unmeasured"
