"""The loop for a suite that is too small to be split: every task is judged before it is practised on.

The tasks are put in an order that their groups and the seed fix before anything is run, and are met in three blocks: a
quarter, a quarter, a half. Of each block but the first, every problem is solved without learning and with all that the
blocks before it have taught; only then is the block practised on. The pairs of all blocks are one sequential test of
the procedure of practising against an agent that has learned nothing (Dawid's prequential principle, 1984), so that
three quarters of the problems are evidence, where a split leaves one fifth. What is promoted has learned from all
blocks: the evidence is about how it was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from evolve.core.episodes.codec import to_data
from evolve.core.errors import BudgetExhausted
from evolve.improve.history import record_beginning
from evolve.improve.judgement import judgement_texts, judging_if_winnable, make_retry, propose, record_decision
from evolve.improve.loop import check_size, make_report, round_row
from evolve.improve.loop import improve as improve_by_split
from evolve.improve.practice import run_practice_round
from evolve.improve.removals import try_without
from evolve.improve.report import NOT_RUN, Report, RoundRow
from evolve.improve.session import Session
from evolve.tasks import Suite, Task
from evolve.tasks.problem_traits import problem_traits
from evolve.trials.gate import (
    Gate,
    GateReport,
    Pair,
    SequentialTest,
    Tally,
    VariantProposal,
    harm_test,
    is_verified,
    shuffled_groups,
)
from evolve.trials.gate.integrity import code_digests
from evolve.trials.learned_state import UNLEARNED
from evolve.trials.pairs import PairedEpisodes
from evolve.trials.repositories import Repositories

BLOCKS = 3
"""Blocks in which the tasks are met, so that a guide is fitted anew each time the experience has doubled."""
MOST = 120
"""Distinct problems above which a split leaves enough to judge on."""


def improve_in_stream(session: Session) -> Report:
    """Runs the loop to its end, or on from where an earlier process stopped.

    Raises:
        BudgetExhausted: The budget allowed not even one episode.
        UsageError: The suite has too few problems.
    """
    check_size(session.suite)
    made = session.stores.runs.report(session.run)
    if made is not None:
        return Report.from_json(made)
    record_beginning(session)
    blocks = blocks_of(session.suite, session.plan.seed)
    rows: list[RoundRow] = []
    pairs: list[Pair] = []
    for number, tasks in enumerate(blocks, 1):
        if number == 2:  # the first block was practised on, and no guide is fitted yet
            session = _judging_if_winnable(session, blocks)
            if session.plan.unjudged:
                return improve_by_split(practising_on(session, session.suite.tasks))
        if number > 1:
            earlier = [task for block in blocks[: number - 1] for task in block]
            pairs += _pairs(session, number, tasks, earlier, pairs)
        counts = _practised(session, number, tasks)
        is_done = number == BLOCKS and counts["complete"]
        ended = "" if is_done else session.end_reason() or ("" if counts["complete"] else "practice was cut short")
        decision: Mapping[str, Any] = {}
        over = str((session.step_log.done(f"pairs:{number}") or {}).get("over", ""))
        if over:
            decision = {
                "tally": to_data(Tally.from_outcomes(pair.outcome for pair in pairs)),
                "pairs": len(pairs),
                "reason": over,
            }
        elif is_done:  # a verdict on pairs that were run costs nothing, whatever is left of the budget
            try:
                decision = _concluded(session, pairs)
            except BudgetExhausted as error:  # with more time the same command makes the variant
                ended = str(error)
                session.step_log.finish(f"unfitted:{number}", {"reason": ended})
        rows.append(round_row(number, counts, decision, ended or _unjudged(number)))
        if ended:
            break
    reason = ended or f"all {len(blocks)} rounds done"
    note = "" if pairs else "nothing could be judged before it was practised on"
    controls = f"{NOT_RUN}: every task was practised on, so none is held out"
    report = make_report(session, rows, pairs, note=note, reason=reason, controls=controls)
    report = replace(report, cut=bool(ended))
    session.stores.runs.keep_report(session.run, report.to_json())
    return report


def _practised(session: Session, number: int, tasks: Sequence[Task]) -> Mapping[str, Any]:
    counts = run_practice_round(practising_on(session, tasks), number)
    if counts["episodes"]:
        try_without(practising_on(session, tasks), number)
    elif number == 1:
        session.step_log.drop(f"practice:{number}")
        raise BudgetExhausted(f"{session.end_reason() or 'the budget allows no episode'}, so nothing was done")
    return counts


def _judging_if_winnable(session: Session, blocks: Sequence[Sequence[Task]]) -> Session:
    first, *rest = blocks
    tasks = fresh_tasks(session.stores, [task for block in rest for task in block], after=first)
    groups = {task.group for task in session.suite.tasks}
    # The first block alone is no pass over the tasks.
    return judging_if_winnable(session, tasks, groups, passes=session.plan.passes + 1)


def _unjudged(number: int) -> str:
    """Why a block has no verdict of its own, in one sentence."""
    if number == BLOCKS:
        return "nothing new to judge"
    return "its problems count in the verdict of the last round" if number > 1 else "there was nothing to judge yet"


def block_sizes(problems: int) -> tuple[int, int, int]:
    """How many problems each block has: a quarter, a quarter and the rest."""
    quarter = max(1, problems // 4)
    return quarter, quarter, problems - 2 * quarter


def blocks_of(suite: Suite, seed: int) -> list[list[Task]]:
    """The tasks of each block, whole groups in an order that the seed and the groups' names fix."""
    order = [task.group for task in shuffled_groups(suite.tasks, seed)]
    first, second, _ = block_sizes(len(order))
    cuts = (order[:first], order[first : first + second], order[first + second :])
    return [[task for group in groups for task in suite.tasks if task.group == group] for groups in cuts]


