"""What needs a person's leave: changing their folder, and undoing over what they did since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from evolve.agent.attended import YES, ApprovalRequest, ask_approval, is_approval
from evolve.core.episodes import EpisodeRecord, Question
from evolve.core.errors import UsageError
from evolve.memory.preferences import PersonAct
from evolve.tasks.work import FolderWork, is_protected
from evolve.workspace.resources.patch import Patch
from evolve.workspace.runs.person import Person
from evolve.workspace.runs.result import Result
from evolve.workspace.services import WorkspaceServices

_OPTIONS = (YES, "no")


def deliver_patch(
    services: WorkspaceServices,
    record: EpisodeRecord,
    work: FolderWork,
    person: Person,
    result: Callable[[Patch], Result],
) -> tuple[Patch | None, Question | None]:
    """The patch of an episode, applied, refused or waiting; and the question where it waits for an answer.

    Leave that is given beforehand is for what a check accepted, and for nothing that is unverified, nor for tests that
    the person named; and for the folder that the person named, not for another that a task file names.

    Args:
        result: What the episode came to, with its patch, for whoever is asked about that.
    """
    folders = services.folders
    patch = folders.save_change(record, work)
    if patch is None or not patch.names or patch.state != "waiting" or person.approve == "never":
        return patch, None
    question = Question(
        id=f"{patch.run}:apply",
        kind="approve",
        text=f"change {_file_count(patch.names)} in {patch.folder}?",
        options=_OPTIONS,
        detail=patch.diff,
    )
    approval = ApprovalRequest(
        question=question,
        # Again is no error: a run that goes on may have applied it before it was cut off.
        effect=lambda: folders.apply(patch.run, again=True),
        refused=lambda answer: _refuse(services, patch.run, answer),
    )
    own_tests = any(is_protected(name, work.guarded_patterns) for name in patch.names)
    beforehand = person.approve == "auto" and record.solved and not (work.elsewhere or own_tests)

    def shown(asked: Question) -> str | None:
        if person.respond is None or person.before_approval is None:
            return None if person.respond is None else person.respond(asked)
        person.before_approval(result(patch))
        return person.respond(replace(asked, detail=""))

    respond = (lambda asked: YES) if beforehand else shown
    answer = ask_approval(approval, services.paths.runs / patch.run / "approval", respond)
    return folders.get(patch.run), question if answer is None else None


def _refuse(services: WorkspaceServices, run: str, reason: str) -> Patch:
    """Leaves the folder as it is; a reason is kept as a wish for similar work, which waits to be confirmed."""
    patch = services.folders.refuse(run, reason)
    if patch.reason:
        services.preferences.suggest(PersonAct(kind="refusal", text=patch.reason, run=run))
    return patch


def undo_patch(services: WorkspaceServices, run: str | None, person: Person) -> Patch:
    """Takes an applied patch back; over newer changes only with leave. See :meth:`Workspace.undo`."""
    folders = services.folders
    if run is not None:
        services.stores.runs.run(run)  # a run that there is none of is not one that changed nothing
    patch = folders.applied_patch(run)
    changed = folders.changed_since(patch)
    if not changed or person.approve == "never":
        return folders.undo(patch.run)
    question = Question(
        id=f"{patch.run}:undo",
        kind="approve",
        text=f"undo over newer changes in {_file_count(changed)} of {patch.folder}?",
        options=_OPTIONS,
        detail=folders.undo_diff(patch),
    )
    answer = YES if person.approve == "auto" else person.respond(question) if person.respond is not None else None
    leave = answer is not None and is_approval(answer)
    if leave and folders.undo_diff(patch) != question.detail:
        raise UsageError(
            f"a file in {patch.folder} changed while it was asked, so nothing was undone",
            hint=f"evolve undo {patch.run} shows the difference anew",
        )
    return folders.undo(patch.run, over=leave)


def _file_count(names: tuple[str, ...]) -> str:
    return f"{len(names)} file{'' if len(names) == 1 else 's'}"
