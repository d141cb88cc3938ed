"""``evolve forget``: delete what was learned or said, or take it out of use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.naming import Kind, NamedItem, find_named
from evolve.cli.render.output import count_of, emit, emit_json, escape_control_characters, print_note, shorten_line
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import Workspace

app = pages.App()

_KINDS: tuple[Kind, ...] = ("insight", "note", "preference", "metric", "skill")


_Practice = Annotated[bool, typer.Option(help="All that only practice on tasks that ship with evolve taught.")]


@app.page("forget", "evolve forget 0c1f22ab", "evolve forget --practice", "evolve forget --all")
def forget_command(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID",
            help="Ids of insights, notes and preferences, names of skills and metrics, runs with a function.",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every insight. Nothing else is deleted.")] = False,
    practice: _Practice = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Delete what was learned or said: an insight, a note, a preference, a metric; a skill is taken out of use.

    An insight goes with its evidence, a preference with what it rests on. What a deleted note or preference had
    replaced holds again. Of a skill code and history stay, and evolve skills undo puts it back. Runs keep on record
    what they were told.

    The last insight takes with it what was judged only together with insights. evolve says before what that is.
    """
    if bool(ids) + everything + practice != 1:
        raise UsageError("name what to forget, or give --practice, or --all", hint="evolve memory list")
    with evolve.open(options.require_workspace(workspace)) as opened:
        # All are looked up before the first is deleted, so that a wrong id changes nothing.
        chosen = {(one.kind, one.id): one for one in (find_named(opened, typed, _KINDS) for typed in ids or ())}
        gone = opened.variants.taken_back()
        if gone is not None and everything:
            print_note(
                f"with the insights {gone.variant[:12]} goes, which was judged with them: {', '.join(gone.parts)}"
            )
            print_note(f"{gone.after[:12]} acts after it; evolve lab variants rollback goes back")
        before, used = opened.variants.active, in_use(opened)
        counts = _forget_all(opened, practice=practice) if not ids else _forget(opened, list(chosen.values()))
        still_used, active = in_use(opened), opened.variants.active  # with the last insight it may have changed
    if as_json:
        deleted = sum(count for kind, count in counts.items() if kind != "skill")
        emit_json({"forgotten": deleted, "notes": counts.get("note", 0), "by_kind": counts, "active": active})
        return
    if not ids:
        emit(_counts_line(counts))
    else:
        unused = print_forgotten(used, still_used)
        for one in (one for one in chosen.values() if one.id not in unused):
            emit(escape_control_characters(_line(one)))
    if active != before:
        emit(f"active: {active[:12]}, before {before[:12]}")
    elif practice and active != "unlearned":
        print_note(f"version {active[:12]} still acts: evolve lab variants rollback")


def in_use(opened: Workspace) -> dict[str, str]:
    """What each function that is in use is called in a sentence: skills by their names, functions by their runs."""
    from evolve.workspace import ACTIVE

    skills = {one.name: f"the skill {one.name}" for one in opened.skills.list(ACTIVE)}
    return skills | {one.name: f"the function of run {one.name}" for one in opened.runs.functions()}


def print_forgotten(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Says which functions are out of use now; gives the names of these."""
    gone = [name for name in before if name not in after]
    if gone:
        emit(escape_control_characters(f"evolve no longer uses {', '.join(before[name] for name in gone)}"))
    return gone


def _forget_all(opened: Workspace, *, practice: bool) -> dict[str, int]:
    """Deletes every insight, or what only practice taught, skills too; gives how many of each kind."""
    if not practice:
        return {"insight": opened.memory.forget(everything=True)}
    skills, taught = opened.skills.forget_practice(), sorted(opened.memory.from_practice())
    return {"skill": len(skills), "insight": opened.memory.forget(taught) if taught else 0}


def _counts_line(counts: dict[str, int]) -> str:
    skills = f"; {count_of(counts['skill'], 'skill')} out of use" if "skill" in counts else ""
    return f"forgot {count_of(counts['insight'], 'insight')}{skills}"


def _line(one: NamedItem) -> str:
    if one.kind == "skill":
        return f"the skill {one.id} is out of use"
    return f"forgot the {one.kind} {one.name or one.id[:10]}: {shorten_line(one.text, 100)}"


def _forget(opened: Workspace, chosen: list[NamedItem]) -> dict[str, int]:
    """Deletes them, kind by kind; gives how many of each."""
    ids = {kind: [one.id for one in chosen if one.kind == kind] for kind in _KINDS}
    ids = {kind: some for kind, some in ids.items() if some}
    of_memory = [*ids.get("insight", ()), *ids.get("note", ())]
    if of_memory:
        opened.memory.forget(of_memory)
    if "preference" in ids:
        opened.preferences.forget(ids["preference"])
    if "metric" in ids:
        opened.criteria.forget(ids["metric"])
    skills = {one.name for one in (*opened.skills.list(), *opened.skills.parts(()), *opened.skills.seeds())}
    for name in ids.get("skill", ()):
        opened.skills.retire(name) if name in skills else opened.runs.leave(name)
    return {kind: len(some) for kind, some in ids.items()}
