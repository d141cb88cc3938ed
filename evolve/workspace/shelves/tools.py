"""``ws.tools``: the functions that code actions may call, and what a person allowed."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Mapping
from typing import Any

from evolve.functions import UNKNOWN, AskConsent, Effect, Function, Grant, PythonFunctions, Toolbox
from evolve.functions.mcp import ServerFunctions
from evolve.record.function_uses import FunctionCounts, FunctionUses
from evolve.workspace.shelves.shelf import Shelf


class Tools(Shelf):
    """Functions of the running program and of approved servers, which code actions may call.

    Args:
        servers: Gives the approved servers, of which none is started before functions are asked for.
        warn: Told in a sentence of a server that cannot be started.
        uses: The record's counts.
    """

    def __init__(self, servers: Callable[[], ServerFunctions], warn: Callable[[str], None], uses: FunctionUses) -> None:
        self._own = PythonFunctions()
        self._grants: dict[str, Grant] = {}
        self._servers, self._warn, self._uses = servers, warn, uses

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
        """What code actions can import now; approved servers are started."""
        servers = self._servers()
        functions = [*self._own.functions(), *servers.functions()]
        for server, trouble in servers.troubles.items():
            self._warn(f"the tools of {server} are not offered: {trouble}")
        return functions

    def counts(self) -> Mapping[str, FunctionCounts]:
        """In how many tasks each function of :meth:`list` was shown, called and of help, by name.

        A function that changed, be it in its description alone, is another one and begins with nothing.
        """
        known = self._uses.counts()
        return {one.name: known.get(one.digest, FunctionCounts()) for one in self.list()}

    @property
    def none(self) -> bool:
        """Whether there is certainly nothing to call; no server is started to see that."""
        return not (self._own.functions() or self._servers().approved)

    def toolbox(self, ask: AskConsent | None) -> Toolbox:
        """What an agent works with; approved servers are started.

        Args:
            ask: Puts a question to the person; None where nobody is there.
        """
        if self.none:
            return Toolbox()
        self.list()
        return Toolbox(sources=[self._own, self._servers()], grant_of=self._grant_of, ask=ask)

    def _grant_of(self, function: Function) -> Grant:
        return self._servers().grant_of(function) if function.source else self._grants.get(function.digest, "ask")
