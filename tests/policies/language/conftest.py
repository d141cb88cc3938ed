from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace

import pytest

from benchmarks.doubles import QuirkDouble
from evolve.agent import Agent, AgentServices
from evolve.agent.workflow import Workflow
from evolve.core.schema import MEMORY
from evolve.core.store import Database
from evolve.memory import MemoryRepository
from evolve.memory.index import open_index
from evolve.policies.language import EpisodeMeter, LanguagePolicy
from evolve.runtime.models import ModelSetup, open_models
from evolve.runtime.retrieval import HashingEmbedder
from evolve.testing import LocalWire, TrustingSandbox, question_of

ADDRESS = "http://localhost:1/v1#double"


def action(code="", *, answer=True, kind="code", text="", cites=(), subgoal=0):
    """A reply to the question for an action."""
    said = {"thought": text or "so", "kind": kind, "code": code, "answer": answer, "text": text}
    return json.dumps({**said, "cites": list(cites), "subgoal": subgoal})


def plan(*subgoals):
    listed = [{"goal": goal, "postcondition": f"{goal} holds", "needs": list(needs)} for goal, needs in subgoals]
    return json.dumps({"goal": "the whole", "subgoals": listed})


def claim(cause, condition=""):
    return json.dumps({"claims": [{"cause": cause, "condition": condition}]})


def asked(body):
    """What a request wants: plan, action, claims or skill."""
    return question_of(body)


class Asked:
    """A language policy whose model is a function of the request's body; every request is kept."""

    def __init__(self, handler=None, model=ADDRESS, environ=None, abilities=None, **policy):
        self.bodies = []
        self.handler = handler or QuirkDouble().answer
        meter = EpisodeMeter()
        setup = ModelSetup(
            model=model,
            environ=environ or {},
            meter=meter,
            abilities=abilities,
            wire=lambda _: LocalWire(self._answer),
            sleep=lambda _: None,
        )
        self.policy = LanguagePolicy(models=open_models(setup), meter=meter, **policy)

    def _answer(self, body):
        self.bodies.append(body)
        return self.handler(body)

    def prompts(self, kind="action", *, own=True):
        """The requests of a kind as texts; without ``own`` the model's own replies are left out."""
        found = [body["messages"] for body in self.bodies if asked(body) == kind]
        return ["\n\n".join(m["content"] for m in each if own or m["role"] != "assistant") for each in found]

    def agent(self, *, sandbox=None, steps=6, workflow=None, **around):
        wanted = workflow or Workflow().with_knobs(steps=steps, withhold=0.0)
        return Agent(AgentServices(policy=self.policy, sandbox=sandbox or TrustingSandbox(), run="r", **around), wanted)

    def run(self, task, *, split="train", limits=None, **more):
        return self.agent(**more).run_episode(task, variant="unlearned", split=split, limits=limits)

    def with_skills(self, *skills):
        self.policy = replace(self.policy, skills=tuple(skills))
        return self


@pytest.fixture
def model():
    return Asked


@pytest.fixture
def memory(tmp_path):
    with closing(Database(tmp_path / "memory.db", MEMORY)) as db:
        made = MemoryRepository(db, lambda size: open_index(tmp_path / "index", "insights", size), HashingEmbedder(64))
        with closing(made):
            yield made
