"""Which policy a workspace uses, how it is made from what was learned, and what an episode of it may spend."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from evolve.core.episodes import Json, Limits, TaskView
from evolve.core.errors import BudgetExhausted, UsageError
from evolve.trials.learner import Learner

if TYPE_CHECKING:
    from evolve.agent.workflow import Knobs
    from evolve.core.ledger import Budget
    from evolve.core.paths import WorkspacePaths
    from evolve.core.settings import Settings
    from evolve.memory import ExperienceRow
    from evolve.policies.base import BasePolicy
    from evolve.runtime.models import Recording
    from evolve.runtime.sandbox import Outcome
    from evolve.skills import Skill
    from evolve.skills.admission import Interpreter


@dataclass(frozen=True)
class SearchLearner:
    """The embedded policy: program search, with a guide fitted to insights and skills as operations.

    Attributes:
        look_on: How much longer the search goes on after an answer when a person reads it, as a share of
            the candidates so far; a second short program shows what the examples leave open.
        habits: Where rows leave a format open, a person gets the one that earlier answers have.
        dreams: Rows made up for a fit, or None for as many as the guide was measured with, which take seconds.
    """

    look_on: float = 0.5
    habits: bool = True
    dreams: int | None = None
    name: str = "search"
    ends: float | None = None

    def until(self, ends: float) -> SearchLearner:
        """The same learner; see :class:`evolve.trials.learned_state.Hurried`."""
        return replace(self, ends=ends)

    def policy(self, guide: Json, skills: Sequence[Skill], *, attended: bool = False) -> BasePolicy:
        """A search policy; unlearned without guide and skills."""
        from evolve.policies.search import Guide, SearchPolicy, SearchSettings

        return SearchPolicy(
            library=_with_trees(skills),
            guide=Guide.from_json(guide) if guide is not None else None,
            settings=SearchSettings(
                look_on=self.look_on if attended else 0.0,
                doubts_rows=attended,
                habits=attended and self.habits,
                ends=self.ends,
            ),
        )

    def interpreter(self, skills: Sequence[Skill]) -> Interpreter | None:
        """Evaluates skill trees with the search's own operations."""
        return TreeInterpreter(_with_trees(skills))

    def fit(
        self, experience: Sequence[ExperienceRow], views: Sequence[TaskView], skills: Sequence[Skill], seed: int
    ) -> Json:
        """A guide fitted to experience and dreams; None without experience."""
        if not experience:
            return None
        from evolve.policies.search import TrainingSettings, fit_guide

        settings = TrainingSettings(check=_FitClock(self.ends))
        if self.dreams is not None:
            settings = replace(settings, dreams=self.dreams)
        return fit_guide(experience, views, _with_trees(skills), seed, settings).to_json()

    def fit_candidates(self, views: Sequence[TaskView]) -> int:
        """The most candidates that the dreams of a fit try."""
        from evolve.policies.search.training import CANDIDATES

        return CANDIDATES * len(views)


_SAMPLE = 0.02
"""Share of a fit after which its length is foretold."""
_ERROR = 0.2
"""How much longer than there is time for a fit may seem to take and still goes on."""


@dataclass
class _FitClock:
    """Ends a fit when its time is over, and as soon as it is seen to take longer."""

    ends: float | None
    began: float = field(default_factory=time.monotonic)

    def __call__(self, done: float) -> None:
        """Told which share is done."""
        now = time.monotonic()
        if self.ends is None:
            return
        if now >= self.ends:
            raise BudgetExhausted("the time budget ended while a guide was being fitted")
        whole = (now - self.began) / done if done >= _SAMPLE else 0.0
        if whole > (1 + _ERROR) * (self.ends - self.began):
            room = f"{max(0.0, self.ends - self.began):.0f} s"
            raise BudgetExhausted(f"no guide was fitted: that takes about {whole:.0f} s, and there were {room} for it")


def _with_trees(skills: Sequence[Skill]) -> tuple[Skill, ...]:
    """The skills that the search can take as operations."""
    return tuple(skill for skill in skills if skill.tree is not None)


