"""The model that judges answers by a rubric where nothing else can check them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError
from evolve.core.files import digest
from evolve.core.prompts import PromptLayers, load_prompt

if TYPE_CHECKING:
    from evolve.core.paths import WorkspacePaths
    from evolve.tasks import RubricVerifier, Task
    from evolve.trials.gate import DecisionRepository
    from evolve.trials.gate.judges import Standing
    from evolve.trials.learner import Learner


class Judge:
    """The judge of a workspace.

    Args:
        learner: What decides; one with a language model has a judge.
    """

    def __init__(self, decisions: DecisionRepository, learner: Learner, paths: WorkspacePaths) -> None:
        self.decisions = decisions
        self._learner = learner
        self._prompts = PromptLayers(workspace=paths.prompts)

    def calibrated_verifier(self, task: Task) -> RubricVerifier:
        """The verifier that judges by a task's rubric, marked with what its judge is known to be worth.

        Raises:
            UsageError: No model is named.
        """
        unmeasured = self.uncalibrated_verifier(task)
        return replace(unmeasured, standing=self.calibration(name_of(unmeasured)))

    def calibration(self, model: str) -> Standing:
        """Whether a model's verdicts count."""
        measurement = self.decisions.measurement(model, self.prompt_digest)
        return "unmeasured" if measurement is None else measurement.calibration

    def uncalibrated_verifier(self, task: Task) -> RubricVerifier:
        """The same without what it is worth.

        Raises:
            UsageError: No model is named.
        """
        judge = getattr(self._learner, "judge", None)
        if judge is None:
            raise UsageError("no model is named that could judge", hint="evolve models default NAME, or --model NAME")
        verifier: RubricVerifier = judge(task)
        return verifier

    @property
    def prompt_digest(self) -> str:
        """Digest of the prompt that judges are asked by; with another prompt a judge is unmeasured."""
        return digest(load_prompt("judge.md", self._prompts))[:16]


def name_of(verifier: RubricVerifier) -> str:
    """The name of the model that judges."""
    of = getattr(verifier.model, "model_for", None)
    return str((of("judge") if of is not None else verifier.model).name)
