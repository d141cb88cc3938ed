"""A draft that is refused says why, is repaired once, and then dropped."""

from __future__ import annotations

import pytest

from evolve.core.events import Event
from tests.doubles.repairing import GRADE, TASK, asked, open_grading

TELLING = {"arguments": "[50]", "value": '"pass"'}
MISTAKEN = {"arguments": "[60]", "value": '"fail"'}


class Events:
    def __init__(self):
        self.told: list[Event] = []

    def emit(self, event):
        self.told.append(event)


@pytest.fixture
def model(tmp_path):
    opened = []

    def begin(repair, **more):
        bodies = []
        opened.append(open_grading(tmp_path / "ws", repair, bodies, **more))
        return opened[-1], bodies

    yield begin
    for workspace in opened:
        workspace.close()


def repairs_in(bodies):
    return [body for body in bodies if asked(body) == "draft_repair"]


def test_further_calls_that_the_answer_agrees_with_get_a_draft_kept(model):
    workspace, bodies = model({"code": "", "calls": [MISTAKEN, TELLING, {"arguments": "no JSON", "value": "1"}]})
    result = workspace.run(TASK)
    assert (len(result.skills), result.not_kept) == (1, ())
    [skill] = workspace.skills.list()
    assert [(row.input, row.output) for row in skill.rows[4:]] == [((50,), "pass")]
    [asked] = repairs_in(bodies)
    prompt = "\n".join(message["content"] for message in asked["messages"])
    assert "points > 50" in prompt and "'51' for '50' in line 6" in prompt
    assert result.cost.calls == len(bodies)


@pytest.mark.slow
def test_what_a_model_says_against_the_verified_answer_is_no_test_and_the_draft_is_dropped(model):
    events = Events()
    workspace, bodies = model({"code": "", "calls": [MISTAKEN]}, events=events)
    result = workspace.run(TASK)
    assert result.skills == ()
    [refused] = result.not_kept
    assert refused.skill.startswith("grade-")
    assert "2 of 9 wrong versions of it pass its tests, such as 'points > 50'" in refused.reason
    assert "'51' for '50' in line 6" in refused.survivors
    assert result.to_json()["not_kept"][0]["reason"] == refused.reason
    assert len(repairs_in(bodies)) == 1
    [told] = [event for event in events.told if event.kind == "not_kept"]
    assert told.data == {"skill": refused.skill, "reason": refused.reason}
    past = workspace.runs.show(result.run_id)
    assert past.not_kept == {result.episode_id: (refused,)}


@pytest.mark.slow
def test_a_change_that_is_wrong_on_unseen_rows_is_refused_and_told_as_repaired(model):
    code = GRADE.draft.code.replace(">= 50", "> 90")
    workspace, bodies = model({"code": code, "calls": []})
    [refused] = workspace.run(TASK).not_kept
    assert refused.reason.endswith("; it was repaired once")
    assert len(repairs_in(bodies)) == 1
