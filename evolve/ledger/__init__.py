"""Budgets: what may be spent, reserved before the work and settled after it.

Work is started only when the most it can cost still fits, so as long as no piece of work costs more
than it reserved, what is spent never passes the budget.
"""

from __future__ import annotations

from evolve.ledger.limits import LimitedLedger, SpendingBook
from evolve.ledger.mending import book_faults, rebuild_book
from evolve.ledger.run import Amount, Budget, Ledger, Spent, parse_budget

__all__ = [
    "Amount",
    "Budget",
    "Ledger",
    "LimitedLedger",
    "SpendingBook",
    "Spent",
    "book_faults",
    "parse_budget",
    "rebuild_book",
]
