"""Optuna's TPE as an engine, to compare with: it draws every number of a workflow and sees one value per workflow.

Tree-structured Parzen estimators (Bergstra et al., "Algorithms for hyper-parameter optimization", NeurIPS 2011) in the
multivariate form of Optuna (MIT licence). It has no use for scores per task: its value is the mean score, and cost
breaks ties. Needs ``pip install optuna``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from evolve.agent.workflow import BY_HAND, KNOB_BOUNDS, Knobs, Workflow, used_knobs
from evolve.core.errors import UsageError
from evolve.improve.optimizer.engine import Candidate, EngineSettings, EngineTrials
from evolve.improve.optimizer.workflow_drafts import SearchScope

OPTIONAL = ("recall", "reflect", "distill")
"""Stages that it may leave out. Beside them it draws where ``judge`` leads back to, and knobs."""

TIES = 0.04
"""What the mean cost, as a share of the highest seen, counts at most: less than one task of 24."""


@dataclass(kw_only=True)
class TpeEngine:
    """Asks, tries, tells until the budget ends."""

    settings: EngineSettings
    scope: SearchScope
    tasks: int = 24
    name: str = "tpe"
    best: Candidate | None = None

    def search(self, trials: EngineTrials, start: Candidate) -> str:
        """Ends with the budget only."""
        study = _study(self.settings.seed)
        tasks = [view.id for view in trials.tasks][: self.tasks]
        highest, known = -1.0, {start.digest: self._value(trials, start, tasks)}
        self.best, highest = start, known[start.digest]
        while True:
            asked = study.ask()
            workflow = self.scope.clamp_knobs(
                _suggested(asked, start.workflow, knobs_only=self.settings.only == "knobs")
            )
            child = Candidate(workflow=workflow, parents=(start.digest,), operator=self.name)
            if child.digest not in known:
                known[child.digest] = self._value(trials, child, tasks)
            value = known[child.digest]
            study.tell(asked, value)
            if value > highest:
                self.best, highest = child, value

    def _value(self, trials: EngineTrials, candidate: Candidate, tasks: Sequence[str]) -> float:
        found = trials.screen(candidate, tasks)
        cost = sum(one.cost.candidates for one in found) / len(found)
        limit = max(self.scope.limits.candidates or 0, cost) or 1.0
        return sum(one.score for one in found) / len(found) - TIES * cost / limit


def _study(seed: int) -> Any:
    try:
        import optuna
    except ImportError as error:
        raise UsageError("this arm needs the package optuna", hint="pip install optuna") from error
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # multivariate is marked experimental
        sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True)
    return optuna.create_study(direction="maximize", sampler=sampler)


def _suggested(asked: Any, start: Workflow, *, knobs_only: bool) -> Workflow:
    stages, routes = start.stages, start.routes
    if not knobs_only:
        whole = Workflow().stages
        stages = tuple(name for name in whole if name not in OPTIONAL or asked.suggest_categorical(name, (True, False)))
        again = asked.suggest_categorical("again", ("act", "plan"))
        routes = {"judge": {"again": again, "stop": stages[stages.index("judge") + 1]}}
    numbers: dict[str, Any] = {}
    for item in fields(Knobs):
        if item.name in BY_HAND or item.name not in used_knobs(stages):
            continue
        low, high = KNOB_BOUNDS[item.name]
        log = low > 0 and high / low > 50
        suggest = asked.suggest_int if isinstance(low, int) else asked.suggest_float
        numbers[item.name] = suggest(item.name, low, high, log=log)
    return Workflow(stages=stages, routes=routes, knobs=Knobs(**numbers))
