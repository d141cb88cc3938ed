"""Whatever ends an episode, a change that passes the check is judged, and not thrown away."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evolve.core.episodes import Limits
from evolve.core.errors import EndpointProblem
from evolve.core.failpoints import VARIABLE
from evolve.runtime.models.wire import ExchangeFailure
from evolve.runtime.sandbox.actions import ActionResult
from evolve.tasks import Task
from evolve.tasks.reading.folder import folder_task
from evolve.tasks.work import FolderWork
from tests.policies.language.conftest import asked

CHECK = "python3 check.py"
FIX = "I write the sum.\n\n```python\nopen('sum.txt', 'w').write('60')\n```"
SPOIL = "I try another way.\n\n```python\nopen('sum.txt', 'w').write('61')\n```"
PROSE = "The sum is written, so I am done."
SPENT = ExchangeFailure(kind="limit", text="no credit is left", final=True)
GIVE_UP = "```give_up\nI do not know how to go on.\n```"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "work"
    made.mkdir()
    (made / "check.py").write_text("assert open('sum.txt').read() == '60'\n")
    return made


def replies(*said):
    """The replies in order, the last again and again; nothing is claimed."""
    left = list(said)

    def handler(body):
        if asked(body) != "action":
            return json.dumps({"claims": []} if asked(body) == "claims" else {"name": "n", "description": "Sums."})
        return left.pop(0) if len(left) > 1 else left[0]

    return handler


@pytest.mark.parametrize(
    ("said", "more"),
    [
        ([FIX], {}),
        ([FIX, PROSE], {}),
        ([FIX, GIVE_UP], {}),
        ([FIX, PROSE], {"steps": 2}),
        ([FIX, SPOIL, GIVE_UP], {}),
        ([FIX, SPOIL], {"steps": 2}),
        ([FIX, SPOIL, PROSE], {"limits": Limits(calls=2, candidates=None, seconds=None)}),
    ],
    ids=["repeats", "says so", "gives up", "no reply left", "spoilt and given up", "spoilt at last", "no budget left"],
)
@pytest.mark.parametrize("split", ["own", "gate"])
def test_a_change_that_passes_the_check_is_judged_however_the_episode_ends(model, sandbox, folder, said, more, split):
    task = folder_task("Write the sum.", folder, CHECK)
    record = model(replies(*said)).run(task, sandbox=sandbox, split=split, **more)
    assert (record.status, record.checked) == ("solved", True), record.note
    assert "+60" in record.answer and "61" not in record.answer
    assert sum(step.judgement is not None for step in record.steps) == 1


class FailsOnceFixed:
    """A sandbox whose sessions break after the first block."""

    def __init__(self, real):
        self._real = real

    def __getattr__(self, name):
        return getattr(self._real, name)

    def session(self, *more, **options):
        return Breaking(self._real.session(*more, **options))


class Breaking:
    def __init__(self, real):
        self._real, self._runs = real, 0

    def __getattr__(self, name):
        return getattr(self._real, name)

    def execute(self, code, **more):
        self._runs += "61" in code
        return (
            ActionResult(state="fault", error="the machine broke") if self._runs else self._real.execute(code, **more)
        )


def test_a_fault_after_a_change_that_passes_does_not_lose_it(model, sandbox, folder):
    task = folder_task("Write the sum.", folder, CHECK)
    record = model(replies(FIX, SPOIL)).run(task, sandbox=FailsOnceFixed(sandbox), split="own")
    assert (record.status, "+60" in record.answer) == ("solved", True)
    assert any(step.observation is not None and step.observation.fault for step in record.steps)


@pytest.mark.parametrize("said", [[FIX], [FIX, SPOIL]], ids=["right", "spoilt"])
def test_an_endpoint_that_fails_at_last_does_not_lose_a_change_of_ones_own(model, sandbox, folder, said):
    left = list(said)
    task = folder_task("Write the sum.", folder, CHECK)
    double = model(lambda body: left.pop(0) if left else SPENT)
    record = double.run(task, sandbox=sandbox, split="own")
    assert (record.status, "+60" in record.answer) == ("solved", True)
    assert "no credit is left" in record.steps[len(said)].action.text


@pytest.mark.parametrize(("said", "split"), [([SPOIL], "own"), ([], "own"), ([FIX], "gate")])
def test_an_endpoint_that_fails_ends_an_episode_that_has_nothing_or_is_held_out(model, sandbox, folder, said, split):
    left = list(said)
    task = folder_task("Write the sum.", folder, CHECK)
    double = model(lambda body: left.pop(0) if left else SPENT)
    with pytest.raises(EndpointProblem):
        double.run(task, sandbox=sandbox, split=split)


def test_what_fails_the_check_or_passed_it_from_the_start_is_not_handed_in(model, sandbox, folder):
    failing = model(replies(SPOIL, GIVE_UP)).run(
        folder_task("Write the sum.", folder, CHECK), sandbox=sandbox, split="own"
    )
    passing = model(replies(FIX, GIVE_UP)).run(
        folder_task("Write the sum.", folder, "true"), sandbox=sandbox, split="own"
    )
    for record in (failing, passing):
        assert record.status == "unsolved" and all(step.judgement is None for step in record.steps)


@pytest.mark.parametrize(
    ("said", "more", "status"),
    [
        ([FIX, GIVE_UP], {}, "refused"),
        ([f"{FIX}\n```done\n```", GIVE_UP], {}, "refused"),
        ([FIX, SPOIL, PROSE], {"limits": Limits(calls=2, candidates=None, seconds=None)}, "budget"),
    ],
    ids=["at the end", "once before", "without budget"],
)
def test_a_refusal_is_told_once_and_is_none_of_a_budget(model, sandbox, folder, said, more, status):
    work = FolderWork(folder=str(folder), check=CHECK, hidden_check="false")
    task = Task(id="sum", family="files", instruction="Write the sum.", examples=(), work=work)
    record = model(replies(*said)).run(task, sandbox=sandbox, split="own", **more)
    assert record.status == status
    assert sum(step.judgement is not None for step in record.steps) == (status == "refused")


def test_the_hint_on_a_change_that_passes_says_how_to_hand_it_in(model, sandbox, folder):
    told = model(replies(FIX, PROSE, "```done\n```"))
    record = told.run(folder_task("Write the sum.", folder, CHECK), sandbox=sandbox, split="own")
    assert record.solved and len(record.steps) == 3
    hint = "The check passes: reply with a block `done`"
    assert hint not in told.prompts()[1] and hint in told.prompts()[2]
    failing = model(replies(SPOIL, PROSE, GIVE_UP))
    failing.run(folder_task("Write the sum.", folder, CHECK), sandbox=sandbox, split="own")
    assert hint not in "".join(failing.prompts())


@pytest.mark.parametrize(
    "points",
    [
        ("output.after:7",),
        pytest.param(("stage.judge.before:2", "output.before:7", "stage.judge.after:2"), marks=pytest.mark.slow),
    ],
)
def test_a_crash_while_it_is_handed_in_judges_it_once(model, sandbox, folder, tmp_path, monkeypatch, points):
    task = folder_task("Write the sum.", folder, CHECK)

    def attempt(place):
        double = model(replies(FIX, GIVE_UP))
        return double, double.run(task, sandbox=sandbox, split="own", checkpoints=tmp_path / place)

    def timeless(record):
        steps = [replace(step, action=replace(step.action, cost=record.cost)) for step in record.steps]
        return [(step.number, step.action.kind, step.judgement) for step in steps], record.status, record.answer

    _, whole = attempt("whole")
    for place, point in enumerate(points):
        monkeypatch.setenv(VARIABLE, f"{point}:full")
        with pytest.raises(OSError):
            attempt(f"crash{place}")
        monkeypatch.setenv(VARIABLE, "")
        again, record = attempt(f"crash{place}")
        assert timeless(record) == timeless(whole) and not again.bodies, point
