"""Skills from the drafts of one episode of a person's own."""

from __future__ import annotations

from evolve.episodes import EpisodeRecord
from evolve.record.drafts import judge_draft, keep
from evolve.record.journal import Journal
from evolve.tasks import Task
from evolve.workspace.desk import Desk


def admit(desk: Desk, record: EpisodeRecord, task: Task) -> tuple[str, ...]:
    """Names of the skills admitted from an episode; all are kept in one transaction, once. Nobody is told of them."""
    stores = desk.stores
    journal, step = Journal(stores.db, record.run), f"admitted:{record.episode}"
    admitted: list[str] | None = journal.done(step)
    if admitted is not None:  # judged anew, a skill would be refused as a duplicate of itself
        return tuple(admitted)
    names: list[str] = []
    with stores.db.transaction():
        for draft in record.drafts:
            proposal = judge_draft(draft, task, stores.skills.active(), desk.learner, desk.open_sandbox())
            kept = None if proposal is None else keep(stores.skills, proposal)
            if kept is not None:
                names.append(kept.name)
        journal.finish(step, names)
    return tuple(names)
