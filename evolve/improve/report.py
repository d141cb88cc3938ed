"""The report of a loop as a value: figures, their intervals, and what was learned."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evolve.core.episodes import Cost, EpisodeRecord
from evolve.core.episodes.codec import Jsonable
from evolve.core.episodes.plans import SPARSE
from evolve.core.ledger import Spent
from evolve.memory import INFLUENTIAL
from evolve.trials.gate import (
    NOTHING,
    ConfidenceInterval,
    Pair,
    Unit,
    cost_ratio,
    cost_unit,
    is_verified,
    saving_confidence_sequence,
    solved_confidence_sequence,
    solved_difference,
)
from evolve.trials.repositories import Repositories

NOT_RUN = "not run"
_INSIGHTS_SHOWN = 12


@dataclass(frozen=True, kw_only=True)
class ArmRow:
    """One arm on the held-out tasks.

    Attributes:
        tasks: How many were tried; 0 where the arm was not run.
        solved: Accepted on every visible example and every row used for verification.
        verified: Of these, accepted on at least three rows that the policy never saw.
        candidates: Expressions tried over all tasks.
        work: Work units of the search over all tasks.
        seconds: CPU seconds of the policy over all tasks.
        note: ``not run`` and why, or how the arm was made, or "".
        tokens: Tokens of language models over all tasks.
        completion: Those of them that a model wrote.
        cached: Those of them that were sent and that an endpoint had in its cache.
        money: US dollars.
    """

    arm: str
    tasks: int = 0
    solved: int = 0
    verified: int = 0
    candidates: int = 0
    work: int = field(default=0, metadata=SPARSE)
    seconds: float = 0.0
    note: str = ""
    tokens: int = 0
    calls: int = 0
    completion: int = 0
    cached: int = 0
    money: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RoundRow:
    """One round: its practice and what the gate said.

    Attributes:
        planned: Tasks that were to be practised; ``episodes`` are fewer where a budget ended practice.
        idle: Skills that are offered no longer, because no answer to another task ever used them.
        solved: Episodes whose answer was verified.
        checked: Episodes whose answer a command, or tests in its own process, accepted; no part of the proof.
        checkable: Episodes on tasks that can only be checked.
        better, worse, equal: Pairs of the gate's comparison; those lost to faults of the variant are worse.
    """

    number: int
    episodes: int
    solved: int
    skills: int
    verdict: str = ""
    promoted: bool = False
    pairs: int = 0
    reason: str = ""
    planned: int = 0
    idle: int = 0
    checked: int = 0
    checkable: int = 0
    better: int = field(default=0, metadata=SPARSE)
    worse: int = field(default=0, metadata=SPARSE)
    equal: int = field(default=0, metadata=SPARSE)


@dataclass(frozen=True, kw_only=True)
class UnsolvedTask:
    """A task that practice has never solved, and how often it was tried."""

    task: str
    tries: int


@dataclass(frozen=True, kw_only=True)
class RunChanges:
    """What a run added to what was learned, and what is left to learn.

    Attributes:
        skills: Names of the skills that are in use and were not before the run.
        insights: How many more insights there are than before.
        practised: Tasks of the suite that were ever practised on by this policy.
        unsolved: How many of them were never solved.
        hardest: Those of them that were tried most often, at most five.
    """

    skills: tuple[str, ...] = ()
    insights: int = 0
    practised: int = 0
    unsolved: int = 0
    hardest: tuple[UnsolvedTask, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LearnedSkillRow:
    """One learned skill. ``tasks``: distinct tasks it has helped to solve."""

    name: str
    status: str
    tasks: int
    description: str


@dataclass(frozen=True, kw_only=True)
class InsightRow:
    """One insight with what it rests on."""

    id: str
    text: str
    relation: str
    status: str
    evidence: int
    groups: int


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """One episode of practice, in order."""

    round: int
    solved: bool
    candidates: int
    tokens: int = 0
    work: int = field(default=0, metadata=SPARSE)

    @property
    def cost(self) -> Cost:
        """What it took, as far as costs are compared."""
        return Cost(candidates=self.candidates, work=self.work, tokens=self.tokens)


@dataclass(frozen=True, kw_only=True)
class CostShares:
    """What learned costs as shares of the other arm's cost, side by side, since a median alone hides the dear tasks.

    Attributes:
        total: Sum over all tasks.
        both: Sum over tasks that both solve.
        mean: Geometric mean of the ratios of these tasks.
        seconds: CPU seconds of the policy, summed over all tasks; it depends on the machine.
        saved: What is saved per task over all tasks, as costs are compared; below 0 where learned costs more.
        saved_seconds: The same in CPU seconds.
    """

    total: float | None = None
    both: float | None = None
    mean: float | None = None
    seconds: float | None = None
    saved: float = 0.0
    saved_seconds: float = field(default=0.0, metadata=SPARSE)

    @classmethod
    def from_pairs(cls, pairs: Sequence[Pair]) -> CostShares:
        """The shares over the pairs that say something, with learned as their variant."""
        told = [(pair, row) for pair in pairs if (row := pair.estimate_row) is not None]
        rows = [row for _, row in told]
        both = [row for row in rows if row.parent_solved and row.variant_solved]
        logs = [math.log(max(row.variant_cost, 1.0) / max(row.parent_cost, 1.0)) for row in both]
        before, after = sum(row.parent_cost for row in rows), sum(row.variant_cost for row in rows)
        slow = math.fsum(pair.parent.cost.seconds for pair, _ in told)
        fast = math.fsum(pair.variant.cost.seconds for pair, _ in told)
        return cls(
            total=_share(after, before),
            both=_share(sum(row.variant_cost for row in both), sum(row.parent_cost for row in both)),
            mean=math.exp(math.fsum(logs) / len(logs)) if logs else None,
            seconds=_share(fast, slow),
            saved=(before - after) / len(rows) if rows else 0.0,
            saved_seconds=(slow - fast) / len(rows) if rows else 0.0,
        )


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, kw_only=True)
class ArmContrast:
    """The learned arm against another on the same tasks.

    Attributes:
        arm: The other arm.
        gain: Share of tasks solved by learned minus the share solved by the other, bootstrap over groups.
        ratio: Work units, or tokens, of learned over the other, median over tasks that both solve; the same.
        gain_always: The gain with bounds that hold at every look at once.
        saving_always: Mean saving over tasks that both solve, in [-1, 1], with such bounds.
        shares: Costs side by side; reports that an older version wrote have none.
    """

    arm: str
    gain: ConfidenceInterval = NOTHING
    ratio: ConfidenceInterval = NOTHING
    gain_always: ConfidenceInterval = NOTHING
    saving_always: ConfidenceInterval = NOTHING
    shares: CostShares | None = field(default=None, metadata=SPARSE)


@dataclass(frozen=True, kw_only=True)
class Report(Jsonable):
    """What a loop did and whether it helped.

    Attributes:
        promoted: Digest of the variant that acted as ``learned``, or "".
        parts: Parts of answers that the search uses beside the skills.
        promoted_by: The run that promoted it, which may be an earlier one; "" where that is not known.
        ratio: Cost of learned over unlearned, median over tasks that both solve; below 1 is cheaper.
        gain: Share of tasks solved by learned minus the share solved by unlearned.
        looks: How often this suite's test tasks have been opened, this time included.
        curve: Every episode of practice.
        costs: Per arm what each verified answer on held-out tasks cost, in :attr:`cost_unit`, ascending.
        overshoot: How far the budget was passed, in a sentence, or "".
        contrasts: Learned against every other arm that was run.
        run_changes: What is new since the run began; reports that an older version wrote have none.
        cut: A bound ended it, or a part of it, before all was done.
    """

    run: str
    suite: str
    suite_digest: str
    seed: int
    finish_reason: str
    rounds: tuple[RoundRow, ...]
    arms: tuple[ArmRow, ...]
    ratio: ConfidenceInterval
    gain: ConfidenceInterval
    looks: int
    spent: Spent
    promoted: str = ""
    promoted_by: str = ""
    skills: tuple[LearnedSkillRow, ...] = ()
    parts: int = field(default=0, metadata=SPARSE)
    insights: tuple[InsightRow, ...] = ()
    insight_count: int = 0
    evidence_count: int = 0
    curve: tuple[CurvePoint, ...] = ()
    costs: Mapping[str, Sequence[int]] = field(default_factory=dict)
    contrasts: tuple[ArmContrast, ...] = ()
    overshoot: str = ""
    run_changes: RunChanges | None = field(default=None, metadata=SPARSE)
    cut: bool = field(default=False, metadata=SPARSE)

    @property
    def goes_on(self) -> bool:
        """Whether the same loop does more with a further budget; reports of earlier versions say so in words alone."""
        return self.cut or "budget" in self.finish_reason

    @property
    def cost_unit(self) -> Unit:
        """What costs of tasks are compared in, here and in the gate; reports of earlier versions compare candidates."""
        return cost_unit(Cost(candidates=row.candidates, work=row.work, tokens=row.tokens) for row in self.arms)

    @property
    def compared(self) -> tuple[ArmContrast, ...]:
        """The contrasts; reports that an older version wrote have one, against ``unlearned``."""
        return self.contrasts or (ArmContrast(arm="unlearned", gain=self.gain, ratio=self.ratio),)

    @property
    def has_promoted(self) -> bool:
        """This run promoted something."""
        by_this = bool(self.promoted) and self.promoted_by == self.run
        return by_this or any(row.promoted for row in self.rounds)

    @property
    def helped(self) -> bool:
        """The 95 % interval of the cost or of the share solved excludes no gain, and neither's shows a loss.

        Of what was promoted alone: the figures of tasks that were judged are not the gate's verdict on them.
        """
        if not self.promoted:
            return False
        cost, solved = self.ratio, self.gain
        if cost.high is None or cost.low is None or solved.low is None or solved.high is None:
            return solved.low is not None and solved.low > 0.0
        better = cost.high < 1.0 or solved.low > 0.0
        return better and cost.low <= 1.0 and solved.high >= 0.0


def arm_row(arm: str, records: Sequence[EpisodeRecord], note: str = "") -> ArmRow:
    """The counts of one arm.

    Args:
        note: Why it was not run, or how it was made.
    """
    cost = sum((record.cost for record in records), Cost())
    return ArmRow(
        arm=arm,
        tasks=len(records),
        solved=sum(record.solved for record in records),
        verified=sum(is_verified(record) for record in records),
        candidates=cost.candidates,
        work=cost.work,
        tokens=cost.tokens,
        calls=cost.calls,
        completion=cost.completion,
        cached=cost.cached,
        money=round(cost.money, 9),
        seconds=round(cost.seconds, 3),
        note=note,
    )


def contrast_arms(arm: str, pairs: Sequence[Pair]) -> ArmContrast:
    """Learned, as the variant of the pairs, against another arm, as their parent."""
    rows = [row for pair in pairs if (row := pair.estimate_row) is not None]
    return ArmContrast(
        arm=arm,
        gain=solved_difference(rows),
        ratio=cost_ratio(rows),
        gain_always=solved_confidence_sequence(rows),
        saving_always=saving_confidence_sequence(rows),
        shares=CostShares.from_pairs(pairs),
    )


def learned_skills(stores: Repositories) -> tuple[LearnedSkillRow, ...]:
    """Skills in use, those that helped most tasks first, without parts that only the search uses."""
    rows = [
        LearnedSkillRow(name=skill.name, status=skill.status, tasks=len(skill.tasks), description=skill.description)
        for skill in stores.skills.active()
        if not skill.is_hidden
    ]
    return tuple(sorted(rows, key=lambda row: (-row.tasks, row.name)))


def learned_insights(stores: Repositories, policy: str) -> tuple[tuple[InsightRow, ...], int, int]:
    """The best-backed insights that influence runs of a policy, their number, and the evidence rows behind them."""
    insights = [insight for insight in stores.memory.list_insights(policy=policy) if insight.status in INFLUENTIAL]
    insights.sort(key=lambda insight: (insight.status != "confirmed", -insight.evidence, insight.id))
    rows = tuple(
        InsightRow(
            id=insight.id,
            text=insight.text,
            relation=insight.relation,
            status=insight.status,
            evidence=insight.evidence,
            groups=insight.groups,
        )
        for insight in insights[:_INSIGHTS_SHOWN]
    )
    return rows, len(insights), sum(insight.evidence for insight in insights)
