"""Skills from the drafts of one episode of a person's own, and procedures tried on folders of earlier runs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace

from evolve.agent.procedures import rehearsal_of
from evolve.core.cancellation import Cancellation
from evolve.core.episodes import EarlierCall, EpisodeRecord, Limits, Rehearsal, SkillDraft
from evolve.core.errors import EnvironmentProblem, UsageError, WorkspaceError
from evolve.core.events import Event
from evolve.environments import EnvironmentOptions, RehearsesProcedures, open_environment
from evolve.policies.base import Attendable
from evolve.policies.proceeding import PastWork
from evolve.runtime.sandbox import Sandbox
from evolve.runtime.sandbox.protocol import Stoppable
from evolve.tasks import Task
from evolve.trials.admitting import AdmissionResult, Keeper, Repairs
from evolve.trials.learned_state import PromptedLearner
from evolve.workspace.resources.preferences import ABOUT
from evolve.workspace.runs.beginnings import beginning_of
from evolve.workspace.runs.context import RunRequest, as_it_was, sandbox_for
from evolve.workspace.runs.run_answers import CONTESTED
from evolve.workspace.services import WorkspaceServices

_ACCEPTED = ("waiting", "applied")
_MOST_TASKS = 100


def past_work(services: WorkspaceServices, run: str) -> PastWork:
    """The known procedures, and what other runs that left a change of a folder were to do.

    Of those there are none where the run's own change was not wanted.
    """
    wanted = {patch.run for patch in services.folders.list() if patch.state in _ACCEPTED}
    known = [one for one in services.stores.runs.runs() if one.id in wanted and one.id != run and run in wanted]
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
    return tuple(_tried_earlier(services, draft, request) if draft.earlier else draft for draft in kept)


def _tried_earlier(services: WorkspaceServices, draft: SkillDraft, request: RunRequest) -> SkillDraft:
    tried = [one for call in draft.earlier if (one := _tried(services, draft, call, request)) is not None]
    return replace(draft, rehearsals=(*draft.rehearsals, *tried))


def _tried(services: WorkspaceServices, draft: SkillDraft, call: EarlierCall, request: RunRequest) -> Rehearsal | None:
    """What came of one call; None where nothing can be said."""
    begun = beginning_of(services, services.stores.runs.run(call.run))
    records = services.stores.runs.episodes(run=call.run)
    if begun is None or not records or not records[-1].checked or begun.task.environment != draft.environment:
        return None
    with ExitStack() as stack:
        try:
            task = as_it_was(services, begun.task, call.run, stack)
            opened = sandbox_for(services, replace(request, task=begun.task, python=begun.python))
            sandbox = stack.enter_context(opened())
            sandbox = sandbox.until(request.person.cancellation) if isinstance(sandbox, Stoppable) else sandbox
            environment = stack.enter_context(
                closing(open_environment(task, EnvironmentOptions(sandbox=sandbox, own=True)))
            )
            if not isinstance(environment, RehearsesProcedures):
                return None
            change = services.folders.change_of(call.run)
            done = environment.rehearse(draft.code, draft.entry, call.arguments, change)
        except (UsageError, WorkspaceError, EnvironmentProblem):  # it is not there any more, or not as it was
            return None
    return None if done.fault else rehearsal_of(done, begun.task.id, begun.task.group, call.arguments)


def keeper_for(
    services: WorkspaceServices,
    record: EpisodeRecord,
    task: Task,
    limits: Limits | None = None,
    cancellation: Cancellation | None = None,
) -> Keeper:
    """Who keeps the skills of an episode.

    Args:
        limits: What repairs of drafts may spend; None asks nobody for any.
        cancellation: Ends what is going on when it is raised; wound down, no further draft is judged or repaired.
    """
    stop = cancellation or Cancellation()
    repairs = None
    if limits is not None and record.drafts and isinstance(services.learner, PromptedLearner):
        policy = services.stores.practice_state(services.workflow).policy(services.learner)
        policy = policy.attended(stop) if isinstance(policy, Attendable) else policy
        repairs = Repairs(policy=policy, view=task.view(), limits=limits)

    def sandbox() -> Sandbox:
        stop.check_before()  # every draft is judged in it
        opened = services.open_sandbox()
        return opened.until(stop) if isinstance(opened, Stoppable) else opened

    contested = CONTESTED in services.stores.runs.run(record.run).body
    doubt = f"the answer of run {record.run} is doubtful" if contested else ""
    return Keeper(stores=services.stores, learner=services.learner, sandbox=sandbox, repairs=repairs, doubt=doubt)


def report_admission(services: WorkspaceServices, episode: str, kept: AdmissionResult) -> None:
    """Tells whoever watches what was kept and what was not."""
    for name in kept.skills:
        services.events.emit(Event(kind="admitted", episode=episode, data={"skill": name}))
    for refused in kept.refused:
        data = {"skill": refused.skill, "reason": refused.reason}
        services.events.emit(Event(kind="not_kept", episode=episode, data=data))
