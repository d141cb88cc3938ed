"""The optimiser's run: forecast, search, judge, and what was accepted measured once more on sealed tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import Any

from evolve.agent.workflow import workflow_differences
from evolve.core.episodes.codec import Jsonable, from_data, to_data
from evolve.core.errors import BudgetExhausted
from evolve.core.ledger import Budget, Spent
from evolve.improve.loop import check_evidence, check_size
from evolve.improve.optimizer.adas import DESIGN
from evolve.improve.optimizer.engine import Candidate, Engine, SearchEnded
from evolve.improve.paid import DESIGNS, REWRITES
from evolve.improve.report import contrast_arms
from evolve.improve.schedule import judgement_pairs
from evolve.improve.screening import AskedTrials, SessionTrials, net_win_share
from evolve.improve.session import JUDGING, SEARCHING, BudgetSplit, Session
from evolve.improve.targets import MetricTarget, TargetFigures, target_figures
from evolve.tasks import Task
from evolve.trials import UNLEARNED
from evolve.trials.gate import NOTHING, ArmComparison, Comparison, ConfidenceInterval, Pair, Tally
from evolve.trials.pairs import PairedEpisodes, held_out_tasks

FEWEST = 3
"""A budget that buys fewer proposals or paired tests than this is refused."""

_PILOT = 4
_SCREENED = 24
"""Tasks that a forecast expects one screening to take, where the suite has as many."""
_STEP = "optimization"


@dataclass(frozen=True, kw_only=True)
class OptimizerForecast:
    """What the budget buys, before the search begins.

    Attributes:
        proposals: Candidates that can be tried; None where that is not known.
        tests: Paired tests that can be held beside them.
        episode_share: Part of the budget that one episode took in the pilot.
        unknown: Why a budget foretells nothing, or "".
    """

    proposals: int | None = None
    tests: int | None = None
    episode_share: float = 0.0
    unknown: str = ""

    @property
    def text(self) -> str:
        """One sentence for people."""
        if self.proposals is None:
            return self.unknown or "no budget was given: the search ends when nothing new is within reach"
        return f"the budget buys about {self.proposals} proposals and {self.tests} paired tests"


@dataclass(frozen=True, kw_only=True)
class AcceptedVariant(Jsonable):
    """An accepted change: what the gate foresaw, and what sealed tasks showed.

    Attributes:
        predicted: Share of gate pairs won minus share lost. The winner was chosen by it, so it is likely too high.
        realised: The same on test tasks, which chose nothing; without a value where it was not measured.
        solved: Share of test tasks solved minus the share its parent solved.
        ratio: Cost over the parent's, median over test tasks that both solve.
    """

    variant: str
    parent: str
    operator: str
    why: str
    predicted: ConfidenceInterval
    realised: ConfidenceInterval = NOTHING
    solved: ConfidenceInterval = NOTHING
    ratio: ConfidenceInterval = NOTHING


@dataclass(frozen=True, kw_only=True)
class OptimizationReport(Jsonable):
    """What an optimiser's run did.

    Attributes:
        tried: Candidates that were tried.
        judged: How many of them went to the gate.
        looks: How often the suite's test tasks have been opened.
        active: Digest of the variant that is active now, or "".
        note: Why nothing was measured on test tasks, or "".
        target: What was found by the target, or None without one.
        overshoot: How far the budget was passed, in a sentence, or "".
        unusable: That no reply of the model could be used, and why the last one could not, in a sentence, or "".
    """

    run: str
    suite: str
    suite_digest: str
    seed: int
    engine: str
    finish_reason: str
    forecast: OptimizerForecast
    tried: int
    judged: int
    changes: tuple[AcceptedVariant, ...]
    looks: int
    spent: Spent
    active: str = ""
    note: str = ""
    verdicts: Mapping[str, int] = field(default_factory=dict)
    target: TargetFigures | None = None
    overshoot: str = ""
    unusable: str = ""

    @property
    def promoted(self) -> bool:
        """Something was promoted."""
        return bool(self.changes)


def optimize(
    parts: BudgetSplit, engine: Engine, texts: Mapping[str, str], target: MetricTarget | None = None
) -> OptimizationReport:
    """Runs an engine to its end, or on from where an earlier process stopped.

    Args:
        parts: The run, with its budget divided.
        texts: Prompts in force that may be edited, by file name.
        target: What chooses among candidates that do no worse by solves and cost.

    Raises:
        BudgetExhausted: The budget buys fewer than three proposals or paired tests.
        UsageError: The suite is too small to be split.
    """
    session = parts.whole
    done = session.step_log.done(_STEP)
    if done is not None:
        return OptimizationReport.from_json(done)
    check_size(session.suite)
    check_evidence(session)
    stores = session.stores
    # What is accepted on the way changes what is active, so a run that goes on needs to know what it began with.
    active = stores.variants.active_digest
    begun = session.step_log.once("start", lambda: {"variant": active, "texts": dict(texts)})
    base = str(begun["variant"])
    workflow = stores.state(base, session.workflow).workflow
    start = Candidate(workflow=workflow, prompts=tuple(begun["texts"].items()), operator="start")
    trials = SessionTrials(parts, start, base, target.score_of if target is not None else None)
    forecast = forecast_search(parts, trials, start)
    trials.judgements = forecast.tests
    session.emit_event("forecast", text=forecast.text)
    try:
        reason = engine.search(AskedTrials(trials), start)
    except SearchEnded as end:
        reason = str(end)
    accepted = [(candidate, decision) for candidate, decision in trials.verdicts if decision["promoted"]]
    changes, note = _remeasured(session, base, start, accepted)
    report = _report(session, engine, trials, forecast, (changes, note, reason))
    if target is not None:
        report = replace(report, target=target_figures(target, trials))
    session.step_log.finish(_STEP, report.to_json())
    return report


def forecast_search(parts: BudgetSplit, trials: SessionTrials, start: Candidate) -> OptimizerForecast:
    """A few trials of the start, and what the rest of the budget buys at their cost.

    Raises:
        BudgetExhausted: Too little for a search that could decide anything.
    """
    session = parts.search
    known = session.step_log.done("forecast")
    tasks = [view.id for view in trials.tasks[:_SCREENED]]
    try:
        price = _price_of_episode(session, trials, start, tasks)
    except SearchEnded as end:
        raise _budget_too_small(parts.whole, str(end), 0.0) from end
    if known is not None:
        read: OptimizerForecast = from_data(OptimizerForecast, known)
        return read
    forecast = _forecast_from(session, price, len(tasks))
    if forecast.tests is not None and min(forecast.tests, forecast.proposals or 0) < FEWEST:
        screening, test = _costs(session, forecast.episode_share, len(tasks))
        needed = max((1 + FEWEST) * screening / SEARCHING, FEWEST * test / JUDGING)
        raise _budget_too_small(parts.whole, forecast.text, needed)
    # Kept only now: what a budget was too small for may go on with a larger one.
    session.step_log.finish("forecast", to_data(forecast))
    return forecast


def _price_of_episode(
    session: Session, trials: SessionTrials, start: Candidate, tasks: Sequence[str]
) -> Mapping[str, float]:
    """What an episode takes, by kind of budget; {} where every one ended in a fault.

    Processes start and libraries load with the first episodes, once, so these are priced only where there are no
    others. While every trial has ended in a fault nothing has a price yet, so some more are run.
    """
    known = session.step_log.done("price")
    price: Mapping[str, float] = known or {}
    # The same questions come again when a run goes on, and those that an earlier version began asked for one batch.
    one_batch = known is None and session.step_log.done("forecast") is not None
    for first in range(0, len(tasks), _PILOT):
        before = session.ledger.spent
        try:
            pilot = trials.screen(start, tasks[first : first + _PILOT])
        except SearchEnded:
            if not price:
                raise
            break  # What the first trials took tells how large a budget would do.
        informative = sum(trial.informative for trial in pilot)
        if known is None and informative:
            after = session.ledger.spent
            kinds = [item.name for item in fields(Budget)]
            price = {kind: (getattr(after, kind) - getattr(before, kind)) / informative for kind in kinds}
        if price and (first or one_batch):
            break
    session.step_log.finish("price", dict(price))
    return price


def _forecast_from(session: Session, price: Mapping[str, float], tasks: int) -> OptimizerForecast:
    if session.ledger.budget.unlimited:
        return OptimizerForecast()
    if not price:
        return OptimizerForecast(
            unknown="what the budget buys is not known: every episode of the pilot ended in a fault"
        )
    each = session.share_of(price) * SEARCHING
    if not each:
        return OptimizerForecast(unknown="the budget bounds nothing that an episode spends here")
    screening, test = _costs(session, each, tasks)
    # The start has to be screened once before there is anything to compare proposals with.
    proposals = max(0, int(SEARCHING / screening) - 1)
    return OptimizerForecast(proposals=proposals, tests=int(JUDGING / test), episode_share=round(each, 6))


def _costs(session: Session, each: float, tasks: int) -> tuple[float, float]:
    """What screening one candidate and one paired test take, as shares of the budget."""
    return tasks * each, 2 * judgement_pairs(session) * each


def _budget_too_small(session: Session, reason: str, needed: float) -> BudgetExhausted:
    """Names the command that would do.

    Args:
        needed: How many times the budget the least is that would; 0 where that is not known.
    """
    parts = ["evolve lab optimize", str(session.request.get("suite", "SUITE"))]
    parts += [f"--{name} {session.request[name]}" for name in ("only", "engine") if session.request.get(name)]
    return BudgetExhausted(
        f"the budget is too small to decide anything: {reason}",
        hint=f"{' '.join(parts)} {_budget_option(session.ledger.budget, needed)}",
    )


def _budget_option(budget: Budget, needed: float) -> str:
    """The option for a budget so many times as large, with a fifth to spare; in words where it has several bounds."""
    kinds = {"tokens": budget.tokens, "candidates": budget.candidates}
    bounds = [f"--budget {math.ceil(1.2 * needed * most / 1000)}k-{kind}" for kind, most in kinds.items() if most]
    if needed and len(bounds) == 1 and budget.seconds is None and budget.money is None:
        return bounds[0]
    return f"with a budget that buys {FEWEST} proposals and {FEWEST} paired tests, or with none"


def _remeasured(
    session: Session, base: str, start: Candidate, accepted: Sequence[tuple[Candidate, Mapping[str, Any]]]
) -> tuple[tuple[AcceptedVariant, ...], str]:
    """Every accepted change beside its parent on one test task per group; a logged look."""
    if not accepted:
        return (), "nothing was accepted, so the test tasks stay sealed"
    chain = [base, *(str(decision["variant"]) for _, decision in accepted)]
    session.stores.decisions.look(session.suite.digest, run=session.run, purpose="optimize")
    tasks = held_out_tasks(session, "test")
    contests = [ArmComparison(parent=old, variant=new, tasks=tasks) for old, new in pairwise(chain)]
    total = sum(len({task.group for task in contest.tasks}) for contest in contests)
    measured = 0

    def on_pair(at: int, pair: Pair) -> None:
        nonlocal measured
        measured += 1
        session.emit_event("test", done=measured, total=total)

    comparisons = PairedEpisodes(run=session, split="test").make_runner().compare_each(contests, on_pair=on_pair)
    changes = []
    for (candidate, decision), contest, comparison in zip(accepted, contests, comparisons, strict=True):
        changes.append(_change(candidate, decision, contest, comparison, before=start))
        start = candidate
        session.stores.variants.add_measure(contest.variant, run=session.run, kind="change", body=changes[-1].to_json())
    return tuple(changes), "" if comparisons[0].pairs else "the budget ended before the test tasks"


def _change(
    candidate: Candidate,
    decision: Mapping[str, Any],
    contest: ArmComparison[Task],
    comparison: Comparison,
    *,
    before: Candidate,
) -> AcceptedVariant:
    # A candidate was made in several steps, and its own reason is that of the last one.
    changed = "; ".join(
        str(difference).removeprefix("~ ") for difference in workflow_differences(before.workflow, candidate.workflow)
    )
    measured = contrast_arms(contest.parent, comparison.pairs)
    return AcceptedVariant(
        variant=contest.variant,
        parent=contest.parent,
        operator=candidate.operator,
        why=changed or f"{candidate.operator}: {candidate.why}",
        predicted=_net(Tally(**decision["tally"])),
        realised=_net(comparison.state.tally),
        solved=measured.gain,
        ratio=measured.ratio,
    )


def _net(tally: Tally) -> ConfidenceInterval:
    """Share of pairs won minus share lost."""
    gain, low, high = net_win_share(tally.wins, tally.losses, tally.ties)
    return ConfidenceInterval(value=gain, low=low, high=high, n=tally.pairs)


def _unusable(session: Session, trials: SessionTrials) -> str:
    """That none of the replies that proposed something could be used; "" where one could, or none was asked for."""
    kept = (session.stores.runs.finished_steps(name, run=session.run) for name in (REWRITES, DESIGNS))
    edits, designs = ([step["answer"] for _, step in steps] for steps in kept)
    drafted = any(member.candidate.operator == DESIGN for member in trials.seen.values())
    if not (edits or designs) or drafted or any("unusable" not in one for one in edits):
        return ""
    refused = "the check of workflows refused it"
    last = [*(one["unusable"] for one in edits), *(refused if one["workflow"] else one["why"] for one in designs)][-1]
    count = len(edits) + len(designs)
    told = "the one reply" if count == 1 else f"none of {count} replies"
    return f"{told} of the model that proposes changes could {'not ' if count == 1 else ''}be used: {last}"


def _report(
    session: Session,
    engine: Engine,
    trials: SessionTrials,
    forecast: OptimizerForecast,
    outcome: tuple[tuple[AcceptedVariant, ...], str, str],
) -> OptimizationReport:
    changes, note, reason = outcome
    active = session.stores.variants.active_digest
    verdicts = [str(decision["verdict"]) for _, decision in trials.verdicts]
    return OptimizationReport(
        run=session.run,
        suite=session.suite.name,
        suite_digest=session.suite.digest,
        seed=session.plan.seed,
        engine=engine.name,
        finish_reason=reason,
        forecast=forecast,
        tried=trials.candidate_count,
        judged=len(verdicts),
        changes=changes,
        looks=len(session.stores.decisions.looks(session.suite.digest)),
        spent=session.ledger.spent,
        overshoot=session.ledger.overshoot_told,
        active="" if active == UNLEARNED else active,
        note=note,
        unusable=_unusable(session, trials),
        verdicts={verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))},
    )
