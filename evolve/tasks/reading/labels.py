"""What a task says of a table's columns by their labels: names of arguments, and what is wanted in words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence

from evolve.tasks.signature import argument_name, is_plain_name

_LAST_COLUMN = "Give the last column from the others."
_BEHIND_ROWS = "Find the function behind the rows of"
_WORD = re.compile(r"[^\W_]+")
_OF_ANY_TASK_TEXT = """
a all an and answer answers any as below by can code complete compute correct corresponding data define determine
do does each every example examples expected find fit fits following for from function functions general give
given gives i implement in infer input inputs is it its learn made make makes map mapping maps match matches me
my of on one out output outputs pair pairs please predict produce produces program python pattern result results
return returns right row rows rule rules same shown so solve such takes task test tests that the them then these
they this those to transform transformation transforms turn turns use value values what which with works write
you your
"""
_OF_ANY_TASK = frozenset(_OF_ANY_TASK_TEXT.split())
"""Words that say what a task is, and not what it is about."""
_WANTED = re.compile(r"Give (.+?) from ")
_LISTED = re.compile(r"Give (.+?) from (.+)\.")
_FULL_STOP = re.compile(r"(?<=\w)\.(?=\s|\Z)")
_LABEL = re.compile(r"[\w-]+(?: [\w-]+){0,3}\Z")


def argument_names(labels: Sequence[str]) -> list[str]:
    """A parameter name for each column, all of them different."""
    names: dict[str, None] = {}
    numbers: dict[str, Iterator[int]] = {}
    for position, label in enumerate(labels, start=1):
        base = name = argument_name(label if is_plain_name(label) else "", position)
        while name in names:
            name = f"{base}_{next(numbers.setdefault(base, itertools.count(2)))}"
        names[name] = None
    return list(names)


def instruction_of(labels: Sequence[str]) -> str:
    """What is wanted: the column of the last label from the others, which are named where each can be.

    A full stop, as in "No.", is left out: it would end the sentence.
    """
    *inputs, output = [_FULL_STOP.sub("", label) for label in labels]
    if not _is_plain(output):
        return _LAST_COLUMN
    if not all(map(_is_plain, inputs)):
        return f"Give {output} from the others."
    listed = inputs[0] if len(inputs) == 1 else ", ".join(inputs[:-1]) + " and " + inputs[-1]
    return f"Give {output} from {listed}."


def wanted_label(told: str) -> str:
    """The column that a sentence such as "Give Gross from Net." is about; "" where it names none."""
    line = " ".join(told.split())
    said = None if line.startswith(_LAST_COLUMN) else _WANTED.match(line)
    return said[1] if said else ""


def instruction_from(instruction: str, places: Collection[int], width: int) -> str:
    """The instruction with those of its input columns alone that a function reads; as it is where it lists none.

    Args:
        places: Positions of these among the columns.
        width: How many columns there are.
    """
    said = listed_labels(instruction)
    if said is None or len(said[1]) != width or not places:
        return instruction
    return instruction_of([*(said[1][place] for place in sorted(places)), said[0]])


def listed_labels(instruction: str) -> tuple[str, list[str]] | None:
    """The column that a sentence such as "Give Gross from Net and Rate." wants, and those it names; None for others."""
    said = _LISTED.fullmatch(" ".join(instruction.split()))
    return None if said is None else (said[1], re.split(r", | and ", said[2]))


def labels_after_rows(name: str) -> str:
    """What is wanted where nothing is told but rows."""
    return f"{_BEHIND_ROWS} {name}."


def is_uninformative(instruction: str) -> bool:
    """Whether an instruction would be the same for any rows, so that two tasks with it need not be alike.

    Such as "Find the function that gives the output for every input.": it has no word of what the function does.
    """
    if instruction == _LAST_COLUMN or instruction.startswith(_BEHIND_ROWS):
        return True
    return all(word in _OF_ANY_TASK for word in _WORD.findall(instruction.casefold()))


def _is_plain(label: str) -> bool:
    """Whether a label can stand in an instruction: a file may come from anybody, and a long one could be an order."""
    return is_plain_name(label) and bool(_LABEL.match(label))
