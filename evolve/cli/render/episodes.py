"""An episode step by step, and the changes of a folder, as a person reads them."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from evolve.cli.render.layout import cost_line, count_of, shorten_line
from evolve.cli.render.memory import used_lines
from evolve.cli.render.output import emit, escape_control_characters, hide_live_line
from evolve.cli.render.verdicts import verdict_line

if TYPE_CHECKING:
    from evolve.workspace import EpisodeRecord, Patch, Result, Step


_GIVEN = 40
"""Lines that are shown of what one action gave."""


def show_steps(record: EpisodeRecord, refused: str = "") -> None:
    """Prints every step, what came of it, and how the episode ended.

    Args:
        refused: What the person said of its change, where they refused that.
    """
    emit(f"episode {record.episode}: {record.task}, {record.split}, variant {record.variant[:10]}, seed {record.seed}")
    if record.recalled:
        emit(f"recalled: {', '.join(name[:10] for name in record.recalled)}")
    for step in record.steps:
        _show_step(step, "runs" if record.status == "unverified" else "reproduces every example")
    for claim in record.claims:
        emit(f"claim: {claim.text}")
    judged = record.steps[-1].judgement if record.steps else None
    unsure = record.solved and not (record.verified or record.checked or (judged is not None and judged.judged))
    end = f"{record.status}{', unverified' if unsure else ''}"
    emit(f"not applied: {refused}; {record.note}" if refused else f"{end}: {record.note}")
    if record.found is not None:
        emit(f"found while learning, {record.found.kind}:")
        for line in record.found.answer.rstrip().splitlines():
            emit(f"    {line}", whole=True)


def _show_step(step: Step, good: str) -> None:
    emit(f"step {step.number}: {step.action.kind}: {shorten_line(step.action.text, 100)}")
    for line in step.action.code.rstrip().splitlines():
        emit(f"    {line}", whole=True)
    _tell_observed(step, good)
    if step.judgement is None:
        return
    grounds = f" on {count_of(step.judgement.rows, 'row')}" if step.judgement.rows else ""
    why = f": {shorten_line(step.judgement.text, 200)}" if step.judgement.text else ""
    emit(f"  judge: {'accepted' if step.judgement.accepted else 'refused'}{grounds}{why}")
    row = step.judgement.row
    if row is not None:
        emit(f"  shown: {json.dumps([*row.input])} gives {json.dumps(row.output)}")


def _tell_observed(step: Step, good: str) -> None:
    """What came of an action: what the person said, or which functions it called and what it gave."""
    observation = step.observation
    if observation is None:
        return
    if observation.person:
        emit(f"  the person answered: {observation.text}")
        return
    for call in observation.calls:
        outcome = call.told if call.state == "answered" else f"{call.state}: {call.told}"
        emit(f"  call: {call.function}({shorten_line(call.arguments, 200)}) -> {shorten_line(outcome, 200)}")
    if step.action.explores or step.action.kind == "recall" or observation.state is not None:
        state = observation.state
        found = "\n".join(map(str, observation.outputs)) if step.action.kind == "recall" else ""
        lines = (observation.text or (state.output if state is not None else "") or found).rstrip().splitlines()
        for line in lines[:_GIVEN]:
            emit(f"    {line}", whole=True)
        if len(lines) > _GIVEN:
            emit(f"    ... {count_of(len(lines) - _GIVEN, 'more line')}, all of them with --json")
        if state is not None and state.changed:
            emit(f"  changed: {', '.join(state.changed)}")
        if state is not None and state.check is not None:
            emit(f"  the check {'passes' if state.score == 1.0 else 'fails'}")
        if observation.error and not any(observation.error in line for line in lines):
            emit(f"  observe: {shorten_line(observation.error, 100)}")
    else:
        emit("  observe: " + (good if observation.ok else shorten_line(observation.error or "differs", 100)))


def show_change(result: Result, *, diff: bool = True) -> None:
    """Shows a change, what is no part of it, what the model says of it, how sure it is, and its cost."""
    if diff:
        show_diff(result.answer if result.patch is None else result.patch.diff)
    if left := untouched_files(result.patch):
        emit(escape_control_characters(left, lines=False))
    if result.closing and result.patch is not None:
        emit(escape_control_characters(f"the model: {shorten_line(result.closing, 600)}", lines=False))
    emit(verdict_line(result).line())
    for line in used_lines(result):
        emit(line)
    emit(cost_line(result))


def show_diff(text: str) -> None:
    """The difference; in colour on a terminal."""
    if not text:
        return
    if not sys.stdout.isatty():
        emit(text.rstrip("\n"), exact=True)
        return
    from rich.console import Console
    from rich.text import Text

    styles = {"+": "green", "-": "red", "@": "cyan"}
    console = Console(highlight=False, soft_wrap=True)
    with hide_live_line():
        for line in text.rstrip("\n").split("\n"):
            console.print(Text(escape_control_characters(line), style=styles.get(line[:1], "")))


def untouched_files(patch: Patch | None) -> str:
    """Which changes are no part of a patch, and why; "" where all are."""
    if patch is None or not patch.protected:
        return ""
    names = ", ".join(patch.protected)
    return f"not part of it: {names}, protected because the check rests on it (name a file in the task to change it)"


def show_patch(patch: Patch) -> None:
    """One line about a patch that was applied or undone."""
    emit(f"{patch.state}: {count_of(patch.names, 'file')} in {patch.folder}")
