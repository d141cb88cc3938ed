"""Runs one episode from start, or from where a crash left it, to its record."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from evolve.agent.attended import AttendedEpisode, run_attended
from evolve.agent.context import AgentServices, EpisodeContext, EpisodeKey, EpisodePrefix
from evolve.agent.exploration import Exploration
from evolve.agent.functions import functions_of, with_functions
from evolve.agent.learning_costs import report_failures, set_aside_when_asked, start_within_budget
from evolve.agent.lessons import EpisodeLessons, learn_from_episode
from evolve.agent.outputs import StepOutputs
from evolve.agent.progress import piece_data
from evolve.agent.stages.optional.skill import stage_skills
from evolve.agent.state import AgentState, initial_state, read_steps
from evolve.agent.workflow import Workflow, inapplicable_stages, visit_bounds
from evolve.core.episodes import HELD_OUT, OWN, PROBE, SHADOW, Cost, EpisodeRecord, Exhibit, Limits
from evolve.core.episodes.codec import from_json
from evolve.core.errors import Cancelled, WorkspaceError
from evolve.core.events import Event
from evolve.core.files import canonical_json, digest
from evolve.core.progress import report_activity
from evolve.environments import BaseEnvironment, EnvironmentOptions, environment_kind, open_environment
from evolve.policies.base import MOST_UNCOUNTED, BasePolicy, ReplyDelta

if TYPE_CHECKING:
    from evolve.agent.checkpoints import EpisodeSaver
    from evolve.tasks.model import Task

MOST_SUBMISSIONS = 100
"""Answers that a search may hand in where every refused row becomes an example, however many rows there are."""
_SLACK = 12
"""Steps that LangGraph counts beyond the stages, generously. Its own limit of 10,007 would let a runaway loop go on."""


@dataclass(frozen=True, kw_only=True)
class CounterfactualRun:
    """An episode that is compared with one that a person was answered by.

    Attributes:
        record: Of status ``interrupted`` where it was stopped; then the same call goes on.
        paid: All that was paid for it so far, calls that were stopped included.
        lost: What of that was lost before it went on, by which it had less room.
    """

    record: EpisodeRecord
    paid: Cost
    lost: Cost


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for unreachable objects in a large library that stays: a fifth of a small run would go into it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.freeze()
            gc.enable()


class Agent:
    """Runs episodes of one workflow. The graph is compiled once and serves every episode.

    Args:
        services: What the episodes run with.
        workflow: Stages, routes and knobs.

    Raises:
        WorkspaceError: A stage calls a skill that is not admitted here, or that is no building block.
    """

    def __init__(self, services: AgentServices, workflow: Workflow | None = None) -> None:
        with _uncollected(), report_activity("load", "langgraph"):
            from evolve.agent.graph import compile_graph, graph_revision

        self.services = services
        self.workflow = workflow or Workflow()
        self.revision = graph_revision(self.workflow)
        self._skills = stage_skills(self.workflow, services.skills)
        self._graph = compile_graph(self.workflow)

    def run_episode(
        self,
        task: Task,
        *,
        variant: str,
        split: str,
        seed: int = 0,
        limits: Limits | None = None,
        begun: EpisodePrefix | None = None,
    ) -> EpisodeRecord:
        """Attempts the task once and returns the committed record.

        With checkpoints, an episode that was cut off continues after its last finished stage, and one
        that had finished is not run again. Where a person follows it, it may also pause: the record then has the
        status ``waiting`` or ``interrupted``, is not committed, and the same call goes on.

        Args:
            variant: Digest of the variant that acts, or ``unlearned``.
            split: ``train``, ``gate`` or ``test``, or ``own`` for a person's own task. Where tasks are
                held out (``gate``, ``test``) nothing is learned, and one answer is submitted. An own task is learned
                from by :meth:`learn`, once its outcome was shown.
            limits: Defaults to the workflow's knobs.
            begun: What it repeats of another episode before its policy is asked.

        Raises:
            WorkspaceError: When the episode was begun by another workflow.
        """
        identity = self._identity(task, variant, split, seed)
        with self._opened(task, identity, limits, acts=True) as (context, saver):
            outputs = context.outputs.with_spending(lambda: context.policy.total_cost)
            context = replace(context, later=split == OWN, outputs=outputs, begun=begun or context.begun)
            return self._finish(context, saver)

    def run_shadow(self, task: Task, *, variant: str, seed: int, limits: Limits) -> CounterfactualRun:
        """Attempts the task once more for comparison, with one answer that is judged; nothing is learned from it.

        It can be stopped at any time. What was stopped is done again later, and its own policy is told nothing of it.

        Raises:
            WorkspaceError: When it was begun by another workflow.
        """
        identity = self._identity(task, variant, SHADOW, seed)
        with self._opened(task, identity, limits, own=True) as (context, saver):
            context, asking = set_aside_when_asked(context, 0)
            lost = asking.lost
            context = replace(context, redone=True, limits=context.limits.minus_cost(lost))
            record = self._finish(context, saver)
            return CounterfactualRun(record=record, paid=asking.total() or record.cost, lost=lost)

    def learn(
        self, task: Task, record: EpisodeRecord, *, limits: Limits, pairs: int | None = None, left: Limits | None = None
    ) -> EpisodeLessons:
        """What an episode on record teaches, worked out from its steps; for those of a person's own tasks.

        Nothing is committed. With checkpoints what was paid for is kept in the episode's file, so that the same call
        after a crash pays only for the rest. A person who follows it may have it stopped, or wound down before the next
        thing that is paid for.

        Args:
            limits: What this may spend, in earlier calls too.
            pairs: Most claims that a policy which asks a model tries by asking the task again; None for all.
            left: What this call may spend, where that may be less than what is left of ``limits``.
        """
        who = record.variant, record.split, record.seed
        with self._opened(task, self._identity(task, *who), limits) as (context, _):
            if pairs is not None:
                context = replace(context, policy=context.policy.with_claim_trials(pairs))
            context, asking = set_aside_when_asked(context, len(record.steps))
            rest = limits.minus_cost(asking.paid)
            context.policy.start_budget(rest if left is None else rest.capped_by(left))
            try:
                lessons = learn_from_episode(record, self.revision, context)
            except Cancelled:
                return EpisodeLessons(stopped=True, cost=asking.total())
            return replace(lessons, cost=lessons.cost + asking.lost)

    @contextmanager
    def _opened(
        self, task: Task, identity: EpisodeKey, limits: Limits | None, *, own: bool = False, acts: bool = False
    ) -> Iterator[tuple[EpisodeContext, EpisodeSaver | None]]:
        """The context of one episode with its file, closed afterwards.

        Args:
            own: In an environment as a person's own run has, whatever the split.
            acts: Actions are chosen and run, so that there are functions to call.
        """
        services, knobs = self.services, self.workflow.knobs
        folder = None if services.checkpoints is None else services.checkpoints / identity.episode
        policy, own = services.policy, own or identity.split == OWN
        # The policy's skills, which exploratory code and code in a folder can import.
        modules = policy.session_files()
        setting = EnvironmentOptions(
            sandbox=services.sandbox,
            folder=folder,
            branches=knobs.branches,
            exploring=knobs.exploring,
            modules=modules,
            clean=services.scanner.redact_text,
            judge=services.judge,
            own=own,
        )
        with ExitStack() as stack:
            source = environment_kind(task.environment).source(task)
            stack.enter_context(nullcontext() if source is None else closing(source))
            gate = functions_of(services.toolbox, folder, services.scanner, source)
            recorded = stack.enter_context(nullcontext() if identity.split == SHADOW else gate)
            calls = recorded if acts else None
            # Lessons run code of the episode once more, with the answers that it had.
            answers = calls if recorded is None or acts else recorded.of_record()
            setting = replace(setting, calls=calls, source=source)
            environment = stack.enter_context(closing(open_environment(task, setting)))
            exploration = Exploration(sandbox=services.sandbox, files=modules, calls=answers)
            stack.callback(exploration.close)
            saver = stack.enter_context(self._saver(identity.episode))
            context = replace(self._context(task, identity, limits, environment), exploration=exploration, calls=calls)
            context = with_functions(context, source)
            if saver is not None:
                context = replace(context, outputs=StepOutputs(identity.episode, saver.cursor))
            yield _looked(context), saver

    def _identity(self, task: Task, variant: str, split: str, seed: int) -> EpisodeKey:
        services = self.services
        return EpisodeKey(
            episode=episode_id(services.run, task, variant, seed),
            run=services.run,
            suite=services.suite,
            group=task.group,
            split=split,
            variant=variant,
            seed=seed,
        )

    def _context(
        self, task: Task, identity: EpisodeKey, limits: Limits | None, environment: BaseEnvironment
    ) -> EpisodeContext:
        services, knobs = self.services, self.workflow.knobs
        policy, own = self._policy(identity.episode), identity.split == OWN
        submissions = knobs.submissions if own or identity.split == "train" else 1
        if own and policy.learns_from_refusals:
            # Every refused row is one more example: the rows alone bound how often it may hand in.
            submissions = min(len(task.verify_rows()) + 1, MOST_SUBMISSIONS)
        bounds = limits or Limits(candidates=knobs.candidates, seconds=knobs.seconds)
        if limits is None and policy.spends:
            bounds = Limits(candidates=None, seconds=None, tokens=knobs.tokens)
        return EpisodeContext(
            identity=identity,
            view=replace(
                task.view(),
                files=tuple(map(str, environment.reset().outputs)),
                unseen=len(task.verify_rows()) if own else 0,
                today=services.today,
                past=services.has_past,
            ),
            environment=environment,
            policy=policy,
            services=services,
            limits=replace(bounds, submissions=submissions),
            knobs=knobs,
            learns=identity.split not in HELD_OUT | {PROBE},
            attendance=None if services.checkpoints is None else services.attendance,
            stages=self.workflow.stages,
            idle=inapplicable_stages(
                self.workflow,
                policy=services.policy.name,
                environment=environment.name,
                one_file=environment_kind(environment.name).one_file,
            ),
            skills=self._skills,
        )

    def _policy(self, episode: str) -> BasePolicy:
        """The policy, which a person who follows the episode can stop and watch."""
        policy, person = self.services.policy, self.services.attendance
        if person is None:
            return policy
        live = person.live

        def tell(piece: ReplyDelta) -> None:
            if live is not None:
                live.emit(Event(kind="text", episode=episode, data=piece_data(piece)))

        return policy.with_supervision(person.cancellation, tell if live is not None else None)

    def _finish(self, context: EpisodeContext, saver: EpisodeSaver | None) -> EpisodeRecord:
        # A refusal that shows a row and a further draw count as no step, see ``EpisodeContext.count_steps``.
        steps, visits = self.workflow.knobs.steps, sum(visit_bounds(self.workflow).values())
        more = context.limits.submissions + MOST_UNCOUNTED
        config: dict[str, Any] = {"recursion_limit": _SLACK + visits + visits * more // steps + 1}
        initial = initial_state(self.revision)
        if saver is None:
            start_within_budget(context, initial)
            return _record(cast(Any, self._graph).invoke(initial, config, context=context))
        # Only the episode's id goes into the configuration, because LangGraph writes all of that to the file, in clear.
        config["configurable"] = {"thread_id": context.identity.episode}
        graph = cast(Any, self._graph.copy({"checkpointer": saver}))
        saved = graph.get_state(config)
        # LangGraph calls a thread finished, without an error, whose next node has another name by now.
        if saved.values and saved.values.get("graph_rev") != self.revision:
            raise WorkspaceError(
                f"episode {context.identity.episode} was begun by another workflow and cannot be continued by this one",
                hint=f"restore the workflow, or remove {self.services.checkpoints} and start again",
            )
        # Not "no stage is next": that also holds between a stage's writes and the checkpoint after it.
        if saved.values.get("record"):
            return _record(saved.values)
        if context.calls is not None and saved.values:
            from evolve.agent.offered_functions import refuse_lost_calls

            refuse_lost_calls(context.calls, read_steps(cast(AgentState, saved.values)))
        start_within_budget(context, cast(AgentState, saved.values or initial))
        with report_failures(context, lambda: cast(AgentState, graph.get_state(config).values or initial)):
            if context.attendance is not None:
                talk = AttendedEpisode(graph=graph, config=config, context=context, person=context.attendance)
                return run_attended(talk, initial)
            begun = None if saved.values else initial
            return _record(graph.invoke(begun, config, context=context, durability="sync"))

    @contextmanager
    def _saver(self, episode: str) -> Iterator[EpisodeSaver | None]:
        folder = self.services.checkpoints
        if folder is None:
            yield None
            return
        from evolve.agent.checkpoints import open_saver

        with open_saver(folder / episode / "checkpoint.db") as saver:
            yield saver


@dataclass(frozen=True, kw_only=True)
class _Look:
    # A key of the JSON in episodes' files, as the fields of every class given to ``outputs.compute_once`` are.
    seen: tuple[Exhibit, ...] = ()


def _looked(context: EpisodeContext) -> EpisodeContext:
    """With what there is to see at the start, for a policy that reads; it stays the same after a crash."""
    if context.policy.spends:
        look = context.outputs.compute_once(
            (0, "reset", "look"), _Look, lambda: _Look(seen=context.environment.initial_view())
        )
        return replace(context, view=replace(context.view, seen=look.seen))
    return context


def _record(state: Mapping[str, Any]) -> EpisodeRecord:
    return from_json(EpisodeRecord, state["record"])


def remaining_room(workflow: Workflow, environment: str) -> Workflow:
    """The workflow with the room that episodes in this kind of environment need at least."""
    return workflow.with_room((kind := environment_kind(environment)).least_steps, kind.least_tokens)


def episode_id(run: str, task: Task, variant: str, seed: int) -> str:
    """The episode's id: the same attempt of the same run always has the same one."""
    return digest(canonical_json([run, task.id, task.group, variant, seed]))[:20]
