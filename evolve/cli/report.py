"""``evolve report``: did learning help?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli import options
from evolve.cli.optimize import show_changes
from evolve.cli.output import emit, emit_json, flush, note, shorten, table

if TYPE_CHECKING:
    from evolve.workspace import Interval, Report

app = typer.Typer(rich_markup_mode=None)


@app.command("report")
def report_command(
    fresh: Annotated[bool, typer.Option("--fresh", help="Run the held-out arms again; a logged look.")] = False,
    curve: Annotated[str | None, typer.Option("--curve", help="Write the learning curve to this SVG file.")] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Print the last report again, without opening the test tasks."""
    import evolve

    with evolve.open(workspace, read_only=not fresh) as opened, opened.delivering():
        report = opened.report(fresh=fresh, curve=curve)
        if curve is not None:
            note(f"wrote {curve}")
        if as_json:
            emit_json({**report.to_json(), "changes": [change.to_json() for change in opened.variants.changes()]})
        else:
            show_report(report)
            show_changes(opened.variants.changes())
        flush()


def show_report(report: Report) -> None:
    """Prints a report for people."""
    emit(f"suite {report.suite}, seed {report.seed}: {report.finish_reason}")
    emit()
    for row in report.rounds:
        verdict = f"{row.verdict} after {row.pairs} pairs" if row.verdict else "not judged"
        emit(
            f"round {row.number}: {row.episodes} episodes, {row.solved} solved, {row.skills} new skills;"
            f" gate: {verdict}{', promoted' if row.promoted else ''}"
        )
        if row.idle:
            emit(f"  {row.idle} skills idle: they served no task but their own; `evolve skills list --all` has them")
        if row.checkable:
            emit(f"  checked: {row.checked} of {row.checkable} tasks that can only be checked; not part of the proof")
        emit(f"  {row.reason}")
    emit()
    emit(table(("arm", "tasks", "solved", "verified", "candidates", "seconds", ""), _arm_cells(report)))
    emit()
    if report.ratio.value is not None or report.gain.value is not None:
        _show_contrasts(report)
        emit(_verdict(report))
        emit()
    _show_learned(report)
    emit(f"spent: {report.spent.candidates:,} candidates in {report.spent.seconds:.0f} s")


def _verdict(report: Report) -> str:
    """Whether learning helped, and in which run what was measured had been learned, where that is another one."""
    said = "learning helped" if report.helped else "no gain that the 95 % intervals can tell from chance"
    if not report.promoted_by or report.promoted_by == report.run:
        return said
    return f"{said}; measured was the variant {report.promoted[:12]} that {report.promoted_by} promoted, not this run"


def _show_contrasts(report: Report) -> None:
    """Every figure with its interval and n, and how often the test tasks were looked at."""
    cost = "tokens" if any(row.tokens for row in report.arms) else "candidates"
    for one in report.compared:
        emit(f"{cost}, learned / {one.arm}: {_interval(one.ratio)} (median over tasks both solve)")
        emit(f"share solved, learned - {one.arm}: {_interval(one.gain)}")
        emit(f"  with bounds for every look at once: {_interval(one.gain_always)}")
        emit(f"  mean saving of {cost}, for every look at once: {_interval(one.saving_always)}")
    looks = "once" if report.looks == 1 else f"{report.looks} times"
    emit(f"the test tasks of this suite have been opened {looks}")


def _arm_cells(report: Report) -> list[tuple[object, ...]]:
    cells: list[tuple[object, ...]] = []
    for row in report.arms:
        if row.tasks:
            cells.append((row.arm, row.tasks, row.solved, row.verified, row.candidates, row.seconds, row.note))
        else:
            cells.append((row.arm, "", "", "", "", "", row.note))
    return cells


def _show_learned(report: Report) -> None:
    emit(f"learned: {report.insight_count} insights from {report.evidence_count} pieces of evidence")
    for insight in report.insights[:6]:
        emit(f"  {insight.status}, {insight.evidence} rows: {shorten(insight.text, 96)}")
    emit(f"learned: {len(report.skills)} skills")
    for skill in report.skills[:6]:
        emit(f"  {skill.name} ({skill.status}, helped {skill.tasks} tasks): {shorten(skill.description, 70)}")


def _interval(interval: Interval) -> str:
    if interval.value is None:
        return "no figure"
    if interval.low is None or interval.high is None:
        return f"{interval.value:.3f} over {interval.n} groups, too few for an interval"
    return f"{interval.value:.3f}, 95 % interval {interval.low:.3f} to {interval.high:.3f} over {interval.n} groups"
