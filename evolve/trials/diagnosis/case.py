"""A failed episode to be explained: its values, the step that broke it, and faults that blame no item.

The signs, the strongest first: an action that reached a limit or was denied something and was not made up for; a score
of the check that fell; a complaint of the last check that no check before the step had; the first divergence from a
run of the same task that went well (Recon-Act, GraphTracer); the first answer that was refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evolve.core.episodes import EnvironmentState, EpisodeRecord, Json, Row, Step
from evolve.core.reasons import Reason, reason


@dataclass(frozen=True, kw_only=True)
class MachineFault:
    """What the surroundings did.

    Attributes:
        kind: ``sandbox``, ``limit`` or ``denial``.
        step: At which step; 0 where none was begun.
        told: What happened.
        check: It was the check that reached a limit, not an action.
    """

    kind: str
    step: int
    told: Reason
    check: bool = False


def fault_of(record: EpisodeRecord) -> MachineFault | None:
    """The fault that an episode ended by; None where it ended by its own doing.

    An action that was denied something, or reached a limit, and was followed by others, ended nothing.
    """
    steps = [step for step in record.steps if step.observation is not None]
    if record.status == "fault":
        number = steps[-1].number if steps else 0
        told = reason("recorded", text=record.note) if record.note else reason("machine_failed")
        return MachineFault(kind="sandbox", step=number, told=told)
    answered = [step for step in steps if step.action.kind not in ("finish", "give_up")]
    last = next((step for step in reversed(steps) if step.judgement is not None), answered[-1] if answered else None)
    fault = None if record.solved or last is None else _stopped_by(last)
    # A check that ended before was brought to its limit by what was done since.
    return None if fault is not None and fault.check and _ended_before(steps) else fault


def _ended_before(steps: Sequence[Step]) -> bool:
    states = [step.observation.state for step in steps if step.observation and step.observation.state]
    return any(state.check is not None and not state.limit for state in states)


def _stopped_by(step: Step) -> MachineFault | None:
    """The limit or denial that cut a step short, or None.

    It is what the sandbox noted: a check or a program may print that it reached a limit, and that proves nothing.
    """
    observation, judged = step.observation, step.judgement
    if judged is not None and judged.limit:
        told = reason("check_limit", limit=judged.limit, text=judged.text)
        return MachineFault(kind="limit", step=step.number, told=told, check=True)
    if observation is None or judged is not None:
        return None
    kind, _, what = observation.denied.partition(":")
    own = observation.limit or (kind if what == "limit" else "")
    name = own or (observation.state.limit if observation.state is not None else "")
    if name:
        told = reason("step_limit", step=step.number, limit=name, text=observation.error or "it was ended")
        return MachineFault(kind="limit", step=step.number, told=told, check=not own)
    if not observation.denied:
        return None
    return MachineFault(
        kind="denial", step=step.number, told=reason("step_denied", step=step.number, what=f"{kind} {what}".rstrip())
    )


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
class FailureCase:
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


def steps_leading_to(steps: Sequence[Step]) -> tuple[Step, ...]:
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


def _first_divergence(failed: Sequence[Step], good: Sequence[Step]) -> Step | None:
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


_CHANGING = re.compile(r"0x[0-9a-f]+|\d+")
"""Addresses, times, counts and lines differ from check to check where nothing else does."""
_LEAST_STATES = 2
"""Different states on which a check must have said the same before it is suspected itself."""


def breaking_step(case: FailureCase) -> BreakingStep:
    """The step from which on the run was lost, with what shows it."""
    steps = steps_leading_to(case.record.steps)
    if not steps:
        return BreakingStep(step=0, why=reason("no_action"))
    for sign in (_unmoved_check, _fallen_score, _new_complaint, _cut_short):
        found = sign(steps)
        if found is not None:
            return found
    if case.record.status == "budget":
        return BreakingStep(step=0, why=reason("budget_ran_out"))
    return _diverged(case, steps) or _refused(steps)


def _error_lines(check: str) -> frozenset[str]:
    """The lines that a check printed, without what changes from time to time."""
    lines = (_CHANGING.sub("#", line).strip(" .=-_") for line in check.splitlines())
    return frozenset(line for line in lines if len(line) > 1)


def _checked(steps: Sequence[Step]) -> list[tuple[Step, EnvironmentState, str]]:
    """The steps that changed something and after which the check ran, with what it said.

    Of what was handed in unchanged only the last line of what the check had said before may stand there.
    """
    found = []
    for step in steps:
        state = state_of(step)
        if state is not None and state.check is not None and state.changed:
            found.append((step, state, state.check))
    return found


def _unmoved_check(steps: Sequence[Step]) -> BreakingStep | None:
    """A check that says the same of every state, and names nothing that was changed."""
    checked = _checked(steps)
    changed = {name for step in steps if (state := state_of(step)) is not None for name in state.changed or ()}
    said = {_error_lines(text) for _, _, text in checked}
    states = {state.snapshot for _, state, _ in checked}
    if len(states) < _LEAST_STATES or len(said) != 1 or any(state.score for _, state, _ in checked):
        return None
    text = checked[-1][2]
    if any(name in text or name.rpartition("/")[2] in text for name in changed):
        return None
    return BreakingStep(step=0, why=reason("check_unmoved", states=len(states)), blames="check")


def _fallen_score(steps: Sequence[Step]) -> BreakingStep | None:
    """The first step whose check gave less than one before it, and that was not made up for."""
    checked = _checked(steps)
    scores = [state.score for _, state, _ in checked]
    for place in range(1, len(scores)):
        if scores[place] < max(scores[:place]) and max(scores[place:]) < max(scores[:place]):
            step = checked[place][0]
            why = reason("check_fell", before=max(scores[:place]), after=scores[place])
            return BreakingStep(step=step.number, why=why)
    return None


def _new_complaint(steps: Sequence[Step]) -> BreakingStep | None:
    """The first step from which on the check said something of the last failure that it had not said before."""
    checked = _checked(steps)
    if len(checked) < _LEAST_STATES:
        return None
    said = [_error_lines(text) for _, _, text in checked]
    for place in range(1, len(said)):
        fresh = said[-1] - said[0]
        lasting = {line for line in fresh if all(line in later for later in said[place:])} - said[place - 1]
        if lasting:
            line = min(lasting, key=lambda text: (-len(text), text))
            return BreakingStep(step=checked[place][0].number, why=reason("check_said_new", line=line[:120]))
    return None


def _cut_short(steps: Sequence[Step]) -> BreakingStep | None:
    """A step that reached a limit or was denied something."""
    fault = next((fault for fault in map(_stopped_by, steps) if fault is not None), None)
    return None if fault is None else BreakingStep(step=fault.step, why=fault.told)


def _diverged(case: FailureCase, steps: Sequence[Step]) -> BreakingStep | None:
    same = next((one for one in case.good if one.task == case.record.task), None)
    if same is None:
        return None
    step = _first_divergence(steps, steps_leading_to(same.steps))
    if step is None or (step.action.kind in ("finish", "give_up") and len(steps) > 1):
        return None
    return BreakingStep(step=step.number, why=reason("diverged", other=episode_label(case.record, same)))


def _refused(steps: Sequence[Step]) -> BreakingStep:
    for step in steps:
        if step.judgement is not None and not step.judgement.accepted:
            return BreakingStep(step=step.number, why=reason("first_refused"))
    for step in steps:
        if step.observation is not None and step.action.code and not (step.action.explores or step.observation.ok):
            if not step.observation.error:
                return BreakingStep(step=step.number, why=reason("first_not_borne_out"))
            return BreakingStep(step=step.number, why=reason("first_failed", error=step.observation.error[:160]))
    if not any(step.action.code for step in steps):
        return BreakingStep(step=0, why=reason("no_answer_to_try"))
    return BreakingStep(step=steps[-1].number, why=reason("was_last"))
