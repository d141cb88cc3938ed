"""``evolve why``: what a verdict, a failure, an insight or a skill rests on."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.memory_graph import chain_data, evidence_data, insight_data
from evolve.cli.naming import Kind, NamedItem, find_named
from evolve.cli.preferences import show_preference
from evolve.cli.render.episodes import show_steps
from evolve.cli.render.output import emit, emit_json, pick_attributes
from evolve.cli.render.reasons import diagnosis_data, explanation_data, reason_sentence
from evolve.cli.render.why import show_chains, show_explained, show_insight, show_many, show_note, show_skill
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import EpisodeRecord, Workspace

app = pages.App()

_KINDS: tuple[Kind, ...] = ("run", "episode", "insight", "skill", "preference", "note")


@app.page("why", "evolve why r7", "evolve why solved")
def why_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="A run such as r7, an episode, an insight, a preference, a note, a skill, or an effect: solved.",
        ),
    ],
    steps: Annotated[bool, typer.Option("--steps", help="Show every step of a run, from the record.")] = False,
    replay: Annotated[
        bool | None,
        typer.Option(
            "--replay/--no-replay",
            help="Run a failure again without each suspect, asking the model if one decided; or run nothing again."
            " By default short searches and recorded actions in a folder are run again.",
        ),
    ] = None,
    model: options.Model = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Say what a result rests on: why it is verified or not, what was used, what was learned, and why a run failed.

    In a failed run, what turns the outcome when it is taken away is a cause. Everything else is a suspicion, the
    strongest first. Of an insight or an effect it shows the counts, the evidence and the chain of causes. Nothing is
    changed and nothing is learned.
    """
    with evolve.open(workspace, read_only=True) as reader:
        found = _named(reader, name)
        of_run = found is not None and found.kind in ("run", "episode")
        if not of_run:
            if steps or replay is not None:
                raise UsageError("--steps and --replay are about runs", hint=f"evolve why {name}")
            told = _learned(reader, found, name, show=not as_json)
            if as_json:
                emit_json(told)
            return
        assert found is not None
        if _told_of_many(reader, found, steps=steps, as_json=as_json):
            return
        begun = reader.runs.start_of(found.id) if model is None else None
        model = model if begun is None else "" if begun.policy == "search" else begun.model
    # Who wants the record has nothing run again, unless that is asked for.
    again = False if steps and replay is None else replay
    _tell_run(found, (workspace, model), again, steps=steps, as_json=as_json)


def _named(opened: Workspace, name: str) -> NamedItem | None:
    """What is called so, or the one insight that says so; None for an effect in words."""
    told, insights = opened.memory.sentences(), opened.memory.list()
    effects = {insight.effect for insight in insights}
    try:
        return find_named(opened, name, _KINDS)
    except UsageError as error:
        if name in effects:
            return None
        words = " ".join(name.casefold().replace(" - ", " ").split())
        saying = [
            NamedItem(kind="insight", id=one.id, text=told[one.id].text)
            for one in insights
            if words and words in f"{one.cause} {one.relation} {one.effect}\n{told[one.id].text}".casefold()
        ]
        if len(saying) == 1:
            return saying[0]
        hint = ", ".join([*(f"evolve why {shlex.quote(effect)}" for effect in sorted(effects)[:2]), error.hint])
        if saying:
            first = ", ".join(one.id[:10] for one in saying[:5])
            raise UsageError(f"{len(saying)} insights say {name!r}, such as {first}", hint=hint) from error
        raise UsageError(str(error), hint=hint) from error


def _tell_run(
    found: NamedItem, opens: tuple[str | None, str | None], replay: bool | None, *, steps: bool, as_json: bool
) -> None:
    workspace, model = opens
    with evolve.open(workspace, model=model, read_only=not replay) as opened:
        explained = opened.runs.why(found.id)
        diagnosis = opened.runs.diagnose(found.id, replay=replay)
        record = opened.runs.replay(explained.episode) if explained.episode else None
        guided = record is not None and _is_guided(opened, record)
    if as_json:
        told: dict[str, Any] = {**diagnosis_data(diagnosis), **explanation_data(explained), "kind": "run"}
        emit_json({**told, "steps": [record]} if steps else told)
        return
    show_explained(explained, diagnosis, steps=steps)
    if guided:
        emit("used: the guide, which prices the search by what solved problems needed")
    if record is not None and steps:
        unwanted = diagnosis.state == "failed" and record.status in ("solved", "unverified")
        show_steps(record, reason_sentence(diagnosis.said) if unwanted else "")


