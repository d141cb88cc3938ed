"""``ws.judges``: models that judge, how well each was found to do it, and whether its verdicts count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from evolve.agent import Agent, AgentServices
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Limits, Row
from evolve.core.errors import UsageError
from evolve.tasks import Submission, Task, load_suite
from evolve.tasks.verification.program_runs import try_rows
from evolve.trials.gate.judges import Measurement, Standing
from evolve.workspace.judging import name_of
from evolve.workspace.resources.base import Resource
from evolve.workspace.services import WorkspaceServices
from evolve_evaluators.corruptions import Trace, call
from evolve_evaluators.measuring import Case, cases_of, measure, once

if TYPE_CHECKING:
    from evolve.runtime.sandbox import Sandbox

RUBRIC = (
    "The program does what the task says for every input of the kind, not only for the examples. It is whole and runs."
    " The values that it is said to give are those of the examples. Nothing that is said contradicts the rest."
)
"""The rubric by which answers of known worth are judged, to measure a judge."""

MOST = 40
"""Sound answers that a measurement takes, and as many wrong ones."""

_LIMITS = Limits(candidates=1_500, seconds=5.0)


class Judges(Resource):
    """The judges of a workspace: the model that judges, with each prompt that it was measured by."""

    def __init__(self, services: WorkspaceServices, need_writer: Callable[[], None] = lambda: None) -> None:
        self._services = services
        self._judge = services.rubric_judge
        self._need_writer = need_writer

    @property
    def prompt(self) -> str:
        """Digest of the prompt that judges are asked by; with another prompt a judge is unmeasured."""
        return self._judge.prompt_digest

    @property
    def model(self) -> str:
        """Name of the model that judges.

        Raises:
            UsageError: No model is named.
        """
        return name_of(self._judge.uncalibrated_verifier(_empty_task()))

    def standing(self) -> Standing:
        """Whether verdicts of the judge in force count.

        Raises:
            UsageError: No model is named.
        """
        return self._judge.calibration(self.model)

    def check(self, suite: str = "strings", most: int = MOST) -> Measurement:
        """Measures the judge on answers of known worth, and keeps what was found.

        The embedded search solves tasks of the suite, which their rows verify; each answer is judged as it is and
        once corrupted. Verdicts are kept as they come, so none is paid twice.

        Raises:
            UsageError: No model is named, or the suite gave no answer.
            EndpointProblem: The judge could not be asked; the same call goes on.
        """
        self._need_writer()
        name, sandbox = self.model, self._services.open_sandbox()
        solved = list(self._solved_tasks(suite, most, sandbox))
        if not solved:
            raise UsageError(f"no task of {suite} was solved, so there is nothing to judge")
        tasks = {trace.task: task for task, trace in solved}
        cases = cases_of([trace for _, trace in solved], lambda trace: _is_wrong(trace, tasks[trace.task], sandbox))

        def ask(case: Case) -> bool:
            judge = self._judge.uncalibrated_verifier(replace(_empty_task(), instruction=case.trace.task))
            return judge.verify(Submission(code=case.trace.shown, entry=case.trace.entry), sandbox).accepted

        def judged(case: Case) -> bool:
            return once(self._services.stores.db, case, name, self.prompt, ask)

        return self._judge.decisions.add_measurement(
            measure(cases, judged, model=name, prompt=self.prompt, suite=suite)
        )

    def _solved_tasks(self, suite: str, most: int, sandbox: Sandbox) -> Iterator[tuple[Task, Trace]]:
        """Tasks of different problems that the unlearned search solves, with their verified answers."""
        from evolve.workspace.learners import SearchLearner

        around = AgentServices(policy=SearchLearner().policy(None, ()), sandbox=sandbox, run="judges")
        agent = Agent(around, Workflow().with_knobs(steps=1))
        solved, seen = 0, set()
        for task in load_suite(suite).tasks:
            if solved >= most:
                return
            # Tasks of one group are one problem, so a second answer would be no independent case.
            if task.group in seen or not task.examples:
                continue
            seen.add(task.group)
            record = agent.run_episode(task, variant="unlearned", split="gate", limits=_LIMITS)
            if record.verified:
                solved += 1
                yield task, _trace(task, record.answer)


def _empty_task() -> Task:
    return Task(id="judged", family="judged", instruction="", examples=(), meta={"rubric": RUBRIC})


def _trace(task: Task, code: str) -> Trace:
    view = task.view()
    rows = tuple(Row(input=row.input, output=row.output) for row in task.examples)
    header = "\n".join(
        [task.instruction or "Find the function that the examples show.", f"Signature: {view.signature}"]
    )
    examples = "\n".join(call(view.entry, row) for row in rows)
    return Trace(task=f"{header}\nExamples:\n{examples}", group=task.group, entry=view.entry, code=code, gave=rows)


def _is_wrong(trace: Trace, task: Task, sandbox: Sandbox) -> bool:
    """Whether the code fails a row of its task; a sandbox that failed leaves it open."""
    trial = try_rows(sandbox, trace.code, trace.entry, (*task.examples, *task.verify_rows()))
    return not trial.ok and not trial.fault
