"""How often does the gate accept a change without effect? ``python -m benchmarks.gate_selftest --loops 20``.

Whole loops of proposals that change nothing are put before the real gate, in the sandbox of this machine. The exit code
is 1 where it accepts more often than it promises.

The embedded policy works on a small built-in suite in the sandbox. Three kinds of proposals cannot be better than
their parent: the parent under another label; one whose knobs mean nothing to this policy; and one that for every task
draws whether it searches with a guide or without, as its parent does. The last kind wins and loses pairs by luck.
Every episode is run once: the policy is deterministic, so running it again would repeat it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.record import progress
from evolve.agent.workflow import Workflow
from evolve.core.episodes import EpisodeRecord, Json, Limits
from evolve.core.schema import MIGRATIONS
from evolve.core.settings import Settings
from evolve.core.store import Database
from evolve.runtime.sandbox import Sandbox
from evolve.tasks import Suite, Task, load_suite
from evolve.trials import LearnedState, agent_for
from evolve.trials.gate import (
    ComparisonPlan,
    ConfidenceInterval,
    DecisionRepository,
    ErrorBudget,
    Gate,
    Job,
    VariantProposal,
    clopper_pearson,
)
from evolve.workspace.learners import SearchLearner
from evolve.workspace.opening import sandbox_opener

LEVEL = 0.05
"""What the gate promises: the share of loops in which anything that is no better is ever accepted."""
PROPOSALS = 10
SUITE = "everyday"
KINDS = ("relabelled", "idle knobs", "drawn anew")
_CANDIDATES, _DREAMS = 400, 100


@dataclass(frozen=True, kw_only=True)
class NullReport:
    """What the loops found.

    Attributes:
        groups: Groups that a proposal could be tried on.
        accepted: Loops in which something was accepted.
        rate: Their share, with exact 95 % bounds.
        decisive: Pairs per loop that moved the test; with none the loops would show nothing.
    """

    loops: int
    proposals: int
    groups: int
    accepted: int
    rate: ConfidenceInterval
    decisive: float

    @property
    def level(self) -> float:
        """What is promised: the share of loops in which anything that is no better is ever accepted."""
        return LEVEL

    @property
    def kept(self) -> bool:
        """Whether the rate does not contradict the promise, and the loops could have."""
        return self.rate.low is not None and self.rate.low <= LEVEL and self.decisive > 0

    @property
    def shown(self) -> bool:
        """Whether the upper bound too is within the promise; that takes 72 loops without a false accept."""
        return self.kept and self.rate.high is not None and self.rate.high <= LEVEL


def null_loops(
    loops: int,
    sandbox: Sandbox,
    *,
    told: Callable[[str], None],
    seed: int = 0,
    budget: ErrorBudget | None = None,
) -> NullReport:
    """Runs the loops.

    Args:
        budget: The gate's error budget; a larger one shows that the self-test can fail.
        told: Hears of progress in short sentences.
    """
    suite = replace(load_suite(SUITE), draw=None)  # what was run once is all there is
    plays = _run_arms(suite, sandbox, told)
    accepted = decisive = 0
    with tempfile.TemporaryDirectory() as folder:
        for loop in range(loops):
            with Database(Path(folder) / f"{loop}.db", MIGRATIONS) as db:
                gate = Gate(DecisionRepository(db, budget=budget))
                # Numbered so that no two seeds share a loop.
                verdicts = [
                    _judge_proposal(gate, suite, plays, seed * loops + loop, number) for number in range(PROPOSALS)
                ]
            accepted += any(won for won, _ in verdicts)
            decisive += sum(count for _, count in verdicts)
            if (loop + 1) % 10 == 0 or loop + 1 == loops:
                told(f"{loop + 1} of {loops} loops, {accepted} with a false accept")
    return NullReport(
        loops=loops,
        proposals=PROPOSALS,
        groups=len({task.group for task in suite.split("gate")}),
        accepted=accepted,
        rate=clopper_pearson(accepted, loops),
        decisive=decisive / loops if loops else 0.0,
    )


Plays = dict[tuple[str, str], EpisodeRecord]
"""Episodes by arm and task."""


def _run_arms(suite: Suite, sandbox: Sandbox, tell: Callable[[str], None]) -> Plays:
    """Runs every arm on every gate task, once."""
    idle = Workflow().with_knobs(recall_k=3, samples=2, tokens=5_000, withhold=0.5)
    arms = {
        "plain": LearnedState(),
        "idle knobs": LearnedState(workflow=idle),
        "guided": LearnedState(guide=_dream_guide(suite)),
    }
    limits = Limits(candidates=_CANDIDATES, seconds=None)
    plays: Plays = {}
    for name, arm in arms.items():
        agent = agent_for(arm, SearchLearner(), sandbox, run="selftest", suite=suite.name)
        for task in suite.split("gate"):
            plays[name, task.id] = agent.run_episode(task, variant=name, split="gate", seed=0, limits=limits)
        tell(f"the arm {name!r} has been run on {len(suite.split('gate'))} tasks")
    return plays


def _dream_guide(suite: Suite) -> Json:
    """A guide fitted to what the policy made up on inputs of ``train`` tasks; it knows no answer."""
    from evolve.policies.search.guide import fit
    from evolve.policies.search.programs.operations import literals, vocabulary
    from evolve.policies.search.searcher import Vocabulary
    from evolve.policies.search.training import dream_prices, problems_of, synthetic_task

    words = Vocabulary(vocabulary(), literals())
    problems = problems_of([task.view() for task in suite.split("train")])
    return fit(synthetic_task(problems, words, dream_prices(words), count=_DREAMS, seed=0), rows=0).to_json()


def _judge_proposal(gate: Gate, suite: Suite, plays: Plays, loop: int, number: int) -> tuple[bool, int]:
    """Whether a proposal was accepted, and how many pairs moved the test."""
    # Most are of the kind that can be accepted at all.
    kind = KINDS[number % 5] if number % 5 < 2 else KINDS[2]
    draw = random.Random(f"{loop}:{number}")
    gate_tasks = suite.split("gate")
    drawn = {(arm, task.id): draw.choice(("plain", "guided")) for task in gate_tasks for arm in ("parent", "variant")}

    def arm_of(job: Job[Task]) -> str:
        if kind == "drawn anew":
            return drawn[job.arm, job.task.id]
        return "idle knobs" if kind == "idle knobs" and job.arm == "variant" else "plain"

    def run(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord]:
        return [replace(plays[arm_of(job), job.task.id], variant=job.variant, seed=job.seed) for job in jobs]

    proposal = VariantProposal(run=f"loop {loop}", parent="parent", variant=f"{kind} {number}", suite=suite)
    judgement = gate.judge(proposal, ComparisonPlan(run=run, seed=loop * PROPOSALS + number))
    gate.decisions.save_finding(judgement)
    return judgement.accepted, judgement.state.tally.decisive_pairs


def table(report: NullReport) -> str:
    """The report for people."""
    rate = report.rate
    claim = "the promise holds" if report.shown else "nothing contradicts the promise; more loops would show more"
    return "\n".join(
        (
            f"{report.loops} loops of {report.proposals} proposals that change nothing, {report.groups} groups each",
            f"loops with a false accept: {report.accepted}, share {rate.value:.3f}",
            f"95 % interval {rate.low:.3f} to {rate.high:.3f}; promised: at most {report.level:g}",
            f"pairs that moved the test: {report.decisive:.0f} a loop",
            claim if report.kept else "the promise does not hold",
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gate_selftest", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--loops", type=int, default=80)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.loops < 1:
        parser.error("--loops must be at least 1")
    with closing(sandbox_opener(Settings())()) as sandbox:
        report = null_loops(options.loops, sandbox, told=progress, seed=options.seed)
    data = {**asdict(report), "level": report.level, "kept": report.kept, "shown": report.shown}
    print(json.dumps(data) if options.json else table(report))
    sys.exit(0 if report.kept else 1)


if __name__ == "__main__":
    main()
