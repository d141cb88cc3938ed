"""Asks a person for leave before one effect that is hard to undo; the wait may last across processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, cast

from evolve.core.episodes import Question, Respond
from evolve.core.episodes.codec import to_json
from evolve.core.errors import UsageError

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


def gives_leave(answer: str) -> bool:
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
        if gives_leave(state["said"]):
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
