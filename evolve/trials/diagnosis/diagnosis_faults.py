"""What ended an episode besides its own doing: the machine, a limit of time or memory, a denial. No item is blamed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.episodes import EpisodeRecord, Step
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
    fault = None if record.solved or last is None else stopped_by(last)
    # A check that ended before was brought to its limit by what was done since.
    return None if fault is not None and fault.check and _ended_before(steps) else fault


def _ended_before(steps: Sequence[Step]) -> bool:
    states = [step.observation.state for step in steps if step.observation and step.observation.state]
    return any(state.check is not None and not state.limit for state in states)


def stopped_by(step: Step) -> MachineFault | None:
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
