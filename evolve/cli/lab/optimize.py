"""``evolve lab optimize``: search for better prompts, workflows and knobs, and keep what the gate accepts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli import options as overrides
from evolve.cli.render.layout import format_interval, format_spending
from evolve.cli.render.output import emit, emit_json, flush, print_note
from evolve.cli.render.views import LoopView

if TYPE_CHECKING:
    from evolve.workspace import AcceptedVariant, ConfidenceInterval, OptimizationReport, TargetFigures

app = pages.App()


Only = Annotated[str, typer.Option("--only", metavar="PART", help="Change nothing else: prompts, workflow or knobs.")]
EngineName = Annotated[
    str, typer.Option("--engine", metavar="NAME", help="linked (needs no model), adas or gepa. Default: by part.")
]
Proposals = Annotated[int | None, typer.Option("--proposals", metavar="NUMBER", min=3, help="Most candidates to try.")]
Metric = Annotated[
    str,
    typer.Option(
        "--target",
        metavar="METRIC",
        help="A metric that chooses among candidates that do no worse; see evolve lab metrics.",
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Only go on with a run that was cut off.")]


@app.page(
    "optimize",
    "evolve lab optimize everyday --only knobs --budget 2h",
    "evolve lab optimize everyday --only prompts --model gpt-5-mini",
)
def optimize_command(
    ctx: typer.Context,
    suite: options.Suite,
    only: Only = "",
    engine: EngineName = "",
    proposals: Proposals = None,
    target: Metric = "",
    resume: Resume = False,
    budget: options.Budget = None,
    model: options.Model = None,
    set_: overrides.Set = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Search for better prompts, workflows and knobs, and keep what tests show to be better.

    What the gate accepts is measured again on held-out tasks. Interrupted, the same command continues where it stopped.
    Exit codes: 0 something was kept, 1 nothing was.
    """
    from evolve.workspace import OptimizerRequest

    bounds = options.start_budget(ctx, budget)  # a wrong option is told before anything is made
    chosen = overrides.parse_overrides(set_)
    request = OptimizerRequest(suite=suite, only=only, engine=engine, proposals=proposals, target=target, resume=resume)
    view = LoopView(unsandboxed=chosen.is_unsandboxed)
    with view, evolve.open(workspace, model=model, events=view, settings=chosen.settings) as opened:
        if opened.created:
            print_note(f"made the workspace {opened.paths.root}")
        with opened.delivering():
            report = opened.optimize(replace(request, seed=opened.settings.seed), budget=bounds)
            view.stop()
            emit_json({**report.to_json(), **opened.sandbox_mark}) if as_json else show_optimization(report)
            flush()
    raise typer.Exit(0 if report.promoted else 1)


def show_optimization(report: OptimizationReport) -> None:
    """Prints a report for people."""
    if report.unusable:
        emit(report.unusable)
        emit("  try: evolve models check", whole=True)
    emit(f"suite {report.suite}, engine {report.engine}, seed {report.seed}: {report.finish_reason}")
    emit(report.forecast.text)
    verdicts = ", ".join(f"{number} {name}" for name, number in report.verdicts.items()) or "none"
    emit(f"candidates tried: {report.tried}; judged: {report.judged} ({verdicts})")
    emit()
    for change in report.changes:
        show_change(change)
    if report.note:
        emit(report.note)
    if report.target is not None:
        _show_target(report.target)
    if report.changes:
        looks = "once" if report.looks == 1 else f"{report.looks} times"
        emit(f"the test tasks of this suite have been opened {looks}")
        emit(f"active now: {report.active[:12]}; look with: evolve lab variants show {report.active[:12]}")
    emit(f"spent: {format_spending(report.spent)} in {report.spent.seconds:.0f} s")
    if report.overshoot:
        emit(f"  {report.overshoot}")


def _show_target(figures: TargetFigures) -> None:
    """Prints what a search reached by its target metric, and how a person may promote it."""
    emit(f"target {figures.metric}, on train tasks, in the opinion of {figures.judge}:")
    emit(f"  share of answers approved, start:          {_share(figures.start)}")
    if not figures.variant:
        emit("  no candidate does better by it without doing worse by solves or cost")
        return
    emit(f"  share of answers approved, best candidate: {_share(figures.best)}")
    emit(
        f"  won minus lost, best against start:        {_figure(figures.gain)}; likely too high, it was chosen by this"
    )
    if not figures.promoted:
        standing = f"the gate says {figures.verdict}" if figures.verdict else "the gate was not asked"
        name, seems = figures.variant[:12], "is" if (figures.gain.low or 0.0) > 0.0 else "seems"
        emit(f"{name} {seems} better by {figures.metric}, not shown to be better by solves: not promoted ({standing})")
        emit(f'  try: evolve lab variants promote {name} --reason "..."', whole=True)


def show_change(change: AcceptedVariant) -> None:
    """Prints an accepted change: what was predicted beside what held-out tasks showed."""
    emit(f"accepted {change.variant[:12]} over {change.parent[:12]}: {change.why}")
    emit(f"  predicted on gate tasks, won minus lost: {_figure(change.predicted)}")
    emit(f"  realised on test tasks, won minus lost:  {_figure(change.realised)}")
    emit(f"  share of test tasks solved, difference:  {_figure(change.solved)}")
    emit(f"  cost over the parent's, where both solve: {_figure(change.ratio, sign='')}")
    if change.predicted.value is not None and change.realised.value is not None:
        gap = change.predicted.value - change.realised.value
        emit(
            f"  predicted minus realised: {gap:+.3f}; what was chosen for its figure often has a smaller one next time"
        )


def _share(interval: ConfidenceInterval) -> str:
    if interval.value is None or interval.low is None or interval.high is None:
        return "no verified answer was judged"
    return f"{interval.value:.3f}, 95 % interval {interval.low:.3f} to {interval.high:.3f} over {interval.n}"


def _figure(interval: ConfidenceInterval, *, sign: str = "+") -> str:
    return "not measured" if interval.value is None else format_interval(interval, sign)
