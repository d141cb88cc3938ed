"""``evolve report``: did learning help?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli import options, pages
from evolve.cli.amounts import dollars, odds, spending
from evolve.cli.optimize import show_changes
from evolve.cli.output import counted, emit, emit_json, flush, shorten, singular, table, writing
from evolve.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import ArmRow, CostShares, Interval, Proof, Report, Workspace

app = pages.App()

SEARCH = "search"
"""The policy that needs no model."""


@app.page("report", "evolve report", "evolve report --curve curve.svg")
def report_command(
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure on the test tasks again; that look is counted.")
    ] = False,
    curve: Annotated[
        str | None, typer.Option("--curve", metavar="FILE", help="Write the learning curve to this SVG file.")
    ] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show whether learning helped: on your own tasks so far, and as the last run of improve measured it.

    Your own tasks are judged before they are learned from. The test tasks of a suite stay closed, unless --fresh opens
    them once more.
    """
    import evolve

    with evolve.open(workspace, read_only=not fresh) as opened, opened.delivering():
        proofs, changes = opened.gate.proofs(), opened.variants.changes()
        report = None
        try:
            with writing(curve):
                report = opened.report(fresh=fresh, curve=curve)
        except UsageError:  # no suite was practised on, and the person's own tasks tell enough
            if fresh or curve is not None or not proofs:
                raise
        if as_json:
            suite = {} if report is None else report.to_json()
            told = {name: proof.to_json() for name, proof in proofs.items()}
            own = {"own": told.pop(SEARCH)} if SEARCH in told else {}
            if told:
                own["own_models"] = told
            emit_json({**suite, "changes": [change.to_json() for change in changes], **own})
        else:
            for policy, proof in proofs.items():
                show_proof(proof, policy)
            if report is not None:
                show_report(report, told_now(opened, report))
            show_changes(changes)
        flush()


def show_proof(proof: Proof, policy: str = SEARCH) -> None:
    """Prints what the person's own tasks say; nothing where none could be judged.

    Args:
        policy: Who solved them.
    """
    if proof.is_empty:
        return
    state, tally = proof.state, proof.state.tally
    by = "" if policy == SEARCH else f" with {policy.removeprefix('language:')}"
    emit(f"your own tasks{by}: {counted(proof.counted, 'distinct problem')}, each judged before it was learned from")
    if by:
        emit("  judged is the way of learning as a whole, against the same model that has learned nothing")
    if proof.alike:
        emit(f"  {proof.alike} more were like earlier ones, which counts for nothing")
    if proof.missing:
        emit(
            f"  {counted(proof.missing, 'more problem')} begun and not judged, which counts as worse until it is:"
            " evolve runs list, evolve learn"
        )
    emit(
        f"  with what was learned before: {tally.wins} better, {tally.losses + tally.withheld - proof.missing} worse,"
        f" {tally.ties} the same; solved and {'verified' if not by else 'verified or checked'}"
        f" {proof.solved_learned}, without {proof.solved_unlearned}"
    )
    if proof.mean_ratio is not None and proof.cost_unlearned:
        emit(
            f"  cost where both solve: {proof.cost_learned / proof.cost_unlearned:.2f} in sum,"
            f" {proof.mean_ratio:.2f} in the mean of the ratios, over {counted(proof.both, 'problem')}"
        )
    if proof.spent:
        emit(f"  solving them again to judge that took {spending(proof.spent)}, {proof.spent.seconds:.1f} CPU s")
    emit(f"  evidence that learning helps: {odds(state.wealth)}, of {odds(1 / state.alpha)} needed. {_so_far(proof)}")
    if len(proof.families) > 1:
        rows = [
            (row.family, row.tally.pairs, row.tally.wins, row.tally.losses, row.tally.ties, odds(row.wealth))
            for row in proof.families
        ]
        emit(table(("kind", "problems", "better", "worse", "same", "evidence"), rows))
    emit()


def _so_far(proof: Proof) -> str:
    if proof.helped:
        return "Learning has helped you."
    if proof.harmed:
        return "It has made things worse: evolve skills list shows what was learned, evolve skills retire removes it."
    if proof.state.further is None:
        return "At this rate it cannot be shown."
    if not proof.state.tally.wins:
        return "Not shown yet: it made no task better so far."
    return f"Not shown yet: about {counted(proof.state.further, 'more problem')} at this rate."


def told_now(opened: Workspace, report: Report) -> Mapping[str, str]:
    """What the record says now of the report's skills and insights, by name and id."""
    named = {row.id for row in report.insights}
    skills, insights = opened.skills.list(), [one for one in opened.memory.list() if one.id in named]
    of_skills, of_insights = opened.skills.histories(skills), opened.memory.histories(insights)
    told = {skill.name: of_skills[skill.digest].text for skill in skills}
    return told | {one.id: of_insights[one.id].text for one in insights}


def show_report(report: Report, told: Mapping[str, str] | None = None) -> None:
    """Prints a report for people.

    Args:
        told: What is known now of its skills and insights; see :func:`told_now`.
    """
    emit(f"suite {report.suite}, seed {report.seed}: {singular(report.finish_reason)}")
    emit()
    for row in report.rounds:
        verdict = f"{row.verdict} after {counted(row.pairs, 'pair')}" if row.verdict else "not judged"
        progress = f"{counted(row.episodes, 'episode')}, {row.solved} solved, {counted(row.skills, 'new skill')}"
        emit(f"round {row.number}: {progress}; gate: {verdict}{', promoted' if row.promoted else ''}")
        if row.idle:
            explanation = "it served no task but its own" if row.idle == 1 else "they served no task but their own"
            emit(f"  {counted(row.idle, 'skill')} idle: {explanation}; evolve skills list --all")
        if row.checkable:
            emit(f"  checked: {row.checked} of {row.checkable} tasks that can only be checked; not part of the proof")
        emit(f"  {singular(row.reason)}")
    emit()
    _show_arms(report)
    if report.ratio.value is not None or report.gain.value is not None:
        _show_contrasts(report)
        emit(_verdict(report))
        emit()
    _show_learned(report, told or {})
    emit(f"spent: {spending(report.spent)} in {report.spent.seconds:.0f} s")
    if _pays(report):
        emit(f"  {_pays(report)}")
    if report.overshoot:
        emit(f"  {report.overshoot}")


