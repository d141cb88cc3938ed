"""``evolve gate``: what was proposed, what was decided, and on what grounds."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import options, pages
from evolve.cli.output import counted, emit, emit_json, note, singular, table

if TYPE_CHECKING:
    from evolve.workspace import Decision

_SHOWN = 16
"""Letters of a digest that tell it from others; ``--json`` has all."""

_BEYOND = 1_000_000

app = pages.App(
    "See which proposed changes were accepted, and on what evidence.", "evolve gate list", "evolve gate show 1"
)


@app.page("list", "evolve gate list")
def list_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List every verdict, oldest first, and how much evidence the next proposal needs."""
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        found = opened.gate.list()
    if as_json:
        emit_json(
            {
                "decisions": [_plain(one) for one in found.decisions],
                "begun": [{**asdict(one), "pins": dict(one.pins)} for one in found.begun],
                "next": [asdict(one) for one in found.following],
            }
        )
        return
    rows = [
        (one.id, one.run, one.proposal, one.variant[:10], one.verdict, _pairs(one), _wealth(one), _needed(one))
        for one in found.decisions
    ]
    header = ("id", "run", "proposal", "variant", "verdict", "pairs", "evidence", "needed")
    emit(table(header, rows, spare=("proposal", "pairs")) or "nothing has been judged yet")
    for one in found.begun:
        told = f"its error level of {one.alpha:.2g} counts as spent until it ends"
        emit(f"run {one.run} broke off judging {one.variant[:10]}: {told}")
    for ahead in found.following:
        needed = f"{_odds(1 / ahead.level)} (error level {ahead.level:.2g})"
        emit(f"suite {ahead.suite[:10]}: proposal {ahead.proposal} will need {needed}")
    if any(one.alpha for one in found.decisions):
        note("evidence of 40:1 means: a variant that is no better gets that far in at most 1 of 40 tests")


@app.page("show", "evolve gate show 1")
def show_command(
    decision: Annotated[int, typer.Argument(metavar="VERDICT", help="Id of a verdict, from the list.")],
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show one verdict with everything it rests on."""
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        found = opened.gate.show(decision)
        looks = opened.gate.looks(found.suite)
    if as_json:
        emit_json({**_plain(found), "looks": looks})
        return
    tally, standing = found.tally, found.standing
    emit(f"verdict {found.id}: {found.verdict}: {singular(found.reason)}")
    emit(f"variant  {found.variant[:_SHOWN]}")
    emit(f"parent   {found.parent[:_SHOWN]}")
    emit(f"suite    {found.suite[:_SHOWN]}, run {found.run}, proposal {found.proposal}")
    if not found.alpha:
        emit("refused untested; it used nothing of the error budget")
        return
    emit(
        f"evidence {_wealth(found)} for the variant; {_needed(found)} was needed (error level {found.alpha:.2g})",
        indent=9,
    )
    planned = f" of {found.planned} that could be tried" if found.planned else ""
    came = (counted(tally.wins, "win"), counted(tally.losses, "loss", "losses"), counted(tally.ties, "tie"))
    emit(f"pairs    {_pairs(found)}{planned}: {', '.join(came)}", indent=9)
    emit(f"void     for a fault of the parent: {tally.void}; for one of the variant alone: {tally.withheld}", indent=9)
    alone = f"by the variant alone {standing.gained}, by the parent alone {standing.lost}"
    emit(f"solved   by both {standing.both}, {alone}", indent=9)
    if standing.cost_ratio is not None:
        emit(f"cost     {standing.cost_ratio:.3f} times the parent's, mean of the ratios where both solved", indent=9)
    if found.further:
        emit(f"about {counted(found.further, 'further pair')} would decide at the rates seen")
    if found.regressed:
        emit(f"no longer solved: {', '.join(found.regressed)}")
    emit(f"looks at the test tasks of this suite: {looks}")
    emit(f"pinned   {', '.join(f'{part} {pin[:_SHOWN]}' for part, pin in found.pins.items())}", indent=9)
    note(f"evidence of {_needed(found)}: a variant that is no better gets that far in at most 1 of that many tests")


def _pairs(one: Decision) -> int:
    return one.tally.pairs + one.tally.withheld + one.tally.void


def _wealth(one: Decision) -> str:
    return _odds(one.wealth) if one.alpha else "-"


def _needed(one: Decision) -> str:
    return _odds(1 / one.alpha) if one.alpha else "-"


def _odds(value: float) -> str:
    """An e-value as odds against a variant that is no better, with the precision that a reader needs."""
    if value >= _BEYOND:
        return f"over {_BEYOND:,}:1"
    return f"{value:,.0f}:1" if value >= 10 else f"{value:.2f}:1"


def _plain(one: Decision) -> dict[str, Any]:
    from evolve.workspace import to_data

    return {**to_data(one), "pins": dict(one.pins), "wealth": min(one.wealth, 1e300)}
