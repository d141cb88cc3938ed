"""``evolve lab metrics``: what comments on runs come down to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import options, pages
from evolve.cli.render.output import count_of, emit, emit_json, shorten_line, table

if TYPE_CHECKING:
    from evolve.workspace import Workspace
    from evolve_evaluators.metric import Metric, MetricsReport
    from evolve_evaluators.metrics import Metrics

app = pages.App(
    "See and edit the metrics that evolve made of your comments. A search can aim at one; none accepts an answer.",
    *("evolve lab metrics list", "evolve lab metrics show brevity"),
)
MetricName = Annotated[str, typer.Argument(metavar="METRIC", help="Name or id of a metric.")]


@app.page("list", "evolve lab metrics list", "evolve lab metrics list --json")
def list_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List metrics, what share of the comments they explain, and which of them say the same."""
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        metrics, report = _of(opened).list(), _of(opened).report()
    if as_json:
        return emit_json({"metrics": [_metric(metric) for metric in metrics], "report": _report(report)})
    rows = [
        (metric.name, len(metric.examples), len(metric.scores()), shorten_line(metric.definition, 80))
        for metric in metrics
    ]
    emit(table(("metric", "remarks", "runs", "what it measures"), rows) or "no metrics yet")
    if report.coverage is not None:
        emit(
            f"coverage: {report.explained} of {count_of(report.comments, 'comment')} explained ({report.coverage:.0%})"
        )
    for pair in report.overlaps:
        if pair.correlation is not None:
            line = f"{pair.one} and {pair.other} correlate by {pair.correlation:.2f} over {count_of(pair.runs, 'run')}"
            emit(f"redundancy: {line}")


@app.page("show", "evolve lab metrics show brevity", "evolve lab metrics show brevity --json")
def show_command(metric: MetricName, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Show a metric, its score for each run, and the remarks it was induced from."""
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        shown = _of(opened).show(metric)
    if as_json:
        return emit_json(_metric(shown))
    emit(f"{shown.name}: {shown.definition}")
    emit(f"{'edited by a person' if shown.edited else 'induced from comments'}; id {shown.id[:10]}")
    signs = {1: "praise", -1: "complaint", 0: "neither"}
    emit(
        table(
            ("run", "sign", "remark"),
            [(example.run, signs[example.sign], shorten_line(example.text, 90)) for example in shown.examples],
        )
    )
    emit(table(("run", "score"), sorted(shown.scores().items())))


@app.page("propose", "evolve lab metrics propose brevity --model gpt-5-mini", "evolve lab metrics propose brevity")
def propose_command(
    metric: MetricName,
    model: options.Model = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what a model would call a metric. Nothing is changed."""
    import evolve

    with evolve.open(workspace, model=model) as opened:
        proposal = _of(opened).propose(metric)
    if as_json:
        emit_json({"name": proposal.name, "definition": proposal.description})
    else:
        emit(f"proposed: {proposal.name}: {proposal.description}")
        emit(f"  evolve lab metrics edit {metric} --name {proposal.name} --definition ...", whole=True)


@app.page(
    "edit",
    'evolve lab metrics edit brevity --definition "lines of the answer"',
    "evolve lab metrics edit brevity --name shortness",
)
def edit_command(
    metric: MetricName,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="What it is called.")] = None,
    definition: Annotated[str | None, typer.Option("--definition", metavar="TEXT", help="What it measures.")] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Change what a metric is called or how it is defined."""
    import evolve
    from evolve.core.errors import UsageError

    if name is None and definition is None:
        raise UsageError("nothing to change", hint="give --name or --definition")
    with evolve.open(workspace) as opened:
        edited = _of(opened).edit(metric, new_name=name, definition=definition)
    emit_json(_metric(edited)) if as_json else emit(f"{edited.name}: {edited.definition}")


def _of(opened: Workspace) -> Metrics:
    metrics: Metrics = getattr(opened, "metrics")  # noqa: B009 (a part that a package adds, unknown to type checkers)
    return metrics


def _metric(metric: Metric) -> dict[str, Any]:
    return {**vars(metric), "scores": metric.scores()}


def _report(report: MetricsReport) -> dict[str, Any]:
    return {**vars(report), "coverage": report.coverage}
