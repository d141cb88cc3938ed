"""One error budget for an endless stream of proposals, and which groups of tasks have served which of them.

Proposal ``i`` is tested at ``alpha / (i (i + 1))``, where ``i`` is one plus the most proposals that any of the groups
it is judged on has served before, over all suites of the record. A group is known by what identifies its problem. So a
task that is added to a file, a file that is renamed and splits that are drawn anew bring evidence and reset nothing,
and the levels of all proposals that one group ever serves sum to at most ``alpha``.

Why the bound holds on groups that are used again: whoever proposes is told one bit per proposal. As long as that bit
says no, what comes next cannot depend on the outcomes, so the proposals on that path are the same whatever the tasks
are: each of them is as independent of the tasks as the first, each is accepted at its level at most, and the sum of the
levels bounds that any is (the union bound over the paths of an adaptive analysis: Blum and Hardt, "The Ladder", ICML
2015; Dwork et al., "The reusable holdout", Science 349, 2015; Russo and Zou, AISTATS 2016, for what bits leak in
general). What would break it is a proposer that reads outcomes per task; a bound as this one does not hold for it.

What an acceptance leaks: which proposal it was, at most ``log2(i)`` bits, since from then on the path depends on it. A
proposal that comes later is one of ``i`` that could have come in its place. Against this, and against whoever has read
more than the bit, stand groups that judge nothing until a proposal was accepted on the others (:class:`GroupBlocks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from evolve.core.files import digest
from evolve.tasks import Task
from evolve.trials.gate.proposal import VariantProposal


@dataclass(frozen=True, kw_only=True)
class GateLevel:
    """What one proposal was tested with.

    Attributes:
        level: Its error level.
        wealth: What the test made of one unit of wealth when it ended.
    """

    level: float
    wealth: float
    accepted: bool


@dataclass(frozen=True, kw_only=True)
class ErrorBudget:
    """Bounds the probability of ever accepting a proposal that is no better than its parent (family-wise).

    The budget is capital. Proposal ``i`` is tested at the level ``capital / (i + 1)``, which is staked on it: the
    test multiplies the stake by its wealth and accepts when the stake has become 1. When it ends otherwise, what
    is left of the stake comes back, and after an acceptance the stake itself does; never more than was staked. In
    simulated loops of 50 proposals (effect 0.2, discordance 0.3, 100 groups) 38 % of real improvements are accepted
    so, against 22 % where levels are spent for good, at the same bound.

    Why the bound holds: while a proposal that is no better is tested, stake and rest together are a non-negative
    supermartingale; while a better one is, they do not grow. So capital that starts at ``alpha`` reaches 1 on a
    proposal that is no better with probability at most ``alpha`` (Ville, 1939), however many come and whatever the
    verdicts before them. What is asked of every test is what its null hypothesis says: a decisive pair is won with
    probability at most one half, whatever happened before, other proposals included. Groups that are used again do not
    give that: what came back after one proposal tells of the outcomes that the next one meets. There
    :mod:`evolve.trials.gate.error_budget` sets the levels, and nothing comes back.

    Sources: wealth as the measure of evidence, Shafer, "Testing by betting", JRSS A 184 (2021); error levels as
    capital, Foster and Stine, "Alpha-investing", JRSS B 70 (2008), there for another error rate; an accepted
    proposal hands its level on, Tian and Ramdas, "Online control of the familywise error rate", Statistical
    Methods in Medical Research 30 (2021).

    Attributes:
        alpha: The bound.
    """

    alpha: float = 0.05

    def remaining_capital(self, stakes: Iterable[GateLevel]) -> float:
        """What is left after these proposals, in order; always above 0."""
        capital = self.alpha
        for stake in stakes:
            capital -= stake.level * (1.0 - (1.0 if stake.accepted else min(max(stake.wealth, 0.0), 1.0)))
        return capital

    def next_level(self, stakes: Iterable[GateLevel] = ()) -> float:
        """Error level of the next proposal after these."""
        listed = tuple(stakes)
        return self.remaining_capital(listed) / (len(listed) + 2)  # the next one has the number len(listed) + 1


JUDGED, KEPT_BACK, DRAWN = "judged", "kept back", "drawn afresh"
"""What groups serve a proposal for: to be judged on, or to confirm that it was accepted."""

OLDER = "judged by an older version"

SHARE = 1 / 3
"""Part of the groups that is kept back for confirmation."""
LEAST = 120
"""Groups from which some are kept back. It costs power, and with fewer groups too much: of variants that win .71 of the
pairs and lose .09, as on the built-in suite ``everyday``, 1.00 are accepted on 120 groups with a third kept back (a
quarter .99, a half 1.00), .99 on 96, .91 on 64; of those that win .5 and lose .1, .89 on 120 and 1.00 without, .78 on
96 and 1.00 without; of those that win .25 and lose .05, .37 on 120 and .91 without."""

FRESH, FEWEST_UNSEEN = 100, 24
"""Tasks that are drawn for one confirmation where a suite can draw, and the fewest groups nobody has seen among them
with which it is tried: what draws tasks has only so many different problems."""

_FIRST_SEED = 1_000_000
"""Above the seeds that people give."""


@dataclass(frozen=True, kw_only=True)
class GroupBlocks:
    """How a judgement divides its groups.

    Attributes:
        judged: Every proposal is judged on these.
        kept: Only what was accepted on those is tried on these; empty where there are too few for both.
    """

    judged: frozenset[str]
    kept: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class ServedProposal:
    """A proposal and the groups that served it.

    Attributes:
        key: Identity of the judgement.
        number: The proposal's number among those that any of the groups served, from 1.
        level: Error level that follows from it.
    """

    key: str
    block: str
    number: int
    level: float
    groups: frozenset[str]


def divide_groups(
    groups: Iterable[str], *, begun: ServedProposal | None, served: Mapping[str, int], keep: bool = True
) -> GroupBlocks:
    """Divides groups; a judgement that goes on after a break gets the division it began with.

    Those that never judged are kept back first, in the order of a digest of their names: what was kept back once
    stays so when tasks are added.

    Args:
        begun: What the judgement began with, where it did.
        served: How many proposals each group has judged.
        keep: Whether any are kept back.
    """
    known = frozenset(groups)
    if begun is not None:
        return GroupBlocks(judged=known & begun.groups, kept=known - begun.groups)
    if not keep or len(known) < LEAST:
        return GroupBlocks(judged=known)
    order = sorted(known, key=lambda group: (served.get(group, 0) > 0, digest(f"kept back:{group}"), group))
    kept = frozenset(order[: round(SHARE * len(order))])
    return GroupBlocks(judged=known - kept, kept=kept)


def draw_unseen(
    proposal: VariantProposal, *, begun: ServedProposal | None, times_served: Callable[[str], Mapping[str, int]]
) -> list[Task]:
    """Tasks drawn for the confirmation of a proposal, of groups that nobody has seen; [] where none can be drawn.

    The seed follows from how many proposals were confirmed so before, so a judgement that goes on gets the same.
    """
    suite = proposal.suite
    if suite.draw is None:
        return []
    drawn = times_served(DRAWN)
    number = begun.number if begun else next_number(drawn, [suite_mark(suite.name, DRAWN)])
    tasks = suite.draw(FRESH, _FIRST_SEED + number)
    if begun is not None:
        return [task for task in tasks if task.group in begun.groups]
    seen = {task.group for task in suite.tasks} | proposal.learned_from
    seen.update(drawn, times_served(JUDGED), times_served(KEPT_BACK))
    unseen = [task for task in tasks if task.group not in seen and not task.cannot_be_verified]
    return unseen if len({task.group for task in unseen}) >= FEWEST_UNSEEN else []


def next_number(served: Mapping[str, int], groups: Iterable[str]) -> int:
    """One plus the most proposals that any of the groups has served."""
    return 1 + max((served.get(group, 0) for group in groups), default=0)


def suite_mark(suite: str, block: str) -> str:
    """Stands among the groups of every judgement on a suite, for those whose groups nobody wrote down."""
    return f"{block} of suite {suite}"


def error_level(alpha: float, number: int) -> float:
    """Error level of a proposal by its number, from 1; over all numbers they sum to ``alpha``."""
    return alpha / (number * (number + 1))
