"""Each episode of a loop has the room of its kind of work, within the loop's budget."""

from __future__ import annotations

import json

import pytest

import evolve
from evolve.core.ledger import parse_budget
from evolve.core.paths import WorkspacePaths
from evolve.core.settings import load_settings
from evolve.improve.session import LoopPlan
from evolve.tasks import load_suite
from evolve.testing import LocalWire, question_of
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.trials.jobs import EpisodeJob
from evolve.workspace.language import LanguageLearner
from evolve.workspace.loops.improving import LoopWork, loop_limits, tasks_worked_on
from evolve.workspace.opening import utc_now

MEND = "So.\n```file notes.txt\nnew\n```\n```done\n```\n"
RIGHT = "```python\ndef double(n):\n    return 2 * n\n```\n"


@pytest.fixture
def suite(tmp_path):
    """A task in a folder, and one with rows."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "notes.txt").write_text("old\n")
    work = {"folder": str(tmp_path / "project"), "check": "grep -q new notes.txt"}
    rows = [{"input": [n], "output": 2 * n} for n in range(9)]
    tasks = [
        {"id": "notes", "family": "notes", "instruction": "renew the notes", "files": work},
        {"id": "twice", "family": "twice", "instruction": "double it", "meta": {"entry": "double"},
         "examples": rows[:3], "verify": rows[3:6], "hidden": rows[6:]},
    ]  # fmt: skip
    (tmp_path / "mixed.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return str(tmp_path / "mixed.jsonl")


@pytest.fixture
def attempts(tmp_path, suite):
    """The attempts of one loop at the tasks, where every reply costs 60,000 tokens and looks come before the work."""

    def run(budget, task, looks=2):
        said = []

        def answer(body):
            said.append(question_of(body))
            look = f"I look.\n```python\nprint({len(said)})\n```\n"
            reply = look if len(said) <= looks else MEND if task == "notes" else RIGHT
            usage = {"prompt_tokens": 60_000, "completion_tokens": 20, "total_tokens": 60_020}
            return chat_completion_body(reply, usage=usage)

        paths = WorkspacePaths(tmp_path / "ws")
        learner = LanguageLearner(
            paths=paths,
            settings=load_settings(paths.root),
            model="http://localhost:1/v1#double",
            wire=lambda _: LocalWire(answer),
        )
        bound, mixed = parse_budget([budget] if budget else []), load_suite(suite)
        with evolve.open(paths.root, policy=learner) as ws:
            plan = LoopPlan(rounds=1, limits=loop_limits(ws._services, bound, mixed))
            begun = ws.stores.runs.begin("improve", "key", {"suite": suite}, started=utc_now())
            with tasks_worked_on(ws._services, begun, LoopWork(suite=mixed, plan=plan, budget=bound)) as session:
                arm = session.stores.practice_state(session.workflow)
                session.workers.announce("arm", arm)
                job = EpisodeJob(
                    task=mixed.task(task), arm="arm", variant="v", split="train", seed=0, limits=plan.limits
                )
                (attempt,) = session.run_jobs([job])
        return attempt

    return run


@pytest.mark.slow
def test_an_episode_in_a_folder_may_spend_what_one_in_a_persons_own_run_may(attempts):
    attempt = attempts("", "notes")
    assert attempt.record.solved and attempt.record.cost.tokens > 150_000
    assert attempt.limits.tokens == 1_000_000


def test_one_with_rows_keeps_to_the_workflow(attempts):
    assert attempts("", "twice", looks=0).limits.tokens == 100_000


@pytest.mark.slow
@pytest.mark.parametrize(("budget", "room"), [("8M-tokens", 400_000), ("1M-tokens", 100_000), ("50k-tokens", 50_000)])
def test_a_budget_pays_for_twenty_long_episodes_or_for_the_workflows_own(attempts, budget, room):
    assert attempts(budget, "notes", looks=0).limits.tokens == room
