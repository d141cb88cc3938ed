"""The values of a diagnosis: a failed episode with what it was offered, what is suspected of having broken it, and
where it first did something else than one that went well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evolve.core.episodes import EnvironmentState, EpisodeRecord, Json, Row, Step
from evolve.core.reasons import Reason

SKILL, ACTION, CHECK, ROW, BUDGET, DATA = "skill", "action", "check", "row", "budget", "data"
"""Kinds of suspects besides those of recalled items: a skill, what a step did by itself, what decides, a row that was
given, what might be spent, what the rows lack."""

Verdict = Literal["cause", "suspicion", "cleared"]
"""What is known of a suspect: without it the outcome turned, it was not tried, or the outcome stayed without it."""


@dataclass(frozen=True, kw_only=True)
class OfferedItem:
    """Something that was offered to an episode and that it may have acted on.

    Attributes:
        id: As in the record; of a skill with ``skill:`` in front.
        kind: As :attr:`evolve.core.episodes.Recalled.kind`, or :data:`SKILL`.
        text: What it says, or what a skill is for.
    """

    id: str
    kind: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Case:
    """A failed episode beside what it can be compared with.

    Attributes:
        items: What it was offered, each once.
        good: Episodes of the same or like tasks that went well, the most alike first.
        bad: Others of them that failed.
        about: The task in words, which explains words of a step that no item does.
        rows: Its visible rows, in the order in which answers were run on them.
    """

    record: EpisodeRecord
    items: tuple[OfferedItem, ...] = ()
    good: tuple[EpisodeRecord, ...] = ()
    bad: tuple[EpisodeRecord, ...] = ()
    about: str = ""
    rows: tuple[Row, ...] = ()


def episode_label(record: EpisodeRecord, other: EpisodeRecord) -> str:
    """What another episode is called beside this one: by its run, or of the same run by its task and itself."""
    if other.run != record.run:
        return f"run {other.run}"
    return f"episode {other.episode[:10]} (task {other.task})"


@dataclass(frozen=True, kw_only=True)
class BreakingStep:
    """The step from which on a run was lost.

    Attributes:
        step: Its number; 0 where it broke before any.
        why: What shows it; None where nothing does.
        blames: The check itself decides nothing, so no step is to blame.
    """

    step: int
    why: Reason | None
    blames: Literal["step", "check"] = "step"


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """Something that may have broken a run.

    Attributes:
        kind: As :attr:`Item.kind`, or one of the other kinds of this module.
        id: Of an item its id; of an action ``step 3``; of a row its call; else the kind.
        step: The step at which it acted; 0 where it acted on all.
        score: How suspicious it is, 0.0 to 1.0; comparable within one diagnosis only.
        signs: What the score is made of, by name; {} where one rule decides.
        evidence: What speaks for it.
        verdict: What an intervention made of it.
        tested: What the intervention was and what came of it; None without any.
        row: Of a row, its input and output.
    """

    kind: str
    id: str
    text: str
    step: int
    score: float
    signs: Mapping[str, float] = field(default_factory=dict)
    evidence: tuple[Reason, ...] = ()
    verdict: Verdict = "suspicion"
    tested: Reason | None = None
    row: Json = None


def state_of(step: Step) -> EnvironmentState | None:
    """Where a step left an environment that has states."""
    return step.observation.state if step.observation is not None else None


def led_to(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps on which the end of an episode rests, in order, along the edges of what each consumed.

    Where actions leave states, the state of a step consumed that of its parent, so branches that were left are out.
    Elsewhere every step could see all before it.
    """
    by_number = {step.number: step for step in steps}
    last = next((step for step in reversed(steps) if state_of(step) is not None), None)
    if last is None:
        return tuple(steps)
    chain, number = [], last.number
    while number in by_number:
        step = by_number.pop(number)  # each once, whatever the record says
        chain.append(step)
        state = state_of(step)
        number = state.parent if state is not None else 0
    return tuple(reversed(chain))


def first_divergence(failed: Sequence[Step], good: Sequence[Step]) -> Step | None:
    """The first step of a failed episode that a good one did not begin with as well; None where it did all of them.

    Steps are compared by what they do, not by what is said of them.
    """
    for place, step in enumerate(failed):
        if place >= len(good) or _deed(step) != _deed(good[place]):
            return step
    return None


def matching_step(step: Step, good: Sequence[Step]) -> Step | None:
    """The step of a good episode that stands where this one stands, or the last one of a shorter one."""
    if not good:
        return None
    return good[min(step.number, len(good)) - 1]


def _deed(step: Step) -> tuple[str, str]:
    action = step.action
    return action.kind, " ".join((action.source or action.text).split())
