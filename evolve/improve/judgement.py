"""Makes a variant of what was learned and has the gate judge it, where enough tasks could show a gain.

A pair is won by solving what the parent does not, or by solving it at a cost that is lower by a fifth. So a task that
the parent solves in a few milliseconds cannot be won, whatever was learned. The parent's half of the pairs tells how
many can; it is needed for a comparison anyway and is on record then. That it is looked at first makes no false
acceptance likelier: by it nothing is ever accepted, and nothing was fitted yet that could tell of a variant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from evolve.core.episodes import EpisodeRecord, Limits
from evolve.core.episodes.codec import to_data
from evolve.core.errors import BudgetExhausted
from evolve.core.failpoints import hit_failpoint
from evolve.core.progress import report_activity
from evolve.improve.schedule import FITTED, PAIRS_OF_A_JUDGEMENT, fit_within_budget, may_judge, no_room_to_judge
from evolve.improve.session import Session, judged_step
from evolve.skills import KEPT, worth_offering
from evolve.tasks import Task
from evolve.trials import UNLEARNED, Variant
from evolve.trials.gate import (
    ComparisonPlan,
    EpisodeOverBudget,
    Gate,
    GateReport,
    Job,
    Pair,
    RegressionTask,
    Retry,
    SequentialTest,
    TestState,
    VariantProposal,
    has_headroom,
    is_verified,
    shuffled_groups,
    solved_by,
)
from evolve.trials.gate.power import PowerForecast
from evolve.trials.jobs import EpisodeJob
from evolve.trials.pairs import PAIRS_AT_ONCE, PairedEpisodes, run_held_out

TRIES = 3
"""Fresh tries that a task takes to enter the regression suite, or to leave it, where a model is asked."""


def propose(session: Session, number: int, *, pairs: int) -> str | None:
    """Fits a guide, gathers skills that have proved useful and keeps both as a variant.

    Args:
        pairs: Pairs that it will be judged on: no guide is begun that leaves too little for them.

    Returns:
        The variant's digest, or None when there is nothing new to judge.

    Raises:
        BudgetExhausted: A guide cannot be fitted within what the budget leaves.
    """
    name = f"variant:{number}"
    done = session.step_log.done(name)
    if done is not None:
        return str(done["variant"]) or None
    no_room = no_room_to_judge(session, pairs)
    if no_room:
        raise BudgetExhausted(no_room)
    stores = session.stores
    experience = stores.memory.experience_rows()
    worth = worth_offering(stores.skills.list(KEPT))
    skills = [skill for skill in stores.skills.active() if skill.digest in worth]
    guide, cost = fit_within_budget(session, experience, skills, pairs=pairs)
    guide_digest = stores.objects.put_json(guide) if guide is not None else ""
    hit_failpoint("guide.fitted")
    active = stores.variants.active()
    variant = Variant(
        guide=guide_digest,
        skills=tuple(stores.keep_skill(skill) for skill in skills),
        insights=stores.snapshot_insights(active.insights if active else "") if experience else "",
        prompts=active.prompts if active else (),
        workflow=active.workflow if active else "",
        parent=stores.variants.active_digest,
    )
    digest = "" if _is_nothing_new(session, variant) else variant.digest
    with stores.db.transaction():
        if digest:
            stores.variants.add(variant, origin=f"{session.run}, round {number}")
        session.step_log.finish(name, {"variant": digest})
        if cost.candidates:
            session.step_log.finish(f"{FITTED}{number}:{session.part}", {"candidates": cost.candidates})
    hit_failpoint("variant.kept")
    session.emit_event("proposed", round=number, variant=digest, insights=len(experience), skills=len(skills))
    return digest or None


def _is_nothing_new(session: Session, variant: Variant) -> bool:
    if variant.parent == UNLEARNED:
        return not (variant.guide or variant.skills or variant.insights)
    parent = session.stores.variants.get(variant.parent)
    return (variant.guide, variant.skills) == (parent.guide, parent.skills)


def judge(session: Session, number: int, variant: str) -> Mapping[str, Any]:
    """Judges the variant of a round; see :func:`judge_variant`."""
    before = session.step_log.done(judged_step(variant))
    if before is not None:
        session.step_log.finish(f"gate:{number}", before)
        return dict(before)
    return judge_variant(session, f"gate:{number}", variant, may_go_on=lambda: may_judge(session, number), round=number)


def judge_variant(
    session: Session, step: str, variant: str, *, may_go_on: Callable[[], bool] = lambda: True, **details: Any
) -> Mapping[str, Any]:
    """Judges any variant of the archive on ``gate`` tasks; promotes it when it is better and breaks nothing.

    Interrupted, the same call goes on: finished episodes are kept, and a finished judgement is read back.

    Args:
        step: Key of the judgement in the journal of the run.
        variant: Digest of a variant; it is compared with its parent.
        may_go_on: Asked before every few pairs; False ends the judgement, undecided unless it was decided.
        details: What listeners hear with every pair.

    Returns:
        JSON of the decision: ``verdict``, ``promoted``, ``reason``, the tally and the number of pairs.
    """
    done = session.step_log.done(step)
    if done is not None:
        return dict(done)
    parent = session.stores.variants.get(variant).parent

    def on_pair(pair: Pair) -> None:
        hit_failpoint("gate.pair")
        session.show("gate", **judgement_texts(pair.state, planned), **details)

    proposal = VariantProposal(
        run=session.run,
        parent=parent,
        variant=variant,
        suite=session.suite,
        texts=session.stores.variant_texts(variant),
        learned_from=session.stores.spent_groups(session.suite.split("gate")),
    )
    planned = len({task.group for task in session.suite.evidence("gate")} - proposal.learned_from)
    seed = _seed(session, proposal)
    run = PairedEpisodes(run=session, split="gate", seed=seed, may_go_on=may_go_on)
    how = ComparisonPlan(run=run, retry=partial(make_retry, session, variant, seed), seed=seed, on_pair=on_pair)
    finding = Gate(session.stores.decisions).judge(proposal, how)
    if finding.void:
        session.show("warning", text=finding.state.reason)
    return record_decision(session, step, finding, _tries_to_enter(session, finding, seed))


def judgement_texts(state: TestState, planned: int) -> Mapping[str, Any]:
    """What a person who watches hears of a comparison so far: its counts, and about how many pairs it will take."""
    tally, ahead = state.tally, 0 if state.further is None else state.further
    most = min(planned, state.tally.tried_pairs + ahead) if ahead else planned
    counts = {"better": tally.wins, "worse": tally.losses + tally.withheld, "equal": tally.ties}
    return {"pairs": tally.tried_pairs, "of": max(most, tally.tried_pairs), "reason": state.reason, **counts}


def _is_repeatable(session: Session) -> bool:
    """Whether the same task under the same variant always ends the same: nothing asks a model."""
    return session.plan.limits.tokens is None


def _seed(session: Session, proposal: VariantProposal) -> int:
    """The seed of a judgement: one for all where episodes repeat themselves, so the parent's are run once.

    Else every proposal meets fresh episodes of its parent: one that was unlucky once would favour all that follow.
    """
    if _is_repeatable(session):
        return session.plan.seed
    return session.plan.seed + 1000 * Gate(session.stores.decisions).proposal_number(proposal)


def _tries_to_enter(session: Session, finding: GateReport, seed: int) -> list[list[EpisodeRecord]]:
    """Per task that the accepted variant solved, the fresh tries with which it may enter the regression suite."""
    if not finding.accepted:
        return []
    solved = [pair.variant for pair in finding.pairs if is_verified(pair.variant)]
    tries = [[record] for record in solved]
    if _is_repeatable(session):
        return tries
    for number in range(1, TRIES):
        for records in tries:
            if not all(is_verified(record) for record in records):
                continue
            job = EpisodeJob(
                task=session.suite.task(records[0].task),
                arm=finding.proposal.variant,
                variant=finding.proposal.variant,
                split="gate",
                seed=seed + 100 + number,
                limits=session.plan.limits,
            )
            try:
                records += run_held_out(session, [job])
            except EpisodeOverBudget:  # what was not tried often enough does not enter
                return tries
    return tries


def record_decision(
    session: Session, step: str, finding: GateReport, entering: Sequence[Sequence[EpisodeRecord]]
) -> Mapping[str, Any]:
    """Keeps the decision and, where it is for the variant, makes it the active one; all in one transaction."""
    stores, suite, state = session.stores, session.suite, finding.state
    variant, parent = finding.proposal.variant, finding.proposal.parent
    hit_failpoint("gate.before")
    with stores.db.transaction():
        decision = stores.decisions.save_finding(finding)
        if finding.accepted:
            stores.variants.promote(variant, grounds=f"gate decision {decision.id}")
            required = 1 if _is_repeatable(session) else TRIES
            for tries in entering:
                stores.decisions.admit(tries, stratum=suite.task(tries[0].task).family, required=required)
        body = {
            "verdict": state.verdict,
            "promoted": finding.accepted,
            "reason": state.reason,
            "pairs": len(finding.pairs),
            "planned": finding.planned,
            "further": state.further,
            "tally": to_data(state.tally),
            "alpha": state.alpha,
            "wealth": round(min(state.wealth, 1e300), 4),
            "variant": variant,
            "parent": parent,
            "regressed": list(finding.regressed),
        }
        session.step_log.finish(step, body)
        hit_failpoint("gate.inside")
    hit_failpoint("gate.after")
    session.show("judged", **body)
    if finding.accepted:
        session.emit_event("promoted", variant=variant)
    return body


def make_retry(session: Session, variant: str, first: int, pairs: Sequence[Pair]) -> Retry:
    """Runs fresh tries of tasks that must keep working."""
    plan, solved = session.plan, solved_by(pairs)

    def retry(task: RegressionTask, number: int) -> EpisodeRecord:
        limits: Limits = task.limits(plan.limits)
        # With the judgement's seed this is the episode of the comparison, where the task was in it. It serves as a
        # try unless it failed on less than a try may spend; that one is counted as a loss already.
        base = plan.limits.candidates
        serves = task.task in solved or base is None or (limits.candidates or 0) <= base
        job = EpisodeJob(
            task=session.suite.task(task.task),
            arm=variant,
            variant=variant,
            split="gate",
            seed=first + number + (0 if serves else task.tries),
            limits=limits,
        )
        return run_held_out(session, [job])[0]

    return retry


LOOKED = "winnable"
"""Step of the journal that keeps why too few tasks could become better, or "" where enough could."""


def judging_if_winnable(session: Session, tasks: Sequence[Task], groups: Iterable[str], *, passes: int) -> Session:
    """The session, or one that only practises, where fewer tasks could become better than have to.

    With a model nothing is looked at: its episodes cost money, and hardly any of them is too cheap to be bettered.

    Args:
        tasks: Those that a variant would be judged on.
        groups: Those by which the error level is found.
        passes: Passes of practice, where it only practises.
    """
    if session.plan.limits.tokens is not None:
        return session
    done = session.step_log.done(LOOKED)
    if done is None:
        if no_room_to_judge(session, min(len(tasks), PAIRS_OF_A_JUDGEMENT)):
            return session
        _, level = session.stores.decisions.next_level(session.suite.digest, groups)
        try:
            why = _why_too_few(session, tasks, SequentialTest(alpha=level).wins_needed(0))
        except EpisodeOverBudget:
            return session
        done = {"why": why}
        session.step_log.finish(LOOKED, done)
        if why:
            session.show("begun", text=f"{why[0].upper()}{why[1:]}. Continuing with practice alone.")
    return session.judging_nothing(str(done["why"]), passes=passes) if done["why"] else session


def _why_too_few(session: Session, tasks: Sequence[Task], needed: int) -> str:
    """Why so many of the tasks cannot become better, in a clause, or "".

    The parent runs on one after the other, in the order of a comparison, until that is known.

    Raises:
        Unaffordable: The budget refused an episode.
    """
    parent, seed = session.stores.variants.active_digest, session.plan.seed
    run = PairedEpisodes(run=session, split="gate", seed=seed)
    order = shuffled_groups(tasks, seed)
    winnable, looked = 0, 0

    def most() -> int:
        return winnable + len(order) - looked

    def is_hopeless() -> bool:
        # Without one that is too easy nothing speaks against a gain on every task.
        return needed > most() or (most() < len(order) and PowerForecast.is_hopeless(needed, most()))

    with report_activity("look", total=len(order), count=lambda: looked):
        while looked < len(order) and PowerForecast.is_hopeless(needed, winnable) and not is_hopeless():
            chunk = order[looked : looked + PAIRS_AT_ONCE]
            records = run([Job(task=task, arm="parent", variant=parent, seed=seed) for task in chunk])
            winnable += sum(map(has_headroom, records))
            looked += len(chunk)
    if not is_hopeless():
        return ""
    if most() == len(order):
        return f"{needed} more tasks would have to get better to prove a gain, and {most()} are left to judge on"
    can = f"and at most {most()} can" if needed > most() else f"which is unlikely, since only {most()} can"
    easy = "your agent solves the others at once already"
    return f"{needed} of the tasks left would have to get better to prove a gain, {can}: {easy}; try harder tasks"
