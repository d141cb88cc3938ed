"""``evolve runs``: what was done, step by step."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli import asking, options, pages
from evolve.cli.amounts import spending
from evolve.cli.output import counted, emit, emit_json, flush, shorten, table

if TYPE_CHECKING:
    from evolve.workspace import EpisodeRecord, Observation, Step

app = pages.App()

_GIVEN = 40
"""Lines that a replay shows of what one action gave."""

_ASKED = 40
"""Columns of what a run was asked that tell it from others of the same kind."""


@app.page("list", "evolve runs list")
def list_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List runs, oldest first."""
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        runs = opened.runs.list()
    if as_json:
        emit_json(
            [
                {
                    "id": entry.run.id,
                    "kind": entry.run.kind,
                    "started": entry.run.started,
                    "state": entry.run.state,
                    "body": dict(entry.run.body),
                    "episodes": entry.episodes,
                }
                for entry in runs
            ]
        )
        return
    rows = [
        (
            entry.run.id,
            entry.run.kind,
            str(entry.run.body.get("task") or entry.run.body.get("suite") or ""),
            _minute(entry.run.started),
            "waiting" if entry.question is not None else entry.run.state,
            entry.episodes,
            shorten(entry.asked, _ASKED),
        )
        for entry in runs
    ]
    header = ("run", "kind", "of", "started (UTC)", "state", "episodes", "asked")
    emit(table(header, rows, spare=("started (UTC)", "kind", "episodes")) or "no runs yet")


