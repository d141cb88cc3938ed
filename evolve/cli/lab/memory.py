"""``evolve lab memory``: whether insights are needed, and whether the index agrees with the record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.memory_graph import insight_data
from evolve.cli.render.output import count_of, emit, emit_json, flush, shorten_line, table
from evolve.cli.render.views import LoopView

if TYPE_CHECKING:
    from evolve.workspace import InsightTrial

app = pages.App(
    "Test whether insights are needed, and check the index of the memory.",
    *("evolve lab memory test everyday", "evolve lab memory check"),
)


@app.page("test", "evolve lab memory test everyday", "evolve lab memory test everyday --insight 0c1f22ab")
def test_command(
    ctx: typer.Context,
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A file or folder of tasks, or a built-in suite.")],
    insight: Annotated[
        str, typer.Option("--insight", metavar="INSIGHT", help="Only this one. Default: what is known least.")
    ] = "",
    budget: options.Budget = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Find out how many solved tasks need a step of their answer, by searching them again without it.

    It takes at most 500,000 candidates, or what the budget says. Where a model works, it is asked with a fact and
    without it, two facts at most and six tasks each. Interrupted, the same command continues.
    """
    bounds = options.start_budget(ctx, budget)  # a wrong option is told before anything is made
    view = LoopView()
    with view, evolve.open(options.require_workspace(workspace), events=view) as opened, opened.delivering():
        tests = opened.memory.test(suite, insight, budget=bounds)
        view.stop()
        if as_json:
            emit_json({"tests": [{**insight_data(one.insight, one.sentence), **_counts(one)} for one in tests]})
        else:
            rows = [(one.insight.id[:10], one.tried, one.needed, shorten_line(one.sentence.text, 160)) for one in tests]
            none = (
                "nothing can be tested within this budget, or nothing is left" if budget else "nothing is left to test"
            )
            emit(table(("id", "tried", "needed", "insight"), rows) or none)
        flush()


def _counts(test: InsightTrial) -> dict[str, Any]:
    return {"tried": test.tried, "needed": test.needed, "sentence": test.sentence.text}


@app.page("check", "evolve lab memory check", "evolve lab memory check --json")
def check_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Compare the search index with the record. Exit code 3 where they differ."""
    with evolve.open(options.require_workspace(workspace)) as opened:
        report, encoder = opened.memory.check(), opened.memory.encoder_name
    if as_json:
        emit_json({**vars(report), "ok": report.ok, "encoder": encoder})
    else:
        counts = ", ".join(
            (
                count_of(report.insights, "insight"),
                count_of(report.evidence, "piece of evidence", "pieces of evidence"),
                count_of(report.episodes, "episode"),
                count_of(report.notes, "note"),
                f"encoder {encoder}",
            )
        )
        emit(f"{'ok' if report.ok else 'index and record differ; evolve lab memory reindex mends it'}: {counts}")
    raise typer.Exit(0 if report.ok else 3)


@app.page("reindex", "evolve lab memory reindex", "evolve lab memory reindex --json")
def reindex_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Build the search index anew from the record."""
    with evolve.open(options.require_workspace(workspace)) as opened:
        count = opened.memory.reindex()
    emit_json({"episodes": count}) if as_json else emit(f"indexed {count_of(count, 'episode')}")
