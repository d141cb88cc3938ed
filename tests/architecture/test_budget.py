"""No package grows past its budget of lines, and the budget follows what goes away."""

from __future__ import annotations

from tests.architecture.budget import measured, recorded

SLACK = 200
"""Lines that may be free before the table has to be written anew."""


def test_no_package_grows_past_its_budget() -> None:
    allowed = recorded()
    over = {name: (size, allowed.get(name)) for name, size in measured().items() if not fits(size, allowed.get(name))}
    assert over == {}, "python -m tests.architecture.budget, and say in the commit what the lines bring"


def fits(size: tuple[int, int], allowed: tuple[int, int] | None) -> bool:
    return allowed is not None and size[0] <= allowed[0] and size[1] <= allowed[1]


def test_the_budget_follows_what_went_away() -> None:
    free = sum(lines for lines, _ in recorded().values()) - sum(lines for lines, _ in measured().values())
    assert free <= SLACK, "python -m tests.architecture.budget"
