"""Has a run again with something of it removed and everything else as it was, to see whether that turns the outcome.

Nothing of it is committed and nothing is learned. Whoever would blame something first has the run again as it was:
where it does not fail again, its failure says nothing of what it rested on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace

from evolve.core.episodes import OWN, Action, Cost, EpisodeRecord, Recalled, Step
from evolve.core.events import NoEvents
from evolve.environments import EnvironmentOptions, environment_kind, open_environment
from evolve.runtime.sandbox import Sandbox
from evolve.trials import Change
from evolve.workspace.runs.beginnings import RunStart
from evolve.workspace.runs.context import (
    RunContext,
    RunRequest,
    agent_with,
    sandbox_for,
    services_as_recorded,
    with_earlier_runs,
)
from evolve.workspace.runs.saved import saved_for
from evolve.workspace.services import WorkspaceServices

_AS_IT_WAS = Change()


@dataclass
class Reruns:
    """The runs that a diagnosis has again.

    Attributes:
        record: The episode that failed.
        offered: What its recall at the start gave; None where that is not on record, so that today's is taken.
        spent: What the episodes that were had again have cost.
        count: How many episodes there were.
    """

    services: WorkspaceServices
    begun: RunStart
    record: EpisodeRecord
    offered: tuple[Recalled, ...] | None = None
    spent: Cost = field(default_factory=Cost)
    count: int = 0

    def rerun(self, change: Change = _AS_IT_WAS) -> EpisodeRecord:
        """The run once more.

        Raises:
            UsageError: The folder is gone, or is not as it was.
            EndpointProblem: The model does not answer.
        """
        with self._at_work(change) as (request, sandbox):
            self.count += 1
            place = RunContext(run=f"{self.record.run}:again {self.count}", sandbox=sandbox, events=NoEvents())
            agent = agent_with(self.services, request, place, change, self._offered)
            made = agent.run_episode(
                request.task,
                variant=self.record.variant,
                split=OWN,
                seed=self.record.seed,
                limits=change.limits(self.begun.limits),
            )
        self.spent += made.cost
        return made

    def passes_without(self, number: int | None) -> bool | None:
        """Whether a folder passes after the recorded actions but one, in their order; no model is asked.

        Args:
            number: The step that is left out; None for none.

        Returns:
            None where an action or the check was ended by the machine or a limit, so that nothing is known.
        """
        with self._at_work(_AS_IT_WAS) as (request, sandbox):
            setting = EnvironmentOptions(sandbox=sandbox, own=True)
            with closing(open_environment(request.task, setting)) as environment:
                actions = self._actions(number)
                steps: list[Step] = []
                for action in actions:
                    observed = environment.observe(action, steps)
                    if observed.fault or observed.limit or (observed.state is not None and observed.state.limit):
                        return None
                    steps.append(Step(number=len(steps) + 1, action=action, observation=observed))
                if not steps:
                    return False
                judged = environment.judge(steps)
                return None if judged.fault else judged.accepted

    @property
    def has_states(self) -> bool:
        """Whether recorded actions can be had again without whoever chose them."""
        task = self.begun.task
        return environment_kind(task.environment).has_states and not task.rubric

    def _offered(self, today: Sequence[Recalled]) -> Sequence[Recalled]:
        """What was offered at the start: in the words of then, where the record has them."""
        if self.offered is not None:
            return self.offered
        return [item for item in today if item.id in self.record.recalled]

    def _actions(self, number: int | None) -> Iterator[Action]:
        for step in self.record.steps:
            state = step.observation.state if step.observation is not None else None
            acts = step.action.code and state is not None and not state.undone
            if acts and step.number != number:
                yield replace(step.action, kind="code", continues=False)

    @contextmanager
    def _at_work(self, change: Change) -> Iterator[tuple[RunRequest, Sandbox]]:
        services = self.services
        task = change.changed_task(self.begun.task)
        with ExitStack() as stack:
            task = services_as_recorded(services, task, self.record.run, stack)
            # The same answers and refusals of earlier runs as the run itself was told of.
            task = with_earlier_runs(services, task, self.record.run)
            task = replace(task, saved=saved_for(services, task, self.record.run))
            request = RunRequest(task=task, python=self.begun.python)
            yield request, stack.enter_context(sandbox_for(services, request)())