def _is_guided(opened: Workspace, record: EpisodeRecord) -> bool:
    """Whether the episode searched with a guide that was learned."""
    searched = any(step.action.cost.candidates for step in record.steps)
    return searched and record.variant != "unlearned" and bool(opened.variants.show(record.variant)["guide"])


def _told_of_many(opened: Workspace, found: NamedItem, *, steps: bool, as_json: bool) -> bool:
    """Tells of a run that worked on several tasks, in a line and a line for each that failed; False for any other."""
    past = opened.runs.show(found.id) if found.kind == "run" else None
    if past is None or len(past.episodes) < 2:
        return False
    if as_json:
        tasks = [pick_attributes(one, "episode", "task", "status", "note") for one in past.episodes]
        told: dict[str, Any] = {"kind": "run", "run": found.id, "tasks": tasks}
        emit_json({**told, "steps": list(past.episodes)} if steps else told)
        return True
    show_many(found.id, past.episodes)
    for record in past.episodes if steps else ():
        show_steps(record)
    return True


def why_data(opened: Workspace, name: str) -> dict[str, Any]:
    """What ``evolve why --json`` prints of one thing, with nothing run again."""
    found = _named(opened, name)
    if found is None or found.kind not in ("run", "episode"):
        return _learned(opened, found, name, show=False)
    diagnosis = opened.runs.diagnose(found.id, replay=False)
    return {**diagnosis_data(diagnosis), **explanation_data(opened.runs.why(found.id)), "kind": "run"}


def _learned(opened: Workspace, found: NamedItem | None, name: str, *, show: bool) -> dict[str, Any]:
    """An insight, a preference, a note, a skill, or what leads to an effect, as data; and shown to a person."""
    from evolve.workspace import to_data

    if found is not None and found.kind == "skill":
        skill = opened.skills.show(found.id)
        history, reason = opened.skills.histories([skill])[skill.digest], opened.skills.reason(found.id)
        if show:
            show_skill(skill, history, reason)
        facts = {"name": skill.name, "status": skill.status, "source": skill.source, "reason": reason}
        return {"kind": "skill", **facts, "tasks": list(skill.tasks), "history": history.to_json()}
    if found is not None and found.kind == "preference":
        preference = opened.preferences.show(found.id)
        if show:
            show_preference(preference)
        return {"kind": "preference", **to_data(preference)}
    if found is not None and found.kind == "note":
        return _noted(opened, found.id, show=show)
    known = opened.memory.sentences()
    insight = None if found is None else opened.memory.show(found.id)
    chains = opened.memory.why(name if insight is None else insight.effect)
    if insight is not None:
        chains = [chain for chain in chains if chain.links[-1].insight.id == insight.id]
    runs = opened.memory.runs_of(row.episode for chain in chains for link in chain.links for row in link.evidence)
    told: dict[str, Any] = {"chains": [chain_data(chain, known, runs) for chain in chains]}
    if insight is None:
        if show:
            show_chains(chains, known, runs)
        return {"kind": "effect", "effect": name, **told}
    rows, history = opened.memory.evidence(insight.id), opened.memory.histories([insight])[insight.id]
    if show:
        show_insight(insight, known[insight.id], rows, history)
        show_chains([chain for chain in chains if len(chain.links) > 1], known, runs)
    shown = {**insight_data(insight, known[insight.id]), "history": history.to_json()}
    return {**shown, "kind": "insight", "evidence_rows": evidence_data(rows), **told}


def _noted(opened: Workspace, name: str, *, show: bool) -> dict[str, Any]:
    """A note as data; and shown to a person."""
    entry = next(one for one in opened.memory.notes() if one.id == name)
    later = opened.memory.replaced().get(name)
    if show:
        show_note(entry, later)
    return {"kind": "note", **vars(entry), "date": entry.date, "replaced_by": None if later is None else later.id}
