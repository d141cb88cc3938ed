"""Does a variant hold elsewhere: the same comparison with its parent on another suite, or under another model.

A winner was chosen on one suite, by one policy. Only what also wins on other gate tasks may be called transferable.
Nothing is promoted here, and no error level of the other suite's proposals is used up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from evolve.episodes import EpisodeRecord
from evolve.gate import Job, PairedRunner, SequentialTest, Tally, Unaffordable
from evolve.improve.jobs import EpisodeJob
from evolve.improve.judgement import run_held_out
from evolve.improve.session import Session
from evolve.tasks import Task

ALPHA = 0.05


def transfer(session: Session, variant: str) -> Mapping[str, Any]:
    """Compares a variant with its parent on the gate tasks of the session's suite, and keeps what came of it.

    Returns:
        JSON: ``on`` (suite and policy), ``verdict``, ``reason``, ``wins``, ``losses``, ``ties``.
    """
    stores = session.stores
    parent = stores.variants.get(variant).parent
    for name in (parent, variant):
        session.workers.announce(name, stores.arm(name, session.workflow))
    test = SequentialTest(alpha=ALPHA)
    state = test.judge(Tally())

    def run(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord]:
        limits = session.plan.limits
        return run_held_out(
            session,
            [
                EpisodeJob(task=j.task, arm=j.variant, variant=j.variant, split="gate", seed=j.seed, limits=limits)
                for j in jobs
            ],
        )

    runner: PairedRunner[Task] = PairedRunner(run=run, test=test, batch=4, seed=session.plan.seed)
    with suppress(Unaffordable):  # what was compared by then says what it says
        for number, pair in enumerate(runner.pairs(session.suite.split("gate"), parent=parent, variant=variant), 1):
            state = pair.state
            session.tell("gate", pairs=number, reason=state.reason, candidate=variant[:12])
    body = {
        "on": f"{session.suite.name}, {session.learner.name}",
        "verdict": state.verdict,
        "reason": state.reason,
        "wins": state.tally.wins,
        "losses": state.tally.losses,
        "ties": state.tally.ties,
    }
    stores.variants.add_measure(variant, run=session.run, kind=f"transfer to {body['on']}", body=body)
    return body
