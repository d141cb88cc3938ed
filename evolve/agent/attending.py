"""Drives an episode that a person follows: asks what it waits for, and pauses where they are away or say stop."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from evolve.agent.codec import from_json
from evolve.agent.context import Attendance, EpisodeContext
from evolve.agent.narration import asked
from evolve.agent.stages.commit import make_record
from evolve.agent.state import AgentState
from evolve.episodes import EpisodeRecord, Question
from evolve.errors import Cancelled
from evolve.events import Event


@dataclass(frozen=True, kw_only=True)
class Talk:
    """One episode's compiled graph with its file, and the person.

    Attributes:
        graph: A LangGraph graph with a saver.
        config: Names the episode's thread in it.
    """

    graph: Any
    config: Mapping[str, Any]
    context: EpisodeContext
    person: Attendance

    def go_on(self, given: object) -> None:
        """Runs until the end, or until a stage waits for a person."""
        self.graph.invoke(given, self.config, context=self.context, durability="sync")

    def state(self) -> AgentState | None:
        """What is in the file; None before the first checkpoint."""
        values = self.graph.get_state(self.config).values
        return cast(AgentState, values) if values else None

    def question(self) -> Question | None:
        """What a stage waits for, or None."""
        waiting = self.graph.get_state(self.config).interrupts
        return from_json(Question, waiting[0].value) if waiting else None


def attended(talk: Talk, begun: AgentState) -> EpisodeRecord:
    """The episode's record; that of a pause where it could not go on to its end.

    A stage that waits is gone on from with the answer, in this process or, from its checkpoint, in a later one.
    """
    from langgraph.types import Command

    context = talk.context
    try:
        question = talk.question()
        if question is None:  # a new input would make a waiting stage forget what it waits for
            talk.go_on(begun if talk.state() is None else None)
            question = talk.question()
        while question is not None:
            kept = talk.state() or begun
            number = len(kept["steps"])
            context.events.emit(
                Event(kind="question", episode=context.identity.episode, step=number, data=asked(question))
            )
            gone = question.id in talk.person.withdrawn
            reply = talk.person.respond(question) if talk.person.respond is not None and not gone else None
            if reply is None and not gone:
                return make_record(kept, context, ("waiting", f"waits for an answer: {question.text}"))
            talk.go_on(Command(resume=json.dumps({"text": reply})))
            question = talk.question()
    except Cancelled:
        return make_record(talk.state() or begun, context, ("interrupted", "the person stopped it"))
    state = talk.state() or begun
    return from_json(EpisodeRecord, state["record"])
