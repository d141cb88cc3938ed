"""The plain loop and evolve side by side with a model that answers by files, task by task, in an order drawn by chance.

``python -m benchmarks.agent.answered FOLDER --url http://127.0.0.1:8765/v1 --tasks a,b,c`` asks the endpoint. It keeps
every request in FOLDER as ``NNNN.request.json`` and waits for ``NNNN.reply.txt``. Whoever answers sees requests and
nothing else, and cannot tell whose they are but by the prompt. One line of JSON is printed for every task and arm.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from benchmarks.agent import evolve_arm, plain
from benchmarks.agent.endpoint import MeteredEndpoint
from benchmarks.agent.judge import judged
from benchmarks.agent.measure import Solved
from benchmarks.agent.task import AgentTask, load_tasks


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The endpoint, as the arms use it."""

    base_url: str
    model: str


def main() -> None:
    """Runs the tasks, both arms each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agent.answered", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", required=True)
    parser.add_argument("--tasks", required=True, help="ids of tasks, with commas")
    parser.add_argument("--arms", default="plain,evolve")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    endpoint = cast(MeteredEndpoint, Answered(base_url=options.url, model=f"{options.url}#oracle"))
    tasks = {task.id: task for task in load_tasks()}
    order = [(tasks[name], arm) for name in options.tasks.split(",") for arm in options.arms.split(",")]
    random.Random(options.seed).shuffle(order)
    for task, arm in order:
        print(json.dumps(_row(task, arm, endpoint, options.folder)), flush=True)


def _row(task: AgentTask, arm: str, endpoint: MeteredEndpoint, folder: Path) -> dict[str, Any]:
    before, started = len(_requests(folder)), time.monotonic()
    solved = solve(task, arm, endpoint)
    asked = _requests(folder)
    prompts = [_prompt(path) for path in asked]
    uncached = sum(
        len(prompt) - max((_shared(prompt, earlier) for earlier in prompts[:place]), default=0)
        for place, prompt in enumerate(prompts[before:], before)
    )
    return {
        "task": task.id,
        "kind": task.kind,
        "arm": arm,
        "solved": solved.handed_in is not None and judged(task, solved.handed_in),
        "calls": len(asked) - before,
        "requests": [path.name[:4] for path in asked[before:]],
        "prompt_letters": sum(map(len, prompts[before:])),
        "uncached_letters": uncached,
        "seconds": round(time.monotonic() - started, 1),
        "note": solved.note,
    }


def solve(task: AgentTask, arm: str, endpoint: MeteredEndpoint) -> Solved:
    """What one arm hands in, in an empty workspace."""
    if arm == "plain":
        return plain.solve(task, endpoint)
    with TemporaryDirectory() as name:
        made = evolve_arm.arms(Path(name))[arm]()
        try:
            return made.solve(replace(task, kind="rows") if task.shape == "rows" else task, endpoint)
        finally:
            made.close()


def _shared(prompt: str, earlier: str) -> int:
    """Letters with which both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(prompt, earlier, strict=False)))


def _requests(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.request.json"))


def _prompt(path: Path) -> str:
    body = json.loads(path.read_text(encoding="utf-8"))
    return "\n".join(f"{one['role']}: {one['content']}" for one in body["messages"])


if __name__ == "__main__":
    main()
