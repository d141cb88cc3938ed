"""Streams of few tasks, as a person has them, before the product's own verdicts: ``python -m benchmarks.gate_streams``.

*Null*: learners that are known to gain nothing (:mod:`benchmarks.null_arms`) go through the loop for small suites, all
of it but the searches, whose episodes are known beforehand; and through the proof that a person's own tasks add up to,
which is looked at after every task. Both meet another null arm each time the experience has doubled. The problems of a
stream are drawn from the pool without replacement.
*Power*: the product's learner begins with nothing on such streams, and the loop practises, fits and judges. With
``--power SUITE`` these streams alone, drawn from another suite.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.null_arms import STRENGTHS, SUITE, NullPool, distinct_tasks, drawn_pool, open_own_sandbox
from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from evolve.agent import episode_id
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Json, Limits, TaskView
from evolve.core.events import NoEvents
from evolve.core.ledger import Budget, Ledger
from evolve.core.paths import WorkspacePaths
from evolve.core.schema import GATE
from evolve.core.settings import Settings
from evolve.core.store import Database
from evolve.improve.judgement import LOOKED
from evolve.improve.prequential import BLOCKS, improve_in_stream
from evolve.improve.session import LoopPlan, Session
from evolve.memory import ExperienceRow
from evolve.skills import Skill
from evolve.tasks import Suite, Task
from evolve.tasks.problem_traits import every_trait
from evolve.trials.gate import ConfidenceInterval, DecisionRepository, PersonTaskOutcomes, clopper_pearson
from evolve.trials.jobs import Attempt, EpisodeJob, Told, Workers, WorkerSetup, ignore_attempt
from evolve.trials.learned_state import UNLEARNED, LearnedState
from evolve.trials.learner import Learner
from evolve.trials.workers import LocalWorkers
from evolve.workspace.learners import SearchLearner
from evolve.workspace.locating import ensure_workspace
from evolve.workspace.opening import open_stores

Row = Mapping[str, Any]
SIZES = (20, 30, 60)
"""Tasks of a stream."""
POWER = {20: 0.4, 30: 0.8, 60: 0.98}
"""Share of streams that are to be accepted, by size."""
LOOP, OWN = "small suite", "own tasks"
"""Which verdict: of the loop for small suites, at its end; or on a person's own tasks, after every one."""
NULLS, MOST_FALSE = 500, 19
"""Null streams per size and verdict, and how many of them may be accepted."""
POOL, ARMS, CANDIDATES = 140, 3, 3_000
"""Problems of the pool, null arms per strength, and candidates of one search there."""
STREAMS = {20: 16, 30: 14, 60: 12}
"""Streams of the product's learner, by size: some fifteen minutes of CPU time."""


def arm_of(arms: Sequence[str], stream: int, practised: int) -> str:
    """The null arm that a stream has after it was refitted on so many tasks."""
    return random.Random(f"arm {stream} {practised}").choice(sorted(arms))


@dataclass(frozen=True)
class NullLearner(SearchLearner):
    """Learns the name of a null arm, that of another one whenever it has practised on more.

    Attributes:
        arms: Names of all null arms.
    """

    arms: tuple[str, ...] = ()
    stream: int = 0

    def fit(
        self, experience: Sequence[ExperienceRow], views: Sequence[TaskView], skills: Sequence[Skill], seed: int
    ) -> Json:
        """The guide is a name, which :class:`KnownEpisodes` reads; None without experience, as the product's."""
        return {"arm": arm_of(self.arms, self.stream, len(views))} if experience else None


class KnownEpisodes:
    """Workers that run nothing: every episode is one of the pool's, under the name of its job."""

    at_once = 1

    def __init__(self, pool: NullPool, run: str) -> None:
        self._pool, self._run = pool, run
        self._judged = ""

    def announce(self, key: str, arm: LearnedState) -> None:
        """Notes the null arm that is being judged: which episode counts as unlearned depends on it as well."""
        if arm.guide is not None:
            self._judged = arm.guide["arm"]

    def run(self, jobs: Sequence[EpisodeJob], told: Told = ignore_attempt) -> list[Attempt]:
        """The episodes of the jobs."""
        attempts = [self._attempt(job) for job in jobs]
        for attempt in attempts:
            told(attempt)
        return attempts

    def _attempt(self, job: EpisodeJob) -> Attempt:
        if job.split == "gate":
            record = self._pool.arms[self._judged].sides[job.task.id][job.variant != UNLEARNED]
        else:
            record = self._pool.practised[job.task.id]
        name = episode_id(self._run, job.task, job.variant, job.seed)
        record = replace(record, episode=name, run=self._run)
        record = replace(record, variant=job.variant, split=job.split, seed=job.seed)
        return Attempt(record=record, limits=job.limits)

    def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True)
