"""The small model's benchmark: both arms are shown the same task, and judged by rows they were not shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.agent.relay import Relay
from benchmarks.small_model.__main__ import Attempt, attempt, paired, targets
from benchmarks.small_model.arms import PlainLoop
from benchmarks.small_model.tasks import RowTask, load_tasks, read_tasks
from evolve.core.episodes import Row
from evolve.testing import Scenario, ScriptedEndpoint

TWICE = RowTask(
    entry="twice",
    signature="twice(x: int) -> int",
    instruction="Double it.",
    shown=(Row(input=(2,), output=4),),
    hidden=(Row(input=(3,), output=6),),
)
RIGHT, WRONG, UNSEEN = (f"```python\ndef twice(x):\n    return {body}\n```" for body in ("x + x", "x", "x ** 2"))


def attempted(*replies: str, tokens: int = 8_000) -> Attempt:
    with ScriptedEndpoint(Scenario(replies=replies)) as server:
        relay = Relay(f"{server.base_url}#scripted")
        with relay:
            return attempt(PlainLoop(), TWICE, relay, tokens)


@pytest.mark.parametrize(
    ("replies", "solved", "fits", "first", "repeated"),
    [
        ([RIGHT], True, True, True, 0),
        ([WRONG, WRONG, RIGHT], True, True, False, 1),
        ([UNSEEN], False, True, False, 0),  # right on what was shown alone
    ],
)
def test_an_attempt_is_judged_by_all_rows(
    replies: list[str], solved: bool, fits: bool, first: bool, repeated: int
) -> None:
    made = attempted(*replies)
    assert (made.solved, made.fits, made.first, made.repeated) == (solved, fits, first, repeated)
    assert made.replies == made.usable == len(replies) and made.prompt_tokens > 0


def test_what_comes_after_the_tokens_are_spent_is_no_solution() -> None:
    assert not attempted(WRONG, RIGHT, tokens=1).solved


def test_the_log_holds_every_exchange(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with ScriptedEndpoint(Scenario(replies=[WRONG, RIGHT])) as server:
        relay = Relay(f"{server.base_url}#scripted", log)
        with relay:
            attempt(PlainLoop(), TWICE, relay, 8_000)
    assert [json.loads(line)["reply"] for line in log.read_text("utf-8").splitlines()] == [WRONG, RIGHT]


def test_thirty_tasks_have_rows_of_both_kinds_and_a_file_gives_others(tmp_path: Path) -> None:
    tasks = load_tasks()
    assert len({task.entry for task in tasks}) == len(tasks) == 30
    assert all(task.shown and task.hidden for task in tasks)
    path = tmp_path / "tasks.jsonl"
    told = {"signature": "twice(x: int) -> int", "instruction": "Double it.", "shown": [[[2], 4]], "hidden": [[[3], 6]]}
    path.write_text(json.dumps(told) + "\n", "utf-8")
    assert read_tasks(path) == (TWICE,)


def test_the_difference_is_of_tasks_that_both_arms_had() -> None:
    def one(arm: str, task: str, solved: bool) -> Attempt:
        counts = dict.fromkeys(
            ("replies", "usable", "repeated", "prompt_tokens", "cached_tokens", "completion_tokens"), 1
        )
        return Attempt(arm=arm, task=task, solved=solved, fits=solved, first=solved, seconds=1.0, **counts)

    attempts = [one("plain", "a", False), one("evolve", "a", True), one("plain", "b", True), one("evolve", "c", True)]
    found = paired(attempts, "solved")
    assert (found["value"], found["n"]) == (1.0, 1)
    assert [target.met for target in targets(attempts)] == [True, True, True]
