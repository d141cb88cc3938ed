"""``evolve learn``, and what every run learns once its result was shown."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from evolve.cli import options, pages
from evolve.cli.amounts import spending
from evolve.cli.output import counted, emit, emit_json, flush, note, shorten
from evolve.cli.views import KEPT_STEPS

if TYPE_CHECKING:
    from evolve.workspace import Person, Result, Taught, Workspace

app = pages.App()


@app.page("learn", "evolve learn", "evolve learn r3")
def learn_command(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Only from this run, such as r1.", show_default=False)
    ] = None,
    model: options.Model = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Learn from runs whose results are there and that were cut off before they were learned from.

    Every run does so once its result was shown, so this is for after a crash, or after an endpoint failed.
    """
    import evolve
    from evolve.cli.views import RunView

    with evolve.open(workspace, model=model, events=RunView()) as opened:
        taught = opened.learn(run)
    if as_json:
        emit_json([one.to_json() for one in taught])
        return
    for one in taught:
        emit(f"{one.run}, {one.task}: {_lesson(one)}")
        _tell_found(one)
    if not taught:
        emit("everything is learned from")


def who_learns(person: Person, learn: str | None) -> Person:
    """The person, with what is to be learned from their run."""
    return replace(person, learn=cast(Any, learn))


def learn_and_tell(opened: Workspace, *, named: str | None, as_json: bool) -> tuple[Taught, ...]:
    """Learns from what was shown, and says in a line what came of it.

    Args:
        named: The workspace as it was named on the command line.
        as_json: It was learned and told together with the result.

    Returns:
        What was learned now.
    """
    if as_json:
        return ()
    try:
        taught = _learn(opened)
    except KeyboardInterrupt as stop:
        place = [] if named is None else ["-w", named]
        stop.add_note(f"continue with: {shlex.join(['evolve', 'learn', *place])}")  # the run itself is over
        raise
    for one in (one for one in taught if not one.waits):
        emit(f"learning: {_lesson(one)}")
        _tell_found(one)
        for skill in one.skills:
            emit(f"new skill: {skill}  (evolve skills show {skill})")
        for refused in one.not_kept:
            emit(f"skill {refused.skill} not kept: {shorten(refused.reason, 300)}")
    flush()
    return taught


def emit_with_lessons(opened: Workspace, result: Result) -> None:
    """Prints a result as JSON, with what was learned from it: a script that reads it waits for one object."""
    taught = _learn(opened)
    own = next((one for one in taught if one.run == result.run_id), None)
    if own is not None:
        result = result.with_taught(own.learned, own.kept, own.cost, own.found, own.shadow)
    told = {} if own is None else own.to_json()
    learning = {name: told[name] for name in ("cost", "shadow", "limits", "note") if name in told} or None
    emit_json({**result.to_json(), "learning": learning, **opened.mark})


def _tell_found(taught: Taught) -> None:
    """Shows the right answer that was found while learning, or says how to see and take the change that it is."""
    found = taught.found
    if found is None:
        return
    if taught.changes:
        emit(f"a right answer was found while learning, {found.kind}: a change, which waits")
        emit(f"  try: evolve runs diff {taught.run}; evolve runs apply {taught.run}", whole=True)
        return
    emit(f"a right answer was found while learning, {found.kind}:")
    emit(found.answer.rstrip(), exact=True)
    emit()


def _learn(opened: Workspace) -> tuple[Taught, ...]:
    """What is learned now. The result stands, whatever keeps this from being done."""
    from evolve.errors import EndpointProblem, SandboxUnavailable

    try:
        return opened.learn()
    except (EndpointProblem, SandboxUnavailable) as problem:
        note(f"learning: not yet, {problem}")
        note("  try: evolve learn", whole=True)
        return ()


def _lesson(taught: Taught) -> str:
    """What came of learning from one run, in a line."""
    judged = (
        f"; solving it again without what was learned took {spending(taught.shadow)}" if taught.shadow.calls else ""
    )
    if taught.note:
        return taught.note + judged
    claims = shorten(taught.told[0], 160) if taught.told else KEPT_STEPS if taught.learned else ""
    skills = counted(taught.skills, "new skill") if taught.skills else ""
    cost, most = taught.cost, taught.limits.tokens
    calls = spending(cost) if cost.calls else ""
    spent = f" ({calls}{f'; {most:,} tokens were allowed' if most is not None else ''})" if calls else ""
    return ("; ".join(filter(None, (claims, skills))) or "nothing new") + spent + judged
