"""Puts results, costs, models and paths into the words of a session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from evolve.cli.amounts import spending
from evolve.cli.chat.screen import Screen
from evolve.cli.folder import named_files
from evolve.cli.open_questions import nearest_lines

if TYPE_CHECKING:
    from evolve.workspace import Result


def show_result(screen: Screen, result: Result, *, diff: bool = True, folder: str = "") -> None:
    """The answer, how well it is founded, what was learned, and what it cost.

    Args:
        diff: Show what would change in a folder; not where the person has just seen it.
        folder: Where the files are that an answer in words may name, or "".
    """
    _show_answer(screen, result, diff=diff, folder=folder)
    screen.say(*verdict(result))
    if result.patch is not None and result.patch.protected:
        screen.say("warning", f"protected, so neither counted nor applied: {', '.join(result.patch.protected)}")
    if result.ambiguity is not None:
        first, *others = [json.dumps(value, ensure_ascii=False) for value in result.ambiguity.outputs]
        inputs = ", ".join(json.dumps(value, ensure_ascii=False) for value in result.ambiguity.input)
        screen.say("warning", f"for {inputs} this gives {first}, another short program {others[0]}")
    for line in nearest_lines(result):
        screen.say("nearest", line.strip())
    for skill in result.skills:
        screen.say("learned", f"the skill {skill}: /skills {skill}")
    screen.say("cost", f"{cost(result)}, {result.cost.seconds:.1f} s; run {result.run_id}")


def _show_answer(screen: Screen, result: Result, *, diff: bool, folder: str) -> None:
    """Words with the files they rest on, a difference, or source with the value it gave."""
    if result.words:
        screen.words(result.words)
        files = named_files(result.words, folder)
        if files:
            screen.say("rests on", ", ".join(files))
        return
    if result.answer.startswith("--- ") or result.patch is not None:
        if diff and result.answer:
            screen.diff(result.answer)
    elif result.answer and (result.solved or result.status == "unverified"):
        screen.code(result.answer)
    if result.outcome == "unverified" and result.patch is None:
        screen.say("value", json.dumps(result.value, ensure_ascii=False))


def verdict(result: Result) -> tuple[str, str]:
    """The word and the sentence that say how well an answer is founded."""
    if result.solved:
        return "solved", result.note if result.kind in result.note else f"{result.kind}: {result.note}"
    return result.outcome, result.note


def cost(result: Result) -> str:
    """What a result has cost, without time."""
    return spending(result.cost)


def short_model(model: str) -> str:
    """The name of a model without its address."""
    return ",".join(name.rpartition("#")[2] for name in model.split(","))