@app.page("search", 'evolve runs search "port of billing last week"')
def search_command(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question in words.")],
    k: Annotated[int, typer.Option("--k", metavar="NUMBER", min=1, help="Most things that were said.")] = 5,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Find what was asked in conversations and runs, and what came of it. A time that is named counts."""
    from datetime import UTC, datetime

    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        found = opened.runs.search(question, k)
    if as_json:
        emit_json(found)
        return
    rows = [
        (
            said.place,
            said.run,
            f"{datetime.fromtimestamp(said.at, UTC):%Y-%m-%d %H:%M}" if said.at else "",
            said.author,
            shorten(" ".join(said.text.split()), 160),
        )
        for said in found
    ]
    emit(table(("in", "run", "began (UTC)", "by", "text"), rows, spare=("began (UTC)",)) or "nothing like it was said")


_EPISODE = ("episode", "task", "split", "variant", "status", "rests on", "spent")


def _told(record: EpisodeRecord, not_kept: Iterable[object]) -> dict[str, object]:
    """An episode as JSON."""
    from evolve.workspace import subgoal_states

    plan = [
        {**vars(state.subgoal), "standing": state.standing, "told": state.told}
        for state in subgoal_states(record.steps)
    ]
    return {
        "episode": record.episode,
        "task": record.task,
        "split": record.split,
        "variant": record.variant,
        "status": record.status,
        "verified": record.verified,
        "checked": record.checked,
        "candidates": record.cost.candidates,
        "calls": record.cost.calls,
        "tokens": record.cost.tokens,
        "money": record.cost.money,
        "not_kept": [vars(refused) for refused in not_kept],
        **({"plan": plan} if plan else {}),
        **({} if record.found is None else {"found": record.found.told()}),
    }


@app.page("show", "evolve runs show r1")
def show_command(
    run: options.RunId,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """List the episodes of a run with how far their plans came, and what it waits for."""
    import evolve
    from evolve.cli.views import subgoal_line
    from evolve.workspace import subgoal_states

    with evolve.open(workspace, read_only=True) as opened:
        overview = opened.runs.show(run)
        records = overview.episodes
        cut_off = None if records else opened.runs.plan(overview.run.id)
    if as_json:
        emit_json([_told(record, overview.not_kept.get(record.episode, ())) for record in records])
        return
    rows = [
        (
            record.episode[:10],
            record.task,
            record.split,
            record.variant[:10],
            record.status,
            _grounds(record),
            spending(record.cost),
        )
        for record in records
    ]
    emit(table(_EPISODE, rows, spare=("variant", "split")) or "no episodes yet")
    for state in cut_off.states if cut_off is not None else ():
        emit(f"plan {subgoal_line(state)}")
    for record in records:
        for state in subgoal_states(record.steps):
            emit(f"plan {subgoal_line(state)}")
        _tell_answers(record)
        for refused in overview.not_kept.get(record.episode, ()):
            emit(f"skill {refused.skill} not kept: {refused.reason}")
    if overview.question is not None:
        emit(f"waiting for an answer: {overview.question.text}")
        emit(f"  try: evolve runs answer {overview.run.id} TEXT", whole=True)


def _minute(time: str) -> str:
    """Such as ``2026-11-22 17:41``, of a time in full."""
    return time[:16].replace("T", " ")


def _grounds(record: EpisodeRecord) -> str:
    return "verified" if record.verified else "checked" if record.checked else ""


def _tell_answers(record: EpisodeRecord) -> None:
    """What was asked in an episode, what the person said, and that learning found a right answer."""
    for step in record.steps:
        if step.observation is not None and step.observation.person:
            emit(f"step {step.number} of {record.episode[:10]} asked: {step.action.text}")
            emit(f"  the person answered: {step.observation.text}")
        elif step.observation is not None and step.observation.interrupted:
            emit(f"step {step.number} of {record.episode[:10]} was stopped by the person")
    if record.found is not None:
        emit(f"{record.episode[:10]}: a right answer was found while learning, {record.found.kind}")
        emit(f"  try: evolve runs replay {record.episode[:10]}", whole=True)


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
        emit(f"  call: {call.function}({shorten(call.arguments, 200)}) -> {shorten(outcome, 200)}")
    if step.action.explores or step.action.kind == "recall" or observation.state is not None:
        _tell_given(step, observation)
    else:
        emit("  observe: " + (good if observation.ok else shorten(observation.error or "differs", 100)))


def _tell_given(step: Step, observation: Observation) -> None:
    """What an action gave that is compared with nothing: what it looked up, printed or changed."""
    state = observation.state
    found = "\n".join(map(str, observation.outputs)) if step.action.kind == "recall" else ""
    lines = (observation.text or (state.output if state is not None else "") or found).rstrip().splitlines()
    for line in lines[:_GIVEN]:
        emit(f"    {line}", whole=True)
    if len(lines) > _GIVEN:
        emit(f"    ... {counted(len(lines) - _GIVEN, 'more line')}, all of them with --json")
    if state is not None and state.changed:
        emit(f"  changed: {', '.join(state.changed)}")
    if state is not None and state.check is not None:
        emit(f"  the check {'passes' if state.score == 1.0 else 'fails'}")
    if observation.error and not any(observation.error in line for line in lines):
        emit(f"  observe: {shorten(observation.error, 100)}")


@app.page("replay", "evolve runs replay 7a8b802e")
def replay_command(
    episode: Annotated[str, typer.Argument(metavar="EPISODE", help="Id of an episode or its beginning.")],
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show an episode again, step by step, from the record."""
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        record = opened.runs.replay(episode)
    if as_json:
        emit_json(record)
        return
    emit(f"episode {record.episode}: {record.task}, {record.split}, variant {record.variant[:10]}, seed {record.seed}")
    if record.recalled:
        emit(f"recalled: {', '.join(name[:10] for name in record.recalled)}")
    for step in record.steps:
        emit(f"step {step.number}: {step.action.kind}: {shorten(step.action.text, 100)}")
        for line in step.action.code.rstrip().splitlines():
            emit(f"    {line}", whole=True)
        _tell_observed(step, "runs" if record.status == "unverified" else "reproduces every example")
        if step.judgement is not None:
            grounds = f" on {counted(step.judgement.rows, 'row')}" if step.judgement.rows else ""
            why = f": {shorten(step.judgement.text, 200)}" if step.judgement.text else ""
            emit(f"  judge: {'accepted' if step.judgement.accepted else 'refused'}{grounds}{why}")
            row = step.judgement.row
            if row is not None:
                emit(f"  shown: {json.dumps([*row.input])} gives {json.dumps(row.output)}")
    for claim in record.claims:
        emit(f"claim: {claim.text}")
    emit(f"{record.status}: {record.note}")
    _tell_found(record)


def _tell_found(record: EpisodeRecord) -> None:
    if record.found is not None:
        emit(f"found while learning, {record.found.kind}:")
        for line in record.found.answer.rstrip().splitlines():
            emit(f"    {line}", whole=True)


@app.page("diff", "evolve runs diff r1")
def diff_command(
    run: options.RunId,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what a run would change, or changed, in a folder."""
    import evolve
    from evolve.cli.asking import show_diff

    with evolve.open(workspace, read_only=True) as opened:
        patch = opened.runs.diff(run)
    if as_json:
        emit_json({**patch.to_json(), "diff": patch.diff})
    else:
        show_diff(patch.diff)


@app.page("apply", "evolve runs apply r1")
def apply_command(
    run: options.RunId,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Change the folder as the run would. Refused where a file changed since."""
    import evolve
    from evolve.cli.folder import show_patch

    with evolve.open(workspace) as opened:
        patch = opened.runs.apply(run)
    if as_json:
        emit_json(patch.to_json())
    else:
        show_patch(patch)


@app.page("answer", 'evolve runs answer r1 "the second one"', "evolve runs answer r1 --withdraw")
def answer_command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of a run that waits, such as r1.")],
    text: Annotated[
        str | None, typer.Argument(metavar="ANSWER", help="The answer, or - to read it from stdin.")
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take the question back: the work ends there.")] = False,
    approve: asking.Approve = "ask",
    model: options.Model = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Answer the question that a run waits at, and go on with the run from there."""
    import evolve
    from evolve.cli.learning import learn_and_tell
    from evolve.cli.run import Presentation, present
    from evolve.cli.views import RunView
    from evolve.errors import UsageError

    if (text is None) != withdraw:
        raise UsageError("give either the answer or --withdraw", hint=f"evolve runs answer {run} TEXT")
    answer = sys.stdin.read() if text == "-" else text
    if model is None:  # then the model that the run was begun with
        with evolve.open(workspace, read_only=True) as reader:
            model = reader.runs.show(run).model
    person = asking.person_here(approve, as_json=as_json)
    with evolve.open(workspace, model=model, events=RunView()) as opened:
        with opened.delivering():
            result = opened.runs.answer(run, answer, person=person)
            code = present(opened, None, result, Presentation(person=person, as_json=as_json))
            flush()
        learn_and_tell(opened, named=workspace, as_json=as_json)
    raise typer.Exit(code)
