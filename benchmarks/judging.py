"""Where answers are run: by the search's own operations, or as Python in the sandbox.

The sandbox is what the product uses. Evaluating an answer's tree instead gives the same verdicts
(a test compares both) and spares a process per answer, so that benchmarks can afford more tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from evolve.core.episodes import Action, Json, Row, TaskView
from evolve.environments import ReflectionTrials
from evolve.policies.search import SearchPolicy
from evolve.policies.search.problem import SearchProblem, problem_of
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.terms import Term, from_json
from evolve.policies.search.programs.types import as_type, thaw_value
from evolve.policies.search.reflection import term_ablations
from evolve.runtime.sandbox import Sandbox
from evolve.skills import UNSEEN, Admission, Skill
from evolve.tasks import equal


class Judge(Protocol):
    """Runs answers and compares what they give."""

    name: str

    def holds(self, policy: SearchPolicy, view: TaskView, action: Action, rows: Sequence[Row]) -> bool:
        """Whether the answer is right on every row."""
        ...

    def probe(self, policy: SearchPolicy, view: TaskView, action: Action) -> ReflectionTrials:
        """Runs variations of the answer for reflection."""
        ...

    def admits(self, skill: Skill, unseen: Sequence[Row], active: Sequence[Skill]) -> bool:
        """Whether a verified answer may become a skill."""
        ...


class HostJudge:
    """Evaluates trees with the host's own operations; nothing of an answer's text is run."""

    name = "host"

    def holds(self, policy: SearchPolicy, view: TaskView, action: Action, rows: Sequence[Row]) -> bool:
        problem = problem_of(view)
        policy.vocabulary.grammars_of(problem)  # makes the operations that stand for a table's columns known
        outputs = _outputs(policy, problem, from_json(action.private["tree"]), [row.input for row in rows])
        return all(equal(out, row.output) for out, row in zip(outputs, rows, strict=True))

    def probe(self, policy: SearchPolicy, view: TaskView, action: Action) -> ReflectionTrials:
        problem = problem_of(view)
        policy.vocabulary.grammars_of(problem)
        changes = term_ablations(from_json(action.private["tree"]))

        def probe(programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]) -> list[list[Json] | None]:
            # Reflection renders exactly these changes, in this order.
            if len(programs) != len(changes):
                raise ValueError("reflection asked for other programs than the ablations of the answer")
            return [_outputs(policy, problem, change.term, inputs) for change in changes]

        return probe

    def admits(self, skill: Skill, unseen: Sequence[Row], active: Sequence[Skill]) -> bool:
        """The answer was right on the unseen rows, or nobody would ask; what is there already is refused."""
        if len(unseen) < UNSEEN:
            return False
        return skill.tree is not None and all(skill.tree != other.tree for other in active)


class SandboxJudge:
    """Does what the product does."""

    name = "sandbox"

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def holds(self, policy: SearchPolicy, view: TaskView, action: Action, rows: Sequence[Row]) -> bool:
        from evolve.environments.probing import try_rows

        return try_rows(self._sandbox, action.code, view.entry, rows).ok

    def probe(self, policy: SearchPolicy, view: TaskView, action: Action) -> ReflectionTrials:
        from evolve.environments.probing import make_probe

        return make_probe(self._sandbox)

    def admits(self, skill: Skill, unseen: Sequence[Row], active: Sequence[Skill]) -> bool:
        from evolve.workspace.learners import SearchLearner

        interpret = SearchLearner().interpreter(active)
        return Admission(self._sandbox, interpret=interpret).judge(skill, unseen, active).admitted


def _outputs(policy: SearchPolicy, problem: SearchProblem, term: Term, inputs: Sequence[Sequence[Json]]) -> list[Any]:
    meaning = compile_term(term, policy.vocabulary.by_name)
    found = []
    for row in inputs:
        try:
            values = tuple(as_type(value, type_) for value, type_ in zip(row, problem.input_types, strict=True))
            found.append(thaw_value(meaning(values)))
        except EVALUATION_ERRORS as error:
            found.append({"error": type(error).__name__})
    return found
