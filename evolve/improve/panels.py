"""Plotting areas with axes as plain SVG, for the pictures of curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 960, 380
"""Of a picture, in pixels."""


@dataclass(frozen=True, kw_only=True)
class Panel:
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


def document(title: str, parts: Sequence[str]) -> str:
    """A whole picture."""
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
            ' font-family="sans-serif" font-size="12" fill="#222">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
            *parts,
            "</svg>\n",
        )
    )


def frame(panel: Panel) -> list[str]:
    """Title, axes and marks on them."""
    bottom = panel.top + panel.height
    parts = [
        text_at(panel.left, panel.top - 28, panel.title, size=14, weight="bold"),
        text_at(panel.left, panel.top - 10, panel.y_label, colour="#555"),
        text_at(panel.left + panel.width / 2, bottom + 40, panel.x_label, colour="#555", anchor="middle"),
        f'<rect x="{panel.left}" y="{panel.top}" width="{panel.width}" height="{panel.height}"'
        ' fill="none" stroke="#ccc"/>',
    ]
    for value in _ticks(panel.x_range, panel.log_x):
        parts.append(text_at(panel.x(value), bottom + 18, _number(value), anchor="middle"))
    for value in _ticks(panel.y_range, panel.log_y):
        y = panel.y(value)
        parts.append(text_at(panel.left - 8, y + 4, _number(value), anchor="end"))
        parts.append(
            f'<line x1="{panel.left}" y1="{y:.1f}" x2="{panel.left + panel.width}" y2="{y:.1f}" stroke="#eee"/>'
        )
    return parts


def line(panel: Panel, points: Sequence[tuple[float, float]], colour: str) -> str:
    """Points with lines between them."""
    path = " ".join(f"{panel.x(x):.1f},{panel.y(y):.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5" stroke-linejoin="round"/>'


def text_at(x: float, y: float, text: str, *, colour: str = "#222", anchor: str = "start", **style: str | int) -> str:
    """Words at a place."""
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


def decades(low: float, high: float) -> tuple[float, float]:
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
