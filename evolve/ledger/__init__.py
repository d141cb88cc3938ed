"""Budgets: what may be spent, reserved before the work and settled after it.

Work is started only when the most it can cost still fits, so as long as no piece of work costs more
than it reserved, what is spent never passes the budget.
"""

from __future__ import annotations

from evolve.ledger.mending import book_faults, rebuild_book
from evolve.ledger.part import LedgerPart
from evolve.ledger.run_ledger import Amount, Budget, Ledger, Spent, overshoot_told, parse_budget
from evolve.ledger.spending_limits import LimitedLedger, SpendingBook

__all__ = [
    "Amount",
    "Budget",
    "Ledger",
    "LedgerPart",
    "LimitedLedger",
    "SpendingBook",
    "Spent",
    "book_faults",
    "overshoot_told",
    "parse_budget",
    "rebuild_book",
]
