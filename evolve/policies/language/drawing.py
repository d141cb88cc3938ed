"""Fresh draws: where rows decide, the first question is asked again, with another seed and a higher temperature.

Small models copy their own last answer whatever they are told about it, but answer the bare question differently from
draw to draw (repeated sampling: Brown et al., "Large Language Monkeys", arXiv 2407.21787). So an answer that was given
before ends the conversation, and the question is put anew, with the rows that refusals showed among its examples. A
model that is known to repeat itself is not talked to at all: it is asked the first question until an answer fits.

What a draw overlooks, the next one overlooks too, unless the question points to it. So of three further draws one is
told what the best answer so far gets wrong, one is shown that answer as well, and one is told nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolve.core.episodes import Step, TaskView, shown_rows
from evolve.core.equality import equal
from evolve.core.prompts import quote_text
from evolve.environments import environment_kind
from evolve.policies.language.results import wrong_rows_text
from evolve.runtime.models import ESSENTIAL, Message

AFTER_REPETITION = 3
"""Fresh draws after an answer that was given before; none of them fits, and the episode ends."""


@dataclass(frozen=True, kw_only=True)
class Draw:
    """The question for the next action.

    Attributes:
        view: The task as the question shows it.
        steps: The turns that the question shows.
        number: Which draw of the first question it is; 0 for the first and for every turn of a conversation.
        best: The answer so far that is right on the most examples, where the question tells what it gets wrong.
        shows_code: Whether the question shows that answer too.
        refusals: Answers of the episode that were refused.
        ended: Why there is no further question, or "".
    """

    view: TaskView
    steps: Sequence[Step]
    number: int = 0
    best: Step | None = None
    shows_code: bool = False
    refusals: int = 0
    ended: str = ""

    def wrong_rows_messages(self) -> Sequence[Message]:
        """What the question tells of the best answer so far."""
        wrong = "" if self.best is None else wrong_rows_text(self.view, self.best)
        if self.best is None or not wrong:
            return ()
        lead = "An answer before gets these examples wrong:"
        if self.shows_code:
            lead = (
                f"This answer is wrong:\n```python\n{self.best.action.code.strip()}\n```\nIt gets these examples wrong:"
            )
        text = f"{lead}\n{quote_text('observed', wrong)}"
        return (Message(role="user", text=text, priority=ESSENTIAL, kind="task"),)


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

    def uncounted_draws(self, view: TaskView, steps: Sequence[Step]) -> int:
        """How many of the steps are further draws of the first question, which make no further action cycle."""
        return max(0, min(len(_attempts(view, steps)), self.samples) - 1)

    def draws_alone(self, view: TaskView) -> bool:
        """Whether each attempt at the task is a draw of the first question."""
        return self.repeats and _is_drawn(view, ())


def next_draw(view: TaskView, steps: Sequence[Step], plan: DrawPlan) -> Draw:
    """What to ask next."""
    return replace(_next_draw(view, steps, plan), refusals=count_refusals(steps))


def count_refusals(steps: Sequence[Step]) -> int:
    """Answers that were put to the verifier and failed."""
    judged = [step.judgement for step in steps if step.judgement is not None]
    return sum(not (judgement.accepted or judgement.fault) for judgement in judged)


def _next_draw(view: TaskView, steps: Sequence[Step], plan: DrawPlan) -> Draw:
    """The first attempts are draws of the first question. Then the best of them is talked about, until an answer comes
    that was there before; then the first question is drawn again.
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
        return _draw_anew(_with_shown_rows(view, steps), attempts, later)
    if samples == 1:
        return Draw(view=view, steps=steps)
    drawn = attempts[:samples]
    return Draw(view=view, steps=[_best(view, drawn), *(step for step in steps if step.number > drawn[-1].number)])


def _draw_anew(view: TaskView, attempts: Sequence[Step], later: Sequence[Step]) -> Draw:
    turn, best = len(attempts) % 3, _best(view, attempts)
    told = best if turn else None
    return Draw(view=view, steps=later, number=len(attempts), best=told, shows_code=turn == 1)


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


def _best(view: TaskView, attempts: Sequence[Step]) -> Step:
    """The attempt that is right on the most examples, of equals the first."""
    return max(attempts, key=lambda step: _right(view, step))


def _right(view: TaskView, step: Step) -> int:
    outputs = () if step.observation is None else step.observation.outputs
    return sum(equal(value, row.output) for value, row in zip(outputs, view.examples, strict=False))


def _with_shown_rows(view: TaskView, steps: Sequence[Step]) -> TaskView:
    """The task with the rows that refusals showed among its examples."""
    return replace(view, examples=(*view.examples, *shown_rows(steps)))
