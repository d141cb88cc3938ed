"""An episode as a conversation: the task, then own replies and what came of each, older ones in a summary.

Turns are only added, and nothing that was said changes, so that providers find the beginning of a prompt in their
cache. Where the turns outgrow their room, the oldest are put into one summary at once, and not a few with every turn;
so the beginning stays the same for many turns after that, and a prompt after two hundred turns is as long as after
forty. Everything here is a function of the steps: an episode that goes on after a crash has the same prompt.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolve.core.episodes import EnvironmentState, Limits, Step, TaskView, subgoal_states
from evolve.environments import environment_kind
from evolve.policies.language.forms import read_written
from evolve.policies.language.loop_detection import hint_after
from evolve.policies.language.plans import open_numbers, plan_lines, plan_told
from evolve.policies.language.quoting import quote_text, truncate_middle
from evolve.policies.language.results import OutputDifference, answered_by_person, observation_text, output_differences
from evolve.runtime.models import ESSENTIAL, Message

SEEN = 20_000
"""Characters of what came of one step."""
_SUMMED_UP = 400
"""Characters of a step in a summary."""
_LEFT_TOLD = 8
"""Branches that were left of which a prompt tells, the latest."""
_KEPT_SHARE = 0.5
"""Share of the room that the turns take which stay when older ones are put into a summary."""


@dataclass(frozen=True, kw_only=True)
class TurnLimits:
    """What an episode may use up, as it is told with every turn.

    Attributes:
        steps: Replies; 0 where no bound is known.
        tokens: Tokens of all calls, or None.
        submissions: Answers that may be put to the verifier; 0 where no bound is known.
    """

    steps: int = 0
    tokens: int | None = None
    submissions: int = 0

    @classmethod
    def at_start(cls, left: Limits, steps: Sequence[Step]) -> TurnLimits:
        """The limits of an episode's start, from what is left after some steps; the same after each of them."""
        spent = sum(step.action.cost.tokens for step in steps)
        tokens = None if left.tokens is None else left.tokens + spent
        begun = 0 if left.steps is None else left.steps + len(steps)
        judged = sum(step.judgement is not None for step in steps)
        return cls(steps=begun, tokens=tokens, submissions=left.submissions + judged)


