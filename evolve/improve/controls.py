"""The control arms of a report on the same held-out tasks, and whether a variant also wins on another suite or model.

A winner was chosen on one suite, by one policy. Only what also wins on other gate tasks may be called transferable.
Nothing is promoted here, and no error level of the other suite's proposals is used up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from evolve.core.episodes import EpisodeRecord, Limits
from evolve.core.ledger import Spent
from evolve.improve.judgement import judgement_texts
from evolve.improve.schedule import fit_within_budget
from evolve.improve.session import Session
from evolve.tasks import Task
from evolve.trials.gate import Comparison, Job, Pair, PairedRunner, SequentialTest, is_verified, one_per_group
from evolve.trials.jobs import EpisodeJob
from evolve.trials.learned_state import LearnedState
from evolve.trials.pairs import PairedEpisodes, held_out_tasks, run_held_out

BEST_OF_N = "best-of-n at equal total budget"
PLACEBO = "placebo"
_MOST_TRIES = 16


@dataclass(frozen=True, kw_only=True)
class ControlArm:
    """One control arm.

    Attributes:
        pairs: The arm, as the parent, beside the learned one on every task; of several tries the first that solved,
            with the cost of all.
        note: How its budget was made equal, or why it was not run.
    """

    pairs: tuple[Pair, ...] = ()
    note: str = ""

    @property
    def records(self) -> tuple[EpisodeRecord, ...]:
        """The arm's own episodes."""
        return tuple(pair.parent for pair in self.pairs)


def compared_on_test(session: Session, other: str, learned: str) -> Comparison:
    """Two variants on one test task per group; the caller has logged the look."""
    return _compared(session, PairedEpisodes(run=session, split="test").make_runner(), other, learned)


def run_controls(session: Session, spent: Spent) -> Mapping[str, ControlArm]:
    """Runs both control arms on held-out tasks that were opened for this run.

    Args:
        spent: What the loop spent on learning, judging and testing; best-of-n may spend as much more.
    """
    # Unlearned, with the loop's spending shared out over the tasks. The embedded policy is deterministic: trying
    # again under another seed repeats it, so its one try gets all the candidates. A model is asked again, as often as
    # that buys.
    session.workers.announce(BEST_OF_N, LearnedState(workflow=session.workflow))
    limits, count = session.plan.limits, max(1, len(one_per_group(held_out_tasks(session, "test"))))
    if limits.tokens is None:
        # The whole budget of the loop, on top of the limits that every arm has.
        most = (limits.candidates or 0) + ceil(spent.candidates / count)
        tries, limits, note = 1, replace(limits, candidates=most), f"{most:,} candidates a task"
    else:
        tries = min(_MOST_TRIES, 1 + ceil(spent.tokens / count / max(1, limits.tokens)))
        note = f"up to {tries} tries a task"
    learned = PairedEpisodes(run=session, split="test")

    def run(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord]:
        own = _best_tries(session, [job.task for job in jobs if job.variant == BEST_OF_N], limits, tries)
        others = iter(learned([job for job in jobs if job.variant != BEST_OF_N]))
        return [own[job.task.id] if job.variant == BEST_OF_N else next(others) for job in jobs]

    runner: PairedRunner[Task] = replace(learned.make_runner(), run=run)
    return {
        BEST_OF_N: _control(_compared(session, runner, BEST_OF_N, session.stores.variants.active_digest), note),
        PLACEBO: _placebo(session),
    }


def _best_tries(session: Session, tasks: Sequence[Task], limits: Limits, tries: int) -> Mapping[str, EpisodeRecord]:
    """Per task the first try that solved, else the last, with the cost of all, under the run's own seed."""
    best: dict[str, EpisodeRecord] = {}
    seed = session.plan.seed
    for number in range(tries):
        left = [task for task in tasks if task.id not in best or not is_verified(best[task.id])]
        jobs = [
            EpisodeJob(task=task, arm=BEST_OF_N, variant=BEST_OF_N, split="test", seed=seed + number, limits=limits)
            for task in left
        ]
        for record in run_held_out(session, jobs):
            before = best.get(record.task)
            cost = record.cost if before is None else before.cost + record.cost
            best[record.task] = replace(record, cost=cost, seed=seed)
    return best


def _placebo(session: Session) -> ControlArm:
    """The learned arm with every task's evidence filed under another task."""
    stores = session.stores
    learned = stores.active_state(session.workflow)
    if learned.memory is None:
        return ControlArm(note="not run: nothing that was learned can be shuffled")
    shuffled = learned.memory.shuffled_placebo(session.plan.seed)
    guide, _ = fit_within_budget(session, shuffled.experience_rows(), learned.skills, pairs=0)
    arms = {PLACEBO: replace(learned, guide=guide, memory=shuffled), learned.variant: learned}
    episodes = PairedEpisodes(run=session, split="test", arms=arms.__getitem__)
    return _control(
        _compared(session, episodes.make_runner(), PLACEBO, learned.variant), "evidence filed under other tasks"
    )


def _compared(session: Session, runner: PairedRunner[Task], other: str, learned: str) -> Comparison:
    tasks = held_out_tasks(session, "test")
    total, done = len(one_per_group(tasks)), 0

    def on_pair(pair: Pair) -> None:
        nonlocal done
        done += 1
        session.emit_event("test", done=done, total=total, arm=other)

    return runner.compare(tasks, parent=other, variant=learned, on_pair=on_pair)


def _control(comparison: Comparison, note: str) -> ControlArm:
    return (
        ControlArm(note="not run: the budget ended")
        if comparison.ended
        else ControlArm(pairs=comparison.pairs, note=note)
    )


ALPHA = 0.05


def transfer(session: Session, variant: str) -> Mapping[str, Any]:
    """Compares a variant with its parent on the gate tasks of the session's suite, and keeps what came of it.

    Returns:
        JSON: ``on`` (suite and policy), ``verdict``, ``reason``, ``wins``, ``losses``, ``ties``.
    """
    parent, tasks = session.stores.variants.get(variant).parent, held_out_tasks(session, "gate")
    planned = len({task.group for task in tasks})

    def on_pair(pair: Pair) -> None:
        session.show("gate", **judgement_texts(pair.state, planned), candidate=variant[:12])

    runner = PairedEpisodes(run=session, split="gate").make_runner(SequentialTest(alpha=ALPHA))
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
