"""Code shared by the stages that compare, doubt or change an answer before it is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evolve.agent.context import EpisodeContext
from evolve.agent.outcome import should_continue
from evolve.agent.state import AgentState, AgentUpdate, read_plan, read_steps, with_last_step
from evolve.core.episodes import Action, Alternative, Json, Limits, Plan, SampleRequest, StageNote, Step
from evolve.core.episodes.codec import to_json
from evolve.core.errors import BudgetExhausted, ModelMistake
from evolve.core.files import clean_text
from evolve.environments.probing import make_probe
from evolve.tasks import equal

_MIN_CANDIDATES = 1_000
"""Candidates that a search for rivals gets at least, if so many are left."""

StageWork = Callable[[EpisodeContext, Plan, Sequence[Step]], Action]
"""Gives the last step's action as a stage leaves it."""


@dataclass(frozen=True, kw_only=True)
class _Actions:
    # A key of the JSON in episodes' files, as the fields of every class given to ``outputs.compute_once`` are.
    found: tuple[Action, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _ProgramOutputs:
    rows: tuple[Json, ...] = ()


def change_answer(state: AgentState, context: EpisodeContext, stage: str, work: StageWork) -> AgentUpdate:
    """Lets a stage change the last step's action, once; an action that is no answer is left as it is."""
    steps = read_steps(state)
    if not steps or not is_answer(steps[-1].action):
        return {}
    return change_action(state, context, stage, work)


def change_action(state: AgentState, context: EpisodeContext, stage: str, work: StageWork) -> AgentUpdate:
    """Lets a stage change the last step's action, once, whatever kind it is."""
    steps, plan = read_steps(state), read_plan(state)
    step = steps[-1]

    def compute() -> Action:
        return _last_resort(context, steps, work(context, plan, steps), stage)

    action = context.outputs.compute_once((step.number, stage, "action"), Action, compute)
    return {"steps": with_last_step(state, replace(step, action=action))}


def note_skipped(state: AgentState, stage: str, reason: str) -> AgentUpdate:
    """What a stage leaves that does nothing in this episode: the reason."""
    steps = read_steps(state)
    if steps:
        return {"steps": with_last_step(state, replace(steps[-1], action=with_note(steps[-1].action, stage, reason)))}
    plan = read_plan(state)
    return {"plan": to_json(replace(plan, notes=(*plan.notes, StageNote(stage=stage, text=reason))))}


def is_answer(action: Action) -> bool:
    """Whether the action is source that may still be exchanged for other source."""
    return action.kind == "code" and bool(action.code) and not action.explores and not action.settled


def with_note(action: Action, stage: str, text: str, *, doubtful: bool | None = None) -> Action:
    """The action with a note of the stage's."""
    return replace(action, notes=(*action.notes, StageNote(stage=stage, text=clean_text(text), doubtful=doubtful)))


def doubt_of(action: Action, stage: str = "") -> StageNote | None:
    """The latest doubt about the answer, of one stage or of any; None where the latest word is no doubt."""
    verdicts = [note for note in action.notes if (not stage or note.stage == stage) and note.doubtful is not None]
    return verdicts[-1] if verdicts and verdicts[-1].doubtful else None


def exchange_answer(action: Action, other: Alternative) -> Action:
    """The action with another answer; the one it had is kept among the rivals."""
    rivals = [rival for rival in action.rivals if rival.code != other.code]
    return replace(with_answer(action, other), rivals=(*rivals, rival_answer(action)))


def with_answer(action: Action, other: Alternative) -> Action:
    """The action with another answer, whatever became of the one it had."""
    return replace(
        action,
        code=other.code,
        written=other.written,
        ambiguity=other.ambiguity,
        private=other.private,
        consumed=other.consumed,
    )


def rival_answer(action: Action) -> Alternative:
    """The action's answer as it is kept beside the one that is handed in."""
    return replace(action.as_alternative, code=clean_text(action.code))


def with_rivals(context: EpisodeContext, plan: Plan, steps: Sequence[Step], stage: str) -> Action:
    """The last step's action with rivals, asked for where there are fewer than the knob says."""
    action = _samples_as_rivals(steps[-1].action)
    missing = context.knobs.rivals - len(action.rivals)
    policy, left = context.policy, context.remaining(steps)
    if missing <= 0 or not policy.deliberates or left.candidates == 0:
        return action
    most = max(_MIN_CANDIDATES, action.cost.candidates)
    limits = replace(left, candidates=most if left.candidates is None else min(most, left.candidates))
    current = [*steps[:-1], replace(steps[-1], action=action)]

    def work() -> tuple[Action, ...]:
        return policy.alternatives(context.view, plan, current, limits, missing)

    answers = ask_once(context, (steps[-1].number, stage, "rivals"), work)
    known = {action.code, *(rival.code for rival in action.rivals)}
    fresh = [
        rival_answer(answer) for answer in answers if answer.kind == "code" and answer.code and answer.code not in known
    ]
    return replace(
        action,
        rivals=(*action.rivals, *fresh),
        drawn=(*action.drawn, SampleRequest(candidates=limits.candidates, wanted=missing)),
        cost=sum((answer.cost for answer in answers), action.cost),
    )


def ask_once(
    context: EpisodeContext, key: tuple[int, str, str], work: Callable[[], tuple[Action, ...]]
) -> tuple[Action, ...]:
    """What ``work`` asked of the policy under this key, once, its cost in the actions.

    A model's mistake or the end of the budget gives one ``finish`` that says so.
    """

    def compute() -> _Actions:
        before = context.policy.total_cost
        try:
            actions = work()
        except (ModelMistake, BudgetExhausted) as error:
            actions = (Action(kind="finish", text=str(error)),)
        *others, last = actions or (Action(kind="finish"),)
        return _Actions(found=(*others, replace(last, cost=last.cost + (context.policy.total_cost - before))))

    return context.outputs.compute_once(key, _Actions, compute).found


def run_programs(
    context: EpisodeContext, key: tuple[int, str, str], codes: Sequence[str], inputs: Sequence[Sequence[Json]]
) -> list[list[Json] | None]:
    """Runs each program on each input in the sandbox, once; None for a program that did not load."""
    probe = make_probe(context.services.sandbox)
    programs = [(code, context.view.entry) for code in codes]
    table = context.outputs.compute_once(
        key, _ProgramOutputs, lambda: _ProgramOutputs(rows=tuple(probe(programs, inputs)))
    )
    return list(table.rows)


def run_rivals(
    context: EpisodeContext, action: Action, number: int, stage: str
) -> tuple[list[list[Json] | None], list[int]]:
    """What a step's answer and its rivals give on the examples and then near them, and how many examples each has."""
    examples = context.view.examples
    # A task without examples is one question: it is called without arguments.
    inputs = [*(list(row.input) for row in examples), *nearby_inputs(context)] or [[]]
    codes = [action.code, *(rival.code for rival in action.rivals)]
    table = run_programs(context, (number, stage, "table"), codes, inputs)
    return table, [examples_matched(values, [row.output for row in examples]) for values in table]


def examples_matched(values: Sequence[Json] | None, expected: Sequence[Json]) -> int:
    """How many of the expected outputs a program gave; -1 where it did not load."""
    if values is None:
        return -1
    return sum(equal(value, output) for value, output in zip(values, expected, strict=False))


def is_error(value: Json) -> bool:
    """Whether a program had no value, but an error."""
    return isinstance(value, dict) and set(value) == {"error"}


def nearby_inputs(context: EpisodeContext) -> list[list[Json]]:
    """Inputs near the examples; none where their values have no common types."""
    from evolve.policies.search.probe_inputs import near_inputs

    return near_inputs(context.view) if context.view.examples else []


def action_limits(context: EpisodeContext, steps: Sequence[Step]) -> Limits:
    """What the next action may spend: all that is left, but for what a stage ``search`` will need."""
    left = context.remaining(steps)
    if "search" not in context.stages or left.candidates is None:
        return left
    rest = 1.0 - context.knobs.share
    return replace(
        left,
        candidates=int(left.candidates * rest),
        seconds=None if left.seconds is None else left.seconds * rest,
    )


def replay_limits(context: EpisodeContext, steps: Sequence[Step]) -> Limits:
    """What the record says that the next action's search might spend; clocks differ, so a replay goes by candidates."""
    return Limits(candidates=action_limits(context, steps).candidates, seconds=None)


def doubted_alternative(context: EpisodeContext, steps: Sequence[Step], action: Action) -> Action:
    """The action; in place of giving up, the first answer that was only doubted, since a doubt is no refutation."""
    first = _first_doubted(steps) if action.kind == "finish" else None
    if first is None:
        return action
    limits = replay_limits(context, steps) if context.policy.searches else None
    text = f"nothing better was found, so the answer of step {first.number} is handed in"
    return replace(
        with_answer(Action(kind="code", text=text, cost=action.cost), rival_answer(first.action)),
        allowed=limits,
        settled=True,
    )


def _last_resort(context: EpisodeContext, steps: Sequence[Step], action: Action, stage: str) -> Action:
    """The action; where it is doubted like all before it and none can follow, the first answer of them, which the
    policy liked best."""
    current = [*steps[:-1], replace(steps[-1], action=action)]
    if doubt_of(action, stage) is None or steps[-1].observation is not None or should_continue(current, context):
        return action
    first = _first_doubted(steps[:-1])
    if first is None:
        return action
    text = f"all answers are doubted, so that of step {first.number} is handed in"
    return with_note(exchange_answer(action, rival_answer(first.action)), stage, text, doubtful=True)


def _first_doubted(steps: Sequence[Step]) -> Step | None:
    """The first step whose answer fits as far as it was tried, was only doubted, and was never handed in."""
    for step in steps:
        ready = step.observation is None or step.observation.ok
        if ready and step.judgement is None and step.action.code and doubt_of(step.action) is not None:
            return step
    return None


def _samples_as_rivals(action: Action) -> Action:
    """Samples that a model gave are rivals too; left where they are, they would be run a second time."""
    return replace(action, samples=(), rivals=(*action.rivals, *action.samples))