def conversation_turns(
    view: TaskView, steps: Sequence[Step], room: int, limits: TurnLimits | None = None, *, differing: bool = False
) -> list[Message]:
    """The steps as turns.

    Args:
        room: Characters that all of them may take together.
        differing: What is long and mostly what an earlier turn shows is told as the difference.
    """
    if not steps and view.place and limits is not None and limits.steps:
        return [Message(role="user", text=f"(at most {limits.steps} replies)", priority=ESSENTIAL, kind="feedback")]
    steps, left = [one for one in steps if not _left(one)], [one for one in steps if _left(one)]
    pairs = [_pair(view, steps[: place + 1], limits) for place in range(len(steps))]
    first = _first_in_full([sum(map(_size, pair)) for pair in pairs], room)
    told = output_differences(view, steps[first:], SEEN) if differing else {}
    for number, difference in told.items():
        pairs[number - 1] = _pair(view, steps[:number], limits, difference)
    recent = [message for pair in pairs[first:] for message in pair] + _left_message(steps, left)
    if not first:
        return recent
    return [_summary(view, steps[:first], room // 4), *recent]


def step_text(view: TaskView, step: Step, *, most: int = SEEN) -> str:
    """A step with what was said and what came of it, for prompts that are about it."""
    what = "an answer" if environment_kind(view.environment).one_file else "work in the folder"
    parts = [f"Step {step.number}, {what}{', which was handed in' if step.judgement is not None else ''}:"]
    if step.action.code:
        parts.append(quote_text("code", truncate_middle(step.action.source, most), name=f"step {step.number}"))
    elif step.action.text and not _is_ours(step):
        parts.append(quote_text("words", truncate_middle(step.action.text, most)))
    return "\n".join([*parts, result_message(view, step, most).text])


def result_message(view: TaskView, step: Step, most: int = SEEN, difference: OutputDifference | None = None) -> Message:
    """What came of a step: data, unless a person said it."""
    if difference is not None:
        number = step.number
        head = f"As step {difference.step} gave, but for these lines; `recall` with `step {number}` shows all of it:"
        text = f"{head}\n{quote_text('difference', difference.lines, name=f'step {number}')}"
        return Message(role="user", text=text, priority=ESSENTIAL, kind="feedback")
    seen = truncate_middle(observation_text(view, step), most)
    name = f"step {step.number}"
    if answered_by_person(step):
        said = quote_text("person", seen, name=name)
        text = f"The person answered, and their word holds for the task:\n{said}"
    else:
        text = quote_text("observed", seen, name=name)
    return Message(role="user", text=text, priority=ESSENTIAL, kind="feedback")


def _said_in(step: Step) -> str:
    """A step's reply as the model wrote it; for one that no model wrote, as it would have."""
    action = step.action
    if action.said:
        return action.said
    if not action.code:
        return action.text or action.kind
    fenced = action.source if "```" in action.source else f"```python\n{action.source.rstrip()}\n```"
    return f"{action.text}\n\n{fenced}".lstrip()


def _pair(
    view: TaskView, steps: Sequence[Step], limits: TurnLimits | None, difference: OutputDifference | None = None
) -> tuple[Message, ...]:
    """A reply, where there was time for one, and what came of it, which depends on nothing that comes later."""
    step = steps[-1]
    result = result_message(view, step, difference=difference)
    planned = plan_told(steps)
    standing = _standing(steps, limits, "" if planned else open_numbers(steps))
    lines = [result.text, planned, standing, hint_after(steps)]
    text = "\n".join(line for line in lines if line)
    told = Message(role="user", text=text, priority=ESSENTIAL, kind="feedback")
    if _is_ours(step):
        return (told,)
    reasoning = step.action.private.get("reasoning")
    said = Message(
        role="assistant",
        text=_said_in(step) or "(nothing)",
        priority=ESSENTIAL,
        kind="reply",
        reasoning=reasoning or None,
    )
    return said, told


def _is_ours(step: Step) -> bool:
    """Whether the text of a step says why there is no reply: it was stopped, or what came could not be used."""
    action = step.action
    return action.interrupted or (action.kind == "code" and not (action.said or action.code))


def _left(step: Step) -> str:
    """What came of a branch that began with this step and was left, where that is all that is told of it."""
    state = step.observation.state if step.observation is not None else None
    return state.left if state is not None else ""


def _left_message(path: Sequence[Step], left: Sequence[Step]) -> list[Message]:
    """What was tried on the way and left, as later attempts in LATS are told of failed ones (Zhou et al. 2024)."""
    if not left:
        return []
    numbers = [step.number for step in path if step.observation is not None and step.observation.state is not None]
    place = f"step {numbers[-1]} left it" if numbers else "it did at the start"
    head = f"You go on from where things stand as {place}. Tried from there or before, and left; do something else:"
    text = f"{head}\n{quote_text('tried', chr(10).join(map(_left, left[-_LEFT_TOLD:])))}"
    return [Message(role="user", text=text, priority=ESSENTIAL, kind="feedback")]


def _size(message: Message) -> int:
    """Characters of a turn; what its model thought is sent with it."""
    return len(message.text) + (len(json.dumps(message.reasoning)) if message.reasoning else 0)


def _standing(steps: Sequence[Step], limits: TurnLimits | None, planned: str) -> str:
    """How much of what the episode may use is used up, and what of its plan is open."""
    if limits is None:
        return ""
    parts = [f"reply {len(steps)} of {limits.steps}"] if limits.steps else []
    refused = sum(step.judgement is not None and not step.judgement.accepted for step in steps)
    if refused and limits.submissions:
        parts.append(f"refused {refused} of the {limits.submissions} times that it may be handed in")
    parts += [planned] if planned else []
    if limits.tokens is not None:
        left = limits.tokens - sum(step.action.cost.tokens for step in steps)
        # Before that nobody needs it, and a replayed reply, which costs nothing, leads to the same question.
        if left < limits.tokens / 2:
            parts.append(f"about {max(0, left) // 1_000}k tokens left")
    return f"({', '.join(parts)})" if parts else ""


def _first_in_full(sizes: Sequence[int], room: int) -> int:
    """Number of the oldest steps that are summed up: none until the room is full, then so many that a share is left."""
    first = 0
    for place in range(len(sizes)):
        if sum(sizes[first : place + 1]) <= room:
            continue
        while first < place and sum(sizes[first : place + 1]) > room * _KEPT_SHARE:
            first += 1
    return first


def _summary(view: TaskView, steps: Sequence[Step], most: int) -> Message:
    """Older steps, each with its thought, what it ran and how that ended; the newest that fit, the others counted."""
    lines: list[str] = []
    for step in reversed(steps):
        line = truncate_middle(_summed_up(view, step), _SUMMED_UP)
        if lines and sum(map(len, lines)) + len(line) > most:
            break
        lines.insert(0, line)
    missing = len(steps) - len(lines)
    if missing:
        lines.insert(0, f"steps 1 to {missing} came before")
    head = f"What you did in steps 1 to {len(steps)}, shortened. `recall` with `step N` shows any of them in full."
    text = f"{head}\n{quote_text('summary', chr(10).join(lines))}"
    states = subgoal_states(steps)
    if states:
        text += "\nYour plan as it stood then:\n" + quote_text("plan", plan_lines(states))
    return Message(role="user", text=text, priority=ESSENTIAL, kind="summary")


def _summed_up(view: TaskView, step: Step) -> str:
    written = read_written(step.action.said or step.action.source)
    own = written.thought if step.action.said or _is_ours(step) else step.action.text
    thought = " ".join(own.split())
    ran = ", ".join(f"{block.kind} {block.path}".strip() for block in written.blocks) or step.action.kind
    if answered_by_person(step):
        answer = " ".join(observation_text(view, step).split())
        return f"step {step.number}: asked {truncate_middle(step.action.text, 150)!r}, the person answered {answer!r}"
    outcome = " ".join(_outcome(view, step).split())
    return f"step {step.number}: {truncate_middle(thought, 150)} [{ran}] -> {truncate_middle(outcome, 200)}"


def _outcome(view: TaskView, step: Step) -> str:
    """How a step ended, the most telling part of it."""
    state = step.observation.state if step.observation is not None else None
    if state is None:
        return observation_text(view, step)
    return "; ".join(_telling(step, state)) or "done"


def _telling(step: Step, state: EnvironmentState) -> Iterator[str]:
    if state.changed:
        yield f"changed {', '.join(state.changed[:5])}"
    if step.observation is not None and step.observation.error:
        yield step.observation.error
    elif state.output:
        yield state.output[-120:]
