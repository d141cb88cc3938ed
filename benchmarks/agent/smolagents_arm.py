"""smolagents' CodeAgent as an arm, in an environment of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.agent.endpoint import MeteredEndpoint
from benchmarks.agent.judge import unpacked
from benchmarks.agent.measure import HandedIn, Solved
from benchmarks.agent.task import AgentTask

SCRIPT = Path(__file__).with_name("smolagents_tasks.py")
STEPS = 20


class CodeAgentArm:
    """That project without tools; it works on a copy of the folder by Python alone.

    Args:
        python: An interpreter that has smolagents.
    """

    name = "smolagents CodeAgent"

    def __init__(self, python: Path) -> None:
        self._python = python
        self._process: subprocess.Popen[str] | None = None

    def solve(self, task: AgentTask, endpoint: MeteredEndpoint) -> Solved:
        """A task by an agent of its own: nothing is kept from one to the next."""
        asked = {"base_url": endpoint.base_url, "model": "scripted", "steps": STEPS, "text": _told(task)}
        with unpacked(task.files) as folder:
            said = self._said({**asked, "folder": str(folder)})
            found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
            files = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in found}
        handed = HandedIn(function=said["function"], files=files, answer=said["answer"])
        return Solved(handed_in=handed, note=said["error"])

    def _said(self, asked: Mapping[str, Any]) -> dict[str, str]:
        if self._process is None:  # one process for all tasks, as to load that package takes seconds
            self._process = subprocess.Popen(
                [str(self._python), "-I", str(SCRIPT)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("smolagents failed")
        return dict(json.loads(line))

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


def _told(task: AgentTask) -> str:
    if task.shape == "rows":
        rows = "\n".join(f"{task.entry}(*{list(row.input)!r}) == {row.output!r}" for row in task.shown)
        return (
            f"{task.instruction}\nWrite the Python function {task.entry} and give it as the final answer. Rows:\n{rows}"
        )
    where = "The current folder has these files; work on them there with pathlib and subprocess:\n"
    told = f"{task.instruction}\n{where}" + "\n".join(sorted(task.files))
    return told + (f"\nThe check is: {task.check}" if task.check else "")
