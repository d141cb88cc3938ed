"""A person at the other end of a run: says stop, watches the model write, gives or refuses leave."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import evolve
from evolve.core.cancellation import Cancellation
from evolve.core.errors import Cancelled, UsageError
from evolve.core.events import read_events
from evolve.testing import Scenario, ScriptedEndpoint, ScriptedWorker, question_of
from evolve.workspace import Person
from tests.doubles.asking import AskingDouble, asking_task

SLACK_S = 10.0
"""What a busy machine may add to the second within which an action ends; each would go on for a minute or more."""

SLEEPS = "import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(77.125)'])\n"
SLEEPS += "time.sleep(77.125)\n"


class StopAt:
    """Says stop a moment after an event of some kind, from another thread, as a key press would.

    Args:
        ready: What has to be so before that; a loaded machine may take long to come to it.
    """

    def __init__(self, kind, after=0.5, ready=lambda: True):
        self.kind, self.after, self.ready = kind, after, ready
        self.person = Person(cancellation=Cancellation())
        self.stopping = None
        self.stopped_at = None
        self.events = []

    def emit(self, event):
        self.events.append(event)
        if event.kind == self.kind and self.stopping is None:
            self.stopping = threading.Thread(target=self._stop, daemon=True)
            self.stopping.start()

    def _stop(self):
        time.sleep(self.after)
        while not self.ready():
            time.sleep(0.05)
        self.stopped_at = time.monotonic()
        self.person.cancellation.cancel()

    def took(self):
        return time.monotonic() - self.stopped_at


def running(text):
    """Whether a process with this text in its command line lives."""
    return any(text.encode() in words for words in (command_line(one) for one in Path("/proc").glob("[0-9]*")))


def command_line(process):
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # it is gone
        return b""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "n.txt").write_text("1\n")
    return folder


@pytest.fixture
def work(project):
    from evolve.tasks.reading.folder import folder_task

    return lambda: folder_task("make it two", project, "grep -q 2 n.txt")


WRITES_TWO = "open('n.txt', 'w').write('2\\n')\n"


class LastAtOnce(ScriptedWorker):
    """Hands in with its first action, as a model does that sends the change and "done" in one reply."""

    def act(self, view, plan, steps, limits):
        action = super().act(view, plan, steps, limits)
        return action if steps else replace(action, kind="finish")


@pytest.mark.slow
@pytest.mark.parametrize("worker", [ScriptedWorker, LastAtOnce])
def test_a_stopped_action_ends_at_once_with_everything_it_started_and_the_run_goes_on(tmp_path, work, worker):
    stop = StopAt("act", after=2.0)
    with evolve.open(tmp_path / "ws", policy=worker((SLEEPS, WRITES_TWO)), events=stop) as opened:
        result = opened.run(work(), person=stop.person)
        assert stop.took() < 1.0 + SLACK_S
        assert not running("time.sleep(77.125)")
        assert result.status == "interrupted"
        assert not opened.stores.runs.has_episode(result.episode_id)
        again = opened.run(work(), person=Person(approve="never"))
        record = opened.stores.runs.episode(again.episode_id)
    assert again.solved and again.run_id == result.run_id
    assert [step.observation.interrupted for step in record.steps] == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize("fault", [pytest.param("stalled stream", marks=pytest.mark.slow), "hang"])
def test_a_model_that_is_writing_is_cut_off_and_nothing_is_bought_again(tmp_path, fault):
    with ScriptedEndpoint(Scenario(replies=[{"fault": fault}]), double=AskingDouble()) as serving:
        stop = StopAt("plan", ready=lambda: serving.requests)
        with evolve.open(tmp_path / "ws", model=serving.model, events=stop) as opened:
            wish = opened.preferences.add("short names").id
            stopped = opened.run(asking_task(), person=stop.person)
            assert stop.took() < 1.0 + SLACK_S
            assert stopped.status == "interrupted" and stopped.cost.tokens > 0 and stopped.cost.estimated == 1
            answered = opened.run(asking_task(), person=Person(respond=lambda question: "day first"))
            assert [(one.shown, one.runs) for one in opened.memory.kept() if one.id == wish] == [(1, 1)]
        asked = [question_of(body) for body in serving.requests]
    assert answered.solved
    assert "plan" not in asked and asked[0] == "action"
    assert answered.cost.calls == len(asked)


def test_a_search_is_stopped_between_candidates(tmp_path):
    def odd(xs):
        return sum(ord(c) * 31**n for n, c in enumerate(str(xs))) % 9973

    stop = StopAt("plan")
    pairs = [([n, n * n], odd([n, n * n])) for n in range(6)]
    with evolve.open(tmp_path / "ws", events=stop) as opened:
        result = opened.run(examples=pairs, budget=["600s", "90M-candidates"], person=stop.person)
        assert stop.took() < 1.0 + SLACK_S
    assert result.status == "interrupted"


@pytest.mark.slow
def test_what_the_model_writes_is_told_by_field_to_who_watches_and_to_no_log(tmp_path):
    heard = StopAt("never")
    with (
        ScriptedEndpoint(double=AskingDouble()) as serving,
        evolve.open(tmp_path / "ws", model=serving.model, events=heard) as opened,
    ):
        result = opened.run(asking_task(), person=Person(respond=lambda asked: "in April", streams=True))
        log = opened.paths.runs / result.run_id / result.episode_id / "events.jsonl"
        kinds = {event.kind for event in read_events(log)}
        assert all(body.get("stream") for body in serving.requests)
    pieces = [event.data for event in heard.events if event.kind == "text"]
    code = [one["piece"] for one in pieces if (one["stage"], one["field"]) == ("act", "code")]
    assert len(code) > 2
    assert result.answer.strip() in "".join(code)
    assert {one["field"] for one in pieces if one["stage"] == "act"} == {"thought", "code"}
    assert "text" not in kinds and "question" in kinds


@cache
def leave_of(word):
    return Person(respond=lambda question: word)


def test_leave_is_asked_with_the_difference_and_given(tmp_path, work, project):
    asked = []
    person = Person(respond=lambda question: asked.append(question) or "yes")
    with evolve.open(tmp_path / "ws", policy=ScriptedWorker((WRITES_TWO,))) as opened:
        result = opened.run(work(), person=person)
    assert result.patch.state == "applied" and (project / "n.txt").read_text() == "2\n"
    assert [(one.kind, "+2" in one.detail) for one in asked] == [("approve", True)]


@pytest.mark.slow
def test_who_refuses_says_why_and_may_still_change_their_mind(tmp_path, work, project):
    with evolve.open(tmp_path / "ws", policy=ScriptedWorker((WRITES_TWO,))) as opened:
        result = opened.run(work(), person=leave_of("two is too many"))
        assert (result.status, result.patch.state, result.patch.said) == ("solved", "refused", "two is too many")
        assert (project / "n.txt").read_text() == "1\n"
        opened.runs.apply(result.run_id)
    assert (project / "n.txt").read_text() == "2\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("approve", "state", "content", "status"),
    [
        pytest.param("auto", "applied", "2\n", "solved", marks=pytest.mark.slow),
        ("never", "waiting", "1\n", "solved"),
        ("ask", "waiting", "1\n", "waiting"),
    ],
)
def test_leave_given_beforehand_withheld_or_asked_of_nobody(tmp_path, work, project, approve, state, content, status):
    with evolve.open(tmp_path / "ws", policy=ScriptedWorker((WRITES_TWO,))) as opened:
        result = opened.run(work(), person=Person(approve=approve))
        assert (result.status, result.patch.state, result.solved) == (status, state, True)
        assert (project / "n.txt").read_text() == content
        if status == "waiting":
            again = opened.run(work(), person=leave_of("yes"))
            assert (again.run_id, again.patch.state, again.status) == (result.run_id, "applied", "solved")


@pytest.mark.slow
def test_leave_that_cannot_be_used_is_asked_for_again(tmp_path, work, project):
    with evolve.open(tmp_path / "ws", policy=ScriptedWorker((WRITES_TWO,))) as opened:
        waiting = opened.run(work())
        (project / "n.txt").write_text("mine\n")
        with pytest.raises(UsageError, match="changed since"):
            opened.runs.answer(waiting.run_id, "yes")
        assert opened.runs.answer(waiting.run_id, "no, I changed it").patch.state == "refused"
    assert (project / "n.txt").read_text() == "mine\n"


@pytest.mark.slow
def test_undoing_over_newer_changes_needs_leave(tmp_path, work, project):
    with evolve.open(tmp_path / "ws", policy=ScriptedWorker((WRITES_TWO,))) as opened:
        run = opened.run(work(), person=Person(approve="auto")).run_id
        (project / "n.txt").write_text("2 and mine\n")
        for person in (None, Person(approve="never"), leave_of("no")):
            with pytest.raises(UsageError, match="changed since"):
                opened.undo(run, person=person)
        assert (project / "n.txt").read_text() == "2 and mine\n"
        asked = []
        opened.undo(run, person=Person(respond=lambda question: asked.append(question.detail) or "yes"))
    assert "-2 and mine" in asked[0] and "+1" in asked[0]
    assert (project / "n.txt").read_text() == "1\n"


@pytest.mark.slow
def test_leave_to_undo_is_for_the_difference_that_was_shown(tmp_path, work, project):
    def changes_meanwhile(question):
        (project / "n.txt").write_text("2 and an hour of work\n")
        return "yes"

    with evolve.open(tmp_path / "ws", policy=ScriptedWorker((WRITES_TWO,))) as opened:
        run = opened.run(work(), person=Person(approve="auto")).run_id
        (project / "n.txt").write_text("2 and mine\n")
        with pytest.raises(UsageError, match="changed while it was asked"):
            opened.undo(run, person=Person(respond=changes_meanwhile))
        assert (project / "n.txt").read_text() == "2 and an hour of work\n"
        opened.undo(run, person=leave_of("yes"))
    assert (project / "n.txt").read_text() == "1\n"


def test_whoever_waits_is_told_at_once_and_only_inside_the_block():
    cancellation, told = Cancellation(), []
    with cancellation.call_on_cancel(lambda: told.append("first")):
        cancellation.cancel()
    assert told == ["first"]
    with cancellation.call_on_cancel(lambda: told.append("late")):
        assert told == ["first", "late"]
    cancellation.cancel()
    assert told == ["first", "late"]
    with pytest.raises(Cancelled):
        cancellation.wait(60)


@pytest.mark.slow
def test_a_recorded_question_is_plain_json(tmp_path):
    with (
        ScriptedEndpoint(double=AskingDouble()) as serving,
        evolve.open(tmp_path / "ws", model=serving.model) as opened,
    ):
        result = opened.run(asking_task())
        assert json.loads(json.dumps(result.to_json()))["question"]["kind"] == "ask"
        assert opened.runs.answer(result.run_id, "day \ud800 first").solved
