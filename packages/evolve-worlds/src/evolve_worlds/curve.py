"""Draws trials in a world as a picture. Plain SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.core.svg import Panel, svg_document
from evolve.trials.gate import ConfidenceInterval

_COLOUR = "#23996d"
_WIDE = 245.0


def draw_trials(
    title: str,
    trials: Sequence[ConfidenceInterval],
    moves: Sequence[ConfidenceInterval],
    steps: Sequence[tuple[int, ConfidenceInterval]],
) -> str:
    """The SVG document.

    Args:
        trials: The mean score of the first trial, of the second and so on, 0.0 to 1.0.
        moves: The mean number of moves of these.
        steps: The mean of the best score so far after so many steps of the world.
    """
    by_trial = [(float(number), one) for number, one in enumerate(trials, 1)]
    made = [(float(number), one) for number, one in enumerate(moves, 1)]
    by_step = [(float(done), one) for done, one in steps]
    scores = Panel(
        left=60,
        width=_WIDE,
        title=title,
        x_label="trial",
        y_label="mean score of the trial",
        x_range=(1, max(2, len(by_trial))),
        y_range=(0.0, 1.0),
    )
    lengths = replace(
        scores,
        left=375,
        title="",
        y_label="moves of the trial, without replays",
        y_range=(0.0, max([2.0, *(one.high or one.value or 0.0 for one in moves)])),
    )
    efforts = replace(
        scores,
        left=690,
        title="",
        x_label="steps of the world, replays included",
        y_label="mean of the best score so far",
        x_range=(0, max((done for done, _ in by_step), default=1.0)),
    )
    panels = ((scores, by_trial), (lengths, made), (efforts, by_step))
    return svg_document(
        f"evolve lab trials: {title}", [part for panel, points in panels for part in _curve(panel, points)]
    )


def _curve(panel: Panel, points: Sequence[tuple[float, ConfidenceInterval]]) -> list[str]:
    parts = panel.frame()
    low = [(x, one.low) for x, one in points if one.low is not None]
    high = [(x, one.high) for x, one in points if one.high is not None]
    if low:
        parts.append(panel.draw_area([*low, *reversed(high)], _COLOUR))
    middle = [(x, one.value) for x, one in points if one.value is not None]
    return [*parts, panel.line(middle, _COLOUR), *(panel.draw_dot(x, y, _COLOUR) for x, y in middle)]
