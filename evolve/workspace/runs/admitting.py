"""Admits skills on a person's own tasks: drafts of an episode, procedures, and imported functions.

A function waits until it is right on the visible rows of such a task. Then the rows that are kept back judge it, and
its tests are rows of the person, none of its author's. Where it does something for a value that no row has, it waits.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace

from evolve.agent.procedures import rehearsal_of
from evolve.core.cancellation import Cancellation
from evolve.core.episodes import OWN, EarlierCall, EpisodeRecord, KnownFunction, Limits, Rehearsal, Row, SkillDraft
from evolve.core.errors import SetupProblem, UsageError, WorkspaceError
from evolve.core.events import Event
from evolve.core.files import canonical_json
from evolve.environments import EnvironmentOptions, open_environment
from evolve.policies.base import PastWork
from evolve.runtime.retrieval import WordIndex
from evolve.runtime.sandbox import Outcome, Program, Sandbox, SandboxLimits
from evolve.runtime.sandbox.protocol import Stoppable
from evolve.skills import Skill, suspend_all
from evolve.skills.admission import UNSEEN
from evolve.skills.equivalence import match_program
from evolve.skills.signatures import names_of, types_of
from evolve.skills.untested_arms import untested_parts
from evolve.tasks import Task, equal
from evolve.tasks.reading.labels import wanted_label
from evolve.trials.admitting import AdmissionResult, DraftRepairs, SkillKeeper
from evolve.trials.learned_state import PromptedLearner
from evolve.trials.skill_drafts import judge_draft, store_proposal
from evolve.workspace.resources.preferences import ABOUT
from evolve.workspace.runs.beginnings import beginning_of
from evolve.workspace.runs.context import RunRequest, sandbox_for, services_as_recorded
from evolve.workspace.runs.run_answers import CONTESTED, given_task_of
from evolve.workspace.runs.saved import is_headerless, places_of
from evolve.workspace.services import WorkspaceServices

_ACCEPTED = ("waiting", "applied")
_MOST_TASKS = 100


def past_work(services: WorkspaceServices, run: str) -> PastWork:
    """The known procedures, and what other runs that left a change of a folder were to do.

    Of those there are none where the run's own change was not wanted.
    """
    wanted = {patch.run for patch in services.folders.list() if patch.state in _ACCEPTED}
    known = [one for one in services.stores.runs.list_runs() if one.id in wanted and one.id != run and run in wanted]
    before = known[-_MOST_TASKS:]
    tasks = {one.id: str(one.body.get(ABOUT, {}).get("instruction", "")) for one in before}
    return PastWork(procedures=services.stores.skills.procedures(), tasks=tasks)


def tried_earlier(
    services: WorkspaceServices, run: str, drafts: Sequence[SkillDraft], request: RunRequest
) -> tuple[SkillDraft, ...]:
    """The drafts of a run, procedures with what came of them on folders of other runs, where these are as they were.

    A change that the person refused or took back is no work that a procedure should do, or that shows a function right.
    """
    unwanted = any(patch.run == run and patch.state not in _ACCEPTED for patch in services.folders.list())
    kept = [draft for draft in drafts if not (unwanted and (draft.rehearsals or draft.unseen))]
    tried = [[_tried(services, draft, call, request) for call in draft.earlier] for draft in kept]
    return tuple(
        replace(draft, rehearsals=(*draft.rehearsals, *(one for one in made if one is not None)))
        for draft, made in zip(kept, tried, strict=True)
    )


def _tried(services: WorkspaceServices, draft: SkillDraft, call: EarlierCall, request: RunRequest) -> Rehearsal | None:
    """What came of one call; None where nothing can be said."""
    begun = beginning_of(services, services.stores.runs.run(call.run))
    records = services.stores.runs.episodes(run=call.run)
    if begun is None or not records or not records[-1].checked or begun.task.environment != draft.environment:
        return None
    with ExitStack() as stack:
        try:
            task = services_as_recorded(services, begun.task, call.run, stack)
            opened = sandbox_for(services, replace(request, task=begun.task, python=begun.python))
            sandbox = stack.enter_context(opened())
            sandbox = sandbox.until(request.person.cancellation) if isinstance(sandbox, Stoppable) else sandbox
            environment = stack.enter_context(
                closing(open_environment(task, EnvironmentOptions(sandbox=sandbox, own=True)))
            )
            change = services.folders.change_of(call.run)
            done = environment.rehearse(draft.code, draft.entry, call.arguments, change)
        except (UsageError, WorkspaceError, SetupProblem):  # it is not there any more, or not as it was
            return None
    return None if done.fault else rehearsal_of(done, begun.task.id, begun.task.group, call.arguments)


def keeper_for(
    services: WorkspaceServices,
    record: EpisodeRecord,
    task: Task,
    limits: Limits | None = None,
    cancellation: Cancellation | None = None,
) -> SkillKeeper:
    """Who keeps the skills of an episode.

    Args:
        limits: What repairs of drafts may spend; None asks nobody for any.
        cancellation: Ends what is going on when it is raised; wound down, no further draft is judged or repaired.
    """
    stop = cancellation or Cancellation()
    repairs = None
    if limits is not None and record.drafts and isinstance(services.learner, PromptedLearner):
        policy = services.stores.practice_state(services.workflow).policy(services.learner)
        repairs = DraftRepairs(policy=policy.with_supervision(stop), view=task.view(), limits=limits)

    def sandbox() -> Sandbox:
        stop.check_before()  # every draft is judged in it
        opened = services.open_sandbox()
        return opened.until(stop) if isinstance(opened, Stoppable) else opened

    contested = CONTESTED in services.stores.runs.run(record.run).body
    doubt = f"the answer of run {record.run} is doubtful" if contested else ""
    wanted = any(patch.run == record.run and patch.state == "applied" for patch in services.folders.list())
    sure = record.verified or record.checked or wanted
    unchecked = "" if sure else f"nothing verified or checked the answer of run {record.run}, in which it was used"
    return SkillKeeper(
        stores=services.stores,
        learner=services.learner,
        sandbox=sandbox,
        repairs=repairs,
        doubt=doubt,
        unchecked=unchecked,
    )


def report_admission(services: WorkspaceServices, episode: str, kept: AdmissionResult) -> None:
    """Tells whoever watches what was kept and what was not."""
    for name in kept.skills:
        services.events.emit(Event(kind="admitted", episode=episode, data={"skill": name}))
    for refused in kept.refused:
        data = {"skill": refused.skill, "reason": refused.reason}
        services.events.emit(Event(kind="not_kept", episode=episode, data=data))


_MOST_TRIED, _MOST_JUDGED = 200, 3
"""Imported functions that one task runs on its visible rows; and of those that are right, how many it judges."""
_MOST_TOLD = 80
_FINAL = (
    "unseen",
    "import",
    "memory",
    "audit",
)  # other checks ask for more rows


def admit_imports(services: WorkspaceServices, task: Task) -> dict[str, str]:
    """Judges functions that wait and are right on the visible rows of a task; gives those admitted, name by digest."""
    if not task.examples or task.work is not None:
        return {}
    library, admitted = services.stores.skills, {}
    known = [one.skill for one in library.imported("waiting")]
    waiting = {form.digest: (form, one.digest) for one in known for form in _forms(one)}
    for skill in _right(services, task, _ranked(task, [form for form, _ in waiting.values()]))[:_MOST_JUDGED]:
        digest = waiting[skill.digest][1]
        if digest in admitted:
            continue
        seen = _seen_by(task, skill)
        own = {name: getattr(skill, name) for name in ("name", "description", "entry", "signature", "code")}
        draft = SkillDraft(**own, tests=(*seen.examples, *seen.verify, *seen.hidden), source=task.id)
        # It acts as it came, and is not made one with others that differ in a constant.
        like = [(one, match_program(one, skill)) for one in library.active()]
        rivals = [one for one, how in like if how is None or not (how.differences or how.given)]
        proposal = judge_draft(draft, seen, rivals, services.learner, services.open_sandbox())
        if proposal is None or proposal.verdict.fault:
            continue
        held = untested_parts(proposal.verdict.checks, skill.code, draft.tests)
        mine = replace(proposal, skill=replace(proposal.skill, owner="imported"))
        with services.stores.db.transaction():
            kept = None if held else store_proposal(library, mine)
            if kept is not None:
                admitted[digest] = kept.name
                library.note_import(digest, "admitted", kept.name)
                continue
            why = f"no row of yours shows what it does where: {held[0]}" if held else proposal.verdict.reason
            few = proposal.verdict.failed == "unseen" and int(proposal.verdict.checks["unseen_rows"]) < UNSEEN
            final = proposal.verdict.failed in _FINAL and not few
            library.note_import(digest, "refused" if final else "waiting", why)
    return admitted


def _forms(skill: Skill) -> list[Skill]:
    """It as it came; and with arguments that have a default by name alone, for a table without their columns."""
    tree = ast.parse(skill.code)
    takes = next(one.args for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == skill.entry)
    few = len(takes.args) - len(takes.defaults)
    if takes.vararg or not takes.defaults or not few or len(names_of(skill.signature)) != len(takes.args):
        return [skill]
    kinds, gives = types_of(skill.signature)
    named = ", ".join(f"{one.arg}: {kind}" for one, kind in zip(takes.args[:few], kinds, strict=False))
    takes.kwonlyargs, takes.kw_defaults = [*takes.args[few:], *takes.kwonlyargs], [*takes.defaults, *takes.kw_defaults]
    takes.args, takes.defaults = takes.args[:few], []
    return [skill, replace(skill, code=ast.unparse(tree) + "\n", signature=f"({named}) -> {gives}")]


def imported_for(services: WorkspaceServices, task: Task, *, judges: bool = True) -> tuple[KnownFunction, ...]:
    """Imported functions in use, and seeds, that are right on every visible row of a task, which may admit imports now.

    One whose job the task is, and which is wrong on a row of it, is doubtful from then on.

    Args:
        judges: The rows of the task are the person's own; others admit nothing, and leave nothing doubtful.
    """
    if judges:
        admit_imports(services, task)
    used = [one for one in services.stores.skills.active() if one.owner in ("imported", "seed") and one.tree is None]
    imported = [*services.stores.skills.seeds(), *used]
    if not task.examples or task.work is not None or not imported:
        return ()
    rows = (*task.examples, *task.verify, *task.hidden)
    for skill, outcomes in _calls(services, task, [one for one in imported if _is_its_job(services, task, one)], rows):
        wrong = [row for row, got in zip(rows, outcomes, strict=False) if got.ok and not equal(got.value, row.output)]
        if wrong:
            told = canonical_json([*wrong[0].input])[:_MOST_TOLD]
            if judges:
                suspend_all(services.stores.skills, skill, f"a row of yours has another value for {told}")
            imported.remove(skill)
    right = [] if services.uses_model else _right(services, task, imported[-_MOST_TRIED:])
    return tuple(
        KnownFunction(
            told=f"used the {one.owner} skill {one.name!r}", code=_wrapped(one, task), skill=one.digest, ran=True
        )
        for one in right
    )


def _is_its_job(services: WorkspaceServices, task: Task, skill: Skill) -> bool:
    """Whether the task is one that admitted the skill, or of a table with that column and columns that it takes."""
    if skill.came_from(task.id):
        return True
    runs = [services.stores.runs.of_task(source, None, OWN)[:1] for source in skill.source.split(", ")]
    before = [given_task_of(services, services.stores.runs.run(one.run)) for records in runs for one in records]
    names, wanted = names_of(task.view().signature), (task.entry, wanted_label(task.instruction))
    alike = [one for one in before if one is not None and wanted == (one.entry, wanted_label(one.instruction))]
    same = any(names_of(one.view().signature) == names for one in alike) and not is_headerless(names)
    return same or (bool(alike and wanted[1]) and places_of(skill, task) is not None)


def _ranked(task: Task, skills: Sequence[Skill]) -> list[Skill]:
    fit = {one.digest: one for one in skills if _places(task, one) is not None}
    words = {key: f"{one.name.replace('-', ' ')} {one.description}" for key, one in fit.items()}
    index = WordIndex()
    index.add(words)
    scores = index.scores(task.instruction)
    return [fit[key] for key in sorted(fit, key=lambda key: -scores.get(key, 0.0))][:_MOST_TRIED]


def _right(services: WorkspaceServices, task: Task, skills: Sequence[Skill]) -> list[Skill]:
    """Those that are right on every visible row."""
    wanted = [row.output for row in task.examples]
    return [
        skill
        for skill, outcomes in _calls(services, task, skills, task.examples)
        if len(outcomes) == len(wanted)
        and all(one.ok and equal(one.value, output) for one, output in zip(outcomes, wanted, strict=True))
    ]


def _calls(
    services: WorkspaceServices, task: Task, skills: Sequence[Skill], rows: Sequence[Row]
) -> list[tuple[Skill, Sequence[Outcome]]]:
    """What functions give for rows of a task, as the sandbox runs them, each in a process of its own."""
    fit = [(skill, code) for skill in skills if (code := _wrapped(skill, task))]
    if not fit:
        return []
    limits = SandboxLimits(wall_s=2.0 + 1.0 * len(fit), program_s=1.0)
    programs = [Program(source=code, entry=task.entry) for _, code in fit]
    runs = services.open_sandbox().run_programs(programs, [row.input for row in rows], limits).programs
    return [(skill, run.outputs) for (skill, _), run in zip(fit, runs, strict=False)]


def _places(task: Task, skill: Skill) -> tuple[int, ...] | None:
    by_name = places_of(skill, task)
    if by_name and None not in by_name:
        return tuple(place for place in by_name if place is not None)
    mine, asked = (_kinds(one) for one in (skill.signature, task.view().signature))
    fits = len(mine) == len(asked) and all(_may_be(one, other) for one, other in zip(mine, asked, strict=True))
    return tuple(range(len(mine) - 1)) if fits else None


def _kinds(signature: str) -> tuple[str, ...]:
    takes, gives = types_of(signature.replace("int", "float"))
    return (*takes, gives)


def _may_be(kind: str, other: str) -> bool:
    """Whether values of two kinds may be the same, whatever is in them; one that says nothing may be any."""
    both = {one.removesuffix("| None").partition("[")[0].strip().lower() for one in (kind, other)}
    return len(both) == 1 or bool(both & {"any", "object"}) or both == {"row", "dict"}


def _seen_by(task: Task, skill: Skill) -> Task:
    places = _places(task, skill) or ()

    def rows(given: Sequence[Row]) -> tuple[Row, ...]:
        return tuple(Row(input=tuple(row.input[place] for place in places), output=row.output) for row in given)

    examples, verify, hidden = rows(task.examples), rows(task.verify), rows(task.hidden)
    return replace(task, examples=examples, verify=verify, hidden=hidden, signature=skill.signature, refused=())


def _wrapped(skill: Skill, task: Task) -> str:
    places, names = _places(task, skill), names_of(task.view().signature)
    if places is None or not names or skill.entry in names:
        return ""
    if skill.entry == task.entry:
        return skill.code if places == tuple(range(len(names))) else ""
    call = f"{skill.entry}({', '.join(names[place] for place in places)})"
    defined = f"def {task.entry}("
    return "" if defined in skill.code else f"{skill.code}\n\n{defined}{', '.join(names)}):\n    return {call}\n"
