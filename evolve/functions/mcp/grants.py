"""Whether a call may be made, by what a person said of each effect beforehand, or says now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evolve.episodes import Json
from evolve.functions.calls import Leave
from evolve.functions.function import Effect, Function
from evolve.functions.mcp.approvals import Pin

Ask = Callable[[Function, Mapping[str, Json], Sequence[Effect]], bool]
"""Asks the person about a call, for these effects of it."""


def granted(pin_of: Callable[[Function], Pin | None], ask: Ask | None = None) -> Leave:
    """The leave that a :class:`~evolve.functions.CallGate` asks for.

    Args:
        ask: None where nobody is there to ask; then only what was allowed beforehand is called.
    """

    def leave(function: Function, arguments: Mapping[str, Json]) -> str:
        pin = pin_of(function)
        if pin is None:
            return f"{function.name} was never allowed"
        by_effect = {effect: pin.grant(effect) for effect in sorted(function.effects)}
        if denied := [effect for effect, grant in by_effect.items() if grant == "deny"]:
            return f"{function.name} is not allowed here: it {denied[0]}"
        open_ones = [effect for effect, grant in by_effect.items() if grant == "ask"]
        if not open_ones:
            return ""
        if ask is None:
            return f"{function.name} was not allowed beforehand, and there is nobody to ask"
        return "" if ask(function, arguments, open_ones) else f"the person did not allow this call of {function.name}"

    return leave
