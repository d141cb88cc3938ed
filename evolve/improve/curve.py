"""Draws a report as a picture: what practice cost, and held-out tasks solved by cost. Plain SVG.

Left: one mark per episode of practice at what it cost, a ring where it was not solved. Right: share of held-out tasks
solved and verified within a cost, unlearned and learned. Costs are as the gate compares them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from evolve.gate import comparable_costs, cost_unit
from evolve.improve.report import CurvePoint, Report

WIDTH, HEIGHT = 960, 380
_COLOURS = {"unlearned": "#8a8f98", "learned": "#1a7f5a", "practice": "#2b5fb8"}


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """A plotting area with a linear x axis and a y axis, either of which may be logarithmic."""

    left: float
    title: str
    x_label: str
    y_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    log_x: bool = False
    log_y: bool = False
    top: float = 56.0
    width: float = 380.0
    height: float = 250.0

    def x(self, value: float) -> float:
        return self.left + self.width * _place(value, self.x_range, self.log_x)

    def y(self, value: float) -> float:
        return self.top + self.height * (1 - _place(value, self.y_range, self.log_y))


def draw_curve(report: Report) -> str:
    """The SVG document."""
    title = f"evolve improve {report.suite}: {len(report.curve)} practice episodes, held-out test tasks"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif" font-size="12" fill="#222">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_practice_panel(report.curve),
        *_held_out_panel(report),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _practice_panel(curve: Sequence[CurvePoint]) -> list[str]:
    costs = [point.cost for point in curve]
    values = [max(1.0, cost) for cost in comparable_costs(costs)]
    panel = _Panel(
        left=70,
        title="practice",
        x_label="episode",
        y_label=f"{cost_unit(costs)} per episode; a ring: not solved",
        x_range=(1, max(2, len(values))),
        y_range=_decades(min(values, default=1), max(values, default=10)),
        log_y=True,
    )
    parts = _frame(panel)
    parts += [_mark(panel, place, value, curve[place - 1].solved) for place, value in enumerate(values, 1)]
    for place in range(1, len(curve)):
        if curve[place].round != curve[place - 1].round:
            x = panel.x(place + 1)
            parts.append(
                f'<line x1="{x:.1f}" y1="{panel.top}" x2="{x:.1f}" y2="{panel.top + panel.height}"'
                ' stroke="#bbb" stroke-dasharray="4 4"/>'
            )
            parts.append(_text(x + 4, panel.top + 12, f"round {curve[place].round}", colour="#777"))
    return parts


def _held_out_panel(report: Report) -> list[str]:
    tasks = {row.arm: row.tasks for row in report.arms}
    costs = {arm: sorted(report.costs.get(arm, ())) for arm in ("unlearned", "learned")}
    every = [max(1, cost) for values in costs.values() for cost in values]
    panel = _Panel(
        left=540,
        title="held-out tasks",
        x_label=report.cost_unit,
        y_label="share solved and verified within",
        x_range=_decades(min(every, default=1), max(every, default=10)),
        y_range=(0.0, 1.0),
        log_x=True,
    )
    parts = _frame(panel)
    if not every:
        parts.append(
            _text(panel.left + 90, panel.top + panel.height / 2, "the test tasks are still sealed", colour="#777")
        )
    for row, (arm, values) in enumerate(costs.items()):
        if not values:
            continue
        points = _steps([max(1, cost) for cost in values], tasks[arm], panel.x_range)
        parts.append(_line(panel, points, _COLOURS[arm]))
        y = panel.top + panel.height - 30 + 16 * row
        parts.append(
            f'<line x1="{panel.left + 250}" y1="{y - 4}" x2="{panel.left + 274}" y2="{y - 4}"'
            f' stroke="{_COLOURS[arm]}" stroke-width="2.5"/>'
        )
        parts.append(_text(panel.left + 280, y, arm))
    return parts


def _steps(costs: Sequence[float], tasks: int, x_range: tuple[float, float]) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = [(x_range[0], 0.0)]
    for number, cost in enumerate(costs, 1):
        points += [(cost, points[-1][1]), (cost, number / tasks)]
    return [*points, (x_range[1], points[-1][1])]


def _frame(panel: _Panel) -> list[str]:
    bottom = panel.top + panel.height
    parts = [
        _text(panel.left, panel.top - 28, panel.title, size=14, weight="bold"),
        _text(panel.left, panel.top - 10, panel.y_label, colour="#555"),
        _text(panel.left + panel.width / 2, bottom + 40, panel.x_label, colour="#555", anchor="middle"),
        f'<rect x="{panel.left}" y="{panel.top}" width="{panel.width}" height="{panel.height}"'
        ' fill="none" stroke="#ccc"/>',
    ]
    for value in _ticks(panel.x_range, panel.log_x):
        parts.append(_text(panel.x(value), bottom + 18, _number(value), anchor="middle"))
    for value in _ticks(panel.y_range, panel.log_y):
        y = panel.y(value)
        parts.append(_text(panel.left - 8, y + 4, _number(value), anchor="end"))
        parts.append(
            f'<line x1="{panel.left}" y1="{y:.1f}" x2="{panel.left + panel.width}" y2="{y:.1f}" stroke="#eee"/>'
        )
    return parts


def _line(panel: _Panel, points: Sequence[tuple[float, float]], colour: str) -> str:
    path = " ".join(f"{panel.x(x):.1f},{panel.y(y):.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5" stroke-linejoin="round"/>'


def _mark(panel: _Panel, x: float, y: float, full: bool) -> str:
    colour = _COLOURS["practice"]
    return (
        f'<circle cx="{panel.x(x):.1f}" cy="{panel.y(y):.1f}" r="2.4" fill="{colour if full else "none"}"'
        f' stroke="{colour}" stroke-width="0.8"/>'
    )


def _text(x: float, y: float, text: str, *, colour: str = "#222", anchor: str = "start", **style: str | int) -> str:
    size, weight = style.get("size", 12), style.get("weight", "normal")
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" font-size="{size}"'
        f' font-weight="{weight}">{escape(text)}</text>'
    )


def _place(value: float, bounds: tuple[float, float], logarithmic: bool) -> float:
    low, high = bounds
    if logarithmic:
        value, low, high = math.log10(max(value, low)), math.log10(low), math.log10(high)
    return (min(max(value, low), high) - low) / (high - low)


def _decades(low: float, high: float) -> tuple[float, float]:
    """Whole powers of ten around a range, at least one decade."""
    first = math.floor(math.log10(max(low, 1.0)))
    last = math.ceil(math.log10(max(high, 1.0)))
    return 10.0**first, 10.0 ** max(last, first + 1)


def _ticks(bounds: tuple[float, float], logarithmic: bool) -> list[float]:
    low, high = bounds
    if logarithmic:
        return [10.0**power for power in range(round(math.log10(low)), round(math.log10(high)) + 1)]
    if high <= 1.0:
        return [0.0, 0.25, 0.5, 0.75, 1.0]
    step = max(1, 10 ** math.floor(math.log10(high - low)) // 2)
    while (high - low) / step > 6:
        step *= 2
    return [float(value) for value in range(0, int(high) + 1, step) if value >= low]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"
