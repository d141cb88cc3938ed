"""What the rows leave open, put to the person once the function that fits them was shown.

The function is kept whatever they answer: an empty line or a command leaves the question, and a value that no function
gives, or that is none of the few values so far, is asked back before it counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evolve.cli.asking import parse_choice
from evolve.cli.render.reasons import values_text
from evolve.core.errors import BudgetExhausted, TaskError

if TYPE_CHECKING:
    from evolve.workspace import OutlierRow, Result, Task

MOST = 3
"""Most questions about one function."""
FEW = 8
"""Most different values that are a choice: a further one among so few is more likely a slip than a value."""
YES = ("y", "yes")


@dataclass(frozen=True, kw_only=True)
class QuestionView:
    """How a face talks about what is open.

    Attributes:
        tell: Says some lines that belong together.
        ask: Puts a question; None where nobody answers.
        again: Solves the task as it is by now.
        show: Shows a result that takes the place of the one before.
    """

    tell: Callable[[str], None]
    ask: Callable[[str], str | None]
    again: Callable[[Task], Result]
    show: Callable[[Result], None]


def settle(task: Task, result: Result, talk: QuestionView) -> tuple[Result, str]:
    """Asks about a row that does not fit and about inputs on which functions differ, until nothing is open.

    Gives the result by then, and the command that was typed in place of an answer, or "".
    """
    for _ in range(MOST):
        # A row that does not fit first: what follows from it changes what is open.
        about_row = bool(result.misfits) and result.solved
        if not about_row and result.ambiguity is None:
            break
        reply = _row_reply(result, talk) if about_row else _value_reply(task, result, talk)
        if reply.startswith("/"):
            return result, reply
        doubt = "" if about_row else _doubt(task, result, reply)
        if doubt and not _is_insisted(doubt, talk):
            break
        changed = _with_row(task, result, reply) if about_row else _with_value(task, result, reply, talk)
        if changed is None:
            break
        try:
            new = talk.again(changed)
        except BudgetExhausted as ended:
            talk.tell(f"{ended}; evolve keeps the function that you see")
            break
        if new.status == "interrupted":
            break
        unasked = not about_row and not doubt
        if unasked and not _fits(new, changed) and not _is_insisted("evolve found no function that gives that", talk):
            break
        task, result = changed, new
        talk.show(result)
    return result, ""


def _row_reply(result: Result, talk: QuestionView) -> str:
    """What the person says of the row that does not fit."""
    misfit = result.misfits[0]
    gives, says = values_text(misfit.expected), values_text(misfit.given)
    talk.tell(
        f"one row does not fit: your row for {values_text(*misfit.input)} says {says}, the function gives {gives}:\n"
        f"1  {gives} is right, the row is mistyped\n2  {says} is right, as the row says"
    )
    return (talk.ask("which is right (a number, or Enter to leave it open)? ") or "").strip()


def _with_row(task: Task, result: Result, reply: str) -> Task | None:
    """The task with the row put right; None where the row stays."""
    from evolve.workspace import tasks

    misfit: OutlierRow = result.misfits[0]
    return tasks.with_correction(task, misfit.input, misfit.expected) if reply == "1" else None


def _value_reply(task: Task, result: Result, talk: QuestionView) -> str:
    """Which value the person says is right; what can be no value is told, and asked for once more."""
    assert result.ambiguity is not None
    outputs = result.ambiguity.outputs
    options = "\n".join(f"{number}  {values_text(value)}" for number, value in enumerate(outputs, 1))
    talk.tell(f"your rows do not say what {values_text(*result.told_inputs(result.ambiguity.input))} gives:\n{options}")
    while True:
        reply = (talk.ask("which is right (a number, another value, or Enter to leave it open)? ") or "").strip()
        slip = _slip(reply, _values_so_far(task, result), len(outputs))
        if not slip:
            return reply
        talk.tell(slip)


def _values_so_far(task: Task, result: Result) -> list[Any]:
    assert result.ambiguity is not None
    return [*(example.output for example in task.examples), *result.ambiguity.outputs]


def _slip(reply: str, values: list[Any], choices: int) -> str:
    """Why a reply is no value at all, or ""."""
    if not all(isinstance(value, str) for value in values):
        numbered = False  # a number beyond the choices is a value where numbers are wanted
    else:
        numbered = reply.isdecimal() and not 1 <= int(reply) <= choices and not any(map(str.isdecimal, values))
    if numbered:
        return f'type 1 to {choices}, or "{reply}" for the text {reply}'
    arrows = re.compile(r"\s(->|=>|→)\s")
    if arrows.search(reply) and not any(isinstance(value, str) and arrows.search(value) for value in values):
        return f"{reply!r} is a whole row; type only its output"
    return ""


def _doubt(task: Task, result: Result, reply: str) -> str:
    """Why a value is asked back before it counts, or "": all so far were a few texts, and it is none of them."""
    assert result.ambiguity is not None
    chosen = parse_choice(reply, result.ambiguity.outputs)
    values = _values_so_far(task, result)
    if chosen is None or chosen[0] in values or not all(isinstance(value, str) for value in values):
        return ""
    known = list(dict.fromkeys(values))
    if len(known) > FEW or len(known) >= len(task.examples):
        return ""
    return f"{chosen[0]!r} is not among the values so far ({', '.join(known)})"


def _with_value(task: Task, result: Result, reply: str, talk: QuestionView) -> Task | None:
    """The task with the value as one more row; None where there is none."""
    from evolve.workspace import tasks

    assert result.ambiguity is not None
    chosen = parse_choice(reply, result.ambiguity.outputs)
    if chosen is None:
        return None
    try:
        return tasks.with_answer(task, result.ambiguity.input, chosen[0])
    except TaskError as error:
        talk.tell(str(error))
        return None


def _fits(result: Result, task: Task) -> bool:
    """Whether a function was found that gives the value of the last example, too."""
    return result.solved and task.examples[-1].input not in [misfit.input for misfit in result.misfits]


def _is_insisted(doubt: str, talk: QuestionView) -> bool:
    reply = talk.ask(f"{doubt}; is it right? [y] keeps it as a new row, Enter drops it ") or ""
    return reply.strip().lower() in YES
