"""Makes a variant of what was learned and has the gate judge it against its parent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolve.agent.codec import to_data
from evolve.episodes import EpisodeRecord, Limits
from evolve.faults import hit
from evolve.gate import (
    Comparison,
    Job,
    Pair,
    PairedRunner,
    RegressionTask,
    SequentialTest,
    Tally,
    TestState,
    is_verified,
)
from evolve.improve.session import Session
from evolve.improve.workers import EpisodeJob
from evolve.optimizer import UNLEARNED, Score, Variant
from evolve.skills import with_called
from evolve.tasks import Task


class BudgetEnded(Exception):
    """Ends held-out episodes early; never leaves this package."""


def propose(session: Session, number: int) -> str | None:
    """Fits a guide, gathers skills that have proved useful and keeps both as a variant.

    Returns:
        The variant's digest, or None when there is nothing new to judge.
    """
    name = f"variant:{number}"
    done = session.journal.done(name)
    if done is not None:
        return str(done["variant"]) or None
    stores = session.stores
    experience = stores.memory.experience()
    known = stores.skills.active()
    of_use = with_called((skill.digest for skill in known if skill.tasks), known)
    skills = [skill for skill in known if skill.digest in of_use]
    views = [task.view() for task in session.suite.split("train")]
    guide = session.learner.fit(experience, views, skills, session.plan.seed)
    kept = stores.objects.put_json(guide) if guide is not None else ""
    hit("guide.fitted")
    active = stores.variants.active()
    variant = Variant(
        guide=kept,
        skills=tuple(stores.keep_skill(skill) for skill in skills),
        insights=stores.mark_insights() if experience else "",
        prompts=active.prompts if active else (),
        workflow=active.workflow if active else "",
        parent=stores.variants.active_digest,
    )
    digest = "" if _is_nothing_new(session, variant) else variant.digest
    with stores.db.transaction():
        if digest:
            stores.variants.add(variant, origin=f"{session.run}, round {number}")
        session.journal.finish(name, {"variant": digest})
    hit("variant.kept")
    session.tell("proposed", round=number, variant=digest, insights=len(experience), skills=len(skills))
    return digest or None


def _is_nothing_new(session: Session, variant: Variant) -> bool:
    if variant.parent == UNLEARNED:
        return not (variant.guide or variant.skills or variant.insights)
    parent = session.stores.variants.get(variant.parent)
    return (variant.guide, variant.skills) == (parent.guide, parent.skills)


def judge(session: Session, number: int, variant: str) -> Mapping[str, Any]:
    """Judges a variant on ``gate`` tasks; promotes it when it is better and breaks nothing.

    Returns:
        JSON of the decision: ``verdict``, ``promoted``, ``reason``, the tally and the number of pairs.
    """
    name = f"gate:{number}"
    done = session.journal.done(name)
    if done is not None:
        return dict(done)
    stores, suite = session.stores, session.suite
    parent = stores.variants.get(variant).parent
    _, alpha = stores.decisions.next_level(suite.digest)
    for one in (parent, variant):
        session.workers.announce(one, stores.arm(one, session.workflow))
    comparison, complete = _compare(session, number, parent, variant, SequentialTest(alpha=alpha))
    state = comparison.state
    if not complete and state.verdict == "undecided":
        state = replace(state, reason=f"{state.reason}; the budget for this judgement ended")
    regressed: tuple[str, ...] = ()
    if state.verdict == "accept":
        regressed, doubt = _regressed(session, variant, comparison.pairs)
        if regressed:
            state = replace(state, verdict="reject", reason=f"{len(regressed)} tasks that worked no longer do")
        elif doubt:
            state = replace(state, verdict="undecided", reason=doubt)
    finding = _Finding(variant=variant, parent=parent, pairs=comparison.pairs, state=state, regressed=regressed)
    return _conclude(session, name, finding)


@dataclass(frozen=True, kw_only=True)
class _Finding:
    variant: str
    parent: str
    pairs: Sequence[Pair]
    state: TestState
    regressed: Sequence[str]


def _conclude(session: Session, name: str, finding: _Finding) -> Mapping[str, Any]:
    """Keeps the decision and, where it is for the variant, makes it the active one; all in one transaction."""
    stores, suite = session.stores, session.suite
    variant, parent, state = finding.variant, finding.parent, finding.state
    promoted = state.verdict == "accept"
    hit("gate.before")
    with stores.db.transaction():
        decision = stores.decisions.record(state, run=session.run, parent=parent, variant=variant, suite=suite.digest)
        for pair in finding.pairs:
            stores.variants.add_scores(parent, [_score(suite.digest, pair.parent)])
            stores.variants.add_scores(variant, [_score(suite.digest, pair.variant)])
        if promoted:
            stores.variants.promote(variant, grounds=f"gate decision {decision.id}")
            for pair in finding.pairs:
                stores.regression.admit([pair.variant], stratum=suite.task(pair.task).family)
        body = {
            "verdict": state.verdict,
            "promoted": promoted,
            "reason": state.reason,
            "pairs": len(finding.pairs),
            "tally": to_data(state.tally),
            "alpha": state.alpha,
            "wealth": round(min(state.wealth, 1e300), 4),
            "variant": variant,
            "parent": parent,
            "regressed": list(finding.regressed),
        }
        session.journal.finish(name, body)
        hit("gate.inside")
    hit("gate.after")
    session.tell("judged", **body)
    return body


def _compare(session: Session, number: int, parent: str, variant: str, test: SequentialTest) -> tuple[Comparison, bool]:
    """Runs pairs until a verdict, the end of the tasks or of this judgement's part of the budget."""

    def run(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord]:
        if not session.may_judge(number):
            raise BudgetEnded
        return run_held_out(session, [_episode(session, job) for job in jobs])

    runner: PairedRunner[Task] = PairedRunner(run=run, test=test, batch=4, seed=session.plan.seed)
    pairs: list[Pair] = []
    complete = True
    try:
        for pair in runner.pairs(session.suite.split("gate"), parent=parent, variant=variant):
            pairs.append(pair)
            hit("gate.pair")
            session.tell("gate", round=number, pairs=len(pairs), reason=pair.state.reason)
    except BudgetEnded:
        complete = False
    state = pairs[-1].state if pairs else test.judge(Tally())
    return Comparison(state=state, pairs=tuple(pairs), cost=runner.spent), complete


