"""``evolve skills``: learned skills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.render.memory import origin_data, practice_line
from evolve.cli.render.output import count_of, emit, emit_json, pick_attributes, print_note, shorten_line, table
from evolve.cli.render.views import NO_TASK
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import ItemHistory, Skill

app = pages.App(
    "See, check and export skills: functions that evolve learned, each with its tests.",
    *("evolve skills list", "evolve skills export --trusted --to my_skills"),
)

Seeds = Annotated[bool, typer.Option("--seeds", help="Also those that come with evolve.")]
Name = Annotated[str, typer.Argument(metavar="SKILL", help="Name of a skill, from the list.")]


@app.page("list", "evolve skills list", "evolve skills list --all")
def list_command(
    retired: Annotated[bool, typer.Option("--all", help="Also those that are not in use.")] = False,
    practice: options.Practice = False,
    shipped: Seeds = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """List your skills, the most helpful first."""
    from evolve.workspace import ACTIVE

    with evolve.open(workspace, read_only=True) as opened:
        skills = opened.skills.list(() if retired else (*ACTIVE, "doubtful"))
        # Idle: served no task but its own. Still found and exported, only not offered to searches.
        others = [] if retired else opened.skills.list(("idle",))
        seeds = opened.skills.seeds()
        skills += seeds if shipped else []
        taught = opened.skills.from_practice([*skills, *others])
        parts, histories = len(opened.skills.parts()), opened.skills.histories(skills)
        for name, reason in opened.skills.quarantined.items():
            print_note(f"warning: the skill {name} is not used: {reason}; evolve status --repair")
        owned = {skill.source for skill in skills if skill.owner == "user"}
        kept = [one for one in opened.runs.functions_kept() if one.source not in owned]
        for unused in opened.skills.unused_folders():
            print_note(f"warning: {unused.why}; {unused.fix}")
    skills.sort(key=lambda skill: (skill.digest in taught, skill in seeds, -len(skill.tasks), skill.name))
    if as_json:
        data = ({**_skill(one), **origin_data(one.digest, taught, owner=one.owner)} for one in skills)
        emit_json([{**told, "history": histories[told["digest"]].to_json()} for told in data])
        return
    left_out = [] if practice else [skill for skill in skills if skill.digest in taught]
    skills = [skill for skill in skills if skill not in left_out]
    idle = sum(practice or skill.digest not in taught for skill in others)
    rows: list[tuple[str, ...]] = [
        (skill.name, skill.status, *_counts(histories[skill.digest]), _briefly(skill)) for skill in skills
    ]
    rows += [(one.name, "kept by you", "-", "-", "-", f"the function of this run: {_briefly(one)}") for one in kept]
    header = ("name", "status", "used", "helped", "trials", "description")
    emit(table(header, rows, spare=("trials",)) or "no skills of yours yet")
    if left_out:
        print_note(practice_line(len(left_out), "skill"))
    if seeds and not shipped:
        print_note(f"{count_of(len(seeds), 'skill')} from evolve: --seeds shows {'it' if len(seeds) == 1 else 'them'}")
    if idle:
        print_note(
            f"{count_of(idle, 'skill')} that no other task used: --all lists {'it' if idle == 1 else 'them'} too"
        )
    if parts:
        print_note(
            f"{count_of(parts, 'part')} of answers that the search uses {'is' if parts == 1 else 'are'} not listed"
        )


@app.page("show", "evolve skills show short-name-from-name", "evolve skills show short-name-from-name --json")
def show_command(
    name: Name,
    versions: Annotated[bool, typer.Option("--versions", help="List the versions, and what this one changed.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show a skill: its purpose, its code and its evidence."""
    with evolve.open(workspace, read_only=True) as opened:
        skill = opened.skills.show(name)
        reason, history = opened.skills.reason(name), opened.skills.histories([skill])[skill.digest]
        tried, known = opened.skills.rehearsals(name), opened.skills.versions(name)
        changed = opened.skills.difference(name)
    if as_json:
        body: dict[str, Any] = {"code": skill.code, "tests": skill.test_code, "tree": skill.tree, "reason": reason}
        body |= {"history": history.to_json(), "needs": skill.contract, "difference": changed}
        body["rehearsals"] = [vars(one) for one in tried]
        body["versions"] = [pick_attributes(one, "name", "status") for one in known]
        return emit_json({**_skill(skill), **body})
    if versions:
        emit(table(("name", "status", "from"), [(one.name, one.status, one.source) for one in known]))
        emit(changed.rstrip(), exact=True)
        return
    emit(f"{skill.name} ({skill.status}, {skill.owner}): {skill.description}")
    emit(f"from {skill.source or 'unknown'}; digest {skill.digest[:12]}")
    emit(history.text or NO_TASK)
    if skill.contract:
        emit(f"needs {skill.contract_text}; it abstains from anything else")
    for one in tried:
        emit(f"tried on the folder of {one.task}: {'it does what was accepted there' if one.held else one.told}")
    if not (history.trials or skill.environment):
        emit("not tried without it yet: evolve lab variants ablate --items skills")
    if reason:
        emit(f"why it is {skill.status}: {reason}")
    emit()
    emit(skill.code.rstrip(), exact=True)


