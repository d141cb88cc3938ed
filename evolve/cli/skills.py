"""``evolve skills``: learned skills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from evolve.cli import options, pages
from evolve.cli.output import counted, emit, emit_json, note, shorten, table
from evolve.cli.views import NO_TASK

if TYPE_CHECKING:
    from evolve.workspace import ItemHistory, Skill

app = pages.App(
    "Look at, check and export learned skills, which are code with tests.",
    *("evolve skills list", "evolve skills export give-short-name-aeb2 --out exported"),
)

Name = Annotated[str, typer.Argument(metavar="SKILL", help="Name of a skill, from the list.")]


@app.page("list", "evolve skills list", "evolve skills list --all")
def list_command(
    retired: Annotated[bool, typer.Option("--all", help="Also those that are not in use.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """List skills, those that helped most tasks first."""
    import evolve
    from evolve.workspace import ACTIVE

    with evolve.open(workspace, read_only=True) as opened:
        skills = opened.skills.list(() if retired else ACTIVE)
        # Idle: served no task but its own. Still found and exported, only not offered to searches.
        idle = 0 if retired else len(opened.skills.list(("idle",)))
        parts, histories = len(opened.skills.parts()), opened.skills.histories(skills)
        for name, reason in opened.skills.quarantined.items():
            note(f"warning: the skill {name} is not used: {reason}; evolve doctor --repair")
    skills.sort(key=lambda skill: (-len(skill.tasks), skill.name))
    if as_json:
        emit_json([{**_skill(skill), "history": histories[skill.digest].to_json()} for skill in skills])
        return
    rows = [(skill.name, skill.status, *_counts(histories[skill.digest]), _briefly(skill)) for skill in skills]
    header = ("name", "status", "used", "trials", "description")
    emit(table(header, rows, spare=("trials",)) or "no skills yet")
    if idle:
        used = f"{idle} more {'is' if idle == 1 else 'are'} idle: no answer to another task used {_them(idle)}"
        note(f"{used}; --all lists {_them(idle)}, find and export know {_them(idle)}")
    if parts:
        note(f"{counted(parts, 'part')} of answers that the search uses {'is' if parts == 1 else 'are'} not listed")


@app.page("show", "evolve skills show give-short-name-aeb2")
def show_command(name: Name, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Show a skill: what it does, its code, and what it rests on."""
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        skill = opened.skills.show(name)
        reason, history = opened.skills.reason(name), opened.skills.histories([skill])[skill.digest]
        tried = opened.skills.rehearsals(name)
    if as_json:
        body = {"code": skill.code, "tests": skill.test_code, "tree": skill.tree, "reason": reason}
        body["history"] = history.to_json()
        body["rehearsals"] = [vars(one) for one in tried]
        emit_json({**_skill(skill), **body})
        return
    emit(f"{skill.name} ({skill.status}, {skill.owner}): {skill.description}")
    emit(f"from {skill.source or 'unknown'}; digest {skill.digest[:12]}")
    emit(history.text or NO_TASK)
    for one in tried:
        emit(f"tried on the folder of {one.task}: {'it does what was accepted there' if one.held else one.told}")
    if not (history.trials or skill.environment):
        emit("not tried without it yet: evolve variants ablate --items skills")
    if reason:
        emit(f"why it is {skill.status}: {reason}")
    emit()
    emit(skill.code.rstrip(), exact=True)


