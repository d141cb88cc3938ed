"""What a new skill is called: by labels of columns, by whoever describes it, or by words of its task."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evolve.core.episodes import TaskView
from evolve.skills.naming import name_of
from evolve.tasks.reading.labels import is_uninformative, listed_labels

_FEWEST, _MOST = 2, 5
_LITTLE_TEXT = """
a an and are as at be by do each every everything example examples explains find for function gives given has have in
input is it its of on one only or output so that the their them then there these this those to which with behind rows
"""
_LITTLE = frozenset(_LITTLE_TEXT.split())


def skill_name(view: TaskView, steps: Sequence[str], described: str = "") -> str:
    """A name in kebab-case.

    Args:
        steps: Words for what the answer does, where the task has too few.
        described: A model's name for it, which counts where it reads like no order.
    """
    label = listed_labels(view.instruction)
    if label is not None:
        wanted, inputs = label
        return name_of([wanted, "from", *inputs])
    words = _words(described.replace("-", " ")) if described and not _is_order(described) else []
    if len(words) < _FEWEST and not is_uninformative(view.instruction):
        words = [word for word in _words(view.instruction) if word not in _LITTLE]
    if len(words) < _FEWEST:
        words = [*words, *steps]
    return name_of(words[:_MOST]) or "skill-of-rows"


def _is_order(described: str) -> bool:
    from evolve.core.text_screen import text_problem  # the search alone does without

    return bool(text_problem(described.replace("-", " ")))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower().replace("_", " "))