class Sparing(SearchLearner):
    """The product's learner, which leaves out the guide that a stream ends with: no pair is judged with that one.

    Attributes:
        tasks: Of the whole stream.
    """

    tasks: int = 0

    def fit(
        self, experience: Sequence[ExperienceRow], views: Sequence[TaskView], skills: Sequence[Skill], seed: int
    ) -> Json:
        """As the product does it, on all but the whole stream."""
        return None if len(views) >= self.tasks else super().fit(experience, views, skills, seed)


def drawn(tasks: Sequence[Task], size: int, number: int, name: str = SUITE) -> Suite:
    """The suite of one stream."""
    return Suite(name=name, tasks=tuple(random.Random(f"stream {size} {number}").sample(tasks, size)))


@contextmanager
def opened(suite: Suite, learner: Learner, workers_of: Callable[[str], Workers], plan: LoopPlan) -> Iterator[Session]:
    """A new, empty workspace with one run of the loop."""
    with tempfile.TemporaryDirectory() as folder:
        paths = WorkspacePaths(Path(folder) / "workspace")
        ensure_workspace(paths.root)
        stores = open_stores(paths, Settings())
        run = stores.runs.begin("improve", "stream", {}, started="")
        workers = workers_of(run.id)
        try:
            yield Session(
                stores=stores,
                learner=learner,
                workers=workers,
                sandbox=open_own_sandbox,
                suite=suite,
                run=run.id,
                request={},
                plan=plan,
                ledger=Ledger(Budget()),
                events=NoEvents(),
                workflow=Workflow(),
            )
        finally:
            workers.close()
            stores.db.close()


def _verdict(session: Session) -> dict[str, Any]:
    """What the loop for small suites says of a stream."""
    report = improve_in_stream(session)
    decisions = session.stores.decisions.list_verdicts()
    if not decisions:  # nothing was to be judged, or nothing that was left could have been accepted
        last = report.rounds[-1]
        return {"accepted": False, "pairs": last.pairs, "wins": last.better, "losses": last.worse, "level": None}
    (decision,) = decisions
    tally = decision.tally
    return {
        "accepted": bool(report.promoted),
        "pairs": tally.tried_pairs,
        "wins": tally.wins,
        "losses": tally.losses,
        "level": decision.alpha,
        "reason": decision.reason,
    }


def null_loop(pool: NullPool, size: int, number: int) -> dict[str, Any]:
    """A null learner through the loop for small suites."""
    suite = drawn(pool.tasks, size, number)
    plan = LoopPlan(rounds=BLOCKS, seed=number, limits=Limits(candidates=CANDIDATES, seconds=None))
    learner = NullLearner(arms=tuple(pool.arms), stream=number)
    with opened(suite, learner, lambda run: KnownEpisodes(pool, run), plan) as session:
        # Which episode counts as unlearned is known with the arm alone. The look ends streams and never accepts one, so
        # without it no fewer are accepted.
        session.step_log.finish(LOOKED, {"why": ""})
        return {"measure": "null", "verdict": LOOP, "tasks": size, "stream": number, **_verdict(session)}


def null_proof(pool: NullPool, size: int, number: int) -> dict[str, Any]:
    """A null learner that a person's own tasks, one after the other, are judged with; it is refitted at doublings."""
    arm, accepted = "", False
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "memory.db", GATE) as db:
        own = DecisionRepository(db, clock=lambda: 0.0)
        for place, task in enumerate(drawn(pool.tasks, size, number).tasks):
            if not place & (place - 1):  # 0, 1, 2, 4, 8, ... tasks were learned from
                arm = arm_of(tuple(pool.arms), number, place)
            before, after = pool.arms[arm].sides[task.id]
            own.add_own_pair(
                str(place),
                task.family,
                every_trait(task),
                PersonTaskOutcomes(unlearned=before, learned=after),
                met=False,
            )
            proof = own.proof()
            accepted = accepted or proof.helped
        tally = proof.state.tally
        return {
            "measure": "null",
            "verdict": OWN,
            "tasks": size,
            "stream": number,
            "accepted": accepted,
            "pairs": proof.counted,
            "wins": tally.wins,
            "losses": tally.losses,
            "level": proof.state.alpha,
        }


def learned_stream(size: int, number: int, name: str = SUITE) -> dict[str, Any]:
    """The product's learner from nothing through the loop for small suites, with the product's limits."""
    suite, settings = drawn(distinct_tasks(name), size, number, name), Settings()
    limits = Limits(candidates=settings.candidates, seconds=settings.seconds)
    plan = LoopPlan(rounds=BLOCKS, seed=number, limits=limits)
    learner = Sparing(tasks=size)

    def workers(run: str) -> Workers:
        return LocalWorkers(WorkerSetup(learner=learner, sandbox=open_own_sandbox, run=run, suite=suite.name))

    with opened(suite, learner, workers, plan) as session:
        return {"measure": "stream", "tasks": size, "stream": number, **_verdict(session)}