@app.page("find", 'evolve skills find "initials of a name"')
def find_command(
    query: Annotated[str, typer.Argument(metavar="WORDS", help="What the skill should do.")],
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Find skills by words."""
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        skills = opened.skills.find(query)
    if as_json:
        emit_json([_skill(skill) for skill in skills])
        return
    emit(table(("name", "description"), [(skill.name, _briefly(skill)) for skill in skills]) or "none fits")


@app.page("verify", "evolve skills verify give-short-name-aeb2")
def verify_command(name: Name, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Run a skill's own tests in the sandbox. One that fails is not used until they pass again."""
    import evolve

    with evolve.open(workspace) as opened:
        outcomes = opened.skills.verify(name)
        status = opened.skills.show(name).status
    passed = bool(outcomes) and all(outcome.ok for outcome in outcomes)
    if as_json:
        tests = [{"name": outcome.name, "ok": outcome.ok, "error": outcome.error} for outcome in outcomes]
        emit_json({"skill": name, "passed": passed, "status": status, "tests": tests})
    else:
        for outcome in outcomes:
            emit(f"{'ok  ' if outcome.ok else 'FAIL'} {outcome.name} {outcome.error}".rstrip())
        if status == "doubtful":
            note(f"{name} is doubtful: it is not used until its tests pass")
    raise typer.Exit(0 if passed else 1)


@app.page("retire", "evolve skills retire give-short-name-aeb2")
def retire_command(name: Name, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Take a skill out of use. Its body and history stay."""
    import evolve

    with evolve.open(workspace) as opened:
        skill = opened.skills.retire(name)
    if as_json:
        emit_json(_skill(skill))
    else:
        emit(f"retired {skill.name}")


@app.page("own", "evolve skills own give-short-name-aeb2")
def own_command(name: Name, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Make a skill yours: it is never changed unattended.

    Its name and description are yours too, and it is exported in these words.
    """
    import evolve

    with evolve.open(workspace) as opened:
        skill = opened.skills.own(name)
    if as_json:
        emit_json(_skill(skill))
    else:
        emit(f"{skill.name} is yours, and is exported with its description: {skill.description}")


@app.page("export", "evolve skills export give-short-name-aeb2 --out exported")
def export_command(
    names: Annotated[list[str], typer.Argument(metavar="SKILL", help="Names of skills.", show_default=False)],
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Folder to write into.")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="Format: agent-skills.")] = "agent-skills",
    without_evals: Annotated[bool, typer.Option("--without-evals", help="Leave out all examples.")] = False,
    withhold_rows: Annotated[bool, typer.Option("--withhold-rows", help="Leave out examples with a secret.")] = False,
    description: Annotated[
        str, typer.Option("--description", metavar="TEXT", help="Your own words for it.", show_default=False)
    ] = "",
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Write skills as folders that other agents load and that run by themselves.

    A skill describes itself by its contract, unless it is yours or you give a description.
    """
    import evolve

    evals: Literal["all", "clean", "none"] = "none" if without_evals else "clean" if withhold_rows else "all"
    with evolve.open(workspace, read_only=True) as opened:
        folders = opened.skills.export(names, to=to, out=out, evals=evals, description=description)
        skills = [opened.skills.show(name).name for name in names]
    if as_json:
        emit_json([str(folder) for folder in folders])
        return
    for name, folder in zip(skills, folders, strict=True):
        emit(f"wrote {folder}")
        if folder.name != name and not description:
            words = "its name and description may be a model's words, which do not leave"
            note(f"  {words}; your own: --description TEXT, or evolve skills own {name}", whole=True)


def _briefly(skill: Skill) -> str:
    """What it does, without when to use it, which ``show`` tells too."""
    return shorten(pages.first_sentence(skill.description), 100)


def _counts(history: ItemHistory) -> tuple[str, str]:
    """Uses of such tasks, and trials in which it made a difference, of all."""
    differed = history.better + history.worse
    used = f"{history.used} of {history.of}" if history.of else "-"
    return used, f"{differed} of {history.trials}" if history.trials else "-"


def _them(count: int) -> str:
    return "it" if count == 1 else "them"


def _skill(skill: Skill) -> dict[str, Any]:
    return {
        "name": skill.name,
        "status": skill.status,
        "owner": skill.owner,
        "description": skill.description,
        "signature": skill.signature,
        "digest": skill.digest,
        "tasks": list(skill.tasks),
        "source": skill.source,
    }
