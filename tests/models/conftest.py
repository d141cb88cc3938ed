from __future__ import annotations

from contextlib import ExitStack

import pytest

from evolve.runtime.models import Deadlines, Message, ModelRequest, ModelSetup, Recording, RetryRules, open_models
from evolve.testing import Scenario, ScriptedEndpoint

SUM = {
    "title": "sum",
    "type": "object",
    "properties": {"sum": {"type": "integer"}},
    "required": ["sum"],
    "additionalProperties": False,
}


def ask(text="What is 17 + 25?", **more):
    return ModelRequest(messages=[Message(role="user", text=text)], **{"max_tokens": 50, **more})


def recorded(place, mode="record"):
    return {"recording": Recording(place=place, mode=mode)}


class Bench:
    """An endpoint with a script, and a model that talks to it and never really waits."""

    def __init__(self, stack, scenario, **setup):
        self.endpoint = stack.enter_context(ScriptedEndpoint(scenario))
        self.waits = []
        self.now = 0.0
        defaults = {
            "model": self.endpoint.model,
            "environ": {},
            "deadlines": Deadlines(connect=2.0, idle=5.0, total=5.0),
            "rules": RetryRules(attempts=3),
            "sleep": self.sleep,
            "clock": lambda: self.now,
        }
        self.models = stack.enter_context(open_models(ModelSetup(**{**defaults, **setup})))

    def sleep(self, seconds):
        self.waits.append(seconds)
        self.now += seconds

    def complete(self, request=None, on_delta=None):
        return self.models.complete(request or ask(), on_delta)

    @property
    def bodies(self):
        return self.endpoint.requests


@pytest.fixture
def bench():
    with ExitStack() as stack:

        def make(*replies, setup=None, **scenario):
            return Bench(stack, Scenario(replies=replies, **scenario), **(setup or {}))

        yield make
