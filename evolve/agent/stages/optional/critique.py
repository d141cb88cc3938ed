"""Looks for a reason against an answer before it is handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolve.agent.answer_stages import change_answer, is_error, nearby_inputs, run_programs, with_note, with_rivals
from evolve.agent.context import EpisodeContext
from evolve.agent.state import AgentState, AgentUpdate, read_steps
from evolve.core.episodes import Action, Cost, Json, Plan, Row, Step
from evolve.core.errors import BudgetExhausted, ModelMistake
from evolve.core.files import canonical_json
from evolve.tasks import equal

_NAME = "critique"


@dataclass(frozen=True, kw_only=True)
class _Objection:
    """What the policy finds wrong, the calls that would show it, and what asking cost."""

    text: str
    cases: tuple[Row, ...]
    cost: Cost


def critique(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Doubts the answer where something it gives speaks against it.

    A policy that finds fault in words names calls with what they should give; they are run, and only what the answer
    really gets wrong is a doubt. For other policies a doubt is an input near the examples on which a rival that fits
    them too gives another value, or has one where the answer has none.
    """
    steps = read_steps(state)
    if steps and steps[-1].observation is not None and not steps[-1].observation.ok:
        return {}  # it stands after the trial, and the trial has refuted the answer already
    return change_answer(state, context, _NAME, _work)


def _work(context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    if context.policy.criticises:
        return _in_words(context, plan, steps)
    action = with_rivals(context, plan, steps, _NAME)
    rivals, inputs = action.rivals, nearby_inputs(context)
    if not rivals or not inputs:
        return with_note(action, _NAME, "no rival fits the examples", doubtful=False)
    codes = [action.code, *(rival.code for rival in rivals)]
    mine, *others = run_programs(context, (steps[-1].number, _NAME, "table"), codes, inputs)
    for theirs in others:
        for arguments, own, other in zip(inputs, mine or (), theirs or (), strict=False):
            if not is_error(other) and not equal(own, other):
                call = ", ".join(map(canonical_json, arguments))
                text = f"on ({call}) it gives {_value_text(own)}, a rival gives {_value_text(other)}"
                return with_note(action, _NAME, text, doubtful=True)
    return with_note(action, _NAME, f"{len(rivals)} rivals give the same near the examples", doubtful=False)


def _in_words(context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    step = steps[-1]

    def work() -> _Objection:
        before = context.policy.total_cost
        try:
            text, cases = context.policy.critique(context.view, plan, steps)
        except (ModelMistake, BudgetExhausted) as error:
            text, cases = str(error), ()
        return _Objection(text=text, cases=cases, cost=context.policy.total_cost - before)

    fault = context.outputs.compute_once((step.number, _NAME, "fault"), _Objection, work)
    action, cases = replace(step.action, cost=step.action.cost + fault.cost), fault.cases
    if not cases:
        return with_note(action, _NAME, "no call was named on which the answer is wrong", doubtful=False)
    inputs = [list(row.input) for row in cases]
    (values,) = run_programs(context, (step.number, _NAME, "table"), [action.code], inputs)
    wrong = [(row, value) for row, value in zip(cases, values or (), strict=False) if not equal(value, row.output)]
    if not wrong:
        return with_note(action, _NAME, "on every call that was named the answer gives what was wanted", doubtful=False)
    row, value = wrong[0]
    call = ", ".join(map(canonical_json, row.input))
    text = f"{fault.text or 'wrong'}; on ({call}) it gives {_value_text(value)}, not {canonical_json(row.output)}"
    return with_note(action, _NAME, text, doubtful=True)


def _value_text(value: Json) -> str:
    return f"an error ({value['error']})" if is_error(value) else canonical_json(value)