def fresh_tasks(stores: Repositories, tasks: Sequence[Task], *, after: Sequence[Task] = ()) -> list[Task]:
    """What :func:`distinct_tasks` gives, without problems that were learned from before, in whichever form."""
    known = stores.learned_groups()
    return [
        task
        for task in distinct_tasks(tasks, after=after)
        if task.group not in known and not stores.decisions.met_of(problem_traits(task))
    ]


def distinct_tasks(tasks: Sequence[Task], *, after: Sequence[Task] = ()) -> list[Task]:
    """The tasks that count, one per problem and in order, none of them like one before it or like one of ``after``."""
    met = {trait for task in after for trait in problem_traits(task)}
    chosen = []
    for task in tasks:
        traits = problem_traits(task)
        if not (traits & met or task.cannot_be_verified):
            chosen.append(task)
        met |= traits
    return chosen


def practising_on(session: Session, tasks: Sequence[Task]) -> Session:
    """The session with these tasks alone, all of them to be practised on."""
    suite = session.suite
    narrow = Suite(
        name=suite.name, tasks=tuple(tasks), digest=suite.digest, assigned={task.group: "train" for task in tasks}
    )
    return replace(session, suite=narrow)


def _pairs(
    session: Session, number: int, tasks: Sequence[Task], earlier: Sequence[Task], before: Sequence[Pair]
) -> tuple[Pair, ...]:
    """The problems of a block without learning and with what the blocks before it have taught.

    Before the last block it is looked at once whether winning all of its problems would still be accepted; where not,
    no guide is fitted and none of them is run.

    Args:
        earlier: The tasks of the blocks before.
        before: The pairs that they gave.
    """
    name = f"pairs:{number}"
    planned = session.step_log.done(name)
    if planned is None:
        fresh = [task.id for task in fresh_tasks(session.stores, tasks, after=earlier)]
        over = _is_over(session, before, len(fresh)) if number == BLOCKS and before else ""
        if over:
            session.step_log.finish(name, {"tasks": [], "variant": "", "over": over})
            session.show("begun", text=f"{over[0].upper()}{over[1:]}. Continuing with practice alone.")
            return ()
        try:
            variant = propose(practising_on(session, earlier), number - 1, pairs=len(fresh))
        except BudgetExhausted as error:  # nothing is practised on either: else it could not be judged later
            session.ledger.end(str(error))
            return ()
        planned = {"tasks": fresh, "variant": variant or ""}
        session.step_log.finish(name, planned)
    if not (planned["variant"] and planned["tasks"]):
        return ()

    def told(pair: Pair) -> None:
        session.show("gate", **judgement_texts(pair.state, len(chosen)), round=number)

    chosen = [session.suite.task(task_id) for task_id in planned["tasks"]]
    _level(session)
    # Those on record are not run again, so a crash repeats nothing. Without a test every problem of the block counts.
    runner = PairedEpisodes(run=session, split="gate", seed=session.plan.seed).make_runner()
    return runner.compare(chosen, parent=UNLEARNED, variant=planned["variant"], on_pair=told).pairs


def _level(session: Session) -> float:
    """The error level of this run's judgement, taken when it is first asked for."""
    groups = {task.group for task in session.suite.tasks}
    return session.stores.decisions.reserve(session.run, session.suite.digest, groups)


def _is_over(session: Session, pairs: Sequence[Pair], left: int) -> str:
    """Why no outcome of the problems that are left could be accepted any more, in a clause, or ""."""
    tally = Tally.from_outcomes(pair.outcome for pair in pairs)
    needed = SequentialTest(alpha=_level(session)).wins_needed(tally.losses + tally.withheld) - tally.wins
    if needed <= left:
        return ""
    return f"{needed} more tasks would have to get better to prove a gain, and {left} are left to judge on"


def _concluded(session: Session, pairs: Sequence[Pair]) -> Mapping[str, Any]:
    """The verdict over the pairs of all blocks on what all blocks have taught; {} where there is nothing to judge."""
    variant = propose(practising_on(session, session.suite.tasks), BLOCKS, pairs=0)
    if not variant:
        return {}
    step = f"gate:{BLOCKS}"
    done = session.step_log.done(step)
    if done is not None:
        return dict(done)
    pins = code_digests()
    proposal = VariantProposal(run=session.run, parent=UNLEARNED, variant=variant, suite=session.suite)
    opened = session.stores.decisions.open(pins, **proposal.identifying_names, groups={pair.group for pair in pairs})
    state = SequentialTest(alpha=opened.alpha).judge(Tally.from_outcomes(pair.outcome for pair in pairs), left=0)
    harm = harm_test(pairs) if state.verdict == "accept" else ""
    if harm:
        state = replace(state, verdict="undecided", reason=f"{state.reason}; but {harm}")
    blocks = [session.step_log.done(f"pairs:{number}") or {"tasks": ()} for number in range(2, BLOCKS + 1)]
    planned = sum(len(block["tasks"]) for block in blocks)
    finding = GateReport(proposal=proposal, state=state, pairs=tuple(pairs), planned=planned, pins=pins)
    if finding.accepted:
        finding = Gate(session.stores.decisions).check_regression(
            finding, partial(make_retry, session, variant, session.plan.seed)
        )
    entering = [[pair.variant] for pair in pairs if is_verified(pair.variant)] if finding.accepted else []
    return record_decision(session, step, finding, entering)
