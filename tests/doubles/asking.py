"""A model that has to ask: its task leaves open what only the person knows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from evolve.core.episodes import Row
from evolve.tasks import Task
from evolve.testing.doubles import prompt_of, schema_of

_PERSON = re.compile(r"<data (\w+) kind=person[^>]*>\n(.*?)\n</data \1>", re.DOTALL)
_NOBODY = "nobody is here to answer"
_DAY_FIRST = "def solve(text):\n    day, month, year = text.split('/')\n    return f'{year}-{month}-{day}'\n"
_MONTH_FIRST = "def solve(text):\n    month, day, year = text.split('/')\n    return f'{year}-{month}-{day}'\n"

QUESTION = "Is 03/04/2024 in April or in March?"


def asking_task(name: str = "when") -> Task:
    """Dates to rewrite: the visible one reads the same both ways, the others are written day first."""
    unseen = (("03/04/2024", "2024-04-03"), ("11/12/2023", "2023-12-11"), ("01/02/2020", "2020-02-01"))
    return Task(
        id=name,
        family="dates",
        instruction="Write the date as year, month and day.",
        examples=(Row(input=("05/05/2024",), output="2024-05-05"),),
        verify=tuple(Row(input=(given,), output=wanted) for given, wanted in unseen),
        hidden=(Row(input=("09/08/2021",), output="2021-08-09"),),
    )


class AskingDouble:
    """Asks the person which part of a date comes first, and writes what their word says.

    It knows only what its prompt tells. Where nobody is there to ask it guesses, and guesses wrong. It neither plans
    nor reflects.
    """

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply to a prompt."""
        prompt = prompt_of(body)
        wanted = (schema_of(body, prompt) or {}).get("properties", {})
        if wanted and "kind" not in wanted:
            plain: dict[str, Any] = {
                "goal": "rewrite the date",
                "name": "rewrite-date",
                "description": "Rewrites dates.",
            }
            return json.dumps({key: plain.get(key, []) for key in wanted})
        return _said(_action(prompt))


def _said(action: Mapping[str, Any]) -> str:
    if action["kind"] == "ask_user":
        return f"It can be read in two ways.\n```ask_user\n{action['text']}\n```\n"
    return f"It is {action['text']}.\n```python\n{action['code']}```\n"


def _action(prompt: str) -> dict[str, Any]:
    said = " ".join(text for _, text in _PERSON.findall(prompt)).lower()
    if "april" in said or "day" in said:
        return {"kind": "code", "code": _DAY_FIRST, "answer": True, "text": "day first"}
    if said or _NOBODY in prompt:
        return {"kind": "code", "code": _MONTH_FIRST, "answer": True, "text": "month first"}
    return {"kind": "ask_user", "code": "", "answer": False, "text": QUESTION}
