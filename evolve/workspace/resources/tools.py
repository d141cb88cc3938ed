"""``ws.tools``: the functions that code actions may call, and what a person allowed."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from evolve.agent import FunctionCounts, RunRepository
from evolve.runtime.functions import (
    UNKNOWN,
    AskConsent,
    Effect,
    Function,
    Grant,
    PythonFunctions,
    Toolbox,
    unique_names,
)
from evolve.workspace.resources.base import Resource

if TYPE_CHECKING:
    from evolve.core.store import Database
    from evolve.runtime.functions.servers import ServerFunctions


class Tools(Resource):
    """Functions of the running program and of approved servers, which code actions may call.

    Args:
        servers: Gives the servers that are approved by now.
        warn: Told in a sentence what is not offered.
        db: The record, which counts.
    """

    def __init__(self, servers: Callable[[], ServerFunctions], warn: Callable[[str], None], db: Database) -> None:
        self._own = PythonFunctions()
        self._grants: dict[str, Grant] = {}
        self._servers, self._warn, self._runs = servers, warn, RunRepository(db)
        self._warned: set[str] = set()

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
        """What code actions can import now; no server is started to say that.

        Of a name that two offer there is none, and of that, as of what else is lacking, the person is told once.
        """
        return self._told(self._sources())

    def counts(self) -> Mapping[str, FunctionCounts]:
        """In how many tasks each function of :meth:`list` was shown, called and of help, by name.

        A function that changed, be it in its description alone, is another one and begins with nothing.
        """
        known = self._runs.function_counts()
        return {one.name: known.get(one.digest, FunctionCounts()) for one in self.list()}

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to call."""
        return not self.list()

    def toolbox(self, ask: AskConsent | None) -> Toolbox:
        """What an agent works with in one run.

        Args:
            ask: Puts a question to the person; None where nobody is there.
        """
        own, servers = sources = self._sources()
        self._told(sources)

        def grant_of(function: Function) -> Grant:
            return servers.grant_of(function) if function.source else self._grants.get(function.digest, "ask")

        return Toolbox(sources=[own, servers], grant_of=grant_of, ask=ask)

    def _sources(self) -> tuple[PythonFunctions, ServerFunctions]:
        return self._own, self._servers()

    def _told(self, sources: tuple[PythonFunctions, ServerFunctions]) -> builtins.list[Function]:
        """What the sources offer, once the person was told what they do not."""
        offered, twice = unique_names(sources)
        lacking = [f"the tools of {server} are not offered: {why}" for server, why in sources[1].troubles.items()]
        if twice:
            lacking.append(f"{', '.join(twice)}: two offer a function of that name, so code gets neither")
        for text in lacking:
            if text not in self._warned:
                self._warned.add(text)
                self._warn(text)
        return [function for function, _ in offered.values()]
