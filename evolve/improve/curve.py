"""Draws a report as a picture. Plain SVG."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.improve.panels import Panel, decades, document, frame, line, text_at
from evolve.improve.report import Report
from evolve.trials.gate import comparable_costs, cost_unit

_COLOURS = {"unlearned": "#8a8f98", "learned": "#1a7f5a", "practice": "#2b5fb8"}


def draw_curve(report: Report) -> str:
    """The SVG document."""
    title = f"evolve improve {report.suite}: {len(report.curve)} practice episodes, held-out test tasks"
    curve = report.curve
    costs = [point.cost for point in curve]
    values = [max(1.0, cost) for cost in comparable_costs(costs)]
    panel = Panel(
        left=70,
        title="practice",
        x_label="episode",
        y_label=f"{cost_unit(costs)} per episode; a ring: not solved",
        x_range=(1, max(2, len(values))),
        y_range=decades(min(values, default=1), max(values, default=10)),
        log_y=True,
    )
    parts = frame(panel)
    parts += [_mark(panel, place, value, curve[place - 1].solved) for place, value in enumerate(values, 1)]
    for place in range(1, len(curve)):
        if curve[place].round != curve[place - 1].round:
            x = panel.x(place + 1)
            parts.append(
                f'<line x1="{x:.1f}" y1="{panel.top}" x2="{x:.1f}" y2="{panel.top + panel.height}"'
                ' stroke="#bbb" stroke-dasharray="4 4"/>'
            )
            parts.append(text_at(x + 4, panel.top + 12, f"round {curve[place].round}", colour="#777"))
    return document(title, [*parts, *_held_out_panel(report)])


def _held_out_panel(report: Report) -> list[str]:
    tasks = {row.arm: row.tasks for row in report.arms}
    costs = {arm: sorted(report.costs.get(arm, ())) for arm in ("unlearned", "learned")}
    every = [max(1, cost) for values in costs.values() for cost in values]
    panel = Panel(
        left=540,
        title="held-out tasks",
        x_label=report.cost_unit,
        y_label="share solved and verified within",
        x_range=decades(min(every, default=1), max(every, default=10)),
        y_range=(0.0, 1.0),
        log_x=True,
    )
    parts = frame(panel)
    if not every:
        parts.append(
            text_at(panel.left + 90, panel.top + panel.height / 2, "the test tasks are still sealed", colour="#777")
        )
    for row, (arm, values) in enumerate(costs.items()):
        if not values:
            continue
        points = _steps([max(1, cost) for cost in values], tasks[arm], panel.x_range)
        parts.append(line(panel, points, _COLOURS[arm]))
        y = panel.top + panel.height - 30 + 16 * row
        parts.append(
            f'<line x1="{panel.left + 250}" y1="{y - 4}" x2="{panel.left + 274}" y2="{y - 4}"'
            f' stroke="{_COLOURS[arm]}" stroke-width="2.5"/>'
        )
        parts.append(text_at(panel.left + 280, y, arm))
    return parts


def _steps(costs: Sequence[float], tasks: int, x_range: tuple[float, float]) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = [(x_range[0], 0.0)]
    for number, cost in enumerate(costs, 1):
        points += [(cost, points[-1][1]), (cost, number / tasks)]
    return [*points, (x_range[1], points[-1][1])]


def _mark(panel: Panel, x: float, y: float, full: bool) -> str:
    colour = _COLOURS["practice"]
    return (
        f'<circle cx="{panel.x(x):.1f}" cy="{panel.y(y):.1f}" r="2.4" fill="{colour if full else "none"}"'
        f' stroke="{colour}" stroke-width="0.8"/>'
    )