def rows_of(*, quick: bool) -> Iterator[dict[str, Any]]:
    """All rows: the null arms, the null streams, and those of the product's learner."""
    pool = drawn_pool(70, 1, 500) if quick else drawn_pool(POOL, ARMS, CANDIDATES)
    for arm in pool.arms.values():
        yield {"measure": "arm", "arm": arm.name, "searched": arm.raw, "played": arm.outcomes}
    progress(f"null arms: {len(pool.arms)} on {len(pool.tasks)} problems")
    for size in SIZES:
        for number in range(5 if quick else NULLS):
            yield null_loop(pool, size, number)
            yield null_proof(pool, size, number)
        progress(f"null streams of {size} tasks")
    yield from power_rows(SUITE, {SIZES[0]: 1} if quick else STREAMS)


def power_rows(name: str, streams: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    """Streams of the product's learner on a suite, so many of each size."""
    for size, count in streams.items():
        for number in range(count):
            yield learned_stream(size, number, name)
            progress(f"the product's learner, stream {number + 1} of {size} tasks")


def accepted_share(rows: Sequence[Row], measure: str, size: int, verdict: str = "") -> ConfidenceInterval:
    """Share of streams that are accepted; exact bounds."""
    mine = _streams(rows, measure, size, verdict)
    return clopper_pearson(sum(row["accepted"] for row in mine), len(mine))


def _streams(rows: Sequence[Row], measure: str, size: int, verdict: str = "") -> list[Row]:
    return [
        row for row in rows if row["measure"] == measure and row["tasks"] == size and row.get("verdict", "") == verdict
    ]


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """Every target from the rows; what was not run is not met."""
    made = []
    for size in SIZES:
        for verdict in (LOOP, OWN):
            share = accepted_share(rows, "null", size, verdict)
            made.append(against(f"null streams accepted, {verdict}, {size} tasks", share, "<=", MOST_FALSE / NULLS))
    return [*made, *power_targets(rows)]


def power_targets(rows: Sequence[Row]) -> list[Target]:
    """Those of the product's learner alone."""
    return [
        against(
            f"streams accepted, the product's learner, {size} tasks", accepted_share(rows, "stream", size), ">=", least
        )
        for size, least in POWER.items()
    ]


def table(rows: Sequence[Row]) -> Iterator[tuple[Any, ...]]:
    """What a reader sees first; the head is the first row."""
    yield ("learner, verdict, tasks", "streams", "level", "accepted", "more wins than losses", "pairs", "won", "lost")
    for measure, verdict in (("null", LOOP), ("null", OWN), ("stream", "")):
        for size in SIZES:
            mine = _streams(rows, measure, size, verdict)
            if mine:
                yield _line(mine, f"{'no gain' if measure == 'null' else 'the product'}, {verdict or LOOP}, {size}")


def _line(rows: Sequence[Row], name: str) -> tuple[Any, ...]:
    share = clopper_pearson(sum(row["accepted"] for row in rows), len(rows))
    ahead = clopper_pearson(sum(row["wins"] > row["losses"] for row in rows), len(rows))
    means = (sum(row[key] for row in rows) / len(rows) for key in ("pairs", "wins", "losses"))
    levels = sorted({row["level"] for row in rows if row["level"] is not None})
    return (
        name,
        len(rows),
        ", ".join(f"{one:g}" for one in levels),
        _shown(share),
        _shown(ahead),
        *(f"{one:.1f}" for one in means),
    )


def _shown(one: ConfidenceInterval) -> str:
    return "" if one.value is None else f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gate_streams", description=(__doc__ or "").splitlines()[0]
    )
    common_options(parser, seeds=1)
    parser.add_argument("--power", metavar="SUITE", help="the product's learner alone, on streams of this suite")
    parser.add_argument("--streams", type=int, help="of each size, with --power")
    options = parser.parse_args(argv)
    settings: dict[str, Any]
    if options.power:
        streams = {size: options.streams or count for size, count in STREAMS.items()}
        rows = list(power_rows(options.power, {SIZES[0]: 1} if options.quick else streams))
        settings, targets = {"suite": options.power}, power_targets(rows)
    else:
        rows = list(rows_of(quick=options.quick))
        settings = {"suite": SUITE, "pool": POOL, "arms": ARMS * len(STRENGTHS), "candidates": CANDIDATES}
        targets = targets_of(rows)
    outcome = Outcome(
        benchmark="gate_streams",
        seeds=options.seeds,
        quick=options.quick,
        rows=rows,
        targets=targets,
        settings=settings,
    )
    lines = ["  ".join(str(cell) for cell in cells) for cells in table(rows)]
    lines += [f"{'met ' if one.met else 'MISS'} {one.name}: {one.value}" for one in outcome.targets]
    publish(outcome, options, "\n".join(lines))


if __name__ == "__main__":
    main()
