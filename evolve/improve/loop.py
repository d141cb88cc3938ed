"""The loop: rounds of practise, fit, judge, promote; then the arms on held-out tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evolve.core.episodes import EpisodeRecord
from evolve.core.errors import BudgetExhausted, UsageError
from evolve.core.progress import report_activity
from evolve.improve.controls import BEST_OF_N, PLACEBO, compared_on_test, run_controls
from evolve.improve.history import record_beginning, what_changed
from evolve.improve.interventions import run_insight_tests
from evolve.improve.judgement import judge, judging_if_winnable, propose
from evolve.improve.practice import finished_practice, run_practice_round, why_no_further_pass
from evolve.improve.removals import try_without
from evolve.improve.report import (
    NOT_RUN,
    CurvePoint,
    Report,
    RoundRow,
    arm_row,
    contrast_arms,
    learned_insights,
    learned_skills,
)
from evolve.improve.schedule import judgement_pairs, no_room_to_judge
from evolve.improve.session import NOTHING_NEW, TEST, Session
from evolve.tasks import Suite
from evolve.trials.gate import Pair, comparable_costs, is_verified
from evolve.trials.learned_state import UNLEARNED
from evolve.trials.pairs import held_out_tasks

_FEWEST_GROUPS = 6


def improve(session: Session) -> Report:
    """Runs the loop to its end, or on from where an earlier process stopped.

    Raises:
        BudgetExhausted: The budget allowed not even one episode.
        UsageError: The suite is too small to be split.
    """
    check_size(session.suite)
    made = session.stores.runs.report(session.run)
    if made is not None:  # stopped between the report and its delivery
        return Report.from_json(made)
    record_beginning(session)
    # Says before anything is spent that the budget is too small to judge what is learned.
    unjudged = session.plan.unjudged or session.suite.unprovable
    no_room = "" if unjudged else no_room_to_judge(session, judgement_pairs(session))
    if no_room:
        session.show("warning", text=f"{no_room.replace('was', 'will be', 1)}; what is practised is kept")
    session = _judging_if_winnable(session)
    rounds = _rounds(session)
    pairs, note = _held_out(session, purpose="improve" + f", part {session.part}" * (session.part > 1))
    reason, cut = _finish_reason(session, rounds)
    report = replace(make_report(session, rounds, pairs, note=note, reason=reason), cut=cut)
    if rounds:  # a command that found nothing to do leaves the report of the one before it
        session.stores.runs.keep_report(session.run, report.to_json())
    return report


def check_size(suite: Suite) -> None:
    """Refuses suites whose splits would be empty or meaningless."""
    groups = len({task.group for task in suite.tasks})
    if groups < _FEWEST_GROUPS:
        raise UsageError(
            f"the suite {suite.name!r} has {groups} distinct problems; at least {_FEWEST_GROUPS} are needed"
            " to practise on some and to measure on others",
            hint="evolve run solves single tasks",
        )


def check_evidence(session: Session) -> None:
    """Refuses suites on which nothing that is tried or judged could count."""
    if session.suite.unprovable or not session.suite.evidence("train"):
        raise UsageError(
            f"the suite {session.suite.name!r} has too few tasks whose answers can be verified: what a command in a"
            " folder accepts, or tests in the answer's own process, proves nothing",
            hint="evolve improve practises on such tasks",
        )


def _judging_if_winnable(session: Session) -> Session:
    tasks = held_out_tasks(session, "gate")
    if session.plan.unjudged or session.suite.unprovable or not run_practice_round(session, 1)["episodes"]:
        return session
    return judging_if_winnable(session, tasks, {task.group for task in tasks}, passes=session.plan.passes)


def _rounds(session: Session) -> list[RoundRow]:
    rows: list[RoundRow] = []
    unjudged = session.plan.unjudged or session.suite.unprovable
    for number in range(1, session.plan.rounds + 1):
        counts = run_practice_round(session, number)
        if number == 1 and not counts["episodes"]:
            begun = session.stores.runs.episodes(run=session.run)
            session.step_log.drop(f"practice:{number}")  # with a larger budget the same command practises
            raise BudgetExhausted(
                f"{session.end_reason() or 'the budget allows no episode'}, so"
                f" {'no episode came to its end' if begun else 'nothing was done'}",
                hint=f"{_first_step(session)}; give a larger --budget",
            )
        if counts["episodes"]:
            run_insight_tests(session, number)
            try_without(session, number)
        decision, why = ({}, unjudged) if unjudged or not counts["episodes"] else _judged(session, number)
        rows.append(round_row(number, counts, decision, why or "nothing new to judge"))
        enough = why_no_further_pass(session, number, counts) if session.plan.unjudged and counts["complete"] else ""
        if enough:
            session.step_log.finish(NOTHING_NEW, {"rounds": number, "why": enough})
            break
        if session.end_reason():
            break
    return rows


def _judged(session: Session, number: int) -> tuple[Mapping[str, Any], str]:
    """The decision on what a round has learned, or {} and why there is none."""
    pairs = judgement_pairs(session)
    try:
        with report_activity("fit"):
            variant = propose(session, number, pairs=pairs)
    except BudgetExhausted as error:  # nothing is kept of it: with more time it is done anew
        session.step_log.finish(f"unfitted:{number}", {"reason": str(error)})
        return {}, str(error)
    return (judge(session, number, variant), "") if variant else ({}, "")


def _first_step(session: Session) -> str:
    """What the least that a loop can do takes."""
    limits, seconds = session.plan.limits, session.ledger.budget.seconds
    if seconds is not None and session.ledger.remaining.seconds == 0.0:
        return f"to begin and to solve a first task takes more than {seconds:g} s here"
    most = f"{limits.tokens:,} tokens" if limits.candidates is None else f"{limits.candidates:,} candidates"
    return f"one episode may take {most}"


def _finish_reason(session: Session, rounds: Sequence[RoundRow]) -> tuple[str, bool]:
    """Why the loop ended and, where a budget ended it or cut practice short, how far it came; whether one did."""
    if not rounds:
        return "every task was practised on before", False
    ended_by = session.step_log.done(NOTHING_NEW)
    if ended_by is not None:
        return str(ended_by.get("why", "the last pass over the tasks brought nothing new")), False
    wanted, ended = session.plan.rounds, session.end_reason()
    short = [
        f"{row.episodes} of {row.planned} tasks practised in round {row.number} of {wanted}"
        for row in rounds
        if row.episodes < row.planned
    ]
    came = ", ".join(short) or f"{len(rounds)} of {wanted} rounds done"
    if ended:
        return f"{ended}: {came}", True
    part = f", with {came}, as far as its part of the budget went" if short else ""
    return f"all {wanted} rounds done{part}", bool(short)


def round_row(number: int, counts: Mapping[str, Any], decision: Mapping[str, Any], unjudged: str) -> RoundRow:
    """A round as the report shows it, from its practice and the decision, or from why there is none."""
    return RoundRow(
        number=number,
        episodes=counts["episodes"],
        solved=counts["solved"],
        skills=counts["skills"],
        verdict=decision.get("verdict", ""),
        promoted=decision.get("promoted", False),
        pairs=decision.get("pairs", 0),
        reason=decision.get("reason", unjudged),
        planned=counts.get("planned", counts["episodes"]),
        idle=counts.get("idle", 0),
        checked=counts.get("checked", 0),
        checkable=counts.get("checkable", 0),
        better=decision.get("tally", {}).get("wins", 0),
        worse=sum(decision.get("tally", {}).get(name, 0) for name in ("losses", "withheld")),
        equal=decision.get("tally", {}).get("ties", 0),
    )


def _held_out(session: Session, *, purpose: str) -> tuple[tuple[Pair, ...], str]:
    """Unlearned and learned on one ``test`` task per group; the seal is only broken for a promoted variant."""
    active = session.stores.variants.active_digest
    if session.plan.unjudged:
        return (), f"{NOT_RUN}: {session.plan.unjudged}"
    if active == UNLEARNED:
        return (), f"{NOT_RUN}: no variant was promoted, so the test tasks stay sealed"
    if not session.suite.evidence("test"):
        return (), f"{NOT_RUN}: the test tasks can only be checked"
    if not held_out_tasks(session, "test"):
        return (), f"{NOT_RUN}: every test task was learned from"
    looked = any((look.run, look.purpose) == (session.run, purpose) for look in session.stores.decisions.looks())
    if session.end_reason() and not looked:  # what was measured before a stop is not thrown away
        session.step_log.finish(TEST, {"pairs": 0})
        return (), f"{NOT_RUN}: {session.end_reason()}"
    session.stores.decisions.look(session.suite.digest, run=session.run, purpose=purpose)
    done = compared_on_test(session, UNLEARNED, active)
    if done.ended:
        session.step_log.finish(TEST, {"pairs": len(done.pairs)})
    if not done.pairs:
        return (), f"{NOT_RUN}: the budget ended"
    return done.pairs, f"the budget ended after {len(done.pairs)} of {done.planned} tasks" if done.ended else ""


def make_report(
    session: Session,
    rounds: Sequence[RoundRow],
    pairs: Sequence[Pair],
    *,
    note: str,
    reason: str,
    controls: str = f"{NOT_RUN} here: evolve report --fresh runs it",
) -> Report:
    """Puts the figures together; the control arms are run by :func:`check_held_out` alone.

    Args:
        note: Why no arm was run, or "".
        controls: Why the control arms were not.
    """
    before, after = [pair.parent for pair in pairs], [pair.variant for pair in pairs]
    compared = contrast_arms(UNLEARNED, pairs)
    insights, count, evidence = learned_insights(session.stores, session.learner.name)
    active = session.stores.variants.active_digest
    why = note or controls
    return Report(
        run=session.run,
        suite=session.suite.name,
        suite_digest=session.suite.digest,
        seed=session.plan.seed,
        finish_reason=reason,
        rounds=tuple(rounds),
        arms=(
            arm_row(UNLEARNED, before, note),
            arm_row("learned", after, note),
            *(arm_row(arm, (), why) for arm in (BEST_OF_N, PLACEBO)),
        ),
        ratio=compared.ratio,
        gain=compared.gain,
        looks=len(session.stores.decisions.looks(session.suite.digest)),
        spent=session.ledger.spent,
        overshoot=session.ledger.overshoot_told,
        promoted="" if active == UNLEARNED else active,
        promoted_by=_promoted_by(session, active),
        skills=learned_skills(session.stores),
        parts=sum(skill.is_hidden for skill in session.stores.skills.active()),
        insights=insights,
        insight_count=count,
        evidence_count=evidence,
        curve=_curve(session),
        costs=_costs(before, after),
        contrasts=(compared,) if pairs else (),
        run_changes=what_changed(session),
    )


def _promoted_by(session: Session, variant: str) -> str:
    """The run of the newest verdict that accepted a variant, or ""."""
    accepted = [
        decision.run
        for decision in session.stores.decisions.list_verdicts()
        if (decision.variant, decision.verdict) == (variant, "accept")
    ]
    return accepted[-1] if accepted else ""


def check_held_out(session: Session, previous: Report) -> Report:
    """All four arms with what is promoted now; a logged look.

    Args:
        previous: The report of the loop; what it spent is what best-of-n may spend as well.
    """
    stored = session.stores.runs.report(session.run)
    if stored is not None:
        return Report.from_json(stored)
    pairs, note = _held_out(session, purpose="report")
    made = make_report(session, previous.rounds, pairs, note=note, reason="a fresh look")
    if pairs:
        controls = run_controls(session, previous.spent)
        made = replace(
            made,
            arms=(*made.arms[:2], *(arm_row(arm, control.records, control.note) for arm, control in controls.items())),
            contrasts=(
                *made.contrasts,
                *(contrast_arms(arm, control.pairs) for arm, control in controls.items() if control.pairs),
            ),
            spent=session.ledger.spent,
            overshoot=session.ledger.overshoot_told,
        )
    report = replace(made, curve=previous.curve, run_changes=previous.run_changes)
    session.stores.runs.keep_report(session.run, report.to_json())
    return report


def _costs(before: Sequence[EpisodeRecord], after: Sequence[EpisodeRecord]) -> dict[str, list[int]]:
    """What the verified answers of each arm cost, ascending and all in one unit."""
    costs = [round(cost) for cost in comparable_costs([record.cost for record in (*before, *after)])]
    arms = {"unlearned": zip(before, costs, strict=False), "learned": zip(after, costs[len(before) :], strict=True)}
    return {arm: sorted(cost for record, cost in both if is_verified(record)) for arm, both in arms.items()}


def _curve(session: Session) -> tuple[CurvePoint, ...]:
    base = session.plan.seed * 1000
    return tuple(
        CurvePoint(
            round=record.seed - base,
            solved=record.verified,
            candidates=record.cost.candidates,
            tokens=record.cost.tokens,
            work=record.cost.work,
        )
        for record in finished_practice(session.stores.runs.episodes(run=session.run))
    )
