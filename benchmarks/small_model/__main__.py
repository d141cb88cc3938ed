"""Does this agent get more out of a small model than a plain loop? ``--endpoint http://127.0.0.1:8091/v1#model``.

A task counts as solved where the function is right on the rows shown and on those only the judge reads, and was handed
in within ``--tokens`` of prompts and replies together. Thirty tasks detect a difference of .3 in three runs of four
and of .2 in one of three, where both arms solve about half (sign test at .05).
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.agent.relay import Relay
from benchmarks.record import Outcome, Target, common_options, progress, publish
from benchmarks.small_model.arms import Arm, EvolveArm, PlainLoop, is_right, spent_since, wrong_rows
from benchmarks.small_model.tasks import RowTask, load_tasks, read_tasks

TOKENS = 4_000
_RESAMPLES = 4_000


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What one arm made of one task.

    Attributes:
        fits: Whether the function is right on the rows shown.
        first: Whether the first reply alone held a function that is right on all rows.
        usable: Replies with a function of the wanted name.
        repeated: Replies that an earlier one of the task had said word for word.
    """

    arm: str
    task: str
    solved: bool
    fits: bool
    first: bool
    replies: int
    usable: int
    repeated: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    seconds: float


def attempt(arm: Arm, task: RowTask, relay: Relay, tokens: int) -> Attempt:
    """Runs and judges."""
    relay.forget()
    relay.most_tokens = tokens
    begun = time.monotonic()
    function = arm.solve(task, relay, tokens)
    texts = list(relay.replies)
    usable = [text for text in texts if f"def {task.entry}" in text]
    within = spent_since(relay, 0) - (relay.calls[-1].completion_tokens if relay.calls else 0) <= tokens
    return Attempt(
        arm=arm.name,
        task=task.entry,
        solved=within and is_right(function, task),
        fits=bool(function) and not wrong_rows(function, task),
        first=bool(texts) and is_right(_code(texts[0]), task),
        replies=len(texts),
        usable=len(usable),
        repeated=sum(count - 1 for count in Counter(texts).values()),
        prompt_tokens=sum(call.prompt_tokens for call in relay.calls),
        cached_tokens=sum(call.cached_tokens for call in relay.calls),
        completion_tokens=sum(call.completion_tokens for call in relay.calls),
        seconds=round(time.monotonic() - begun, 1),
    )


def _code(reply: str) -> str:
    _, fence, rest = reply.partition("```python\n")
    return rest.partition("```")[0] if fence else reply


def paired(attempts: Sequence[Attempt], figure: str, arm: str = "evolve", other: str = "plain") -> dict[str, Any]:
    """The mean difference of two arms on the same tasks, with a 95 % bootstrap over tasks."""
    by = {(one.arm, one.task): float(getattr(one, figure)) for one in attempts}
    differences = [by[arm, task] - by[other, task] for name, task in by if name == arm and (other, task) in by]
    if not differences:
        return {"value": None, "n": 0}
    chance = random.Random(0)
    drawn = sorted(fmean(chance.choices(differences, k=len(differences))) for _ in range(_RESAMPLES))
    low, high = drawn[int(0.025 * _RESAMPLES)], drawn[int(0.975 * _RESAMPLES) - 1]
    return {"value": fmean(differences), "low": low, "high": high, "n": len(differences)}


def summary(attempts: Sequence[Attempt]) -> list[dict[str, Any]]:
    """One row an arm."""
    rows: list[dict[str, Any]] = []
    for arm in dict.fromkeys(one.arm for one in attempts):
        part = [one for one in attempts if one.arm == arm]
        sums = {
            name: sum(getattr(one, name) for one in part)
            for name in ("solved", "fits", "first", "replies", "usable", "repeated")
        }
        tokens = {name: sum(getattr(one, name) for one in part) for name in ("prompt_tokens", "completion_tokens")}
        rows.append({"measure": "summary", "arm": arm, "tasks": len(part), **sums, **tokens})
    return rows


def targets(attempts: Sequence[Attempt]) -> list[Target]:
    """What this agent should reach."""
    mine = [one for one in attempts if one.arm == "evolve"]
    usable = sum(one.usable for one in mine) / max(1, sum(one.replies for one in mine))
    solved, first = paired(attempts, "solved"), paired(attempts, "first")
    return [
        Target(name="solved, evolve - plain, within the same tokens, lower bound", op="low >", target=0.0, **solved),
        Target(name="first replies right, evolve - plain", op=">=", target=0.0, **first),
        Target(name="replies that could be used", op=">=", target=0.97, value=usable, n=sum(o.replies for o in mine)),
    ]


def main() -> None:
    """Runs the arms asked for, prints a table or the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.small_model", description=__doc__)
    common_options(parser, seeds=1)
    parser.add_argument("--endpoint", required=True, help="an OpenAI-compatible server, #model")
    parser.add_argument("--arms", default="plain,evolve")
    parser.add_argument("--tasks", type=Path, help="a JSONL file of tasks in place of the thirty")
    parser.add_argument("--only", default="", help="only these functions, with commas")
    parser.add_argument("--tokens", type=int, default=TOKENS, help="of one task")
    parser.add_argument("--log", type=Path, help="add every exchange to this file")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    tasks = [
        task
        for task in (read_tasks(options.tasks) if options.tasks else load_tasks())
        if not only or task.entry in only
    ]
    tasks = tasks[::10] if options.quick else tasks
    attempts = []
    relay = Relay(options.endpoint, options.log)
    with tempfile.TemporaryDirectory() as folder, relay:
        arms: dict[str, Arm] = {"plain": PlainLoop(), "evolve": EvolveArm(Path(folder))}
        for task in tasks:
            for word in options.arms.split(","):
                attempts.append(attempt(arms[word], task, relay, options.tokens))
                progress(json.dumps(asdict(attempts[-1])))
    found = targets(attempts)
    rows = [*(asdict(one) for one in attempts), *summary(attempts)]
    outcome = Outcome(benchmark="small_model", seeds=1, quick=options.quick, rows=rows, targets=found)
    lines = [json.dumps(row) for row in summary(attempts)]
    lines += [f"{'met' if one.met else 'NOT met'}: {one.name}: {one.value} [{one.low}, {one.high}]" for one in found]
    publish(outcome, options, "\n".join(lines))


if __name__ == "__main__":
    main()
