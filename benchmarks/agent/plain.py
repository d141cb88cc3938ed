"""A plain code-action loop: the simple thing to beat. One prompt, fenced blocks, output shown back, nothing kept."""

from __future__ import annotations

import re
from pathlib import Path

from openai import OpenAI

from benchmarks.agent.endpoint import MeteredEndpoint
from benchmarks.agent.judge import ran_rows, run_command, run_program, unpacked
from benchmarks.agent.measure import HandedIn, Solved
from benchmarks.agent.task import AgentTask

PROMPT = """You solve a task by writing code. Reply with a short thought and one or more fenced blocks. They are run in
order in the folder of the task, and you are shown what they print. Blocks:
```python
a program
```
```sh
a shell command
```
```done
```
`done` hands in. It may stand in the same reply as your last change: if the task has a check it is run first, and if it
fails you see what it says and go on. A question is answered with an `answer` block that holds the answer alone.
If a function is wanted, define it in a `python` block: it is run on the given rows at once, and handed in when all are
right. Look before you change anything you have not seen, and keep changes small."""
TURNS = 20
SHOWN = 20_000


def solve(task: AgentTask, endpoint: MeteredEndpoint) -> Solved:
    """Works on one task, at most twenty replies long."""
    client = OpenAI(base_url=endpoint.base_url, api_key="none", max_retries=0)
    with unpacked(task.files) as folder:
        messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": _told(task)}]
        function = ""
        for _ in range(TURNS):
            reply = client.chat.completions.create(model="scripted", messages=messages)  # type: ignore[arg-type]
            text = reply.choices[0].message.content or ""
            shown, done = "", False
            for kind, body in re.findall(r"^```(\w+)\n(.*?)^```", text, re.M | re.S):
                if kind == "answer":
                    return Solved(handed_in=HandedIn(answer=body.strip()))
                if kind == "python" and task.entry and f"def {task.entry}(" in body:
                    function = body
                elif kind == "python":
                    shown += run_program(body, folder)[1]
                elif kind == "sh":
                    shown += run_command(body, folder)[1]
                done = done or kind == "done"
            wrong = _wrong(task, function) if function else ["No function yet."]
            failed, output = run_command(task.check, folder) if done and task.check else (0, "")
            if (task.entry and not wrong) or (done and not task.entry and not failed):
                break
            shown += "\n".join(wrong) if task.entry else output
            messages += [
                {"role": "assistant", "content": text},
                {"role": "user", "content": shown[-SHOWN:] or "(no output)"},
            ]
        return Solved(handed_in=HandedIn(function=function, files=_files(folder)))


def _told(task: AgentTask) -> str:
    if task.shape == "rows":
        rows = "\n".join(f"{task.entry}(*{list(row.input)!r}) == {row.output!r}" for row in task.shown)
        return f"{task.instruction}\nWrite the Python function {task.entry}. Rows:\n{rows}"
    listing = "\n".join(sorted(task.files))
    return f"{task.instruction}\nFiles:\n{listing}" + (f"\nThe check is: {task.check}" if task.check else "")


def _wrong(task: AgentTask, function: str) -> list[str]:
    return [f"wrong: {task.entry}(*{list(row.input)!r}) gave {got}, not {row.output!r}"
            for row, got, right in ran_rows(function, task.entry, task.shown) if not right]  # fmt: skip


def _files(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in found}
