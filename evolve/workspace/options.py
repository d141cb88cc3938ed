"""How a workspace is opened."""

from __future__ import annotations

from dataclasses import dataclass

from evolve.errors import UsageError
from evolve.events import EventSink
from evolve.models import Recording
from evolve.paths import WorkspacePaths
from evolve.policies.protocol import Policy
from evolve.record.arms import Learner
from evolve.workspace.arguments import checked
from evolve.workspace.kept_servers import KeptServers


@checked()
@dataclass(frozen=True, kw_only=True)
class Options:
    """How a workspace is opened.

    Attributes:
        policy: A policy or learner to use instead of program search.
        model: A language model to use instead, or a recording of its exchanges; "" for none, None for that of the
            settings.
        events: Told what happens while it happens.
        read_only: Looks only; needs no lock and may run beside a writer.
        sandbox: A backend for this time only. ``none`` confines nothing and needs ``EVOLVE_UNSAFE=I_UNDERSTAND``.
        servers: Servers of tools that go on running when it is closed, from ``evolve.workspace.servers(PATH).kept()``.
    """

    policy: Policy | Learner | None = None
    model: str | Recording | None = None
    events: EventSink | None = None
    read_only: bool = False
    sandbox: str | None = None
    servers: KeptServers | None = None

    def check(self, paths: WorkspacePaths) -> None:
        """Raises :class:`UsageError` where the servers were approved for another workspace."""
        if self.servers is not None and self.servers.root != paths.root:
            raise UsageError(
                f"the servers are those of {self.servers.root}, not of {paths.root}",
                hint=f"evolve.workspace.servers({str(paths.root)!r}).kept()",
            )
