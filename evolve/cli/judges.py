"""How a measured judge is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolve.cli.output import emit, table

if TYPE_CHECKING:
    from evolve.workspace import Measurement


def as_json(found: Measurement) -> dict[str, Any]:
    """What a judge was found to be worth, as ``--json`` prints it."""
    shares = {"precision": found.precision, "recall": found.recall}
    told = {name: {"value": one.value, "low": one.low, "high": one.high, "n": one.n} for name, one in shares.items()}
    kinds = {name: {"accepted": accepted, "of": count} for name, (accepted, count) in found.kinds.items()}
    names = {"model": found.model, "prompt": found.prompt, "suite": found.suite, "standing": found.standing}
    return {**names, **told, "sound": found.sound, "wrong": found.wrong, "accepted_wrong": kinds}


def show(found: Measurement) -> None:
    """Shows what a judge was found to be worth."""
    rows = [
        (name, f"{one.value or 0.0:.3f}", f"{one.low or 0.0:.3f} to {one.high or 1.0:.3f}", one.n)
        for name, one in (("precision", found.precision), ("recall", found.recall))
    ]
    emit(table(("judge", "share", "95 % interval", "n"), rows))
    emit(table(("wrong answers", "of", "accepted"), [(name, n, taken) for name, (taken, n) in found.kinds.items()]))
    verdict = {
        "measured": f"both lower bounds reach {found.bar:g}: its verdicts count, as judged and never as verified",
        "below the bar": f"a lower bound is under {found.bar:g}: its verdicts are shown and do not count",
    }
    emit(f"{found.model} on {found.suite}: {found.standing}; {verdict.get(found.standing, '')}")
