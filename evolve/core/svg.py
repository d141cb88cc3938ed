"""Pictures as SVG, in the reader's light or dark setting: text that fits, boxes, arrows, axes, layers of a graph."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from textwrap import wrap
from typing import TypeVar
from xml.sax.saxutils import escape

Node = TypeVar("Node", bound=Hashable)
Point = tuple[float, float]
MARGIN = 24
"""Pixels around a picture."""
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may hold (XML 1.0, production 2), not even escaped."""
_FILL = "\x00"
"""Stands for the width of a wide letter while lines are broken; no text of a picture holds it."""
_SWEEPS = 8
_STYLE = """
  .page { fill: #ffffff } text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #1d2430 }
  .title { font-weight: 600; font-size: 17px } .name { font-weight: 600 } .small { font-size: 11px }
  .dim { fill: #5b6573; font-size: 12px } .halo { paint-order: stroke; stroke: #ffffff; stroke-width: 4px }
  .box { fill: #f3f5f8; stroke: #9aa4b2; stroke-width: 1.2 } .slate { fill: #dfe4ea; stroke: #6b7686 }
  .blue { fill: #e4effc; stroke: #5b93d1 } .violet { fill: #f1e8fb; stroke: #9a6fce }
  .amber { fill: #fdf0d9; stroke: #d39a2d } .green { fill: #e3f5e8; stroke: #55a96b }
  .pill { fill: #ffffff; stroke: #c3cad4 } .grid { fill: none; stroke: #9aa4b2; stroke-opacity: .25 }
  .mark { stroke-dasharray: 4 4; stroke-opacity: 1 }
  .way { fill: none; stroke: currentColor; stroke-width: 2 } .head { fill: currentColor }
  .way, .head { color: #24507f } .plain { color: #6b7686 } .back { color: #c2571a } .against { color: #b3261e }
  @media (prefers-color-scheme: dark) {
    .page { fill: #14181f } text { fill: #e8ecf2 } .dim { fill: #9aa6b5 } .halo { stroke: #14181f }
    .box { fill: #232a35 } .slate { fill: #2c3440 } .blue { fill: #1d334d } .violet { fill: #33264a }
    .amber { fill: #443415 } .green { fill: #1d3a27 } .pill { fill: #14181f; stroke: #4a5462 }
    .way, .head { color: #7fb3ea } .plain { color: #8a94a2 } .back { color: #e58a52 } .against { color: #f28b82 }
  }
"""


def svg_document(title: str, parts: Iterable[str], *, width: float = 960, height: float = 380, style: str = "") -> str:
    """A whole picture.

    Args:
        title: What it is, for readers who hear it.
        style: CSS besides that of all pictures.
    """
    size = f'width="{width:.0f}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {size} role="img"'
    page = f'aria-label="{_escaped(title)}">\n<style>{_STYLE}{style}</style>\n<rect class="page" {size}/>'
    return "\n".join([f"{head} {page}", *parts, "</svg>"]) + "\n"


