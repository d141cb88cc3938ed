"""What a session may spend and has spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from evolve.cli.render.layout import format_spending
from evolve.core.errors import BudgetExhausted, UsageError
from evolve.workspace import Budget, parse_budget

if TYPE_CHECKING:
    from evolve.workspace import Cost

_KINDS = tuple(item.name for item in fields(Budget))
_TOLD = (*_KINDS, "completion", "cached", "estimated")


@dataclass
class SessionBudget:
    """The budget of a session, over all its turns.

    Attributes:
        budget: Its bounds; a turn may spend what is left.
        spent: So far, in the kinds of a budget and in the parts of its tokens.
    """

    budget: Budget = field(default_factory=Budget)
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_TOLD, 0.0))

    def remaining(self) -> Budget:
        """What the next turn may spend.

        Raises:
            BudgetExhausted: A bound is reached.
        """
        bounds = {}
        for kind, bound in asdict(self.budget).items():
            if bound is None:
                continue
            rest = bound - self.spent[kind]
            if rest <= 0:
                raise BudgetExhausted(f"the budget of {_amount(kind, bound)} is spent", hint="/budget sets another")
            bounds[kind] = rest if kind in ("seconds", "money") else int(rest)
        return budget_of(bounds)

    def add_cost(self, cost: Cost, booked: Mapping[str, float]) -> None:
        """Adds what a run has cost beside what was booked of it before it was stopped."""
        for kind, value in spent_of(cost).items():
            self.spent[kind] += max(0.0, value - booked.get(kind, 0.0))

    def summary(self) -> str:
        """Spent and left, in few words."""
        from evolve.workspace import Cost

        used: dict[str, Any] = {
            kind: value if kind in ("seconds", "money") else int(value) for kind, value in self.spent.items()
        }
        told = format_spending(Cost(**{**used, "candidates": 0 if used["tokens"] else int(used["candidates"])}))
        rest = [
            f"{_amount(kind, max(0.0, bound - self.spent[kind]))} left"
            for kind, bound in asdict(self.budget).items()
            if bound is not None
        ]
        return ", ".join(["nothing spent" if told == "nothing" else told, *rest])


def spent_of(cost: Cost) -> dict[str, float]:
    """A cost in the kinds of a budget, and in the parts of its tokens."""
    return {kind: getattr(cost, kind) for kind in _TOLD}


def budget_of(bounds: Mapping[str, float]) -> Budget:
    """The budget with these bounds."""
    counts = {kind: int(bounds[kind]) for kind in ("candidates", "tokens", "calls") if kind in bounds}
    return Budget(seconds=bounds.get("seconds"), money=bounds.get("money"), **counts)


def bounds_of(budget: Budget) -> dict[str, float]:
    """The bounds of a budget, those that there are."""
    return {kind: bound for kind, bound in asdict(budget).items() if bound is not None}


def budget_texts(budget: Budget) -> list[str]:
    """The bounds as they are typed after ``--budget``."""
    forms = {"seconds": "{:.10g}s", "money": "${:.10g}"}
    return [forms.get(kind, f"{{:.0f}}-{kind}").format(bound) for kind, bound in bounds_of(budget).items()]


def read_budget(texts: Sequence[str]) -> Budget:
    """A budget from what a person typed in a session, ``none`` for no bound.

    Raises:
        UsageError: A bound has another form.
    """
    if list(texts) == ["none"]:
        return Budget()
    try:
        return parse_budget(texts)
    except UsageError as error:
        # What the option would be told speaks of the option.
        said = str(error).removeprefix("--budget ")
        raise UsageError(said, hint="/budget 3-calls $2: each bound in one word, with a space between them") from error


def _amount(kind: str, value: float) -> str:
    if kind == "money":
        return f"${value:,.4f}".rstrip("0").rstrip(".") if value else "$0"
    if kind == "seconds":
        return f"{value:,.0f} s"
    return f"{int(value):,} {kind}"
