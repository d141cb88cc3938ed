"""Skills from the drafts of one episode of a person's own."""

from __future__ import annotations

from evolve.cancellation import Cancellation
from evolve.episodes import EpisodeRecord, Limits
from evolve.events import Event
from evolve.policies.protocol import Attendable
from evolve.record.arms import Prompted
from evolve.record.keeping import Keeper, Kept, Repairs
from evolve.sandbox import Sandbox
from evolve.sandbox.protocol import Stoppable
from evolve.tasks import Task
from evolve.workspace.desk import Desk


def keeper_for(
    desk: Desk,
    record: EpisodeRecord,
    task: Task,
    limits: Limits | None = None,
    cancellation: Cancellation | None = None,
) -> Keeper:
    """Who keeps the skills of an episode.

    Args:
        limits: What repairs of drafts may spend; None asks nobody for any.
        cancellation: Ends what is going on when it is raised; wound down, no further draft is judged or repaired.
    """
    stop = cancellation or Cancellation()
    repairs = None
    if limits is not None and record.drafts and isinstance(desk.learner, Prompted):
        policy = desk.stores.practice_arm(desk.workflow).policy(desk.learner)
        policy = policy.attended(stop) if isinstance(policy, Attendable) else policy
        repairs = Repairs(policy=policy, view=task.view(), limits=limits)

    def sandbox() -> Sandbox:
        stop.check_before()  # every draft is judged in it
        opened = desk.open_sandbox()
        return opened.until(stop) if isinstance(opened, Stoppable) else opened

    return Keeper(stores=desk.stores, learner=desk.learner, sandbox=sandbox, repairs=repairs)


def tell(desk: Desk, episode: str, kept: Kept) -> None:
    """Tells whoever watches what was kept and what was not."""
    for name in kept.skills:
        desk.events.emit(Event(kind="admitted", episode=episode, data={"skill": name}))
    for refused in kept.refused:
        data = {"skill": refused.skill, "reason": refused.reason}
        desk.events.emit(Event(kind="not_kept", episode=episode, data=data))
