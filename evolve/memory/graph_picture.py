"""Pictures of the causal graph: Mermaid text, and an SVG that is laid out in layers from causes to effects.

A node is a cause, or an effect in the scope in which it was seen; an effect that is itself a cause stands between. An
edge is an insight: its line says the relation, its shade the status, and the number at its beginning how many problems
speak for it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten, wrap
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from evolve.episodes import FACT, QUOTED, Relation
from evolve.memory.insights import Insight

if TYPE_CHECKING:
    import networkx as nx

MOST = 40
"""Insights that one picture holds; more of them nobody can follow."""
_BOX, _PORT, _LEAST, _GAP, _COLUMN, _TOP, _SIDE = 270, 20, 30, 9, 240, 150, 30
"""In pixels: width of a box, between two edges at it, least height, between boxes, between layers, above, beside."""
_SIGNS = 34
"""Letters in a line of a box."""
_SWEEPS = 8
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may hold (XML 1.0, production 2), not even escaped."""
_SKILL = re.compile(r"(?:skill )?(.+?) (?:is necessary for|occurs in answers to) ")
_READ = "a number at the beginning of a line is how many problems speak for it; the darker a line, the firmer it is"
_LINES: Mapping[Relation, str] = {
    "necessary": "needs it",
    "sufficient": "is enough",
    "contributes": "helps",
    "no_effect": "no effect",
    "prevents": "prevents",
}
_SHADES: Mapping[str, tuple[str, ...]] = {
    "confirmed": ("confirmed",),
    "supported": ("supported",),
    "open": ("hypothesis", "contested"),
    "past": ("refuted", "superseded", "expired"),
}
"""Statuses by how dark their lines are, the darkest first."""
_STYLE = """
  .page { fill: #ffffff } .box { fill: #f3f5f8; stroke: #9aa4b2; stroke-width: 1.2 }
  .effect { fill: #e3f5e8; stroke: #55a96b }
  text { font-family: system-ui, "DejaVu Sans", sans-serif; fill: #1d2430; font-size: 13px }
  .title { font-weight: 600; font-size: 17px } .sum, .where { fill: #5b6573; font-size: 12px }
  .count { font-size: 11px; text-anchor: middle } .pill { fill: #ffffff; stroke: #c3cad4 }
  .way { fill: none; stroke: #24507f; stroke-width: 1.8 }
  .necessary, .sufficient { stroke-width: 3 } .sufficient { stroke-dasharray: 14 4 }
  .no_effect { stroke-dasharray: 1 5; stroke-linecap: round; stroke: #6b7686 }
  .prevents { stroke: #b3261e; stroke-dasharray: 7 5 }
  .confirmed { stroke-opacity: 1 } .supported { stroke-opacity: .62 } .open { stroke-opacity: .32 }
  .past { stroke-opacity: .16 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #14181f } text { fill: #e8ecf2 } .sum, .where { fill: #9aa6b5 }
    .box { fill: #232a35 } .effect { fill: #1d3a27 } .pill { fill: #14181f; stroke: #4a5462 }
    .way { stroke: #7fb3ea } .prevents { stroke: #f28b82 } .no_effect { stroke: #8a94a2 }
  }
"""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a picture holds.

    Attributes:
        insights: The best supported first.
        left: How many more there are.
    """

    insights: tuple[Insight, ...]
    left: int

    @classmethod
    def of(cls, insights: Iterable[Insight], most: int = MOST) -> Shown:
        """The best supported ones: those that may act first, then by problems and pieces of evidence."""
        ranked = sorted(insights, key=lambda one: (not one.influences, -one.groups, -one.evidence, one.id))
        return cls(insights=tuple(ranked[:most]), left=max(0, len(ranked) - most))

    @property
    def summary(self) -> str:
        """How many there are, and what is not in the picture, in a line."""
        insights = f"{len(self.insights)} insight{'s' * (len(self.insights) != 1)}, from cause to effect"
        rest = f"; {self.left} more with less evidence are not drawn, evolve memory list has them" if self.left else ""
        return insights + rest


def mermaid(insights: Iterable[Insight], most: int = MOST) -> str:
    """The graph as a Mermaid flow chart."""
    shown = Shown.of(insights, most)
    ends = [_ends(one, _effects(shown.insights)) for one in shown.insights]
    names = {node: f"n{number}" for number, node in enumerate(dict.fromkeys(node for pair in ends for node in pair))}
    lines = ["flowchart LR", f"    %% {shown.summary}"]
    lines += [f'    {name}["{"<br>".join(map(_plain, _told(node)))}"]' for node, name in names.items()]
    for one, (cause, effect) in zip(shown.insights, ends, strict=True):
        arrow = (
            "-.->" if one.relation in ("no_effect", "prevents") else "==>" if one.relation != "contributes" else "-->"
        )
        lines.append(
            f'    {names[cause]} {arrow}|"{_LINES[one.relation]}, {one.status}, {one.groups}"| {names[effect]}'
        )
    return "\n".join(lines) + "\n"


def svg(insights: Iterable[Insight], most: int = MOST) -> str:
    """The graph as a picture of its own, which follows the reader's light or dark setting."""
    shown = Shown.of(insights, most)
    layout = _Layout.of(shown.insights)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width} {layout.height}" '
        f'width="{layout.width}" height="{layout.height}" role="img" aria-label="what causes what">'
    )
    parts = [head, f"<style>{_STYLE}</style>", f'<rect class="page" width="{layout.width}" height="{layout.height}"/>']
    parts += [_text("title", _SIDE, 34, "What causes what"), _text("sum", _SIDE, 56, shown.summary)]
    parts.append(_text("sum", _SIDE, 74, _READ))
    parts += [*_legend(), *(_way(layout, one) for one in shown.insights)]
    parts += [_box(layout, node) for node in layout.places]
    parts += [_count(layout, one) for one in shown.insights]
    return "\n".join([*parts, "</svg>"]) + "\n"


