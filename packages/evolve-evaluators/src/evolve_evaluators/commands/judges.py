"""``evolve lab judges``: how far a measured judge can be trusted: its precision and recall with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import options, pages
from evolve.cli.models import Name
from evolve.cli.render.output import emit, emit_json, table

if TYPE_CHECKING:
    from evolve.trials.gate.judges import Measurement
    from evolve_evaluators.judges import Judges

app = pages.App()


@app.page("judges", "evolve lab judges gpt-5-mini --suite strings", "evolve lab judges gpt-5-mini --count 20")
def judges_command(
    model: Name = None,
    suite: Annotated[
        str, typer.Option("--suite", metavar="SUITE", help="Where answers of known worth come from.")
    ] = "strings",
    count: Annotated[
        int, typer.Option("--count", metavar="NUMBER", min=1, help="Sound answers, and as many wrong ones.")
    ] = 40,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure how well a model judges answers. A judge counts only with a good measured result."""
    import evolve

    with evolve.open(workspace, model=model) as opened:
        judges: Judges = getattr(opened, "judges")  # noqa: B009 (a part that a package adds, unknown to type checkers)
        measurement = judges.check(suite, count)
    emit_json(measured(measurement)) if as_json else show(measurement)
    raise typer.Exit(0 if measurement.calibration == "measured" else 1)


def measured(measurement: Measurement) -> dict[str, Any]:
    """The measurement of a judge, as ``--json`` prints it."""
    shares = {"precision": measurement.precision, "recall": measurement.recall}
    intervals = {
        name: {"value": share.value, "low": share.low, "high": share.high, "n": share.n}
        for name, share in shares.items()
    }
    kinds = {name: {"accepted": accepted, "of": count} for name, (accepted, count) in measurement.kinds.items()}
    names = {
        "model": measurement.model,
        "prompt": measurement.prompt,
        "suite": measurement.suite,
        "standing": measurement.calibration,
    }
    return {**names, **intervals, "sound": measurement.sound, "wrong": measurement.wrong, "accepted_wrong": kinds}


def show(measurement: Measurement) -> None:
    """Prints the measurement of a judge for people."""
    # A bound that was not measured is as wide as a share can be.
    rows = [
        (
            name,
            f"{share.value or 0.0:.3f}",
            f"{share.low or 0.0:.3f} to {1.0 if share.high is None else share.high:.3f}",
            share.n,
        )
        for name, share in (("precision", measurement.precision), ("recall", measurement.recall))
    ]
    emit(table(("judge", "share", "95 % interval", "n"), rows))
    emit(
        table(
            ("wrong answers", "of", "accepted"),
            [(name, n, accepted) for name, (accepted, n) in measurement.kinds.items()],
        )
    )
    verdict = {
        "measured": (
            f"both lower bounds reach {measurement.required_bound:g}: its verdicts count, as judged "
            f"and never as verified"
        ),
        "below the bar": (
            f"a lower bound is under {measurement.required_bound:g}: its verdicts are shown and do not count"
        ),
    }
    status = measurement.calibration
    emit(f"{measurement.model} on {measurement.suite}: {status}; {verdict.get(status, '')}")
