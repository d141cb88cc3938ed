from __future__ import annotations

import pytest

from evolve.agent import Agent, AgentServices
from evolve.core.episodes import Row
from evolve.tasks import Task
from evolve.testing import FixedPolicy, TrustingSandbox


def rows(function, *inputs):
    return tuple(Row(input=(list(xs),), output=function(xs)) for xs in inputs)


def make_task(name="total", function=sum, hidden=6):
    unseen = [[number, number + 2, 7] for number in range(hidden)]
    return Task(
        id=name,
        family="numbers",
        instruction=f"give the {name}",
        examples=rows(function, [1, 2], [5], [2, 2, 9]),
        hidden=rows(function, *unseen),
    )


@pytest.fixture
def task():
    return make_task()


class Collector:
    def __init__(self):
        self.events = []
        self.records = []

    def emit(self, event):
        self.events.append(event)

    def commit(self, record):
        self.records.append(record)


@pytest.fixture
def collector():
    return Collector()


@pytest.fixture
def make_agent(collector):
    def make(policy=None, sandbox=None, workflow=None, **more):
        around = AgentServices(
            policy=policy or FixedPolicy(),
            sandbox=sandbox or TrustingSandbox(),
            recorder=collector,
            events=collector,
            run="r1",
            **more,
        )
        return Agent(around, workflow)

    return make