_Node = tuple[str, str, tuple[str, ...]]
"""A cause, or an effect with the family and preconditions in which it was seen."""


def _effects(insights: Sequence[Insight]) -> frozenset[str]:
    return frozenset(one.effect for one in insights)


def _ends(one: Insight, effects: frozenset[str]) -> tuple[_Node, _Node]:
    """Where an insight begins and ends; a cause that is an effect as well is the same node."""
    place = (one.scope.family, tuple(one.scope.preconditions))
    cause = (one.cause, *place) if one.cause in effects else (_called(one), "", ())
    return cause, (one.effect, *place)


def _called(one: Insight) -> str:
    """The cause; of a skill by its name, which stands in the sentence it was claimed with, and not by its digest."""
    said = _SKILL.match(one.text) if one.cause.startswith("skill:") else None
    return f"skill:{said[1]}" if said else one.cause


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """Where things lie, in pixels.

    Attributes:
        places: Upper left corner and height of each node's box.
        ends: By insight, its nodes.
        starts, stops: By insight, the height at which its line leaves and arrives.
        effects: Nodes that are effects.
    """

    places: Mapping[_Node, tuple[float, float, float]]
    ends: Mapping[str, tuple[_Node, _Node]]
    starts: Mapping[str, float]
    stops: Mapping[str, float]
    effects: frozenset[_Node]
    width: int
    height: int

    @classmethod
    def of(cls, insights: Sequence[Insight]) -> _Layout:
        ends = {one.id: _ends(one, _effects(insights)) for one in insights}
        layers = _ordered(_graph(ends))
        leaving, arriving = defaultdict(list), defaultdict(list)
        for name, (cause, effect) in ends.items():
            leaving[cause].append(name)
            arriving[effect].append(name)
        tall = {
            node: max(
                _LEAST, 26 + 15 * (len(_told(node)) - 1), 10 + _PORT * max(len(leaving[node]), len(arriving[node]))
            )
            for layer in layers
            for node in layer
        }
        heights = [sum(tall[node] + _GAP for node in layer) for layer in layers]
        places = {}
        for column, layer in enumerate(layers):
            x, y = _SIDE + column * (_BOX + _COLUMN), _TOP + (max(heights) - heights[column]) / 2
            for node in layer:
                places[node] = (float(x), y, float(tall[node]))
                y += tall[node] + _GAP
        return cls(
            places=places,
            ends=ends,
            starts=_ports(leaving, places, lambda name: places[ends[name][1]][1]),
            stops=_ports(arriving, places, lambda name: places[ends[name][0]][1]),
            effects=frozenset(effect for _, effect in ends.values()),
            width=max(2 * _SIDE + len(layers) * (_BOX + _COLUMN) - _COLUMN + _round(ends, places), 860),
            height=int(_TOP + max(heights, default=0) + _SIDE),
        )


def _round(ends: Mapping[str, tuple[_Node, _Node]], places: Mapping[_Node, tuple[float, float, float]]) -> int:
    """The room that lines take which go round the right side of the last layer."""
    last = max((place[0] for place in places.values()), default=0)
    back = any(places[cause][0] == last for cause, _ in ends.values())
    return int(_COLUMN * 0.3) if back else 0


def _graph(ends: Mapping[str, tuple[_Node, _Node]]) -> nx.DiGraph[_Node]:
    # Only who asks for a picture pays for loading it.
    import networkx as nx

    graph: nx.DiGraph[_Node] = nx.DiGraph()
    graph.add_edges_from(ends.values())
    return graph


def _ordered(graph: nx.DiGraph[_Node]) -> list[list[_Node]]:
    """The nodes by layers, and within each so that few lines cross (barycentres; Sugiyama, Tagawa and Toda, 1981)."""
    import networkx as nx

    whole = nx.condensation(graph)  # causes that go round in a circle share a layer
    # From the effects backwards, so that a cause stands beside its effect and few lines pass a layer.
    layers = [
        sorted(node for part in parts for node in whole.nodes[part]["members"])
        for parts in nx.topological_generations(whole.reverse())
    ][::-1]
    for sweep in range(_SWEEPS):
        onward = sweep % 2 == 0
        order = range(1, len(layers)) if onward else range(len(layers) - 2, -1, -1)
        for number in order:
            at = {node: place for layer in layers for place, node in enumerate(layer)}
            beside = graph.predecessors if onward else graph.successors
            means = {
                node: sum(at[other] for other in beside(node)) / max(1, len(list(beside(node))))
                for node in layers[number]
            }
            layers[number].sort(key=lambda node: (means[node], node))
    return layers


