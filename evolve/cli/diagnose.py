"""``evolve diagnose``: why a run failed, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli import options, pages
from evolve.cli.amounts import spending
from evolve.cli.output import counted, emit, emit_json, shorten

if TYPE_CHECKING:
    from evolve.workspace import Diagnosis, Suspect

app = pages.App()

_SHOWN = 5
"""Suspects that are told; ``--json`` has all."""


@app.page("diagnose", "evolve diagnose r7", "evolve diagnose r7 --replay")
def diagnose_command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, such as r1, or of one task's episode in it.")],
    replay: Annotated[
        bool | None,
        typer.Option(
            "--replay/--no-replay",
            help="Run it again without each suspect, asking the model if one decided; or run nothing again."
            " By default short searches and recorded actions in a folder are run again.",
        ),
    ] = None,
    model: options.Model = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Say why a run failed: the step that broke it, what it rested on, and what to try.

    What turns the outcome when it is taken away, with all else as it was, is called a cause. Everything else is a
    suspicion, the strongest first. Nothing is changed and nothing is learned.
    """
    import evolve

    if model is None:
        with evolve.open(workspace, read_only=True) as reader:
            begun = reader.runs.begun(run)
            model = None if begun is None else "" if begun.policy == "search" else begun.model
    with evolve.open(workspace, model=model, read_only=not replay) as opened:
        found = opened.runs.diagnose(run, replay=replay)
    if as_json:
        emit_json(found.to_json())
    else:
        _show(found)


def _show(found: Diagnosis) -> None:
    emit(
        _HEADS[found.state].format(
            run=f"task {found.task} of {found.run}" if found.task else found.run, said=found.said
        )
    )
    if found.step and found.why:
        emit(f"broke at step {found.step}: {found.why}")
    elif found.why:
        emit(found.why)
    if found.compared:
        emit(f"compared with {found.compared}, which went well")
    cleared = [one for one in found.suspects if one.verdict == "cleared"]
    left = [one for one in found.suspects if one.verdict != "cleared"]
    for one in left[:_SHOWN]:
        _tell(one)
    if len(left) > _SHOWN:
        emit(f"and {counted(len(left) - _SHOWN, 'weaker suspicion')}; --json has all of them")
    for tested in dict.fromkeys(one.tested for one in cleared):
        emit(f"cleared: {', '.join(_named(one) for one in cleared if one.tested == tested)}")
        emit(f"  {tested}")
    if found.replays:
        times = counted(found.replays, "time")
        emit(f"run again {times} for {spending(found.cost)}; nothing was changed or learned")
    if found.untried:
        emit(f"not tried: {found.untried}")
    for way in found.tries:
        emit(f"  try: {way}", whole=True)


_HEADS = {
    "well": "{run} went well: {said}",
    "unchecked": "{run} gave an answer that nothing could check: {said}",
    "unfinished": "{run} is not over: {said}",
    "fault": "{run} was cut off, and nothing it was told is to blame: {said}",
    "failed": "{run} failed: {said}",
}


def _tell(one: Suspect) -> None:
    where = f" at step {one.step}" if one.step else ""
    emit(f"{one.verdict} ({one.score:.2f}): {_named(one)}{where}: {shorten(one.text, 120)}")
    emit(f"  {one.evidence}")
    if one.tested:
        emit(f"  {one.tested}")


def _named(one: Suspect) -> str:
    """Its kind, with what commands call it by."""
    if one.kind in (one.id, "action", "row"):
        return one.kind
    return f"{one.kind} {one.id.removeprefix('skill:')[:10]}"
