"""A number between two steps of known rows is told, one on a step is not, nor anything where no number decides."""

from __future__ import annotations

import pytest

from evolve.tasks.likeness import StepGaps

WEIGHTS = [(0.4, "4,90"), (1.9, "4,90"), (2.1, "6,90"), (4.9, "6,90"), (5.2, "9,90"), (12.0, "9,90")]


@pytest.mark.parametrize(
    ("rows", "number", "code"),
    [
        (WEIGHTS, 2.0, "between_steps"),
        (WEIGHTS, 5, "between_steps"),
        (WEIGHTS, 1.9, None),
        (WEIGHTS, 1.0, None),
        (WEIGHTS, 31.5, None),
        (WEIGHTS, "2.0", None),
        ([(one, one * 2) for one, _ in WEIGHTS], 2.0, None),  # no steps, but another number for each
        ([*WEIGHTS, (0.1, "9,90"), (0.2, "9,90")], 2.0, None),  # something else decides as well
        (WEIGHTS[1:3], 2.0, None),
        ([(str(one), step) for one, step in WEIGHTS], 2.0, None),
        ([], 2.0, None),
    ],
)
def test_a_number_between_two_steps_is_open(rows, number, code):
    steps = StepGaps.from_rows(
        [(f"order {place}", one) for place, (one, _) in enumerate(rows)], [step for _, step in rows]
    )
    why = steps.step_reason(("order 9", number))
    assert (None if why is None else why.code) == code
    assert steps.step_reason(("order 9", number), used=[0]) is None
