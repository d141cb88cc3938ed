"""``evolve learn``, and what every run learns once its result was shown."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.proposals import ask_about_proposals, offer_rule
from evolve.cli.render.layout import format_spending
from evolve.cli.render.memory import dropped_line
from evolve.cli.render.output import count_of, emit, emit_json, flush, print_note, shorten_line
from evolve.cli.render.reasons import learning_data, reason_sentence, result_data
from evolve.cli.render.views import KEPT_STEPS, RunView
from evolve.core.errors import EndpointProblem, SandboxUnavailable, UsageError

if TYPE_CHECKING:
    from evolve.workspace import LearningResult, Ledger, Person, Result, Workspace

app = pages.App()

_OFFERED = 4
"""Proposals that one command asks about; others wait in the list."""


@app.page("learn", "evolve learn", "evolve learn r3", "evolve learn ~/.claude/projects")
def learn_command(
    run: Annotated[
        str | None,
        typer.Argument(metavar="RUN|PATH", help="Only from this run, such as r1; or sessions.", show_default=False),
    ] = None,
    model: options.Model = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Learn from finished runs that were cut off before evolve could learn from them.

    evolve learns from each run by itself, so you need this only after a crash or a failed endpoint.

    With a path evolve reads sessions of Claude Code or Codex, CLAUDE.md, AGENTS.md, and memories of Hermes or mem0. It
    proposes what you corrected or said twice; a model that is set reads them too. Nothing is used before you keep it.
    """
    if run is not None and not run[1:].isdigit() and (os.sep in run or os.path.exists(run)):
        _learn_from_sessions(run, workspace, model, as_json=as_json)
        return
    with evolve.open(workspace, model=model, events=RunView()) as opened:
        taught = opened.learn(run)
        left = opened.runs.unlearned()
    if as_json:
        return emit_json([learning_data(one) for one in taught])
    for one in taught:
        emit(f"{one.run}, {one.task}: {_lesson(one)}")
        _tell_found(one)
    ask_about_proposals(opened, [proposal for one in taught for proposal in one.proposals], attended=False)
    if not (taught or left):
        emit("everything is learned from")


def _learn_from_sessions(path: str, workspace: str | None, model: str | None, *, as_json: bool) -> None:
    with evolve.open(workspace, model=model) as opened:
        if not hasattr(opened, "sessions"):
            raise UsageError("a package of evolve's own reads sessions", hint="pip install ./packages/evolve-imports")
        heard = opened.sessions.propose(path)
    for one in heard if not as_json else ():
        ask_about_proposals(opened, one.proposals, attended=False)
        emit(one.told)
    if as_json:
        emit_json([one.to_json() for one in heard])


def learn_and_print(
    opened: Workspace,
    bounds: Ledger | None = None,
    *,
    named: str | None,
    as_json: bool,
    result: Result | None = None,
    person: Person | None = None,
) -> tuple[LearningResult, ...]:
    """Learns from what was shown, says in a line what came of it, and asks what of it is to be remembered.

    Args:
        bounds: What the command may spend.
        named: The workspace as it was named on the command line.
        as_json: It was learned and told together with the result.
        result: What was shown.
        person: Who may be asked; not where nobody answers, or all is approved beforehand.

    Returns:
        What was learned now.
    """
    if as_json:
        return ()
    attended = person is not None and person.respond is not None and person.approve != "auto"
    if result is not None and result.patch is not None and result.patch.reason:
        # While the person has it in mind, because learning takes its time.
        offer_rule(opened, result.patch, bounds, attended=attended)
    try:
        taught = _learn(opened, bounds)
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
            emit(f"skill {refused.skill} not kept: {shorten_line(refused.reason, 300)}")
    if not taught and result is not None and result.used is not None:
        emit(f"learning: nothing new: the saved function did it ({result.used.summary})")
    flush()
    here = result.patch.folder if result is not None and result.patch is not None else ""
    found = [proposal for one in taught for proposal in one.proposals][:_OFFERED]
    ask_about_proposals(opened, found, attended=attended, here=here)
    return taught


def emit_with_lessons(opened: Workspace, result: Result, bounds: Ledger | None = None) -> None:
    """Prints a result as JSON, with what was learned from it: a script that reads it waits for one object."""
    taught = _learn(opened, bounds)
    own = next((one for one in taught if one.run == result.run_id), None)
    if own is not None:
        result = own.added_to(result)
    if bounds is not None:
        result = replace(result, seconds=bounds.run_seconds)
    told = {} if own is None else learning_data(own)
    names = ("cost", "shadow", "limits", "note", "proposals", "dropped", "unasked")
    learning = {name: told[name] for name in names if name in told} or None
    emit_json({**result_data(result), "learning": learning, **opened.sandbox_mark})


def _tell_found(taught: LearningResult) -> None:
    """Shows the right answer that was found while learning, or says how to see and take the change that it is."""
    found = taught.found
    if found is None:
        return
    if taught.changes:
        emit(f"a right answer was found while learning, {found.kind}: a change, which waits")
        emit(f"  try: evolve runs diff {taught.run}; evolve apply {taught.run}", whole=True)
        return
    emit(f"a right answer was found while learning, {found.kind}:")
    emit(found.answer.rstrip(), exact=True)
    emit()


def _learn(opened: Workspace, bounds: Ledger | None) -> tuple[LearningResult, ...]:
    """What is learned now. The result stands, whatever keeps this from being done."""
    try:
        return opened.learn(budget=bounds)
    except (EndpointProblem, SandboxUnavailable) as problem:
        print_note(f"learning: not yet, {problem}")
        print_note("  try: evolve learn", whole=True)
        return ()


def _lesson(taught: LearningResult) -> str:
    judged = (
        f"; solving it again without what was learned took {format_spending(taught.shadow)}"
        if taught.shadow.calls
        else ""
    )
    if taught.note is not None:
        return reason_sentence(taught.note) + judged
    claims = shorten_line(taught.told[0], 160) if taught.told else KEPT_STEPS if taught.learned else ""
    skills = count_of(taught.skills, "new skill") if taught.skills else ""
    spent = f" ({format_spending(taught.cost)})" if taught.cost.calls else ""
    offered = f"{count_of(taught.proposals, 'thing')} to remember" if taught.proposals else ""
    why = reason_sentence(taught.nothing) if taught.nothing else dropped_line(taught.dropped) if taught.dropped else ""
    nothing = f"nothing new: {why}" if why else "nothing new"
    return ("; ".join(filter(None, (claims, skills, offered))) or nothing) + spent + _unasked(taught) + judged


def _unasked(taught: LearningResult) -> str:
    """Why the model was asked in vain, or not at all, what to remember; and what helps."""
    most, used = taught.limits.tokens, taught.cost.tokens
    if taught.unasked == "reply":
        return "; the model gave no usable reply when evolve asked what to remember"
    if taught.unasked != "budget":
        return ""
    left = f": learning used {used:,} of its {most:,} tokens, and {max(0, most - used):,} are too few" if most else ""
    return f"; evolve could not ask what to remember{left}; a larger --budget makes room"