def _ports(
    edges: Mapping[_Node, Sequence[str]],
    places: Mapping[_Node, tuple[float, float, float]],
    other_end: Callable[[str], float],
) -> dict[str, float]:
    """The height at which each edge meets its box, in the order of where they come from or go to."""
    found = {}
    for node, names in edges.items():
        _, top, tall = places[node]
        for place, name in enumerate(sorted(names, key=lambda name: (other_end(name), name))):
            found[name] = top + tall / 2 + (place - (len(names) - 1) / 2) * _PORT
    return found


def _way(layout: _Layout, one: Insight) -> str:
    (x1, y1), (x2, y2) = _line(layout, one)
    back = x2 <= x1  # within a layer, or against the order of layers: round the right side
    bend = _COLUMN * (0.45 if not back else 0.3)
    end = x2 - bend if not back else x2 + bend
    shade = _shade(one.status)
    path = f"M{x1:.0f} {y1:.0f} C{x1 + bend:.0f} {y1:.0f} {end:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"
    cause, effect = (_named(node[0]) for node in layout.ends[one.id])
    told = f"{cause} → {effect}: {_LINES[one.relation]}, {one.status}, {one.groups}"
    return f'<path class="way {one.relation} {shade}" d="{path}"><title>{_escaped(told)}</title></path>'


def _line(layout: _Layout, one: Insight) -> tuple[tuple[float, float], tuple[float, float]]:
    cause, effect = layout.ends[one.id]
    begin, end = layout.places[cause][0] + _BOX, layout.places[effect][0]
    end = end if end > begin else end + _BOX
    return (begin, layout.starts[one.id]), (end, layout.stops[one.id])


def _count(layout: _Layout, one: Insight) -> str:
    (x, y), _ = _line(layout, one)
    wide = 10 + 7 * len(str(one.groups))
    pill = f'<rect class="pill" x="{x + 4:.0f}" y="{y - 8:.0f}" width="{wide}" height="16" rx="8"/>'
    return pill + _text("count", x + 4 + wide / 2, y + 4, str(one.groups))


def _box(layout: _Layout, node: _Node) -> str:
    x, top, tall = layout.places[node]
    lines, named = _told(node), len(_lines(node[0]))
    kind = "box effect" if node in layout.effects else "box"
    parts = [f'<rect class="{kind}" x="{x:.0f}" y="{top:.0f}" width="{_BOX}" height="{tall:.0f}" rx="8"/>']
    first = top + tall / 2 + 5 - 7.5 * (len(lines) - 1)
    for place, line in enumerate(lines):
        parts.append(_text("where" if place >= named else "name", x + 12, first + 15 * place, line))
    return "".join(parts)


def _legend() -> list[str]:
    parts, x = [], _SIDE
    for relation, told in _LINES.items():
        parts.append(f'<path class="way {relation} confirmed" d="M{x} 102 h44"/>' + _text("sum", x + 52, 106, told))
        x += 66 + 7 * len(told) + 14
    x = _SIDE
    for shade, statuses in _SHADES.items():
        told = ", ".join(statuses)
        parts.append(f'<path class="way {shade}" d="M{x} 124 h44"/>' + _text("sum", x + 52, 128, told))
        x += 66 + 7 * len(told) + 14
    return parts


def _shade(status: str) -> str:
    return next(shade for shade, statuses in _SHADES.items() if status in statuses)


def _text(kind: str, x: float, y: float, text: str) -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}">{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return escape(_NO_XML.sub("\ufffd", text))


def _told(node: _Node) -> list[str]:
    """A node in one line, or a few: what it is, and where it was seen."""
    name, family, preconditions = node
    where = [shorten(family.replace("->", "→"), _SIGNS + 4, placeholder=" …")] if family else []
    facts = [fact for fact in preconditions if fact != "other"]
    return [*_lines(name), *where, *([shorten(", ".join(facts), _SIGNS + 4, placeholder=" …")] if facts else [])]


def _lines(name: str) -> list[str]:
    """A cause or an effect in words, in one line or two."""
    return wrap(_named(name), _SIGNS, max_lines=2, placeholder=" …") or [name]


def _named(name: str) -> str:
    """A cause or an effect in words: what a model worded is its own sentence."""
    for sign in (QUOTED, FACT):
        if name.startswith(sign):
            return name.removeprefix(sign)
    kind, colon, rest = name.partition(":")
    if kind == "literal":
        return f"the constant {rest.partition(':')[2]!r}"
    if kind == "mined":
        return f"a value of the rows, {rest}"
    if kind == "skill":
        return f"the skill {rest}"
    return rest.replace("_", " ") if colon else name.replace("_", " ")


def _plain(text: str) -> str:
    """A text that no Mermaid reader takes for syntax."""
    return text.replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
