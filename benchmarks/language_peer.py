"""smolagents' CodeAgent on the tasks of the learning curve and the same double, in an environment of its own.

The double writes what it would write for us, in that project's form: the function, the examples as assertions, and
then its final answer. That project keeps nothing from one task to the next, and its default executor interprets code
inside its own process: it isolates nothing.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.doubles import QuirkDouble, QuirkTask
from benchmarks.doubles.quirk_model import code_for
from benchmarks.record import ROOT
from evolve.testing import ScriptedEndpoint
from evolve.testing.doubles import prompt_of

ARM = "smolagents CodeAgent"
SCRIPT = ROOT / "benchmarks" / "peers" / "smolagents_tasks.py"
STEPS = 6
_WAIT_S = 900.0


class PeerDouble:
    """The double of the curve, in the form in which CodeAgent wants actions; it counts what it reads and writes."""

    def __init__(self, jobs: Sequence[QuirkTask]) -> None:
        self._double = QuirkDouble(jobs)
        self.tokens: dict[str, int] = {}
        self.calls: dict[str, int] = {}

    def answer(self, body: Mapping[str, Any]) -> str:
        """An action that tries the function on the examples and hands it in."""
        prompt = prompt_of(body)
        job = self._double.job_in(prompt)
        if job is None:
            return "Thought: there is no task.\n<code>\nfinal_answer(None)\n</code>"
        entry = job.task.entry
        tried = "\n".join(f"assert {entry}(*{list(row.input)!r}) == {row.output!r}" for row in job.task.examples)
        code = f"{code_for(job, prompt)}\n{tried}\nfinal_answer({entry})"
        text = f"Thought: I write the function and try it on the examples.\n<code>\n{code}\n</code>"
        name = job.task.id
        self.tokens[name] = self.tokens.get(name, 0) + len(prompt) // 4 + len(text) // 4
        self.calls[name] = self.calls.get(name, 0) + 1
        return text


def peer_rows(python: Path, jobs: Sequence[QuirkTask]) -> Iterator[dict[str, Any]]:
    """One row for each task, as in the learning curve.

    Args:
        python: An interpreter that has smolagents.

    Raises:
        RuntimeError: The other project's program failed as a whole.
    """
    double = PeerDouble(jobs)
    with ScriptedEndpoint(double=double) as endpoint:
        asked = {
            "base_url": endpoint.base_url,
            "model": "scripted",
            "steps": STEPS,
            "tasks": [_told(job) for job in jobs],
        }
        done = subprocess.run(
            [str(python), "-I", str(SCRIPT)],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            timeout=_WAIT_S,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"smolagents failed: {done.stderr[-2_000:]}")
    families = {job.task.id: job.quirk.name for job in jobs}
    for place, line in enumerate(filter(str.strip, done.stdout.splitlines()), 1):
        said = json.loads(line)
        name = said["task"]
        yield {
            "measure": "curve",
            "arm": ARM,
            "place": place,
            "task": name,
            "family": families[name],
            "first": said["solved"] and said["steps"] == 1,
            "solved": said["solved"],
            "tokens": double.tokens.get(name, 0),
            "calls": double.calls.get(name, 0),
            "steps": said["steps"],
            "version": said["version"],
            "error": said["error"],
        }


def _told(job: QuirkTask) -> dict[str, Any]:
    """A task in words, with the examples that we show as well; the rows it is checked on are all it has."""
    task = job.task
    shown = "\n".join(f"{task.entry}(*{list(row.input)!r}) == {row.output!r}" for row in task.examples)
    text = f"{task.instruction}\nWrite the Python function {task.entry}({job.quirk.takes}). Examples:\n{shown}"
    rows = [*task.examples, *task.verify, *task.hidden]
    return {"id": task.id, "text": text, "rows": [{"input": list(row.input), "output": row.output} for row in rows]}