def heading_lines(title: str, lines: Iterable[str]) -> list[str]:
    """A title in large letters and lines below it."""
    below = [text(MARGIN, 56 + 18 * place, line, "dim") for place, line in enumerate(lines)]
    return [text(MARGIN, 34, title, "title"), *below]


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Words at a place, in one line.

    Args:
        kind: Classes of its style.
        anchor: What of the line is at ``x``: ``start``, ``middle`` or ``end``.
    """
    aligned = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}"{aligned}>{_escaped(words)}</text>'


def svg_box(x: float, y: float, width: float, height: float, kind: str = "") -> str:
    """A box with round corners."""
    size = f'width="{width:.0f}" height="{height:.0f}"'
    return f'<rect class="{kind or "box"}" x="{x:.0f}" y="{y:.0f}" {size} rx="{min(8, height / 2):g}"/>'


def svg_arrow(
    start: Point, end: Point, bends: Point, kind: str = "", title: str = "", through: Sequence[Point] = ()
) -> str:
    """A curve with a head at its end.

    Args:
        bends: How far right of its start and of its end the curve is drawn, in pixels; with none it is a straight line.
        title: What a pointer at it shows.
        through: Points on its way.
    """
    (x2, y2), (leave, arrive) = end, bends
    if arrive:
        side = math.copysign(1, arrive)
        head, x2 = f"M{x2:.0f} {y2:.0f} l{7 * side:.0f} -4 v8 z", x2 + 5 * side
    else:
        side = math.copysign(1, start[1] - y2)
        head, y2 = f"M{x2:.0f} {y2:.0f} l-4 {7 * side:.0f} h8 z", y2 + 5 * side
    path = f"M{start[0]:.0f} {start[1]:.0f}"
    for (x, y), (to, down) in pairwise([start, *through, (x2, y2)]):
        path += f" C{x + leave:.0f} {y:.0f} {to + arrive:.0f} {down:.0f} {to:.0f} {down:.0f}"
    told = f"<title>{_escaped(title)}</title>" if title else ""
    return f'<path class="way {kind}" d="{path}">{told}</path><path class="head {kind}" d="{head}"/>'


def _escaped(words: str) -> str:
    """A text as XML holds it."""
    return escape(_NO_XML.sub("\ufffd", words), {'"': "&quot;"})


def text_width(words: str, size: float = 13) -> float:
    """About how wide a text is in pixels, with letters of that size."""
    return 0.27 * size * sum(map(_halves, words))


def fit_text(words: str, width: float, *, size: float = 13, most: int = 1) -> list[str]:
    """The text in at most so many lines that are no wider than that."""
    wide = "".join(sign + _FILL * (_halves(sign) - 1) for sign in _NO_XML.sub("\ufffd", words))
    lines = [line.replace(_FILL, "") for line in wrap(wide, int(width / (0.27 * size)))] or [words]
    if len(lines) > most:
        last = lines[most - 1]
        while last and text_width(f"{last} …", size) > width:
            last = last.rpartition(" ")[0] or last[:-1]
        lines[most - 1 :] = [f"{last} …"]
    return lines


def _halves(sign: str) -> int:
    """The width of a letter in halves of a usual one."""
    if sign in "WM@%—…" or unicodedata.east_asian_width(sign) in "WF":
        return 4
    return 3 if sign.isupper() or sign in "mw" or ord(sign) > 0x2000 else 2


def layer_nodes(edges: Iterable[tuple[Node, Node]]) -> list[list[Node]]:
    """The nodes of a directed graph in layers, an effect beside its causes, each layer so that few edges cross.

    Nodes that go round in a circle share a layer. The order within a layer is by barycentres (Sugiyama, Tagawa and
    Toda, 1981), and the order of ``edges`` decides where these do not.
    """
    # Only who asks for a picture pays for loading it.
    import networkx as nx

    graph: nx.DiGraph[Node] = nx.DiGraph()
    graph.add_edges_from(edges)
    ranks = {node: rank for rank, node in enumerate(graph)}
    whole = nx.condensation(graph)
    # From the effects backwards, so that a cause stands beside its effect and few lines pass a layer.
    layers = [
        sorted((node for part in parts for node in whole.nodes[part]["members"]), key=ranks.__getitem__)
        for parts in nx.topological_generations(whole.reverse())
    ][::-1]
    at = {node: place for layer in layers for place, node in enumerate(layer)}
    for sweep in range(_SWEEPS):
        onward = sweep % 2 == 1
        for layer in layers[1:] if onward else layers[-2::-1]:
            means = dict[Node, float]()
            for node in layer:  # what has nothing on that side stays
                beside = [at[other] for other in (graph.predecessors if onward else graph.successors)(node)] or [
                    at[node]
                ]
                means[node] = sum(beside) / len(beside)
            layer.sort(key=lambda node: (means[node], ranks[node]))
            at.update((node, place) for place, node in enumerate(layer))
    return layers


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
        return self.left + self.width * _share(value, self.x_range, self.log_x)

    def y(self, value: float) -> float:
        return self.top + self.height * (1 - _share(value, self.y_range, self.log_y))

    def frame(self) -> list[str]:
        """Title, axes and marks on them."""
        bottom = self.top + self.height
        parts = [
            text(self.left, self.top - 28, self.title, "name"),
            text(self.left, self.top - 10, self.y_label, "dim"),
            text(self.left + self.width / 2, bottom + 40, self.x_label, "dim", "middle"),
            f'<rect class="grid" x="{self.left}" y="{self.top}" width="{self.width}" height="{self.height}"/>',
        ]
        for value in _ticks(self.x_range, self.log_x):
            parts.append(text(self.x(value), bottom + 18, _number(value), "dim", "middle"))
        for value in _ticks(self.y_range, self.log_y):
            parts.append(text(self.left - 8, self.y(value) + 4, _number(value), "dim", "end"))
            parts.append(f'<path class="grid" d="M{self.left} {self.y(value):.1f} h{self.width}"/>')
        return parts

    def line(self, points: Iterable[tuple[float, float]], colour: str) -> str:
        """Points with lines between them."""
        style = f'fill="none" stroke="{colour}" stroke-width="2.5" stroke-linejoin="round"'
        return f'<polyline points="{self._path(points)}" {style}/>'

    def draw_area(self, points: Iterable[tuple[float, float]], colour: str) -> str:
        """What these points surround."""
        return f'<polygon points="{self._path(points)}" fill="{colour}" fill-opacity="0.2"/>'

    def draw_dot(self, x: float, y: float, colour: str, *, full: bool = True) -> str:
        """A point, or a ring."""
        at = f'cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="2.4"'
        return f'<circle {at} fill="{colour if full else "none"}" stroke="{colour}" stroke-width="0.8"/>'

    def _path(self, points: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)


def decade_bounds(values: Sequence[float]) -> tuple[float, float]:
    """Whole powers of ten around values, at least one decade."""
    first = math.floor(math.log10(max(min(values, default=1), 1)))
    last = math.ceil(math.log10(max(*values, 10) if values else 10))
    return 10.0**first, 10.0 ** max(last, first + 1)


def _share(value: float, bounds: tuple[float, float], logarithmic: bool) -> float:
    low, high = bounds
    value = min(max(value, low), high)
    if logarithmic:
        value, low, high = math.log10(value), math.log10(low), math.log10(high)
    return (value - low) / (high - low)


def _ticks(bounds: tuple[float, float], logarithmic: bool) -> list[float]:
    low, high = bounds
    if logarithmic:
        return [10.0**power for power in range(round(math.log10(low)), round(math.log10(high)) + 1)]
    steps = (of * 10**power for power in count() for of in (1, 2, 5)) if high > 1 else iter((0.25,))
    step = next(step for step in steps if (high - low) / step <= 6)
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _number(value: float) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".")
