"""The functions of one episode. Where there are none to call, nothing of what calls them is loaded."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolve.agent.context import EpisodeContext
    from evolve.core.redaction import Scanner
    from evolve.runtime.functions import CallGate, FunctionSource, Toolbox


def functions_of(
    toolbox: Toolbox | None, folder: Path | None, scanner: Scanner, own: FunctionSource | None
) -> AbstractContextManager[CallGate | None, bool | None]:
    """The gate of one episode; see :func:`evolve.agent.functions.opened_gate`.

    Args:
        toolbox: None where a person offers none.
    """
    if toolbox is None and own is None:
        return nullcontext()
    from evolve.agent.offered_functions import opened_gate
    from evolve.runtime.functions import Toolbox

    return opened_gate(toolbox or Toolbox(), folder, scanner, own)


def with_functions(context: EpisodeContext, own: FunctionSource | None) -> EpisodeContext:
    """The context whose view shows the functions that code may call."""
    if context.calls is None:
        return context
    from evolve.agent.offered_functions import shown_functions

    shown = shown_functions(context.calls, context.view.instruction, own)
    return replace(context, view=replace(context.view, functions=shown))
