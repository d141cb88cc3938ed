"""The language policy in a workspace: which models it asks, and what one episode may spend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.agent.workflow import parse_workflow
from evolve.core.episodes import Cost, Json, Limits
from evolve.core.errors import UsageError
from evolve.core.prompts import PromptLayers, load_prompt, render_prompt
from evolve.policies.language import EpisodeMeter, LanguagePolicy, LanguageSettings, PromptBudget, Questions
from evolve.policies.language.describing import PreferenceDraft, describe_preference
from evolve.runtime.models import Endpoint, ModelPool, ModelSetup, Prices, Wire, open_models, parse_model
from evolve.tasks import Task
from evolve.tasks.verification.rubric import RubricVerifier
from evolve.tasks.verification.verifiers import Verifier
from evolve.trials.learned_state import LearnedState
from evolve.trials.learner import Learner
from evolve.workspace.model_setup import model_setup, within_spending_limits

if TYPE_CHECKING:
    from evolve.agent.workflow import Knobs
    from evolve.core.ledger import Budget
    from evolve.core.paths import WorkspacePaths
    from evolve.core.settings import Settings
    from evolve.policies.base import BasePolicy
    from evolve.runtime.models import Recording
    from evolve.skills import Skill


@dataclass(kw_only=True)
class LanguageLearner(Learner):
    """Makes policies that ask the models of a workspace. Connections are shared by all of them and closed once.

    Skills that a model wrote have no trees, and there is no guide: insights act as lines of the prompt.

    Attributes:
        model: The model asked for, or None for those of the settings.
        wire: Makes the connection to an endpoint, where it is not HTTP.
        recording: Where exchanges are recorded or replayed from, or None.
    """

    paths: WorkspacePaths
    settings: Settings
    model: str | None = None
    wire: Callable[[Endpoint], Wire] | None = None
    recording: Recording | None = None
    language: LanguageSettings = field(default_factory=LanguageSettings)
    _opened: tuple[ModelPool, EpisodeMeter] | None = None
    _folders: tuple[Path, ...] = ()
    _spared: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """``language:`` and the models that act and reflect; what is learned is bound to it."""
        roles = {role: text for role, text in self._setup.roles.items() if text != self._setup.model}
        told = [f"{role}={roles[role]}" for role in ("act", "reflect") if role in roles]
        return f"language:{','.join([*filter(None, [self._setup.model]), *told])}"

    def policy(self, guide: Json, skills: Sequence[Skill], *, attended: bool = False) -> BasePolicy:
        """A policy that is offered these skills; it has no guide."""
        workflow = parse_workflow(load_prompt("workflow.toml", PromptLayers(workspace=self.paths.prompts)))
        return self.policy_for(LearnedState(skills=tuple(skills), workflow=workflow))

    def policy_for(self, arm: LearnedState) -> BasePolicy:
        """A policy with the arm's skills, prompts and number of samples."""
        models, meter = self._open()
        return LanguagePolicy(
            models=models,
            meter=meter,
            skills=tuple(skill.read_for(self.name) for skill in arm.skills if not skill.is_hidden),
            questions=Questions(
                layers=PromptLayers(variant=arm.prompts, workspace=self.paths.prompts),
                rooms=PromptBudget(share=self.settings.history_share),
                form=self.settings.reply_form,
            ),
            settings=replace(
                self.language,
                samples=arm.workflow.knobs.samples,
                plans=self.language.plans or bool(arm.workflow.knobs.plan_first),
                differing=self.language.differing or bool(arm.workflow.knobs.differing),
            ),
            name=self.name,
            guidance=arm.guidance,
        )

    def judge(self, task: Task) -> Verifier:
        """Asks the model of the role ``judge`` whether an answer meets the task's rubric, by ``prompts/judge.md``."""
        layers = PromptLayers(workspace=self.paths.prompts)
        values = {"task": task.instruction, "rubric": task.rubric}
        prompt = render_prompt(load_prompt("judge.md", layers), values, name="judge.md").strip()
        return RubricVerifier(model=self._open()[0], prompt=prompt)

    def describe(self, said: Sequence[str], budget: Budget) -> PreferenceDraft:
        """What acts of a person come down to, as a model puts it inside a budget; a proposal."""
        models, meter = self._open()
        meter.start(budget)
        return describe_preference(models, Questions(layers=PromptLayers(workspace=self.paths.prompts)), said)

    @property
    def spent(self) -> Cost:
        """What its models have cost since they were opened."""
        return self._opened[1].spent if self._opened is not None else Cost()

    def beware_of(self, folders: Iterable[Path], spared: frozenset[str] = frozenset()) -> None:
        """What is asked and answered from here on is clean of the values in ``.env`` files of these folders too.

        Args:
            spared: Guessable values that are words of the work itself, and so no secrets there.
        """
        known = tuple(dict.fromkeys((*self._folders, *folders)))
        if (known, spared) != (self._folders, self._spared):
            self._folders, self._spared = known, spared
            self.close()  # what is open knows less; it is opened again with the next question

    def close(self) -> None:
        """Frees the connections; closing twice is no error."""
        if self._opened is not None:
            self._opened[0].close()
            self._opened = None

    def limits(self, budget: Budget, knobs: Knobs) -> Limits:
        """What one episode may spend: the budget's bounds where it has some, else the workflow's tokens.

        Raises:
            UsageError: Money is bounded and a model's price is not known.
        """
        if budget.money is not None:
            prices = Prices(self._setup.prices)
            for endpoint in self._endpoints():
                if prices.price_of(endpoint) is None:
                    raise UsageError(
                        f"--budget ${budget.money:g}: the price of {endpoint.name} is not known",
                        hint=f"write --budget 200k-tokens, or give the price in {self._setup.prices}",
                    )
        return Limits(
            candidates=None,
            seconds=budget.seconds,
            tokens=budget.tokens or knobs.tokens,
            money=budget.money,
            calls=budget.calls,
        )

    @property
    def _setup(self) -> ModelSetup:
        return model_setup(self.paths, self.settings, model=self.model, recording=self.recording)

    def _endpoints(self) -> list[Endpoint]:
        texts = ",".join([self._setup.model, *self._setup.roles.values()])
        return [parse_model(text, base_url=self._setup.base_url) for text in texts.split(",") if text.strip()]

    def _open(self) -> tuple[ModelPool, EpisodeMeter]:
        if self._opened is None:
            replays = self.recording is not None and self.recording.mode == "only"
            # A replay spends nothing, so what was spent before does not stand in its way.
            meter = (
                EpisodeMeter() if replays else EpisodeMeter(partial(within_spending_limits, self.paths, self.settings))
            )
            folders = (*self._setup.folders, *self._folders)
            setup = replace(self._setup, meter=meter, folders=folders, spared=self._spared)
            self._opened = open_models(setup if self.wire is None else replace(setup, wire=self.wire)), meter
        return self._opened
