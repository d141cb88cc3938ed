"""The stages of an episode, one function each: ``stage(state, context) -> update``.

A stage changes neither its state nor its context; what it wants changed it returns.
"""

from __future__ import annotations

from evolve.agent.stages.act import act
from evolve.agent.stages.ask import ask
from evolve.agent.stages.commit import commit
from evolve.agent.stages.distill import distill
from evolve.agent.stages.judge import judge
from evolve.agent.stages.observe import observe
from evolve.agent.stages.plan import plan
from evolve.agent.stages.recall import recall
from evolve.agent.stages.reflect import reflect

__all__ = ["act", "ask", "commit", "distill", "judge", "observe", "plan", "recall", "reflect"]
