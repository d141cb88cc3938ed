"""``evolve report``: did learning help?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.lab.optimize import show_change
from evolve.cli.render.memory import kept_table
from evolve.cli.render.output import emit, emit_json, flush, report_written_file
from evolve.cli.render.report import SEARCH, report_lines_now, show_details, show_own_tasks, show_proof, show_summary
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import Proof, Report, Workspace

app = pages.App()


@app.page("report", "evolve report", "evolve report --curve curve.svg")
def report_command(
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure on the test tasks again; that look is counted.")
    ] = False,
    curve: Annotated[
        str | None, typer.Option("--curve", metavar="FILE", help="Write the learning curve to this SVG file.")
    ] = None,
    details: options.Details = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show whether learning helps you: on your own tasks, and in the last run of improve.

    evolve tests itself on each task of yours before it learns from it. The test tasks of a suite stay closed;
    --fresh opens them once more and counts that.
    """
    with evolve.open(workspace, read_only=not fresh) as opened, opened.delivering():
        proofs, changes, kept = opened.gate.proofs(), opened.variants.changes(), opened.memory.kept()
        report = None
        try:
            with report_written_file(curve):
                report = opened.report(fresh=fresh, curve=curve)
        except UsageError:  # no suite was practised on, and the person's own tasks tell enough
            if fresh or curve is not None or not (proofs or kept):
                raise
        if as_json:
            suite = {} if report is None else report.to_json()
            told = {name: proof.to_json() for name, proof in proofs.items()}
            own = {"own": told.pop(SEARCH)} if SEARCH in told else {}
            if told:
                own["own_models"] = told
            things = {"kept": [vars(one) for one in kept]} if kept else {}
            emit_json({**suite, "changes": [change.to_json() for change in changes], **own, **things})
        else:
            _show_own(proofs, details=details)
            if report is not None:
                made = next((row.run.body for row in opened.runs.list() if row.run.id == report.run), {})
                show_report(opened, report, str(made.get("suite", report.suite)), details=details)
            if kept:
                emit(kept_table(kept, most=10 if details else 3))
            if details:
                for change in changes:
                    show_change(change)
        flush()


def _show_own(proofs: Mapping[str, Proof], *, details: bool) -> None:
    """Prints what the person's own tasks say."""
    if not details:
        show_own_tasks(proofs)
        return
    for policy, proof in proofs.items():
        show_proof(proof, policy)


def show_report(opened: Workspace, report: Report, suite: str, *, details: bool = False) -> None:
    """Prints the report of a loop.

    Args:
        suite: The suite as it is typed.
    """
    if details:
        show_details(report, report_lines_now(opened, report))
    else:
        show_summary(report, suite)
