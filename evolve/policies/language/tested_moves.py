"""How a prompt tells what replays showed of a world: a short block, with the things of this variation put in."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.episodes import MOVE, Recalled, TaskView
from evolve.memory.experiments import filled_in, score_in
from evolve.models import Message
from evolve.policies.language.quoting import quoted

_HEAD = (
    "Tested by playing variations of this task again, with and without single moves; where a thing has another name"
    " here, take what plays its part:\n"
)


def is_tested_move(item: Recalled) -> bool:
    """Whether an item is a claim on a move."""
    return item.cause.startswith(MOVE)


def tested_message(items: Sequence[Recalled], view: TaskView) -> list[Message]:
    """What is needed, in the order of the plan, what did not matter, and what loses the trial."""
    goal = next((part.text for part in view.seen if part.name == "goal"), view.instruction)
    told: dict[str, list[tuple[str, Recalled]]] = {"necessary": [], "no_effect": [], "prevents": []}
    for item in filter(is_tested_move, items):
        if item.relation in told:
            move = filled_in(item.cause.removeprefix(MOVE), goal)
            answer = f"{move} (as the answer to the question which one was meant)" if move.isdecimal() else move
            told[item.relation].append((answer, item))
    lines = []
    if told["necessary"]:
        lines.append("needed, in this order, some of them more than once:")
        lines += [
            f"- {move} (without it {score_in(item.effect)} points of 100 are not reached; {item.provenance})"
            for move, item in told["necessary"]
        ]
    if told["no_effect"]:
        spare = "; ".join(dict.fromkeys(move for move, _ in told["no_effect"]))
        lines.append(f"did not matter for the score (what it tells may): {spare}")
    if told["prevents"]:
        lines.append("loses the trial:")
        lines += [f"- {move} ({item.provenance})" for move, item in told["prevents"]]
    text = _HEAD + quoted("tested", "\n".join(lines))
    return [Message(role="user", text=text, priority=60, kind="insight")] if lines else []
