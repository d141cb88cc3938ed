"""Fresh draws: where rows decide, the first question is asked again, with another seed and a higher temperature.

Small models copy their own last answer whatever they are told about it, but answer the bare question differently from
draw to draw (repeated sampling: Brown et al., "Large Language Monkeys", arXiv 2407.21787). So an answer that was given
before ends the conversation, and the question is put anew, with the rows that refusals showed among its examples. A
model that is known to repeat itself is not talked to at all: it is asked the bare question until an answer fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolve.core.episodes import Step, TaskView, shown_rows
from evolve.core.equality import equal
from evolve.environments import environment_kind

AFTER_REPETITION = 3
"""Fresh draws after an answer that was given before; none of them fits, and the episode ends."""


@dataclass(frozen=True, kw_only=True)
class Draw:
    """The question for the next action.

    Attributes:
        view: The task as the question shows it.
        steps: The turns that the question shows.
        number: Which draw of the first question it is; 0 for the first and for every turn of a conversation.
        ended: Why there is no further question, or "".
    """

    view: TaskView
    steps: Sequence[Step]
    number: int = 0
    ended: str = ""


@dataclass(frozen=True, kw_only=True)
class DrawPlan:
    """How often the first question is asked.

    Attributes:
        samples: Draws before a conversation begins; 1 for a conversation at once.
        repeats: Whether the model is known to give a wrong answer again when it is told; then there is no conversation,
            and no draw after these.
    """

    samples: int = 1
    repeats: bool = False

    def uncounted(self, view: TaskView, steps: Sequence[Step]) -> int:
        """How many of the steps are further draws of the first question, which make no further action cycle."""
        return max(0, min(len(_attempts(view, steps)), self.samples) - 1)

    def draws_alone(self, view: TaskView) -> bool:
        """Whether each attempt at the task is a draw of the first question."""
        return self.repeats and _is_drawn(view, ())


def next_draw(view: TaskView, steps: Sequence[Step], plan: DrawPlan) -> Draw:
    """What to ask next.

    The first attempts are draws of the first question. Then the best of them is talked about, until an answer comes
    that was there before; then the first question is drawn again.

    Args:
        steps: Of the episode so far.
    """
    attempts, samples = _attempts(view, steps), plan.samples
    if not attempts:
        return Draw(view=view, steps=steps)
    if plan.repeats and len(attempts) >= samples:
        return Draw(view=view, steps=steps, ended=f"none of {len(attempts)} answers fits")
    repeated = _first_repetition(attempts)
    made = 0 if repeated is None else len(attempts) - repeated
    if len(attempts) < samples or repeated is not None:
        if made >= AFTER_REPETITION and len(attempts) >= samples:
            return Draw(
                view=view, steps=steps, ended=f"none of {len(attempts)} answers fits, and the model repeats itself"
            )
        later = tuple(step for step in steps if step.number > attempts[-1].number)
        return Draw(view=_with_shown_rows(view, steps), steps=later, number=len(attempts))
    if samples == 1:
        return Draw(view=view, steps=steps)
    drawn = attempts[:samples]
    best = max(drawn, key=lambda step: _right(view, step))  # of equals the first
    return Draw(view=view, steps=[best, *(step for step in steps if step.number > drawn[-1].number)])


def _attempts(view: TaskView, steps: Sequence[Step]) -> Sequence[Step]:
    """The steps that were to be answers, where rows decide; else none."""
    return [step for step in steps if _is_attempt(step)] if _is_drawn(view, steps) else []


def _is_drawn(view: TaskView, steps: Sequence[Step]) -> bool:
    return environment_kind(view.environment).one_file and bool(view.examples or shown_rows(steps))


def _is_attempt(step: Step) -> bool:
    """Whether the reply was to be an answer, code or nothing usable; looking around is none."""
    action = step.action
    return action.kind == "code" and not action.explores and not action.interrupted


def _first_repetition(attempts: Sequence[Step]) -> int | None:
    """How many attempts there were once one came that was there before; None where each is new."""
    seen: set[str] = set()
    for place, step in enumerate(attempts, 1):
        said = step.action.code or step.action.said
        if said in seen:
            return place
        seen.add(said)
    return None


def _right(view: TaskView, step: Step) -> int:
    outputs = () if step.observation is None else step.observation.outputs
    return sum(equal(value, row.output) for value, row in zip(outputs, view.examples, strict=False))


def _with_shown_rows(view: TaskView, steps: Sequence[Step]) -> TaskView:
    """The task with the rows that refusals showed among its examples."""
    return replace(view, examples=(*view.examples, *shown_rows(steps)))
