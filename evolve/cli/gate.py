"""``evolve gate``: what was proposed, what was decided, and on what grounds."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import options
from evolve.cli.output import emit, emit_json, table

if TYPE_CHECKING:
    from evolve.workspace import Decision

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Look at the verdicts on proposed variants.")


@app.command("list")
def list_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List every verdict, oldest first, and at what level the next proposal is tested."""
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
        (one.id, one.run, one.proposal, one.variant[:10], one.verdict, _pairs(one), f"{one.alpha:.2g}", _wealth(one))
        for one in found.decisions
    ]
    header = ("id", "run", "proposal", "variant", "verdict", "pairs", "level", "e-value")
    emit(table(header, rows) or "nothing has been judged yet")
    for one in found.begun:
        emit(f"run {one.run} broke off judging {one.variant[:10]}: level {one.alpha:.2g} counts as lost until it ends")
    for one_next in found.following:
        number, level = one_next.proposal, one_next.level
        emit(f"suite {one_next.suite[:10]}: the next proposal is number {number}, tested at level {level:.2g}")


@app.command("show")
def show_command(
    decision: Annotated[int, typer.Argument(help="Id of a verdict, from the list.")],
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
    emit(f"verdict {found.id}: {found.verdict}: {found.reason}")
    emit(f"variant {found.variant}")
    emit(f"parent  {found.parent}")
    emit(f"suite   {found.suite}, run {found.run}, proposal {found.proposal}")
    if not found.alpha:
        emit("refused untested; it used nothing of the error budget")
        return
    emit(f"e-value {_wealth(found)} for the variant; accepted from {1 / found.alpha:,.0f} on (level {found.alpha:.2g})")
    planned = f" of {found.planned} that could be tried" if found.planned else ""
    emit(f"pairs   {_pairs(found)}{planned}: {tally.wins} wins, {tally.losses} losses, {tally.ties} ties")
    emit(f"        void, for a fault of the parent: {tally.void}; for one of the variant alone: {tally.withheld}")
    emit(
        f"solved  by both {standing.both}, by the variant alone {standing.gained}, by the parent alone {standing.lost}"
    )
    if standing.cost_ratio is not None:
        emit(f"cost    {standing.cost_ratio:.3f} times the parent's, mean of the ratios where both solved")
    if found.further:
        emit(f"about {found.further} further pairs would decide at the rates seen")
    if found.regressed:
        emit(f"no longer solved: {', '.join(found.regressed)}")
    emit(f"looks at the test tasks of this suite: {looks}")
    for part, pin in found.pins.items():
        emit(f"{part} {pin[:16]}")


def _pairs(one: Decision) -> int:
    return one.tally.pairs + one.tally.withheld + one.tally.void


def _wealth(one: Decision) -> str:
    return f"{one.wealth:.3g}"


def _plain(one: Decision) -> dict[str, Any]:
    from evolve.workspace import to_data

    return {**to_data(one), "pins": dict(one.pins), "wealth": min(one.wealth, 1e300)}
