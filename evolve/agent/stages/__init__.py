"""The stages of an episode, one function each: ``stage(state, context) -> update``.

A stage changes neither its state nor its context; what it wants changed it returns.
"""

from __future__ import annotations

from evolve.agent.stages.act import act
from evolve.agent.stages.ask import ask
from evolve.agent.stages.best_of_n import best_of_n
from evolve.agent.stages.commit import commit
from evolve.agent.stages.critique import critique
from evolve.agent.stages.decompose import decompose
from evolve.agent.stages.distill import distill
from evolve.agent.stages.judge import judge
from evolve.agent.stages.observe import observe
from evolve.agent.stages.plan import plan
from evolve.agent.stages.recall import recall
from evolve.agent.stages.reflect import reflect
from evolve.agent.stages.revise import revise
from evolve.agent.stages.search import search
from evolve.agent.stages.skill import skill
from evolve.agent.stages.vote import vote

__all__ = [
    "act",
    "ask",
    "best_of_n",
    "commit",
    "critique",
    "decompose",
    "distill",
    "judge",
    "observe",
    "plan",
    "recall",
    "reflect",
    "revise",
    "search",
    "skill",
    "vote",
]