@app.page("undo", "evolve skills undo short-name-from-name", "evolve skills undo short-name-from-name --json")
def undo_command(name: Name, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Use the version before a skill again, or the skill itself if it is out of use. Its tests have to pass."""
    with evolve.open(workspace) as opened:
        back = opened.skills.undo(name)
    emit_json(_skill(back)) if as_json else emit(f"{back.name} is in use again ({back.status})")


@app.page("find", 'evolve skills find "initials of a name"', 'evolve skills find "dates" --json')
def find_command(
    query: Annotated[str, typer.Argument(metavar="WORDS", help="What the skill should do.")],
    practice: options.Practice = False,
    shipped: Seeds = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Find skills by words."""
    with evolve.open(workspace, read_only=True) as opened:
        found = opened.skills.find(query, practice=True, seeds=shipped)
        taught = opened.skills.from_practice(found)
    skills = [skill for skill in found if practice or skill.digest not in taught]
    if as_json:
        return emit_json([{**_skill(one), **origin_data(one.digest, taught, owner=one.owner)} for one in skills])
    emit(table(("name", "description"), [(skill.name, _briefly(skill)) for skill in skills]) or "none of yours fits")
    if len(found) > len(skills):
        print_note(practice_line(len(found) - len(skills), "skill"))


@app.page("verify", "evolve skills verify short-name-from-name", "evolve skills verify short-name-from-name --json")
def verify_command(name: Name, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Run the tests of a skill in the sandbox. evolve uses no skill that fails them."""
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
            print_note(f"{name} is doubtful: it is not used until its tests pass")
    raise typer.Exit(0 if passed else 1)


@app.page("own", "evolve skills own short-name-from-name", "evolve skills own r1")
def own_command(
    name: Annotated[str, typer.Argument(metavar="SKILL", help="Name of a skill, or the id of a run.")],
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a skill yours: evolve then never changes it by itself.

    Give the id of a run, and evolve makes a skill of the function that the run found, even if nothing verified it:
    evolve forget RUN takes that back.
    """
    with evolve.open(workspace) as opened:
        is_run = name in {row.run.id for row in opened.runs.list()}
        skill = opened.runs.keep(name) if is_run else opened.skills.own(name)
    if as_json:
        emit_json(_skill(skill))
    elif is_run:
        print_kept(name, skill)
    else:
        emit(f"{skill.name} is yours, and is exported with its description: {skill.description}")


@app.page(
    "export",
    "evolve skills export short-name-from-name --to my_skills",
    "evolve skills export --trusted --to my_skills --install claude",
)
def export_command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="SKILL", help="Names of skills.", show_default=False)
    ] = None,
    trusted: Annotated[bool, typer.Option("--trusted", help="All trusted skills.")] = False,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="DIR", help="Folder that becomes a Python package.", show_default=False),
    ] = None,
    install: Annotated[
        str | None,
        typer.Option(
            "--install", metavar="PROGRAM", help="Where it looks: claude, codex, or project.", show_default=False
        ),
    ] = None,
    with_rows: Annotated[bool, typer.Option("--with-rows", help="Also your rows, as examples and tests.")] = False,
    description: Annotated[
        str, typer.Option("--description", metavar="TEXT", help="Your own words for it.", show_default=False)
    ] = "",
    form: Annotated[str, typer.Option("--format", metavar="NAME", help="Format of a package.")] = "bundle",
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Write skills for other agents: typed functions, an MCP server and SKILL.md folders in one Python package.

    Your rows stay here unless you give --with-rows; evolve makes up the examples. It refuses to write a secret.
    """
    if not (names or trusted):
        raise UsageError("name a skill, or give --trusted", hint="evolve skills list")
    with evolve.open(workspace, read_only=True) as opened:
        done = opened.skills.export(
            names or [],
            to=to,
            install=install,
            format=form,
            trusted=trusted,
            with_rows=with_rows,
            description=description,
        )
    if as_json:
        return emit_json({"places": list(map(str, done.places)), **pick_attributes(done, "names", "left_out")})
    for place in done.places:
        emit(f"wrote {place}")
    for name, left in done.names.items():
        if left != name:
            print_note(f"  {name} is called {left} there", whole=True)
    for name, why in done.left_out.items():
        print_note(f"left out {name}: {why}", whole=True)


def print_kept(run: str, skill: Skill) -> None:
    """Says that the function of a run is kept, as which skill, what that does, and how to take it back."""
    emit(f"kept the function of run {run}: evolve uses it for tables with the same columns")
    if skill.name != run:
        emit(f"  it is your skill {skill.name}, to be found and exported", whole=True)
    emit(f"  to take that back: evolve forget {run}", whole=True)


def _briefly(skill: Skill) -> str:
    """What it does, without when to use it, which ``show`` tells too."""
    return shorten_line(pages.first_sentence(skill.description), 100)


def _counts(history: ItemHistory) -> tuple[str, str, str]:
    """Tasks that used it, those it helped, and trials in which it made a difference, of all."""
    differed = history.better + history.worse
    return str(history.used), str(history.helped or 0), f"{differed} of {history.trials}" if history.trials else "-"


def _skill(skill: Skill) -> dict[str, Any]:
    return pick_attributes(skill, "name", "status", "owner", "description", "signature", "digest", "tasks", "source")
