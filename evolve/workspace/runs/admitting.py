"""Skills from the drafts of one episode of a person's own."""

from __future__ import annotations

from evolve.episodes import EpisodeRecord, Limits
from evolve.events import Event
from evolve.record.arms import Prompted
from evolve.record.keeping import Keeper, Kept, Repairs
from evolve.tasks import Task
from evolve.workspace.desk import Desk


def keeper_for(desk: Desk, record: EpisodeRecord, task: Task, limits: Limits | None = None) -> Keeper:
    """Who keeps the skills of an episode.

    Args:
        limits: What repairs of drafts may spend; None asks nobody for any.
    """
    repairs = None
    if limits is not None and record.drafts and isinstance(desk.learner, Prompted):
        policy = desk.stores.practice_arm(desk.workflow).policy(desk.learner)
        repairs = Repairs(policy=policy, view=task.view(), limits=limits)
    return Keeper(stores=desk.stores, learner=desk.learner, sandbox=desk.open_sandbox, repairs=repairs)


def tell(desk: Desk, episode: str, kept: Kept) -> None:
    """Tells whoever watches what was kept and what was not."""
    for name in kept.skills:
        desk.events.emit(Event(kind="admitted", episode=episode, data={"skill": name}))
    for refused in kept.refused:
        data = {"skill": refused.skill, "reason": refused.reason}
        desk.events.emit(Event(kind="not_kept", episode=episode, data=data))
