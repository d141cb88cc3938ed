"""Tests whether a variant also beats its parent on another suite or under another model.

A winner was chosen on one suite, by one policy. Only what also wins on other gate tasks may be called transferable.
Nothing is promoted here, and no error level of the other suite's proposals is used up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evolve.improve.judgement import told_of
from evolve.improve.session import Session
from evolve.trials.gate import Pair, SequentialTest
from evolve.trials.trials_pairs import PairedEpisodes, held_out_tasks

ALPHA = 0.05


def transfer(session: Session, variant: str) -> Mapping[str, Any]:
    """Compares a variant with its parent on the gate tasks of the session's suite, and keeps what came of it.

    Returns:
        JSON: ``on`` (suite and policy), ``verdict``, ``reason``, ``wins``, ``losses``, ``ties``.
    """
    parent, tasks = session.stores.variants.get(variant).parent, held_out_tasks(session, "gate")
    planned = len({task.group for task in tasks})

    def on_pair(pair: Pair) -> None:
        session.show("gate", **told_of(pair.state, planned), candidate=variant[:12])

    runner = PairedEpisodes(run=session, split="gate").runner(SequentialTest(alpha=ALPHA))
    state = runner.compare(tasks, parent=parent, variant=variant, on_pair=on_pair).state
    body = {
        "on": f"{session.suite.name}, {session.learner.name}",
        "verdict": state.verdict,
        "reason": state.reason,
        "wins": state.tally.wins,
        "losses": state.tally.losses,
        "ties": state.tally.ties,
    }
    session.stores.variants.add_measure(variant, run=session.run, kind=f"transfer to {body['on']}", body=body)
    return body
