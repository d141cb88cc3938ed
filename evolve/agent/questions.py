"""What a person is asked in an episode, and what becomes of the step when they answer, decline or stop it."""

from __future__ import annotations

from dataclasses import replace

from evolve.core.episodes import Action, EpisodeRecord, Observation, Question, Step
from evolve.core.files import clean_text

WITHDRAWN = "the question was withdrawn"
STOPPED = "the person stopped this action"

_LONGEST = 20_000
"""Characters of an answer that are kept. Prompts quote it whole, for longer than what other steps gave."""


def question_of(episode: str, step: Step) -> Question:
    """The question that a step asks; the same step always gives the same id."""
    action = step.action
    return Question(id=f"{episode}:{step.number}", kind="ask", text=action.text, options=action.options)


def question_in(record: EpisodeRecord) -> Question | None:
    """The question that an episode waits at, or None."""
    last = record.steps[-1] if record.steps else None
    if record.status != "waiting" or last is None:
        return None
    return question_of(record.episode, last)


def with_answer(step: Step, answer: str | None) -> Step:
    """The step with the person's answer; None withdraws the question, which ends the work.

    An answer without words is one too: the person would rather not say.
    """
    if answer is None:
        finish = replace(step.action, kind="finish", text=f"{WITHDRAWN}: {step.action.text}")
        return replace(step, action=finish, observation=Observation(ok=False, error=WITHDRAWN))
    # Not ok: an answer of the person is nothing that could be judged.
    text = _option_text(step, clean_text(answer).strip())[:_LONGEST] or "(no answer; decide without asking)"
    return replace(step, observation=Observation(ok=False, text=text, person=True))


def _option_text(step: Step, answer: str) -> str:
    """The option that a number names, else what was said."""
    options = step.action.options
    return options[int(answer) - 1] if answer.isdecimal() and 1 <= int(answer) <= len(options) else answer


def as_stopped(step: Step) -> Step:
    """The step as one that a person ended."""
    return replace(step, observation=Observation(ok=False, error=STOPPED, interrupted=True))


def stopped_action() -> Action:
    """What stands for an action that was stopped while it was being chosen."""
    return Action(kind="code", text=STOPPED, interrupted=True)


def was_stopped(step: Step) -> bool:
    """Whether a person ended the step."""
    return step.observation is not None and step.observation.interrupted


def is_answered(step: Step) -> bool:
    """Whether what came back is the person's own word."""
    return step.observation is not None and step.observation.person
