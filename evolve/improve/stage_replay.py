"""Asks one stage of a failed episode again under changed prompts; what came before it is taken from the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evolve.agent import episode_id, room_for
from evolve.episodes import SCREEN, EpisodeRecord
from evolve.failpoints import hit
from evolve.files import canonical_json, digest
from evolve.improve.jobs import EpisodeJob
from evolve.improve.replayed_beginning import Beginning, beginning_of, same_beginning
from evolve.improve.session import Session
from evolve.optimizer.credit import Divergence
from evolve.optimizer.engine import SearchEnded
from evolve.record.arms import Arm


@dataclass(frozen=True, kw_only=True)
class StageReplay:
    """Implements :class:`evolve.optimizer.counterfactual.Replay` with real episodes of a run.

    The plan and the actions before the stage that is asked again are those of the record: no model is asked for them.
    Actions run in the sandbox again, with the same seed. What follows is asked for under the changed texts and paid
    from the run's budget. The episode is kept under an id of its own as a ``screen``, so nothing is learned from it; a
    run that goes on reads it back.
    """

    session: Session

    def __call__(self, record: EpisodeRecord, texts: Mapping[str, str], at: Divergence) -> EpisodeRecord | None:
        """The episode, asked anew from an output on.

        None where the beginning cannot be said again, gave something else in the sandbox, or the environment failed.

        Raises:
            SearchEnded: The part of the budget that is for searching is spent.
        """
        session = self.session
        arm = session.stores.arm(record.variant, session.workflow)
        workflow = room_for(arm.workflow, session.suite.task(record.task).environment)
        begun = beginning_of(record, at.output, workflow)
        if begun is None:
            return None
        name = f"replay:{digest(canonical_json([record.episode, at.output, sorted(texts.items())]))}"
        changed = replace(arm, variant=name, prompts={**arm.prompts, **texts})
        job = self._job(record, changed, begun)
        known = episode_id(session.run, job.task, name, job.seed)
        if session.stores.runs.has(known):
            replayed = session.stores.runs.episode(known)
        else:
            session.workers.announce(name, changed)
            replayed = self._run(job)
        session.tell("replayed", prompt=at.prompt, output=at.output, solved=replayed.solved)
        repeated = len(begun.actions)
        if replayed.status in ("fault", "interrupted") or not same_beginning(record, replayed, repeated):
            return None
        return replayed

    def _job(self, record: EpisodeRecord, arm: Arm, begun: Beginning) -> EpisodeJob:
        task = self.session.suite.task(record.task)
        return EpisodeJob(
            task=task,
            arm=arm.variant,
            variant=arm.variant,
            split=SCREEN,
            seed=record.seed,
            limits=arm.limits(self.session.plan.limits, task.environment),
            begun=begun,
        )

    def _run(self, job: EpisodeJob) -> EpisodeRecord:
        session = self.session
        if session.ledger.exhausted:
            raise SearchEnded(session.ledger.exhausted)
        attempts = session.attempt([job])
        if not attempts:
            raise SearchEnded(session.ledger.exhausted or "what is left of the budget covers no further episode")
        session.commit(attempts[0])
        hit("replay.kept")
        return attempts[0].record
