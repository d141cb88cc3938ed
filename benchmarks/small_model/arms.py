"""The arms: a plain loop, and this agent in a workspace that has measured the model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from openai import OpenAI

import evolve
from benchmarks.agent import judge
from benchmarks.agent.relay import Relay
from benchmarks.agent.task import Row as JudgedRow
from benchmarks.record import UNSEEDED
from benchmarks.small_model.tasks import RowTask
from evolve.core.episodes import Row
from evolve.core.errors import EndpointProblem
from evolve.tasks import Task
from evolve.workspace import Person

_ASKED = """{instruction}
Write the Python function {signature}, in one ```python block. Rows that it has to give:
{rows}"""
_WRONG = "These rows come out wrong:\n{rows}\nWrite the whole function again, right for all rows."
_TURNS = 20
_TEMPERATURE = 0.8
"""Of the plain loop's later replies, each with a seed of its own; the first is at the server's default."""


class Arm(Protocol):
    """One agent."""

    name: str

    def solve(self, task: RowTask, relay: Relay, tokens: int) -> str:
        """The source of the function that it hands in, or "".

        Args:
            tokens: After so many, prompts and replies together, a plain loop asks no more.
        """
        ...


class PlainLoop:
    """Asks, runs the reply on the shown rows, and shows what is wrong, in one conversation."""

    name = "plain"

    def solve(self, task: RowTask, relay: Relay, tokens: int) -> str:
        """At most twenty replies."""
        client = OpenAI(base_url=relay.base_url, api_key="none", max_retries=0, timeout=900)
        rows = "\n".join(f"{task.entry}(*{list(row.input)!r}) == {row.output!r}" for row in task.shown)
        asked = _ASKED.format(instruction=task.instruction, signature=task.signature, rows=rows)
        messages = [{"role": "user", "content": asked}]
        function, begun = "", len(relay.calls)
        for turn in range(_TURNS):
            later = {"temperature": _TEMPERATURE, "seed": turn} if turn else {}
            reply = client.chat.completions.create(
                model=relay.scenario.models[0], messages=messages, max_tokens=1024, **later
            )  # type: ignore[call-overload]
            text = reply.choices[0].message.content or ""
            blocks = [
                body for body in re.findall(r"```\w*\n(.*?)(?:```|\Z)", text, re.S) if f"def {task.entry}" in body
            ]
            function = blocks[-1] if blocks else function
            wrong = wrong_rows(function, task) if function else ["There is no function yet."]
            if not wrong or spent_since(relay, begun) >= tokens:
                break
            messages += [
                {"role": "assistant", "content": text},
                {"role": "user", "content": _WRONG.format(rows="\n".join(wrong))},
            ]
        return function


class EvolveArm:
    """Runs the tasks in one workspace, whose model was checked before as a person would; nothing is learned."""

    name = "evolve"

    def __init__(self, root: Path) -> None:
        self._workspace: evolve.Workspace | None = None
        self._root = root

    def solve(self, task: RowTask, relay: Relay, tokens: int) -> str:
        """One run."""
        if self._workspace is None:
            self._workspace = evolve.open(self._root, model=relay.model, settings=UNSEEDED)
            relay.most_tokens = None  # what a probe takes is paid once
            self._workspace.models.check(relay.model)
            relay.forget()
            relay.most_tokens = tokens
        asked = Task(
            id=task.entry,
            family="rows",
            instruction=task.instruction,
            examples=task.shown,
            hidden=(),
            signature=task.signature.removeprefix(task.entry),
            meta={"entry": task.entry},
        )
        try:
            return self._workspace.run(asked, person=Person(approve="auto", learn="off")).answer or ""
        except EndpointProblem:  # its tokens are spent
            return ""


def is_right(function: str, task: RowTask) -> bool:
    """Whether a function is right on all rows."""
    return bool(function) and all(right for _, _, right in _ran(function, task, (*task.shown, *task.hidden)))


def wrong_rows(function: str, task: RowTask) -> Sequence[str]:
    """The shown rows that a function gets wrong, with what came out and what was wanted."""
    return [
        f"{task.entry}(*{list(row.input)!r}) gave {got}, not {row.output!r}"
        for row, got, right in _ran(function, task, task.shown)
        if not right
    ]


def _ran(function: str, task: RowTask, rows: Sequence[Row]) -> list[tuple[JudgedRow, str, bool]]:
    return judge.ran_rows(function, task.entry, [JudgedRow(input=row.input, output=row.output) for row in rows])


def spent_since(relay: Relay, begun: int) -> int:
    """Tokens of the requests since one."""
    return sum(call.prompt_tokens + call.completion_tokens for call in relay.calls[begun:])