def _show_arms(report: Report) -> None:
    """Prints a row for each arm that was run, and why the others were not."""
    asked = any(row.calls or row.tokens for row in report.arms)
    costs = ("calls", "tokens in", "cached", "out", "cost") if asked else ("candidates",)
    header = ("arm", "tasks", "solved", "verified", *costs, "seconds", "")
    run = [_arm_cells(row, asked=asked) for row in report.arms if row.tasks]
    if run:
        emit(table(header, run, spare=("seconds", "cached")))
    skipped = [row for row in report.arms if not row.tasks]
    for reason in dict.fromkeys(row.note for row in skipped):
        emit(f"{', '.join(row.arm for row in skipped if row.note == reason)}: {reason}")
    emit()


def _verdict(report: Report) -> str:
    """Whether learning helped, and in which run what was measured had been learned, where that is another one."""
    if not report.promoted:
        return "nothing was promoted: these are the problems that the gate judged on, and its verdict is above"
    verdict = "learning helped" if report.helped else "no gain that the 95 % intervals can tell from chance"
    if not report.promoted_by or report.promoted_by == report.run:
        return verdict
    return (
        f"{verdict}; measured was the variant {report.promoted[:12]} that {report.promoted_by} promoted, not this run"
    )


def _show_contrasts(report: Report) -> None:
    """Every figure with its interval and n, and how often the test tasks were looked at."""
    cost = report.cost_unit
    for contrast in report.compared:
        emit(f"{cost}, learned / {contrast.arm}: {_interval(contrast.ratio)} (median over tasks both solve)")
        if contrast.shares is not None:
            emit(f"  {_side_by_side(contrast.shares)}")
        emit(f"share solved, learned - {contrast.arm}: {_interval(contrast.gain)}")
        emit(f"  with bounds for every look at once: {_interval(contrast.gain_always)}")
        emit(f"  mean saving of {cost}, for every look at once: {_interval(contrast.saving_always)}")
    if report.looks:
        looks = "once" if report.looks == 1 else f"{report.looks} times"
        emit(f"the test tasks of this suite have been opened {looks}")


def _side_by_side(shares: CostShares) -> str:
    told = (
        (shares.total, "over all tasks"),
        (shares.both, "in sum over those that both solve"),
        (shares.mean, "in the mean of their ratios"),
        (shares.seconds, "in CPU seconds over all tasks"),
    )
    return ", ".join(f"{share:.2f} {what}" for share, what in told if share is not None)


def _pays(report: Report) -> str:
    """After how many tasks learning has paid for itself, in a sentence; "" where nothing was measured."""
    shares = next((one.shares for one in report.contrasts if one.arm == "unlearned"), None)
    if shares is None or not report.promoted:
        return ""
    in_tokens = report.cost_unit == "tokens"
    saved, spent = (
        (shares.saved, report.spent.tokens) if in_tokens else (1000 * shares.saved_seconds, 1000 * report.spent.seconds)
    )
    unit = "tokens" if in_tokens else "ms of CPU"
    if not spent:
        return ""
    if saved <= 0:
        return f"over all tasks it saves no {unit}, so learning does not pay for itself by these"
    return f"it saves {saved:,.0f} {unit} a task, so learning has paid after {math.ceil(spent / saved):,} tasks"


def _arm_cells(row: ArmRow, *, asked: bool) -> tuple[object, ...]:
    model = (row.calls, row.tokens - row.completion, row.cached, row.completion, dollars(row.money))
    costs = model if asked else (row.candidates,)
    return row.arm, row.tasks, row.solved, row.verified, *costs, row.seconds, row.note


def _show_learned(report: Report, told: Mapping[str, str]) -> None:
    evidence = counted(report.evidence_count, "piece of evidence", "pieces of evidence")
    emit(f"learned: {counted(report.insight_count, 'insight')} from {evidence}")
    for insight in report.insights[:6]:
        emit(f"  {insight.status}, {counted(insight.evidence, 'row')}: {shorten(insight.text, 160)}")
        if told.get(insight.id):
            emit(f"    {told[insight.id]}")
    parts = f", and {counted(report.parts, 'part')} of answers that the search uses" if report.parts else ""
    emit(f"learned: {counted(report.skills, 'skill')}{parts}")
    for skill in report.skills[:6]:
        does = shorten(pages.first_sentence(skill.description), 100)
        helped = told.get(skill.name) or f"helped {counted(skill.tasks, 'task')}"
        emit(f"  {skill.name} ({skill.status}; {helped}): {does}")


def _interval(interval: Interval) -> str:
    if interval.value is None:
        return "no figure"
    if interval.low is None or interval.high is None:
        return f"{interval.value:.3f} over {counted(interval.n, 'group')}, too few for an interval"
    over = counted(interval.n, "group")
    return f"{interval.value:.3f}, 95 % interval {interval.low:.3f} to {interval.high:.3f} over {over}"
