"""Runs an episode that a person follows: puts its questions to them, and pauses while they are away or say stop."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from evolve.agent.context import EpisodeContext, Supervision
from evolve.agent.progress import question_data
from evolve.agent.stages.commit import make_record
from evolve.agent.state import AgentState
from evolve.core.episodes import EpisodeRecord, Question
from evolve.core.episodes.codec import from_json
from evolve.core.errors import Cancelled
from evolve.core.events import Event


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
            context.events.emit(
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
