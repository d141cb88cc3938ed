"""Draws a report as a picture. Plain SVG."""

from __future__ import annotations

from evolve.core.svg import Panel, decade_bounds, svg_document, text
from evolve.improve.report import Report
from evolve.trials.gate import comparable_costs, cost_unit

_COLOURS = {"unlearned": "#8a8f98", "learned": "#23996d", "practice": "#3f7bd6"}


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
        y_range=decade_bounds(values),
        log_y=True,
    )
    parts = panel.frame()
    for place, (value, point) in enumerate(zip(values, curve, strict=True), 1):
        parts.append(panel.draw_dot(place, value, _COLOURS["practice"], full=point.solved))
        if place > 1 and point.round != curve[place - 2].round:
            x = panel.x(place)
            parts.append(f'<path class="grid mark" d="M{x:.1f} {panel.top} v{panel.height}"/>')
            parts.append(text(x + 4, panel.top + 12, f"round {point.round}", "dim halo"))
    return svg_document(title, [*parts, *_held_out_panel(report)])


def _held_out_panel(report: Report) -> list[str]:
    tasks = {row.arm: row.tasks for row in report.arms}
    costs = {arm: sorted(report.costs.get(arm, ())) for arm in ("unlearned", "learned")}
    every = [cost for values in costs.values() for cost in values]
    panel = Panel(
        left=540,
        title="held-out tasks",
        x_label=report.cost_unit,
        y_label="share solved and verified within",
        x_range=decade_bounds(every),
        y_range=(0.0, 1.0),
        log_x=True,
    )
    parts = panel.frame()
    if not every:
        parts.append(text(panel.left + 90, panel.top + 0.4 * panel.height, "the test tasks are still sealed", "dim"))
    for row, (arm, values) in enumerate(costs.items()):
        points = [(panel.x_range[0], 0.0)]
        for number, cost in enumerate(values, 1):
            points += [(cost, points[-1][1]), (cost, number / tasks[arm])]
        if values:
            parts.append(panel.line([*points, (panel.x_range[1], points[-1][1])], _COLOURS[arm]))
            x, y = panel.left + 250, panel.top + panel.height - 30 + 16 * row
            parts.append(f'<path d="M{x} {y - 4} h24" stroke="{_COLOURS[arm]}" stroke-width="2.5"/>')
            parts.append(text(x + 30, y, arm))
    return parts