class TreeInterpreter:
    """Computes what a skill's tree means, with the operations of the search.

    Args:
        skills: Skills that the tree may use, oldest first.
    """

    def __init__(self, skills: Sequence[Skill]) -> None:
        from evolve.policies.search.known_functions import with_library
        from evolve.policies.search.programs.operations import vocabulary

        self._operations = {operation.name: operation for operation in with_library(vocabulary(), skills)}

    def __call__(self, tree: Json, inputs: Sequence[Sequence[Json]]) -> list[Outcome]:
        """One outcome per input; a tree that cannot be read is an error on every input."""
        from evolve.policies.search.programs.evaluation import compile_term
        from evolve.policies.search.programs.terms import from_json, type_from_json
        from evolve.runtime.sandbox import Outcome

        try:
            types = [type_from_json(kind) for kind in tree["inputs"]]
            meaning = compile_term(from_json(tree["term"]), self._operations)
        except (KeyError, TypeError, ValueError) as error:
            return [Outcome(error=f"the tree cannot be read: {error}")] * len(inputs)
        return [_outcome_of(meaning, types, row) for row in inputs]


def _outcome_of(meaning: Callable[[tuple[Any, ...]], Any], types: Sequence[Any], row: Sequence[Json]) -> Outcome:
    from evolve.policies.search.programs.operation import EVALUATION_ERRORS
    from evolve.policies.search.programs.types import as_type, thaw_value
    from evolve.runtime.sandbox import Outcome

    try:
        return Outcome(value=thaw_value(meaning(tuple(as_type(v, t) for v, t in zip(row, types, strict=True)))))
    except EVALUATION_ERRORS as error:
        return Outcome(error=f"{type(error).__name__}: {error}")


@dataclass(frozen=True)
class GivenPolicy(Learner):
    """A policy somebody passed in: it is used as it is, with recall but without guide or skills."""

    given: BasePolicy

    @property
    def name(self) -> str:
        """The policy's own name."""
        return self.given.name

    def policy(self, guide: Json, skills: Sequence[Skill], *, attended: bool = False) -> BasePolicy:
        """The policy itself."""
        return self.given


def model_name(model: str | Recording | None) -> str | None:
    """The name that was given for a model, or for that of a recording."""
    return model if model is None or isinstance(model, str) else model.model


def check_model(policy: BasePolicy | Learner | None, model: str | Recording | None) -> None:
    """Refuses a malformed name before anything is made.

    Raises:
        UsageError: The name is malformed, or a policy is given as well.
    """
    if policy is not None and model:
        raise UsageError("either a policy or a model decides, not both", hint="leave one of them out")
    for name in filter(str.strip, (model_name(model) or "").split(",")):
        from evolve.runtime.models import parse_model

        parse_model(name)


def choose_learner(
    policy: BasePolicy | Learner | None,
    model: str | Recording | None,
    place: tuple[WorkspacePaths, Settings],
) -> Learner:
    """The learner behind ``open(policy=..., model=...)``.

    Args:
        model: A model, or the recording of one; "" for none; None for that of the settings, if they name one.
        place: The workspace's paths and settings.

    Raises:
        UsageError: A recording is named, and no model.
    """
    if policy is not None:
        return cast(Learner, policy) if hasattr(policy, "fit") else GivenPolicy(policy)
    paths, settings = place
    recording = None if model is None or isinstance(model, str) else model
    model = model_name(model)
    if model or (model is None and (settings.model or settings.role_models.get("act"))):
        from evolve.workspace.language import LanguageLearner

        return cast(Learner, LanguageLearner(paths=paths, settings=settings, model=model, recording=recording))
    if recording is not None:
        raise UsageError(
            "--record and --replay are about a model's exchanges, and no model is named",
            hint="name with --model the one that was recorded, or choose it with `evolve models default NAME`",
        )
    return SearchLearner(habits=settings.habits == "on")


def episode_limits(learner: Learner, budget: Budget, settings: Settings, knobs: Knobs) -> Limits:
    """What one episode of a person's own may spend: of tokens and money where a model decides, else of candidates and
    CPU seconds.

    Raises:
        UsageError: Money is bounded and a model's price is not known.
    """
    bounded = getattr(learner, "limits", None)
    if bounded is not None:
        return cast(Limits, bounded(budget, knobs))
    return Limits(
        candidates=budget.candidates or settings.own_candidates, seconds=budget.seconds or settings.own_seconds
    )
