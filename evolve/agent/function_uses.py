"""In how many tasks each function was shown, called, and called for an answer that held; by the function's digest.

Skills count like functions: one was called where an answer or an action used it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evolve.core.episodes import OWN, EpisodeRecord

_FUNCTION, _SKILL = "function:", "skill:"
FAILED = "failed"
"""Marks the tasks in which a skill gave only answers that were refused."""


@dataclass(frozen=True, kw_only=True)
class FunctionCounts:
    """Distinct tasks, as skills are counted. Tasks that only measure count for nothing.

    Attributes:
        offered: Where a prompt showed it.
        called: Where a call of it was answered.
        helpful: Of those that called it the ones whose answer was verified or accepted by a check. That the call was
            needed for that is not known.
    """

    offered: int = 0
    called: int = 0
    helpful: int = 0


def failed_skills(record: EpisodeRecord) -> list[str]:
    """Digests of the skills that refused answers of a person's run used, which found no other answer; sorted."""
    if record.split != OWN or record.status not in ("refused", "unsolved", "budget"):
        return []
    refused = [one.action for one in record.steps if one.judgement is not None and not one.judgement.accepted]
    # What a search put together from parts and was wrong says nothing of a part.
    used = {item for one in refused if not one.cost.candidates for item in one.consumed}
    return sorted(item.removeprefix(_SKILL) for item in used if item.startswith(_SKILL))


def uses_in(record: EpisodeRecord) -> Iterator[tuple[str, str]]:
    """What an episode was shown and called: digests, each with ``offered``, ``called`` or ``helpful``."""
    for item in record.consumed:
        if item.startswith(_SKILL):
            yield item.removeprefix(_SKILL), "called"
            if record.verified or record.checked:
                yield item.removeprefix(_SKILL), "helpful"
    for step in record.steps:
        for item in step.action.offered:
            if item.startswith(_FUNCTION):
                yield item.removeprefix(_FUNCTION), "offered"
        for call in step.observation.calls if step.observation is not None else ():
            if call.state == "answered":
                yield call.digest, "called"
                if record.verified or record.checked:
                    yield call.digest, "helpful"
