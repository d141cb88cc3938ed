"""``evolve improve``: the unattended loop."""

from __future__ import annotations

from typing import Annotated

import typer

from evolve.cli import folder, options, pages
from evolve.cli.output import emit_json, flush, note

app = pages.App()


@app.page("improve", "evolve improve everyday", "evolve improve tasks.jsonl --model gpt-5-mini --budget 2M-tokens")
def improve_command(
    suite: options.Suite,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            metavar="NUMBER",
            min=1,
            help="Rounds of practice and judgement. Default: 2; a suite too small to be split has 3 always.",
        ),
    ] = None,
    python: folder.Python = None,
    budget: options.Budget = None,
    model: options.Model = None,
    record: options.Record = None,
    replay: options.Replay = None,
    seed: options.Seed = 0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin a new run, and leave one that was cut off where it is.")
    ] = False,
    sandbox: options.Sandbox = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Practise on a suite of tasks, keep what helps, and measure it on held-out tasks.

    Interrupted, or ended by its budget, the same command continues where it stopped, in the second case with a budget
    on top of what it had. After a run that came to its end it begins another one, which builds on what was learned;
    the first line says which it is.
    """
    import evolve
    from evolve.cli.report import show_report, told_now
    from evolve.cli.views import LoopView
    from evolve.workspace import parse_budget, recorded

    parse_budget(budget or ())  # a wrong option is told before anything is made
    model_choice = recorded(model, record, replay)
    view = LoopView(unsandboxed=sandbox == "none")
    with view, evolve.open(workspace, model=model_choice, events=view, sandbox=sandbox) as opened:
        if opened.created:
            note(f"made the workspace {opened.paths.root}")
        # The run is closed once its report is out: killed before, the same command shows it again.
        with opened.delivering():
            report = opened.improve(suite, rounds=rounds, budget=budget, seed=seed, python=python, fresh=fresh)
            view.stop()
            if as_json:
                emit_json({**report.to_json(), **opened.mark})
            else:
                show_report(report, told_now(opened, report))
            flush()
