"""Asks one stage of a failed episode again under changed prompts; what came before it is taken from the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evolve.agent import room_for
from evolve.core.episodes import SCREEN, EpisodeRecord
from evolve.core.failpoints import hit
from evolve.core.files import canonical_json, digest
from evolve.improve.optimizer.credit import Divergence
from evolve.improve.optimizer.engine import SearchEnded
from evolve.improve.session import Session
from evolve.trials.comparisons import Change
from evolve.trials.pairs import ArmTrials
from evolve.trials.replay import beginning_of, same_beginning


@dataclass(frozen=True, kw_only=True)
class StageRerun:
    """Implements :class:`evolve.improve.optimizer.counterfactual.Replay` with real episodes of a run.

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
        arm = session.stores.state(record.variant, session.workflow)
        workflow = room_for(arm.workflow, session.suite.task(record.task).environment)
        begun = beginning_of(record, at.output, workflow)
        if begun is None:
            return None
        name = f"replay:{digest(canonical_json([record.episode, at.output, sorted(texts.items())]))}"
        tasks, change = [session.suite.task(record.task)], Change(texts=texts, begun=begun)
        attempts = ArmTrials(run=session, split=SCREEN, seed=record.seed).attempt(tasks, arm, change, name=name)
        if not attempts:
            raise SearchEnded(session.ledger.exhausted_bound or "what is left of the budget covers no further episode")
        session.commit(attempts[0])
        hit("replay.kept")
        replayed = attempts[0].record
        session.tell("replayed", prompt=at.prompt, output=at.output, solved=replayed.solved)
        if replayed.status in ("fault", "interrupted") or not same_beginning(record, replayed, len(begun.actions)):
            return None
        return replayed
