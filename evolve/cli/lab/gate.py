"""``evolve lab gate``: which changes were proposed, what the gate decided, and on what evidence."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.render.layout import format_odds
from evolve.cli.render.output import count_of, emit, emit_json, print_note, singular_form, table

if TYPE_CHECKING:
    from evolve.workspace import GateDecision

_SHOWN = 16
"""Letters of a digest that tell it from others; ``--json`` has all."""

app = pages.App(
    "See which proposed changes were accepted, and on what evidence.", "evolve lab gate list", "evolve lab gate show 1"
)


@app.page("list", "evolve lab gate list", "evolve lab gate list --json")
def list_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List every verdict, oldest first, and how much evidence the next proposal needs."""
    with evolve.open(workspace, read_only=True) as opened:
        listing = opened.gate.list()
    if as_json:
        return emit_json(
            {
                "decisions": [_plain(decision) for decision in listing.decisions],
                "begun": [{**asdict(attempt), "pins": dict(attempt.pins)} for attempt in listing.begun],
                "next": [asdict(ahead) for ahead in listing.following],
            }
        )
    rows = [
        (
            decision.id,
            decision.run,
            decision.proposal,
            decision.variant[:10],
            decision.verdict,
            _pairs(decision),
            _wealth(decision),
            _needed(decision),
        )
        for decision in listing.decisions
    ]
    header = ("id", "run", "proposal", "variant", "verdict", "pairs", "evidence", "needed")
    emit(table(header, rows, spare=("proposal", "pairs")) or "nothing has been judged yet")
    for attempt in listing.begun:
        consequence = f"its error level of {attempt.alpha:.2g} counts as spent until it ends"
        emit(f"run {attempt.run} broke off judging {attempt.variant[:10]}: {consequence}")
    for ahead in listing.following:
        needed = f"{format_odds(1 / ahead.level)} (error level {ahead.level:.2g})"
        emit(f"suite {ahead.suite[:10]}: proposal {ahead.proposal} will need {needed}")
    if any(decision.alpha for decision in listing.decisions):
        print_note("evidence of 40:1 means: a variant that is no better gets that far in at most 1 of 40 tests")


@app.page("show", "evolve lab gate show 1", "evolve lab gate show 1 --json")
def show_command(
    decision: Annotated[int, typer.Argument(metavar="VERDICT", help="Id of a verdict, from the list.")],
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show one verdict with everything it rests on."""
    with evolve.open(workspace, read_only=True) as opened:
        record = opened.gate.show(decision)
        looks = opened.gate.looks(record.suite)
    if as_json:
        return emit_json({**_plain(record), "looks": looks})
    tally, standing = record.tally, record.standing
    emit(f"verdict {record.id}: {record.verdict}: {singular_form(record.reason)}")
    emit(f"variant  {record.variant[:_SHOWN]}")
    emit(f"parent   {record.parent[:_SHOWN]}")
    emit(f"suite    {record.suite[:_SHOWN]}, run {record.run}, proposal {record.proposal}")
    if not record.alpha:
        emit("refused untested; it used nothing of the error budget")
        return
    emit(
        f"evidence {_wealth(record)} for the variant; {_needed(record)} was needed (error level {record.alpha:.2g})",
        indent=9,
    )
    planned = f" of {record.planned} that could be tried" if record.planned else ""
    outcomes = (count_of(tally.wins, "win"), count_of(tally.losses, "loss", "losses"), count_of(tally.ties, "tie"))
    emit(f"pairs    {_pairs(record)}{planned}: {', '.join(outcomes)}", indent=9)
    emit(f"void     for a fault of the parent: {tally.void}; for one of the variant alone: {tally.withheld}", indent=9)
    alone = f"by the variant alone {standing.gained}, by the parent alone {standing.lost}"
    emit(f"solved   by both {standing.both}, {alone}", indent=9)
    if standing.cost_ratio is not None:
        emit(f"cost     {standing.cost_ratio:.3f} times the parent's, mean of the ratios where both solved", indent=9)
    if record.confirmation is not None:
        emit(f"after it {record.confirmation.text}", indent=9)
    if record.further:
        emit(f"about {count_of(record.further, 'further pair')} would decide at the rates seen")
    if record.regressed:
        emit(f"no longer solved: {', '.join(record.regressed)}")
    emit(f"looks at the test tasks of this suite: {looks}")
    emit(f"pinned   {', '.join(f'{part} {pin[:_SHOWN]}' for part, pin in record.pins.items())}", indent=9)
    print_note(
        f"evidence of {_needed(record)}: a variant that is no better gets that far in at most 1 of that many tests"
    )


def _pairs(decision: GateDecision) -> int:
    return decision.tally.pairs + decision.tally.withheld + decision.tally.void


def _wealth(decision: GateDecision) -> str:
    return format_odds(decision.wealth) if decision.alpha else "-"


def _needed(decision: GateDecision) -> str:
    return format_odds(1 / decision.alpha) if decision.alpha else "-"


def _plain(decision: GateDecision) -> dict[str, Any]:
    from evolve.workspace import to_data

    # Evidence multiplies over pairs and may overflow to infinity, which JSON does not have.
    return {**to_data(decision), "pins": dict(decision.pins), "wealth": min(decision.wealth, 1e300)}
