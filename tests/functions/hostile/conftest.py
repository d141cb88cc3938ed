"""A sandbox per backend that this machine supports, for code that attacks the calls of functions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

import evolve
from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import Sandbox, open_sandbox
from evolve.testing import ScriptedEndpoint
from evolve.testing.doubles import prompt_of, question_of
from evolve.workspace import Workspace


@pytest.fixture(scope="module", params=["bubblewrap", "landlock"])
def sandbox(request: pytest.FixtureRequest, tmp_path_factory) -> Iterator[Sandbox]:
    try:
        opened = open_sandbox(request.param, cache_dir=tmp_path_factory.mktemp("sandbox"))
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


@dataclass
class Clerk:
    """A model that runs the same code until a value or an error comes of it.

    Attributes:
        code: What it runs, with the name of the function that speaks of seats in the place of ``{name}``.
    """

    code: str = "```python\nfrom functions import {name}\n{name}('blue')['seats'] + {name}('green')['seats']\n```"
    prompts: list[str] = field(default_factory=list)

    def answer(self, body: Mapping[str, Any]) -> str:
        prompt = prompt_of(body)
        if question_of(body) != "action":
            return json.dumps({"claims": [], "goal": "count", "subgoals": []})
        self.prompts.append(prompt)
        found = re.search(r"value: (.+)", prompt)
        if found:
            return f"```answer\n{found[1]} seats\n```"
        error = re.search(r"(?:error|failed): (.+)", prompt)
        if error:
            return f"```give_up\nno seats: {error[1]}\n```"
        offered = re.search(r"^(\w+)\(.*\)(?: -> .*)? \(.*\): .*seats", prompt, re.MULTILINE)
        return self.code.format(name=offered[1] if offered else "missing")


@pytest.fixture
def clerk() -> Clerk:
    return Clerk()


@pytest.fixture
def workspace_of(tmp_path, clerk) -> Iterator[Workspace]:
    """A workspace whose model is the clerk."""
    with ScriptedEndpoint(double=clerk) as endpoint, evolve.open(tmp_path / "ws", model=endpoint.model) as workspace:
        yield workspace
