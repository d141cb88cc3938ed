"""How a prompt tells what replays showed of a world: a short block, with the things of this variation put in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evolve.core.episodes import MOVE, Recalled, Relation, TaskView
from evolve.environments import PromptPart
from evolve_worlds.experiments import THEN, filled_in, score_in

_HEAD = "Tested by making moves of earlier trials again in the world, with and without single ones:\n"


def recounted(items: Sequence[Recalled], view: TaskView) -> Sequence[PromptPart]:
    """The plan of this variation, examples from others, what did not matter, and what loses the trial."""
    goal = view.goal
    told: dict[Relation, list[Recalled]] = {"sufficient": [], "no_effect": [], "prevents": []}
    for item in items:
        for relation in told.keys() & {item.relation}:
            told[relation].append(item)
    examples = [item for item in told["sufficient"] if item.goal]
    lines = [line for item in told["sufficient"] if not item.goal for line in _plan(item)]
    if examples:
        lines.append("examples from other variations, where things, places and the right answer may differ from here:")
        lines += [line for item in examples for line in _example(item)]
    if told["no_effect"]:
        spare = "; ".join(dict.fromkeys(filled_in(_move(item), goal) for item in told["no_effect"]))
        lines.append(
            f"made no difference to the score, some because they did nothing (what they tell may help): {spare}"
        )
    if told["prevents"]:
        lines.append("lost the trial where it was made, in these variations (it may have been too early there):")
        lines += [f"- {filled_in(_move(item), goal)} ({item.provenance})" for item in told["prevents"]]
    return (PromptPart(text=_HEAD), PromptPart(text="\n".join(lines), name="tested")) if lines else ()


def _plan(item: Recalled) -> Iterator[str]:
    """The moves one below the other, as they were typed; numbers that answer a question are moves too."""
    points = score_in(item.effect)
    done = "the task was done" if points == "100" else "nothing better is known; what else is needed was not found"
    yield f"these moves, in this order and from where your trial began, gave {points} points of 100 ({done}):"
    yield from (f"{number}. {move}" for number, move in enumerate(_move(item).split(THEN), 1))
    yield f"({item.provenance})"


def _example(item: Recalled) -> Iterator[str]:
    """One line of moves, since they are there to be learned from and not to be followed."""
    yield f"- goal: {item.goal}"
    yield f"  moves: {item.way or '; '.join(_move(item).split(THEN))}"
    points = int(score_in(item.effect))
    told = ["the task was done" if points == 100 else f"it gave {points / 100:.2f}; nothing better is known"]
    if "[" in item.way:
        told.append("without what stands in [] a replay came to the same, as a guess may: it can be how this was found")
    yield f"  ({'; '.join(told)})"


def _move(item: Recalled) -> str:
    return item.cause.removeprefix(MOVE)
