"""Puts results, costs and models into the words of a session, and what its last function gives on what is typed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from evolve.cli.chat.reading import read
from evolve.cli.chat.screen import Screen
from evolve.cli.chat.setup import ChatSetup
from evolve.cli.folder import named_files
from evolve.cli.render.episodes import untouched_files
from evolve.cli.render.layout import cost_line
from evolve.cli.render.memory import used_lines
from evolve.cli.render.output import shorten_line
from evolve.cli.render.verdicts import earlier_line, nearest_lines, open_line, verdict_line

if TYPE_CHECKING:
    from evolve.workspace import ChatTurn, Result


def show_result(screen: Screen, result: Result, *, diff: bool = True, folder: str = "") -> None:
    """The answer, how sure it is, what was learned, and what it cost.

    Args:
        diff: Show what would change in a folder; not where the person has just seen it.
        folder: Where the files are that an answer in words may name, or "".
    """
    _show_answer(screen, result, diff=diff, folder=folder)
    if left := untouched_files(result.patch):
        screen.print_line("not part", left.removeprefix("not part of it: "))
    if result.closing and result.patch is not None:
        screen.print_line("model", shorten_line(result.closing, 600))
    told = verdict_line(result)
    screen.print_line(told.word, told.why)
    if earlier := earlier_line(result):
        screen.print_line("earlier", earlier)
    if left_open := open_line(result):
        screen.print_line(*left_open.split(": ", 1))
    for line in nearest_lines(result):
        screen.print_line("nearest", line.strip())
    for line in used_lines(result):
        screen.print_line(*line.split(" ", 1))
    for skill in result.skills:
        screen.print_line("learned", f"the skill {skill}: /skills {skill}")
    screen.print_line("cost", cost_line(result))


def _show_answer(screen: Screen, result: Result, *, diff: bool, folder: str) -> None:
    """Words with the files they rest on, a difference, or source with the value it gave."""
    if result.words:
        screen.print_text(result.words)
        files = named_files(result.words, folder)
        if files:
            screen.print_line("rests on", ", ".join(files))
        return
    if result.answer.startswith("--- ") or result.patch is not None:
        if diff and (text := diff_of(result)):
            screen.diff(text)
    elif result.answer and (result.solved or result.status == "unverified"):
        screen.code(result.answer)
    if result.outcome == "unverified" and result.patch is None:
        screen.print_line("value", json.dumps(result.value, ensure_ascii=False))


def diff_of(result: Result) -> str:
    """What of a result leave can be given for, as it is shown."""
    return result.answer if result.patch is None else result.patch.diff


def short_model(model: str) -> str:
    """The name of a model without its address."""
    return ",".join(name.rpartition("#")[2] for name in model.split(","))


def try_last_function(turns: Sequence[ChatTurn], text: str, screen: Screen, setup: ChatSetup) -> int | None:
    """Shows what the last function of the turns gives on arguments as they are typed, and gives the exit code.

    None where there is no function.

    Raises:
        UsageError: The arguments are not as many as it takes.
    """
    turn = next((turn for turn in reversed(turns) if is_function(turn)), None)
    if turn is None:
        return None
    from evolve.workspace import sandbox

    with screen.show_working("trying"):
        outcome = sandbox(setup.workspace, setup.settings.get("sandbox")).call(turn.answer, text)
    if outcome.ok:
        value = outcome.value
        screen.print_line("gives", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    else:
        screen.print_line("error", f"the function fails here: {outcome.error}")
    return 0 if outcome.ok else 1


def is_function(turn: ChatTurn) -> bool:
    """Whether a turn ended with a function that was found from rows."""
    return (
        turn.status == "solved" and bool(turn.answer) and not turn.words and read(turn.asked).kind in ("rows", "named")
    )
