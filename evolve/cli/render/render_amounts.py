"""What was spent, and how strong evidence is, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolve.cli.render.layout import counted

if TYPE_CHECKING:
    from evolve.workspace import Amount, Interval, Result

_BEYOND = 1_000_000
"""Odds above this are told as "over" it: their digits tell a reader nothing more."""


def spending(amount: Amount) -> str:
    """What was spent: ``5 calls, 12,300 tokens in (9,800 cached), 1,200 out, $0.012``, or candidates of a search."""
    parts = [counted(amount.candidates, "candidate")] if amount.candidates else []
    parts += [counted(amount.calls, "call")] if amount.calls else []
    most = "at most " if getattr(amount, "estimated", 0) else ""
    if amount.completion:
        cached = f" ({amount.cached:,} cached)" if amount.cached else ""
        parts += [f"{most}{amount.tokens - amount.completion:,} tokens in{cached}", f"{amount.completion:,} out"]
    elif amount.tokens:  # earlier versions did not write down which way they went
        parts.append(most + counted(amount.tokens, "token"))
    if amount.money:
        parts.append(dollars(amount.money))
    return ", ".join(parts) or "nothing"


def cost_line(result: Result) -> str:
    """What a run took, and the command that gives the reasons for its verdict."""
    spent = [spending(result.cost)] if result.cost.calls or result.cost.candidates else []
    return f"{', '.join([*spent, f'{result.seconds:.2f} s'])}; reasons: evolve why {result.run_id}"


def dollars(amount: float) -> str:
    """Such as ``$2``, ``$0.012`` and ``less than $0.0001``."""
    if 0 < amount < 0.000_05:
        return "less than $0.0001"
    return f"${amount:,.4f}".rstrip("0").rstrip(".")


def odds(value: float) -> str:
    """An e-value as odds against a variant that is no better, with the precision that a reader needs."""
    if value >= _BEYOND:
        return f"over {_BEYOND:,}:1"
    return f"{value:,.0f}:1" if value >= 10 else f"{value:.2f}:1"


def interval_told(interval: Interval, sign: str = "") -> str:
    """A figure that was measured, with its interval and over how many groups.

    Args:
        sign: ``+`` where it is a difference.
    """
    over = f"over {counted(interval.n, 'group')}"
    if interval.low is None or interval.high is None:
        return f"{interval.value:{sign}.3f} {over}, too few for an interval"
    return f"{interval.value:{sign}.3f}, 95 % interval {interval.low:{sign}.3f} to {interval.high:{sign}.3f} {over}"
