"""Solves tasks with smolagents' CodeAgent and says what came of each; run by an interpreter that has smolagents.

Reads one JSON object with ``base_url``, ``model``, ``steps`` and ``tasks`` from standard input, writes a line of JSON
for each task. Answers run where that project runs them by default: in this process.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def main() -> None:
    """Every task by an agent of its own, as nothing is kept from one to the next."""
    import smolagents
    from smolagents import CodeAgent, OpenAIServerModel

    asked = json.load(sys.stdin)
    out, sys.stdout = sys.stdout, sys.stderr  # it prints what it does
    model = OpenAIServerModel(
        model_id=asked["model"], api_base=asked["base_url"], api_key="none", flatten_messages_as_text=True
    )
    for task in asked["tasks"]:
        agent = CodeAgent(tools=[], model=model, max_steps=asked["steps"], verbosity_level=0)
        started, error, answer = time.process_time(), "", None
        try:
            answer = agent.run(task["text"])
        except Exception as problem:
            error = f"{type(problem).__name__}: {problem}"[:300]
        tries = sum(type(step).__name__ == "ActionStep" for step in agent.memory.steps)
        said = {
            "task": task["id"],
            "solved": not error and all(_right(answer, row) for row in task["rows"]),
            "steps": tries,
            "cpu_s": round(time.process_time() - started, 3),
            "error": error,
            "version": smolagents.__version__,
        }
        print(json.dumps(said), file=out, flush=True)


def _right(function: Any, row: Any) -> bool:
    try:
        return bool(function(*row["input"]) == row["output"])
    except Exception:
        return False


if __name__ == "__main__":
    main()
