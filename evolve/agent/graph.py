"""An episode as a LangGraph ``StateGraph``::

    recall -> plan -> act -> observe -> judge -> reflect -> distill -> commit
                       ^                  |
                       +------------------+  again, until an answer holds or a bound ends it

A workflow may leave out or add stages; it cannot change this order.
Importing this module imports the graph library, so it is imported where an agent is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from evolve.agent.answer_stages import StageWork, change_answer, doubt_of, note_skipped
from evolve.agent.context import EpisodeContext
from evolve.agent.outcome import should_continue
from evolve.agent.progress import progress_of
from evolve.agent.stage_values import change_and_keep
from evolve.agent.state import AgentState, AgentUpdate, read_steps
from evolve.agent.workflow import MAIN_STAGES, Workflow, skill_of, stage_kind
from evolve.core.episodes import Action, Plan, Step
from evolve.core.events import Event, NoEvents
from evolve.core.extensions import extension_error
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, digest

Stage = Callable[[AgentState, EpisodeContext], AgentUpdate]
"""``stage(state, context)`` gives what it changes, and changes neither."""


def graph_revision(workflow: Workflow) -> str:
    """Identity of the graph's shape: stages, edges and state keys. Knobs do not count."""
    edges = [[edge.source, edge.target, edge.condition] for edge in workflow.edges]
    # Without what came later: an episode that was begun before goes on.
    keys = sorted(AgentState.__annotations__.keys() - {"kept"})
    return digest(canonical_json([list(workflow.stages), edges, keys]))[:16]


def compile_graph(workflow: Workflow) -> CompiledStateGraph[AgentState, EpisodeContext, AgentState, AgentState]:
    """The graph, compiled without a saver; a saver is added per episode with ``copy``.

    It holds nothing of an agent or an episode, so all agents of a process with workflows of one shape share it.
    """
    return _compiled(_Shape(revision=graph_revision(workflow), workflow=workflow))


@dataclass(frozen=True, kw_only=True)
class _Shape:
    """A workflow, equal to every other with the same stages and edges."""

    revision: str
    workflow: Workflow = field(compare=False)


@lru_cache(maxsize=16)
def _compiled(shape: _Shape) -> CompiledStateGraph[AgentState, EpisodeContext, AgentState, AgentState]:
    workflow = shape.workflow
    builder: StateGraph[AgentState, EpisodeContext] = StateGraph(AgentState, context_schema=EpisodeContext)
    for name in workflow.stages:
        builder.add_node(_node_name(name), cast(Any, as_node(name, partial(_run_stage, name))))
    builder.add_edge(START, _node_name(workflow.start))
    for edge in workflow.edges:
        if edge.condition == "always":
            builder.add_edge(_node_name(edge.source), _node_name(edge.target))
    for source, targets in workflow.routes.items():
        path_map = {condition: _node_name(target) for condition, target in targets.items()}
        builder.add_conditional_edges(_node_name(source), cast(Any, _router(source, workflow)), cast(Any, path_map))
    builder.add_edge(workflow.stages[-1], END)
    return builder.compile()


def _run_stage(name: str, state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """What the function of a stage says of this state."""
    if skill_of(name) is not None:
        from evolve.agent.stages.optional.skill import skill

        return skill(state, context, stage=name)
    kind = stage_kind(name)
    if kind is not None and kind.keeps:
        return change_and_keep(state, context, kind)
    if kind is not None and kind.work is not None:
        return change_answer(state, context, name, _checked(name, kind.work))
    module = import_module(f"evolve.agent.stages.{'' if name in MAIN_STAGES else 'optional.'}{name}")
    if hasattr(module, "work"):
        return change_answer(state, context, name, module.work)
    function: Stage = getattr(module, name)
    return function(state, context)


def _checked(stage: str, work: Callable[..., Any]) -> StageWork:
    def checked(context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
        action = work(context, plan, steps)
        if not isinstance(action, Action):
            raise extension_error("stages", stage, f"gave {type(action).__name__} and no action")
        return action

    return checked


def _node_name(stage: str) -> str:
    """The stage's name in the graph; the library keeps the colon for itself."""
    return stage.replace(":", " ")


def as_node(name: str, stage: Stage) -> Callable[[AgentState, Runtime[EpisodeContext]], AgentUpdate]:
    """Wraps a stage for the graph: gives it its context, checks its keys, reports what it did.

    The graph itself drops unknown keys without a word, which would lose data over a typing error.
    """

    point = name.partition(":")[0]

    def node(state: AgentState, runtime: Runtime[EpisodeContext]) -> AgentUpdate:
        context = runtime.context
        context.check()
        hit_failpoint(f"stage.{point}.before")
        reason = context.idle.get(name)
        update = stage(state, context) if reason is None else note_skipped(state, name, reason)
        hit_failpoint(f"stage.{point}.after")
        unknown = set(update) - set(AgentUpdate.__annotations__)
        if unknown:
            raise KeyError(f"stage {name} returned the unknown key {min(unknown)!r}")
        if not isinstance(context.services.events, NoEvents):
            after = cast(AgentState, {**state, **update})
            data = progress_of(name, after, examples=len(context.view.examples))
            context.services.events.emit(
                Event(kind=name, episode=context.identity.episode, step=len(after["steps"]), data=data)
            )
        return update

    node.__name__ = name
    return node


def _router(source: str, workflow: Workflow) -> Callable[[AgentState, Runtime[EpisodeContext]], str]:
    position = workflow.stages.index
    leads_forward = position(workflow.routes[source].get("doubtful", source)) > position(source)

    def route(state: AgentState, runtime: Runtime[EpisodeContext]) -> str:
        steps = read_steps(state)
        if source == "observe":
            # Straight back only where there is nothing to judge.
            observation = steps[-1].observation
            ready = observation is not None and observation.ok
            return "stop" if ready or not should_continue(steps, runtime.context) else "again"
        if source != "judge":
            # A doubt leads back only where another action may follow; else the answer stands as it is.
            doubted = doubt_of(steps[-1].action, source) is not None
            return "doubtful" if doubted and (leads_forward or should_continue(steps, runtime.context)) else "agree"
        return "again" if should_continue(steps, runtime.context) else "stop"

    return route
