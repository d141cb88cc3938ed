"""How a prompt shows the functions that code may call."""

from __future__ import annotations

from evolve.environments import kind_of
from evolve.episodes import OfferedFunction, TaskView
from evolve.models import Message
from evolve.policies.language.quoting import Learned, learned, shortened

_DESCRIPTION = 300
"""Characters of what a function is said to do."""

_LEAD = "Your Python may call these functions. They act outside of its interpreter:"
_HOW = """\
`from functions import {name}` brings one in. A call that fails or is not allowed raises `FunctionError` of the same
module, with the reason; the person may be asked before one is made. Code may call them in loops and by conditions;
print no more of what they give than you need."""
_ANSWERS = " Code that is handed in as the answer, and checks of a plan, cannot call them."
_CHECKS = " Checks cannot call them."


def functions_message(view: TaskView) -> list[Message]:
    """The functions with their signatures; what they are said to do is data of whoever offers them."""
    if not view.functions:
        return []
    shown = learned("functions", [_item(one) for one in view.functions])
    kind = kind_of(view.environment)
    without = "" if kind.unchecked else _ANSWERS if kind.one_file else _CHECKS
    text = f"{_LEAD}\n{shown}\n{_HOW.format(name=view.functions[0].name)}{without}"
    return [Message(role="user", text=text, priority=60, kind="functions")]


def _item(one: OfferedFunction) -> Learned:
    origin = f"{one.does}; from {one.source}" if one.source else one.does
    text = shortened(one.description, _DESCRIPTION)
    return Learned(name="", head=one.signature, text=text, provenance=origin)
