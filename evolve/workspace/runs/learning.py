"""What a person's own runs teach: worked out once their results were shown, as a job that survives a crash."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from evolve.agent import EpisodeLessons, PendingLearning
from evolve.core.episodes import Cost, EpisodeRecord, LateAnswer, Limits, PatchDecision, Suggestion
from evolve.core.episodes.codec import from_data, to_data
from evolve.core.episodes.plans import SPARSE
from evolve.core.errors import Cancelled, EndpointProblem, SandboxUnavailable, TaskError, UsageError, WorkspaceBusy
from evolve.core.events import Event
from evolve.core.failpoints import hit_failpoint
from evolve.core.ledger import Budget, Ledger
from evolve.core.progress import report_activity
from evolve.core.reasons import Reason, reason
from evolve.core.store.lock import SHORT
from evolve.environments import environment_kind
from evolve.memory import insight_id
from evolve.memory.preferences import Preference
from evolve.tasks import Task
from evolve.tasks.problem_traits import every_trait
from evolve.tasks.work import FolderWork
from evolve.trials.admitting import AdmissionResult, RefusedSkill
from evolve.workspace.health.housekeeping import drop_checkpoints
from evolve.workspace.runs.admitting import keeper_for, past_work, report_admission, tried_earlier
from evolve.workspace.runs.beginnings import beginning_of, task_kept
from evolve.workspace.runs.context import (
    RunContext,
    RunRequest,
    agent_for,
    sandbox_opener_for,
    services_as_recorded,
    with_earlier_runs,
)
from evolve.workspace.runs.contradictions import retire_replaced
from evolve.workspace.runs.person import Person
from evolve.workspace.runs.proving import UNJUDGED, TaskJudging, is_bounded, judge_first
from evolve.workspace.runs.result import Result, refusals_of
from evolve.workspace.runs.suggesting import asks_model, keep_suggestions, why_nothing
from evolve.workspace.runs.tasks import task_of
from evolve.workspace.services import WorkspaceServices

PAUSED = ("waiting", "interrupted")
"""How a run stands that goes on later."""
_PATIENCE_S = 5.0
"""How long learning waits for another process that learns; what is left it learns from later."""
_MOST_IN_FORCE = 20
"""Of what the person has kept for such work, the newest that learning is told of."""
_PAIRS = {"after": 1, "full": None}
"""How many claims of one episode a policy may try by asking a model again."""


@dataclass(frozen=True, kw_only=True)
class LearningResult:
    """What one episode of a person's own taught.

    Attributes:
        learned: One sentence per claim that it added evidence to.
        told: Those of them that rest on enough to be told, as sentences for people with counts.
        skills: Names of the skills admitted from it.
        not_kept: Skills that it proposed and that were refused, with the reasons.
        cost: What learning cost, beyond what the result says.
        limits: What it might have spent.
        proposals: What it suggests to remember, for the person to keep or decline; nobody is told of it before.
        dropped: How many suggestions of the model are not offered, by reason.
        unasked: As :attr:`evolve.agent.EpisodeLessons.unasked`.
        nothing: Why nothing of this came of it; None where something did.
        note: Why it is not learned from yet, or could not be; None where it was.
        waits: It is not learned from yet, because another policy solved it, or the budget leaves too little.
        stopped: It is not learned from yet, because the person stopped it; ``cost`` is what it has taken so far.
        found: A right answer that was found while learning, where the run had none.
        changes: It is a change of the person's folder, which waits for leave.
        shadow: What it cost to solve the task again before it was learned from, to see whether learning helps.
    """

    run: str
    episode: str
    task: str
    learned: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    not_kept: tuple[RefusedSkill, ...] = ()
    cost: Cost = field(default_factory=Cost)
    limits: Limits = field(default_factory=Limits)
    proposals: tuple[Preference, ...] = field(default=(), metadata=SPARSE)
    dropped: Mapping[str, int] = field(default_factory=dict, metadata=SPARSE)
    unasked: str = field(default="", metadata=SPARSE)
    nothing: Reason | None = field(default=None, metadata=SPARSE)
    note: Reason | None = None
    waits: bool = False
    stopped: bool = False
    found: LateAnswer | None = None
    changes: bool = False
    shadow: Cost = field(default_factory=Cost, metadata=SPARSE)

    def added_to(self, result: Result) -> Result:
        """The result of its run with what was learned from it and found on the way, and what that cost on top."""
        known = replace(result, learned=self.learned, skills=self.skills, not_kept=self.not_kept, found=self.found)
        return replace(known, cost=result.cost + self.cost, shadow=self.shadow)

    def to_json(self) -> dict[str, Any]:
        """As one JSON object."""
        data = dict(to_data(self))
        for name in {"cost", "shadow"} & set(data):
            data[name]["seconds"] = round(getattr(self, name).seconds, 3)
        if self.proposals:
            data["proposals"] = [one.as_proposal() for one in self.proposals]
        return {**data, "found": None if self.found is None else self.found.to_json()}


def pending_of(
    services: WorkspaceServices, request: RunRequest, limits: Limits, record: EpisodeRecord
) -> dict[str, Any] | None:
    """What learning from an episode will need, to be kept with it; None where nothing is to be learned from it."""
    mode = request.person.learn or services.settings.learn
    if mode == "off" or record.status == "fault":  # a fault is never evidence
        return None
    # A share of what solving might spend; of a bound that the person gave, no more than is left of it.
    bounds: dict[str, Any] = {}
    for name, given in asdict(request.budget).items():
        most = getattr(limits, name)
        if most is None:
            continue
        part = most * services.settings.learn_share
        if given is not None:
            part = min(part, max(0, most - getattr(record.cost, name)))
        bounds[name] = int(part) if isinstance(most, int) else part
    return {
        **task_kept(services, request.task, request.python),
        "limits": to_data(replace(limits, **bounds)),
        "pairs": _PAIRS[mode],
        **({UNJUDGED: True} if is_bounded(request.budget) else {}),
    }


def learn(
    services: WorkspaceServices, run: str | None = None, person: Person | None = None, ledger: Ledger | None = None
) -> tuple[LearningResult, ...]:
    """Learns from what is on record and was not learned from yet, oldest first; see :meth:`Workspace.learn`."""
    if not pending_episodes(services):
        return ()
    try:
        with services.lock.hold(SHORT, wait_s=_PATIENCE_S):
            return _learned(services, run, person, ledger)
    except WorkspaceBusy as busy:
        text = f"{busy}, so evolve learns from your runs later: by itself, or with `evolve learn`"
        services.events.emit(Event(kind="warning", data={"text": text}))
        return ()


def _learned(
    services: WorkspaceServices, run: str | None, person: Person | None, ledger: Ledger | None
) -> tuple[LearningResult, ...]:
    spending = ledger or Ledger(Budget())
    taught: list[LearningResult] = []
    for one in pending_episodes(services):
        if run not in (None, one.run):
            continue
        left = Limits(**asdict(spending.remaining))
        if left.seconds == 0.0 or (taught and _is_spent(left)):
            text = f"not everything is learned from yet: {spending.exhausted_bound}; `evolve learn` goes on"
            services.events.emit(Event(kind="warning", data={"text": text}))
            break
        with report_activity("learn", one.run):
            taught.append(_taught(services, one, person or Person(), left))
        spending.settle(Cost(), taught[-1].cost + taught[-1].shadow)
        if taught[-1].stopped:
            break
    return tuple(taught)


def pending_episodes(services: WorkspaceServices) -> list[PendingLearning]:
    """What is on record and was not learned from yet, oldest first."""
    return [one for one in services.stores.runs.pending_learning() if services.stores.runs.has_episode(one.episode)]


def learn_and_close(services: WorkspaceServices, result: Result, person: Person, ledger: Ledger) -> Result:
    """The result with what it taught, and its run closed; what still has to be shown is not learned from yet.

    What keeps it from being learned from now, such as an endpoint that fails, is told and takes nothing from it.
    """
    taught: tuple[LearningResult, ...] = ()
    if not services.shows() and result.status != "interrupted":
        taught = learn_or_report(services, person, ledger)
    # Last: cut off in between, the same call gives the result again and goes on with learning.
    if result.status not in PAUSED:
        services.finish(result.run_id)
    own = next((one for one in taught if one.run == result.run_id), None)
    if own is not None:
        result = own.added_to(result)
    return replace(result, seconds=ledger.run_seconds)


def learn_or_report(services: WorkspaceServices, person: Person, ledger: Ledger) -> tuple[LearningResult, ...]:
    """What :func:`learn` gives; what keeps it from being learned now is told and raises nothing."""
    taught: tuple[LearningResult, ...] = ()
    try:
        taught = learn(services, person=person, ledger=ledger)
        why = next((str(one.note) for one in taught if one.stopped), "")
    except (EndpointProblem, SandboxUnavailable) as problem:
        why = str(problem)
    if why:
        text = f"not everything is learned from yet: {why}; `evolve learn` goes on"
        services.events.emit(Event(kind="warning", data={"text": text}))
    return taught


def _taught(services: WorkspaceServices, owed: PendingLearning, person: Person, left: Limits) -> LearningResult:
    record = services.stores.runs.episode(owed.episode)
    limits = from_data(Limits, owed.body["limits"])
    blank = LearningResult(run=owed.run, episode=owed.episode, task=record.task, limits=limits)
    if owed.body["policy"] != services.learner.name:
        model = owed.body["model"]
        way = f"evolve learn {owed.run}" + (f" --model {model}" if model is not None else "")
        return replace(blank, note=reason("solved_by_another", policy=owed.body["policy"], command=way), waits=True)
    body = json.loads(services.stores.objects.get(owed.body["input"]))
    try:
        stored = task_of(body)
    except TaskError as missing:  # the package of its kind of environment is not installed
        return replace(blank, note=reason("recorded", text=f"{missing}; {missing.hint}"), waits=True)
    begun = beginning_of(services, services.stores.runs.run(owed.run))
    # "Do it again like that" says nothing without the turns before it.
    given = replace(stored, source=owed.source, earlier=() if begun is None else begun.task.earlier)
    task = with_earlier_runs(services, given, owed.run)
    wishes = services.preferences.in_force(family=task.family, folder=task.folder)[:_MOST_IN_FORCE]
    patch = next((patch for patch in services.folders.list() if patch.run == owed.run), None)
    decision = None if patch is None else PatchDecision(state=patch.state, reason=patch.reason)
    # Whoever is told the answer needs no fact to give it.
    task = replace(task, found="", decision=decision, in_force=tuple(one.description for one in wishes))
    request = RunRequest(task=task, python=owed.body["python"], person=person)
    judging, lessons, limits, note = _worked_out(services, owed, request, given, left)
    blank = replace(blank, limits=limits, shadow=judging.cost)
    stopped = replace(blank, cost=lessons.cost, note=reason("stopped_by_the_person"), stopped=True)
    if lessons.stopped or judging.waits:
        return stopped if lessons.stopped else replace(blank, note=judging.waits, waits=True)
    # An earlier version may have learned from it before it was committed.
    claims, drafts = lessons.claims or record.claims, lessons.drafts or record.drafts
    learned = replace(record, claims=claims, drafts=drafts, cost=record.cost + lessons.cost, found=lessons.found)
    if learned.found is not None and isinstance(request.task.work, FolderWork):
        services.folders.save_change(learned, request.task.work)  # before the states of the folder may go
    try:
        rest = limits.capped_by(left.minus_cost(judging.cost)).minus_cost(lessons.cost)
        kept, proposals, dropped = _keep(services, learned, request, rest, lessons.suggestions)
    except Cancelled:
        return stopped
    report_admission(services, record.episode, kept)
    if services.stores.runs.run(owed.run).state != "open":  # else they go when it is closed
        drop_checkpoints(services.paths.runs / owed.run)
    texts = tuple(dict.fromkeys(claim.text for claim in learned.claims if not claim.is_denied))
    cost = lessons.cost + kept.cost
    told = _told(services, learned)
    told_already = any((texts, kept.skills, proposals, dropped, lessons.unasked))
    nothing = None if told_already else why_nothing(services, learned, lessons)
    taught = replace(blank, learned=texts, told=told, skills=kept.skills, not_kept=kept.refused, cost=cost, note=note)
    taught = replace(taught, proposals=proposals, dropped=dropped, unasked=lessons.unasked, nothing=nothing)
    return replace(taught, found=learned.found, changes=learned.found is not None and bool(request.task.folder))


def _worked_out(
    services: WorkspaceServices, owed: PendingLearning, request: RunRequest, given: Task, left: Limits
) -> tuple[TaskJudging, EpisodeLessons, Limits, Reason | None]:
    """Judges the task, as the person gave it, and then learns from it; or says why nothing could be learned.

    Gives what learning may spend in all as well; ``left`` is what both may spend now.
    """
    judging, lessons, limits = TaskJudging(), EpisodeLessons(), from_data(Limits, owed.body["limits"])
    note: Reason | None = None
    try:
        judging = judge_first(services, owed, replace(request, task=given), left)
        limits, left = limits.capped_by(judging.room), left.minus_cost(judging.cost)
        if judging.stopped:
            lessons = EpisodeLessons(stopped=True)
        elif services.uses_model and _is_spent(limits):
            note = reason("nothing_left_to_learn_with")
        elif not judging.waits:
            lessons = _lessons(services, owed, request, limits, left)
    except Cancelled:
        lessons = EpisodeLessons(stopped=True)
    except UsageError as problem:  # the folder is not there any more, or not as it was
        note = reason("recorded", text=str(problem))
    return judging, lessons, limits, note


def _told(services: WorkspaceServices, learned: EpisodeRecord) -> tuple[str, ...]:
    """What an episode added evidence to, in sentences, as far as enough is known of it."""
    known = services.stores.memory.insight_sentences() if learned.claims else {}
    own = [insight_id(claim.cause, claim.effect, claim.scope) for claim in learned.claims]
    worth = [known[name] for name in dict.fromkeys(own) if name in known and known[name].worth_telling]
    return tuple(one.text for one in sorted(worth, key=lambda one: -one.occurs))


def _is_spent(limits: Limits) -> bool:
    return any(bound is not None and bound <= 0 for bound in (limits.tokens, limits.money, limits.calls))


def _lessons(
    services: WorkspaceServices, owed: PendingLearning, request: RunRequest, limits: Limits, left: Limits
) -> EpisodeLessons:
    """What reflection and distillation say of an episode."""
    record = services.stores.runs.episode(owed.episode)
    used = {item.removeprefix("skill:") for item in record.consumed if item.startswith("skill:")}
    if used - {skill.digest for skill in services.stores.skills.active()}:
        raise UsageError("its answer rests on a skill that is in use no more")
    with ExitStack() as stack:
        place = RunContext(
            run=owed.run, sandbox=stack.enter_context(sandbox_opener_for(services, request)()), events=services.events
        )
        agent = agent_for(services, request, services.workflow, place, partial(past_work, services, owed.run))
        task = services_as_recorded(services, request.task, owed.run, stack)  # its own change is in the folder by now
        lessons = agent.learn(task, record, limits=limits, pairs=owed.body["pairs"], left=left)
        lessons = replace(lessons, drafts=tried_earlier(services, owed.run, lessons.drafts, request))
    hit_failpoint("lessons.before")
    return lessons


def _keep(
    services: WorkspaceServices,
    learned: EpisodeRecord,
    request: RunRequest,
    limits: Limits,
    suggestions: Sequence[Suggestion],
) -> tuple[AdmissionResult, tuple[Preference, ...], Mapping[str, int]]:
    """Keeps everything at once, so that a crash leaves all of it or nothing."""
    # A row that was shown is none that the skill's author did not see.
    own = refusals_of(learned, one_file=environment_kind(request.task.environment).one_file)
    task = replace(request.task, refused=(*request.task.refused, *own))
    keeper = keeper_for(services, learned, task, None if _is_spent(limits) else limits, request.person.cancellation)
    keeper.repair_drafts(learned, task)
    with services.stores.db.transaction():
        services.stores.learn(learned, instruction=task.instruction, source=task.source)
        services.stores.decisions.meet(learned.episode, every_trait(task))
        retire_replaced(services, learned.run)  # before what takes their place is compared with skills in use
        kept = keeper.judge_drafts(learned, task)
        services.preferences.from_answers(learned, choices=asks_model(services, task))
        proposals, dropped = keep_suggestions(services, learned, task, suggestions)
        hit_failpoint("lessons.inside")
    hit_failpoint("lessons.after")
    return kept, proposals, dropped
