"""Wires stages into a LangGraph ``StateGraph``, as a workflow says.

Importing this module imports the graph library, so it is imported where an agent is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from evolve.agent import stages
from evolve.agent.context import EpisodeContext
from evolve.agent.narration import narrate
from evolve.agent.outcome import goes_on
from evolve.agent.state import AgentState, AgentUpdate, read_steps
from evolve.events import Event, NoEvents
from evolve.faults import hit
from evolve.files import canonical_json, digest
from evolve.workflow import Workflow

Stage = Callable[[AgentState, EpisodeContext], AgentUpdate]


def graph_revision(workflow: Workflow) -> str:
    """Identity of the graph's shape: stages, edges and state keys. Knobs do not count."""
    edges = [[edge.source, edge.target, edge.condition] for edge in workflow.edges]
    return digest(canonical_json([list(workflow.stages), edges, sorted(AgentState.__annotations__)]))[:16]


def build_graph(workflow: Workflow) -> StateGraph[AgentState, EpisodeContext]:
    """The uncompiled graph of a workflow."""
    builder: StateGraph[AgentState, EpisodeContext] = StateGraph(AgentState, context_schema=EpisodeContext)
    for name in workflow.stages:
        builder.add_node(name, cast(Any, as_node(name, getattr(stages, name))))
    builder.add_edge(START, workflow.start)
    for edge in workflow.edges:
        if edge.condition == "always":
            builder.add_edge(edge.source, edge.target)
    for source, targets in workflow.routes.items():
        if source in workflow.stages:
            builder.add_conditional_edges(source, cast(Any, _router(source)), cast(Any, dict(targets)))
    builder.add_edge(workflow.stages[-1], END)
    return builder


def compile_graph(workflow: Workflow) -> CompiledStateGraph[AgentState, EpisodeContext, AgentState, AgentState]:
    """The graph, compiled without a saver; a saver is added per episode with ``copy``."""
    return build_graph(workflow).compile()


def as_node(name: str, stage: Stage) -> Callable[[AgentState, Runtime[EpisodeContext]], AgentUpdate]:
    """Wraps a stage for the graph: gives it its context, checks its keys, reports what it did.

    The graph itself drops unknown keys without a word, which would lose data over a typing error.
    """

    def node(state: AgentState, runtime: Runtime[EpisodeContext]) -> AgentUpdate:
        context = runtime.context
        context.check()
        hit(f"stage.{name}.before")
        update = stage(state, context)
        hit(f"stage.{name}.after")
        unknown = set(update) - set(AgentUpdate.__annotations__)
        if unknown:
            raise KeyError(f"stage {name} returned the unknown key {min(unknown)!r}")
        if not isinstance(context.events, NoEvents):
            after = cast(AgentState, {**state, **update})
            context.events.emit(
                Event(kind=name, episode=context.identity.episode, step=len(after["steps"]), data=narrate(name, after))
            )
        return update

    node.__name__ = name
    return node


def _router(source: str) -> Callable[[AgentState, Runtime[EpisodeContext]], str]:
    def route(state: AgentState, runtime: Runtime[EpisodeContext]) -> str:
        steps = read_steps(state)
        if source == "observe":
            # Straight back only where there is nothing to judge.
            seen = steps[-1].observation
            ready = seen is not None and seen.ok
            return "stop" if ready or not goes_on(steps, runtime.context) else "again"
        return "again" if goes_on(steps, runtime.context) else "stop"

    return route
