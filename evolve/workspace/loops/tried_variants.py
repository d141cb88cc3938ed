"""``ws.variants`` with what takes episodes: a variant tried elsewhere, and tried without each of its items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from evolve.workspace import loops
from evolve.workspace.arguments import BudgetLike, as_ledger
from evolve.workspace.desk import Desk
from evolve.workspace.shelves.variants import Variants

if TYPE_CHECKING:
    from evolve.improve.ablation import AblationReport


class TriedVariants(Variants):
    """Everything that was tried, to look at, switch between and try again.

    Args:
        writable: Raises :class:`UsageError` where the workspace is open for reading only.
    """

    def __init__(self, desk: Desk, writable: Callable[[], None]) -> None:
        super().__init__(desk.stores, desk.paths)
        self._desk = desk
        self._writable = writable

    def transfer(self, variant: str, suite: str, *, budget: BudgetLike = None) -> Mapping[str, Any]:
        """Compares a variant with its parent on another suite, or with the model chosen now; promotes nothing.

        Raises:
            UsageError: There is no such variant, or this is where it was chosen.
        """
        from evolve.workspace.loops.optimizing import transfer

        self._writable()
        return transfer(self._desk, variant, suite, as_ledger(budget))

    def ablate(self, request: loops.AblationRequest, *, budget: BudgetLike = None) -> AblationReport:
        """Credits the single items of a variant: it is tried against itself without each; decides nothing.

        The same call continues where a crash or Ctrl-C cut it off.

        Raises:
            UsageError: There is no such variant, it has no such item, or it is not known on which tasks to try it.
            BudgetExhausted: The budget ended before any pair of episodes.
        """
        from evolve.workspace.loops.ablating import ablate

        self._writable()
        return ablate(self._desk, request, as_ledger(budget))
