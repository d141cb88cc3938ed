"""A model that does things a person's way only if an instruction in its prompt says so."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.testing.doubles import prompt_of, schema_of

_DATA = re.compile(r"<data (\S+) (?!kind=person)[^>]*>.*?</data \1>", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class WishJob:
    """A job in words that can be done in several ways, none of which its words tell.

    Attributes:
        asks: What a task must speak of to be such a job.
        ways: A pattern that an instruction for this way matches, and the value that the way gives.
    """

    asks: str
    ways: tuple[tuple[str, str], ...]


WISH_JOBS = (
    WishJob(
        asks=r"\bdates?\b|\bmeetings?\b",
        ways=(
            (r"year first|\biso\b", "2024-03-05"),
            (r"day first|\d\d\.\d\d\.\d{4}\"? in place", "05.03.2024"),
            (r"month first", "03/05/2024"),
        ),
    ),
    WishJob(
        asks=r"\bamounts?\b|\binvoices?\b",
        ways=((r"plain number", "1234.5"), (r"\beuro?s?\b", "1,234.50 EUR"), (r"\bcents\b", "123450 cents")),
    ),
    WishJob(
        asks=r"\bnames?\b|\bguests?\b",
        ways=((r"first name first", "Ada Stone"), (r"last name first|\bsurname\b", "Stone, Ada")),
    ),
)


class WishDouble:
    """Does a job the way that the first fitting instruction of its prompt says; quoted data instructs nobody.

    Without such an instruction it takes the first way that it knows, or, as several samples of a model do where
    a request leaves things open, one of the first two by the seed of the request.

    Args:
        wavers: Whether it takes one of two ways where nothing is said.
    """

    def __init__(self, jobs: Sequence[WishJob] = WISH_JOBS, *, wavers: bool = False) -> None:
        self._jobs = tuple(jobs)
        self._wavers = wavers

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply to a prompt."""
        prompt = prompt_of(body)
        schema = schema_of(body, prompt) or {}
        wanted = str(schema.get("title", ""))
        if wanted == "plan":
            return json.dumps({"goal": "do what is asked", "subgoals": []})
        if wanted == "claims":
            return json.dumps({"claims": []})
        if wanted in ("skill", "wish"):
            return json.dumps({"name": "answer", "description": "Answers one request."})
        code = f"def solve():\n    return {self.value(prompt, int(body.get('seed') or 0))!r}\n"
        said = {"thought": "so", "kind": "code", "code": code, "answer": True, "text": "", "cites": [], "subgoal": 0}
        return json.dumps(said)

    def value(self, prompt: str, seed: int = 0) -> str:
        """What the job of a prompt gives in the way that the prompt asks for."""
        said = _DATA.sub(" ", prompt)
        before, _, task = said.rpartition("Task: ")
        line = task.split("\n", maxsplit=1)[0]
        job = next((one for one in self._jobs if re.search(one.asks, line, re.IGNORECASE)), None)
        if job is None:
            return "nothing is known of this"
        rest = f"{before}\n{task[len(line) :]}"
        found = [(hit.start(), value) for cue, value in job.ways if (hit := re.search(cue, rest, re.IGNORECASE))]
        if found:
            return min(found)[1]
        return job.ways[(seed // 1_000) % 2 if self._wavers else 0][1]
