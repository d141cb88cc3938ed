"""``evolve report --details``: every figure, for whoever wants to check them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evolve.cli.pages import first_sentence
from evolve.cli.render.output import counted, emit, shorten, singular, table
from evolve.cli.render.render_amounts import dollars, interval_told, odds, spending

if TYPE_CHECKING:
    from evolve.workspace import ArmRow, CostShares, Interval, Proof, Report, Workspace

SEARCH = "search"
"""The policy that needs no model."""


def show_proof(proof: Proof, policy: str = SEARCH) -> None:
    """Prints what the person's own tasks say; nothing where none could be judged.

    Args:
        policy: Who solved them.
    """
    if proof.is_empty:
        return
    state, tally = proof.state, proof.state.tally
    by = "" if policy == SEARCH else f" with {policy.removeprefix('language:')}"
    problems = counted(proof.counted, "distinct problem")
    emit(f"your own tasks{by}: {problems}, each solved twice before evolve learned from it")
    if by:
        emit("  compared: the agent with all it has learned, and the same model that has learned nothing")
    if proof.alike:
        emit(f"  {proof.alike} more were like earlier ones and do not count")
    if proof.missing:
        emit(
            f"  {counted(proof.missing, 'more problem')} begun and not judged, and a proof waits for them:"
            " evolve runs list, evolve learn"
        )
    emit(
        f"  with what was learned before: {tally.wins} better, {tally.losses + tally.withheld} worse,"
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
    emit(f"  odds that learning helps: {odds(state.wealth)}; a proof needs {odds(1 / state.alpha)}. {_so_far(proof)}")
    if len(proof.families) > 1:
        rows = [
            (row.family, row.tally.pairs, row.tally.wins, row.tally.losses, row.tally.ties, odds(row.wealth))
            for row in proof.families
        ]
        emit(table(("kind", "problems", "better", "worse", "same", "odds"), rows))
    emit()


def _so_far(proof: Proof) -> str:
    if proof.helped:
        return "Learning has helped you."
    if proof.harmed:
        return "It has made things worse: evolve skills list shows what was learned, evolve forget removes it."
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


def show_details(report: Report, told: Mapping[str, str] | None = None) -> None:
    """Prints a report for people.

    Args:
        told: What is known now of its skills and insights; see :func:`told_now`.
    """
    emit(f"suite {report.suite}, seed {report.seed}: {singular(report.finish_reason)}")
    emit()
    for row in report.rounds:
        verdict = f"{row.verdict} after {counted(row.pairs, 'pair')}" if row.verdict else "no verdict"
        progress = f"{counted(row.episodes, 'task')} tried, {row.solved} solved, {counted(row.skills, 'new skill')}"
        emit(f"round {row.number}: {progress}; compared with before: {verdict}{', promoted' if row.promoted else ''}")
        if row.idle:
            emit(f"  {counted(row.idle, 'skill')} set aside, used for no task but the one it is from")
            emit("  evolve skills list --all", whole=True)
        if row.checkable:
            emit(f"  checked: {row.checked} of {row.checkable} tasks that can only be checked; not part of the proof")
        emit(f"  {singular(row.reason)}")
    emit()
    _show_arms(report)
    if report.ratio.value is not None or report.gain.value is not None:
        cost = report.cost_unit
        for contrast in report.compared:
            emit(f"{cost}, learned / {contrast.arm}: {_interval(contrast.ratio)} (median, where both solve)")
            if contrast.shares is not None:
                emit(f"  {_side_by_side(contrast.shares)}")
            emit(f"share solved, learned - {contrast.arm}: {_interval(contrast.gain)}")
            emit(f"  valid at every look: {_interval(contrast.gain_always)}")
            emit(f"  mean saving of {cost}, valid at every look: {_interval(contrast.saving_always)}")
        if report.looks:
            looks = "once" if report.looks == 1 else f"{report.looks} times"
            emit(f"the test tasks of this suite have been opened {looks}")
        emit(_verdict(report))
        emit()
    _show_learned(report, told or {})
    emit(f"spent: {spending(report.spent)} in {report.spent.seconds:.0f} s")
    if report.overshoot:
        emit(f"  {report.overshoot}")


def _show_arms(report: Report) -> None:
    """Prints a row for each arm that was run, and why the others were not."""
    asked = any(row.calls or row.tokens for row in report.arms)
    costs = ("calls", "tokens in", "cached", "out", "cost") if asked else ("candidates",)
    header = ("agent", "tasks", "solved", "verified", *costs, "seconds", "")
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
        return "nothing was promoted; these figures are of the comparison above"
    verdict = "learning helped" if report.helped else "no gain that the 95 % intervals can tell from chance"
    if not report.promoted_by or report.promoted_by == report.run:
        return verdict
    return (
        f"{verdict}; measured was the variant {report.promoted[:12]} that {report.promoted_by} promoted, not this run"
    )


def _side_by_side(shares: CostShares) -> str:
    told = (
        (shares.total, "over all tasks"),
        (shares.both, "over those that both solve"),
        (shares.mean, "as the geometric mean of their ratios"),
        (shares.seconds, "in CPU seconds over all tasks"),
    )
    return ", ".join(f"{share:.2f} {what}" for share, what in told if share is not None)


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
        does = shorten(first_sentence(skill.description), 100)
        helped = told.get(skill.name) or f"helped {counted(skill.tasks, 'task')}"
        emit(f"  {skill.name} ({skill.status}; {helped}): {does}")


def _interval(interval: Interval) -> str:
    return "no figure" if interval.value is None else interval_told(interval)
