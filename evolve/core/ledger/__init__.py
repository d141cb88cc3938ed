"""Budgets: what may be spent, reserved before the work and settled after it.

Work is started only when the most it can cost still fits, so as long as no piece of work costs more
than it reserved, what is spent never passes the budget.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.core.ledger.run_ledger import (
        Budget,
        CostAmount,
        Ledger,
        LedgerPart,
        Spent,
        overshoot_text,
        parse_budget,
        process_seconds,
    )
    from evolve.core.ledger.spending_limits import LimitedLedger, SpendingLimits, book_faults, rebuild_book
else:
    __getattr__, __dir__ = attach(__name__)
