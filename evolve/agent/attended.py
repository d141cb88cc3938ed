"""Runs an episode that a person follows: asks them for leave and for answers, and pauses while they are away."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, cast

from evolve.agent.context import EpisodeContext, Supervision
from evolve.agent.progress import question_data
from evolve.agent.stages.commit import make_record
from evolve.agent.state import AgentState
from evolve.core.episodes import EpisodeRecord, Question, Respond
from evolve.core.episodes.codec import from_json, to_json
from evolve.core.errors import Cancelled, UsageError
from evolve.core.events import Event

YES = "yes"
"""The answer that gives leave; any other words refuse, and are the reason."""


class _State(TypedDict):
    # The name is in the files of questions that still wait; another would lose their answers.
    said: str


@dataclass(frozen=True, kw_only=True)
class ApprovalRequest:
    """Something that needs leave.

    Attributes:
        question: What the person is asked.
        effect: Does it; called again after a crash, so it must bear that.
        refused: Notes that the person refused, and why; called again after a crash too.
    """

    question: Question
    effect: Callable[[], object]
    refused: Callable[[str], object]


def is_approval(answer: str) -> bool:
    """Whether an answer gives leave."""
    return answer.strip().lower() in (YES, "y")


def ask_approval(approval: ApprovalRequest, folder: Path, respond: Respond | None) -> str | None:
    """Asks for leave and acts on the answer.

    Args:
        folder: Where the graph keeps that it waits.
        respond: Asks the person.

    Returns:
        What the person said; None where nobody answered, and it waits.
    """
    from langgraph.types import Command

    from evolve.agent.checkpoints import open_saver

    with open_saver(folder / "checkpoint.db") as saver:
        graph, config = _graph(approval, saver), {"configurable": {"thread_id": approval.question.id}}
        saved = graph.get_state(config)
        try:
            if not saved.interrupts:
                graph.invoke(None if saved.values else {"said": ""}, config, durability="sync")
            while graph.get_state(config).interrupts:
                reply = respond(approval.question) if respond is not None else None
                if reply is None:
                    return None
                # As ASCII JSON, because a checkpoint does not keep every text that a person can type (see ``codec``).
                graph.invoke(Command(resume=json.dumps({"text": reply})), config, durability="sync")
        except UsageError:
            saver.delete_thread(approval.question.id)  # it could not be done, so the leave was for nothing
            raise
        return str(graph.get_state(config).values["said"])


def _graph(approval: ApprovalRequest, saver: Any) -> Any:
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import interrupt

    def approve(state: _State) -> _State:
        return _State(said=json.loads(interrupt(to_json(approval.question)))["text"])

    def act(state: _State) -> dict[str, str]:
        if is_approval(state["said"]):
            approval.effect()
        else:
            approval.refused(state["said"])
        return {}

    # The effect has a node of its own, since the graph runs a node that was interrupted again from its first line.
    builder: Any = StateGraph(cast(Any, _State))
    builder.add_node("approve", approve)
    builder.add_node("act", act)
    builder.add_edge(START, "approve")
    builder.add_edge("approve", "act")
    builder.add_edge("act", END)
    return builder.compile(checkpointer=saver)


@dataclass(frozen=True, kw_only=True)
class AttendedEpisode:
    """One episode's compiled graph with its file, and the person.

    Attributes:
        graph: A LangGraph graph with a saver.
        config: Names the episode's thread in it.
    """

    graph: Any
    config: Mapping[str, Any]
    context: EpisodeContext
    person: Supervision

    def go_on(self, graph_input: object) -> None:
        """Runs until the end, or until a stage waits for a person."""
        # The context is in no checkpoint, so it is handed over each time. By default checkpoints are written later than
        # the next stage starts, and a kill would run a finished stage again.
        self.graph.invoke(graph_input, self.config, context=self.context, durability="sync")

    def state(self) -> AgentState | None:
        """What is in the file; None before the first checkpoint."""
        values = self.graph.get_state(self.config).values
        return cast(AgentState, values) if values else None

    def question(self) -> Question | None:
        """What a stage waits for, or None."""
        waiting = self.graph.get_state(self.config).interrupts
        return from_json(Question, waiting[0].value) if waiting else None


def run_attended(talk: AttendedEpisode, initial: AgentState) -> EpisodeRecord:
    """The episode's record; that of a pause where it could not go on to its end.

    A stage that waits is gone on from with the answer, in this process or, from its checkpoint, in a later one.
    """
    from langgraph.types import Command

    context = talk.context
    try:
        question = talk.question()
        # A new input to a thread that waits makes LangGraph drop the question without a word and start over.
        if question is None:
            talk.go_on(initial if talk.state() is None else None)
            question = talk.question()
        while question is not None:
            current = talk.state() or initial
            number = len(current["steps"])
            context.services.events.emit(
                Event(kind="question", episode=context.identity.episode, step=number, data=question_data(question))
            )
            withdrawn = question.id in talk.person.withdrawn
            reply = talk.person.respond(question) if talk.person.respond is not None and not withdrawn else None
            if reply is None and not withdrawn:
                return make_record(current, context, ("waiting", f"waits for an answer: {question.text}"))
            talk.go_on(Command(resume=json.dumps({"text": reply})))
            question = talk.question()
    except Cancelled:
        return make_record(talk.state() or initial, context, ("interrupted", "the person stopped it"))
    state = talk.state() or initial
    return from_json(EpisodeRecord, state["record"])
