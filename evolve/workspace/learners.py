"""Which policy a workspace uses, and how it is made from what was learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from evolve.episodes import Json, TaskView
from evolve.errors import UsageError
from evolve.improve.arms import Learner
from evolve.memory import ExperienceRow
from evolve.policies.protocol import Policy
from evolve.skills import Skill
from evolve.skills.admission import Interpreter


@dataclass(frozen=True)
class SearchLearner:
    """The embedded policy: program search, with a guide fitted to insights and skills as operations."""

    name: str = "search"

    def policy(self, guide: Json, skills: Sequence[Skill]) -> Policy:
        """A search policy; unlearned without guide and skills."""
        from evolve.policies import search

        return search.SearchPolicy(
            library=search_library(skills), guide=search.Guide.from_json(guide) if guide is not None else None
        )

    def interpreter(self) -> Interpreter | None:
        """Evaluates skill trees with the search's own operations."""
        return None

    def fit(
        self, experience: Sequence[ExperienceRow], views: Sequence[TaskView], skills: Sequence[Skill], seed: int
    ) -> Json:
        """A guide fitted to experience and dreams; None without experience."""
        if not experience:
            return None
        from evolve.policies import search

        return search.fit_guide(experience, views, search_library(skills), seed).to_json()


def search_library(skills: Sequence[Skill]) -> tuple[Any, ...]:
    """The skills that have a tree, as the search takes them."""
    return tuple(skill for skill in skills if skill.tree is not None)


@dataclass(frozen=True)
class GivenPolicy:
    """A policy somebody passed in: it is used as it is, with recall but without guide or skills."""

    given: Policy

    @property
    def name(self) -> str:
        """The policy's own name."""
        return self.given.name

    def policy(self, guide: Json, skills: Sequence[Skill]) -> Policy:
        """The policy itself."""
        return self.given

    def interpreter(self) -> Interpreter | None:
        """Nothing is known of its trees."""
        return None

    def fit(
        self, experience: Sequence[ExperienceRow], views: Sequence[TaskView], skills: Sequence[Skill], seed: int
    ) -> Json:
        """No guide."""
        return None


def choose_learner(policy: Policy | Learner | None, model: str | None) -> Learner:
    """The learner behind ``open(policy=..., model=...)``.

    Raises:
        UsageError: For a model: this version has the embedded policy only.
    """
    if model is not None:
        raise UsageError("this version has no language policy", hint="leave the model out to use program search")
    if policy is None:
        return SearchLearner()
    return cast(Learner, policy) if hasattr(policy, "fit") else GivenPolicy(policy)
