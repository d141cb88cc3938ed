"""``ws.tools``: the functions that code actions may call, and what a person allowed."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection
from typing import Any

from evolve.functions import UNKNOWN, AskConsent, Effect, Function, Grant, PythonFunctions, Toolbox
from evolve.workspace.shelves.shelf import Shelf


class Tools(Shelf):
    """Functions of the running program that code actions may call while the workspace is open."""

    def __init__(self) -> None:
        self._own = PythonFunctions()
        self._grants: dict[str, Grant] = {}

    def add(
        self,
        function: Callable[..., Any],
        *,
        effects: Collection[Effect] = UNKNOWN,
        repeatable: bool = False,
        grant: Grant | None = None,
    ) -> Function:
        """Offers a Python function under its own name; its annotations say what it takes, its docstring what it does.

        It runs in this process and with its rights, outside of the sandbox; the code that calls it does not.

        Args:
            effects: What a call may do: ``reads``, ``changes``, ``sends`` (data leaves this machine), ``spends``,
                ``irreversible``; where nothing is said, that it changes something and sends data away.
            repeatable: Whether a second call with the same arguments does no more than the first, so that one in doubt
                after a crash may be made again.
            grant: ``ask`` a person before each call; ``allow`` calls as long as the run has read nothing elsewhere that
                they could send away; ``trust`` it with whatever a run reads; ``deny``. By default ``allow`` where
                nothing is done but reading, else ``ask``.

        Raises:
            UsageError: It has no plain name, there is one of that name, or its parameters cannot be given as JSON.
        """
        made = self._own.add(function, effects=effects, repeatable=repeatable)
        self._grants[made.digest] = grant or ("allow" if made.effects <= {"reads"} else "ask")
        return made

    def list(self) -> builtins.list[Function]:
        """What code actions can import now."""
        return [*self._own.functions()]

    def toolbox(self, ask: AskConsent | None) -> Toolbox:
        """What an agent works with.

        Args:
            ask: Puts a question to the person; None where nobody is there.
        """
        return Toolbox(sources=[self._own], grant_of=self._grant_of, ask=ask)

    def _grant_of(self, function: Function) -> Grant:
        return self._grants.get(function.digest, "ask")
