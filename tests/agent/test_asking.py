"""A person in the middle of an episode: asked, waited for, answered in another process; or saying stop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass

import pytest

from evolve.agent import Supervision, question_in
from evolve.agent.workflow import Workflow
from evolve.core.cancellation import Cancellation
from evolve.core.episodes import Action
from evolve.testing import FixedPolicy
from tests.agent.conftest import make_task

QUESTION = "Is the total meant, or the largest?"
ATTENDED = Workflow().with_ask_stage()


@dataclass(frozen=True)
class Asking(FixedPolicy):
    """Asks which of two programs is meant, and writes the one that the person's word names; else the wrong one."""

    bought: tuple = ()

    def __post_init__(self):
        object.__setattr__(self, "bought", [])

    def plan(self, view, recalled):
        self.bought.append("plan")
        return super().plan(view, recalled)

    def act(self, view, plan, steps, limits):
        self.bought.append("act")
        if not steps:
            return Action(kind="ask_user", text=QUESTION)
        said = " ".join(step.observation.text for step in steps if step.observation.person)
        code = "sum(xs)" if "total" in said else "max(xs)"
        return Action(kind="code", code=f"def solve(xs):\n    return {code}\n")

    def reflect(self, view, group, steps, probe):
        return ()


@pytest.fixture
def attend(make_agent, tmp_path):
    """Runs the episode with a person who answers as told."""

    def attend(respond=None, policy=None, **more):
        agent = make_agent(
            policy=policy or Asking(),
            checkpoints=tmp_path,
            workflow=ATTENDED,
            attendance=Supervision(respond=respond, **more),
        )
        return agent.run_episode(make_task(), variant="v", split="own")

    return attend


def test_the_answer_of_a_person_is_recorded_in_the_step_and_decides(attend):
    asked = []
    record = attend(lambda question: asked.append(question) or "the total")
    assert [(one.kind, one.text) for one in asked] == [("ask", QUESTION)]
    assert record.solved
    assert record.steps[0].observation.text == "the total" and record.steps[0].observation.person
    assert attend(lambda question: pytest.fail("it is over")) == record


def test_another_answer_gives_another_outcome(attend):
    assert not attend(lambda question: "the largest").solved


def test_without_a_person_the_episode_waits_and_nothing_is_kept(attend, collector):
    record = attend()
    assert (record.status, collector.records) == ("waiting", [])
    assert question_in(record).text == QUESTION
    again = Asking()
    assert attend(policy=again) == record
    assert again.bought == []


def test_an_answer_given_later_buys_only_what_comes_after_it(attend, collector):
    attend()
    later = Asking()
    record = attend(lambda question: "the total", policy=later)
    assert record.solved and collector.records == [record]
    assert later.bought == ["act"]


def test_a_question_that_is_withdrawn_ends_the_work(attend):
    question = question_in(attend())
    record = attend(withdrawn=frozenset({question.id}))
    assert (record.status, record.steps[-1].action.kind) == ("unsolved", "finish")
    assert "withdrawn" in record.note


def test_nobody_is_asked_where_nobody_attends(make_agent, tmp_path):
    for workflow in (Workflow(), ATTENDED):
        agent = make_agent(policy=Asking(), workflow=workflow, checkpoints=tmp_path / workflow.digest)
        record = agent.run_episode(make_task(), variant="v", split="train")
        assert record.steps[0].observation.error == "nobody is here to answer; decide without asking"
        assert record.status != "waiting"


@dataclass(frozen=True)
class Stopped(FixedPolicy):
    """Stops itself in the middle of its first action, as a person would."""

    cancellation: Cancellation = None

    def with_supervision(self, cancellation, on_piece=None):
        return Stopped(cancellation=cancellation)

    def act(self, view, plan, steps, limits):
        if not steps:
            self.cancellation.cancel()
            self.cancellation.check()
        return super().act(view, plan, [], limits)


def test_a_stopped_action_is_a_step_of_its_own_and_no_evidence(attend, collector):
    record = attend(policy=Stopped())
    assert (record.status, collector.records) == ("interrupted", [])
    assert record.steps[0].observation.interrupted
    again = attend(policy=Stopped())
    assert again.solved and len(again.steps) == 2
    assert again.steps[0] == record.steps[0]
    assert "stopped" not in " ".join(claim.text for claim in again.claims)


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from evolve.agent import Agent, Supervision, AgentServices
    from evolve.testing import TrustingSandbox
    from tests.agent.conftest import make_task
    from tests.agent.test_asking import ATTENDED, Asking

    def die(question):
        os.kill(os.getpid(), signal.SIGKILL)

    around = AgentServices(
        policy=Asking(), sandbox=TrustingSandbox(), run="r1", checkpoints=Path(sys.argv[1]),
        attendance=Supervision(respond=die),
    )
    Agent(around, ATTENDED).run_episode(make_task(), variant="v", split="own")
"""


@pytest.mark.slow
def test_a_process_killed_while_the_person_thinks_loses_nothing(attend, collector, tmp_path):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path)]
    assert subprocess.run(command, cwd=root, env={**os.environ, "PYTHONPATH": root}).returncode == -signal.SIGKILL
    later = Asking()
    record = attend(lambda question: "the total", policy=later)
    assert record.solved and collector.records == [record]
    assert later.bought == ["act"]
