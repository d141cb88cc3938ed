"""``evolve improve``: the unattended loop."""

from __future__ import annotations

from typing import Annotated

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli import options as overrides
from evolve.cli.render.output import emit_json, flush
from evolve.cli.render.views import LoopView
from evolve.cli.run import print_created

app = pages.App()

Set = Annotated[
    list[str] | None,
    overrides.set_option(
        "python=DIR (a virtual environment to import from)",
    ),
]


@app.page("improve", "evolve improve everyday", "evolve improve tasks.jsonl --model gpt-5-mini --budget 2M-tokens")
def improve_command(
    ctx: typer.Context,
    suite: options.Suite,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            metavar="NUMBER",
            min=1,
            help="Rounds of practice and comparison. Default: 2; 3 for a small suite; without comparison, 5 at most.",
        ),
    ] = None,
    budget: options.Budget = None,
    model: options.Model = None,
    record: options.Record = None,
    replay: options.Replay = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin a new run, and leave one that was cut off where it is.")
    ] = False,
    details: options.Details = False,
    set_: Set = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Practise on a suite of tasks, and keep a change only if it helps on tasks that evolve has not seen.

    If your tasks are too few to prove a gain, evolve says so and only practises. If you stop it, or its budget ends,
    the same command continues; a new budget comes on top. The exit code is 0 if evolve promoted something, else 1.
    """
    from evolve.cli.report import show_report
    from evolve.workspace import model_or_recording

    bounds = options.start_budget(ctx, budget)  # a wrong option is told before anything is made
    chosen = overrides.parse_overrides(set_, "python")
    view = LoopView(unsandboxed=chosen.is_unsandboxed)
    source = model_or_recording(model, record, replay)
    with view, evolve.open(workspace, model=source, events=view, settings=chosen.settings) as opened:
        print_created(opened)
        # The run is closed once its report is out: killed before, the same command shows it again.
        with opened.delivering():
            seed, python = opened.settings.seed, chosen.text("python")
            report = opened.improve(suite, rounds=rounds, budget=bounds, seed=seed, python=python, fresh=fresh)
            view.stop()
            if as_json:
                emit_json({**report.to_json(), **opened.sandbox_mark})
            else:
                show_report(opened, report, suite, details=details)
            flush()
    raise typer.Exit(0 if report.has_promoted else 1)