def run_held_out(session: Session, jobs: Sequence[EpisodeJob]) -> list[EpisodeRecord]:
    """Runs and commits episodes on held-out tasks, all or none.

    Raises:
        BudgetEnded: The budget refused one of them; what had run is kept.
    """
    attempts = session.attempt(jobs)
    with session.stores.db.transaction():
        for attempt in attempts:
            session.commit(attempt, instruction="")
    if len(attempts) < len(jobs):
        raise BudgetEnded
    return [attempt.record for attempt in attempts]


def _episode(session: Session, job: Job[Task]) -> EpisodeJob:
    return EpisodeJob(
        task=job.task,
        arm=job.variant,
        variant=job.variant,
        split="gate",
        seed=job.seed,
        limits=session.plan.limits,
    )


def _regressed(session: Session, variant: str, pairs: Sequence[Pair]) -> tuple[tuple[str, ...], str]:
    """Tasks that an earlier promoted variant solved and this one does not, at twice the budget.

    A task whose group changed is another problem under an old name, and one that lies in ``test`` by now stays
    sealed.

    Returns:
        Ids of the tasks, and why it is in doubt whether there are more, or "".
    """
    suite, plan = session.suite, session.plan
    known = {task.id: task for name in ("train", "gate") for task in suite.split(name)}
    listed = [
        task
        for task in session.stores.regression.tasks(suite.name)
        if task.task in known and known[task.task].group == task.group
    ]
    solved = {pair.task for pair in pairs if is_verified(pair.variant)}

    def retry(task: RegressionTask, number: int) -> EpisodeRecord:
        limits: Limits = task.limits(plan.limits)
        # With the loop's seed this is the episode of the comparison, where the task was in it. It serves as a
        # try unless it failed on less than a try may spend; that one is counted as a loss already.
        base = plan.limits.candidates
        serves = task.task in solved or base is None or (limits.candidates or 0) <= base
        job = EpisodeJob(
            task=known[task.task],
            arm=variant,
            variant=variant,
            split="gate",
            seed=plan.seed + number + (0 if serves else task.tries),
            limits=limits,
        )
        return run_held_out(session, [job])[0]

    try:
        report = session.stores.regression.check(listed, retry)
    except BudgetEnded:
        return (), "it won, but the budget ended before all that worked was tried again"
    doubt = f"it won, but {len(report.unclear)} tasks that worked could not be tried again" if report.unclear else ""
    return report.regressed, doubt


def _score(suite: str, record: EpisodeRecord) -> Score:
    return Score(
        suite=suite,
        task=record.task,
        seed=record.seed,
        solved=is_verified(record),
        candidates=record.cost.candidates,
        tokens=record.cost.tokens,
    )
