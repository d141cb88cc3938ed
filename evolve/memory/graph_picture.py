"""Pictures of the causal graph: Mermaid text, and an SVG that is laid out in layers from causes to effects.

Every effect stands once for each kind of task in which it was seen, with its causes at its left, the best supported at
the top; an effect that is itself a cause stands between. An arrow is an insight: its kind of line says what is claimed,
its weight how far that is proven, and the words at its beginning say both, with the counts behind it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from evolve.core.episodes import FACT, QUOTED
from evolve.core.svg import (
    MARGIN,
    Point,
    fit_text,
    heading_lines,
    layer_nodes,
    svg_arrow,
    svg_box,
    svg_document,
    text,
    text_width,
)
from evolve.memory.insights import Insight
from evolve.memory.sentences import Sentence, facts_of, from_to

MOST = 40
"""Insights that one picture holds; more of them nobody can follow."""
_BOX, _BEND, _TOP, _GAP, _PORT = 270, 70.0, 92, 10, 22
"""In pixels: width of a box, how far lines bend, above all boxes, between two of them, between two lines at one."""
_WORDS = 400
"""Most pixels of the words at a line."""
_LINES: Mapping[str, str] = {
    "necessary": "needs it",
    "sufficient": "is enough",
    "contributes": "helps",
    "seen": "in answers, untried",
    "no_effect": "no effect",
    "prevents": "prevents",
}
"""What lines say, by relation; ``seen`` is what was observed of an operation and not tried."""
_STYLE = """
  .sufficient { stroke-dasharray: 14 4 } .prevents { stroke-dasharray: 7 5 }
  .no_effect { stroke-dasharray: 1 5; stroke-linecap: round }
  .confirmed { stroke-width: 4 } .hypothesis, .contested { stroke-width: 1 }
  .refuted, .superseded, .expired { stroke-width: 1; opacity: .5 }
"""
_TITLE = "Claims of what leads to what, and what speaks for each"
_COLOURS: Mapping[str, str] = {"no_effect": "plain", "seen": "plain", "prevents": "against"}

Node = tuple[str, str, str, tuple[str, ...]]
"""A cause or an effect, with environment, family and what is seen of the tasks of which it is claimed."""


@dataclass(frozen=True, kw_only=True)
class PictureContent:
    """What a picture holds.

    Attributes:
        insights: The best supported first.
        told: What is said of each, by id.
        left: How many more there are.
    """

    insights: tuple[Insight, ...]
    told: Mapping[str, Sentence]
    left: int

    @classmethod
    def from_insights(
        cls, insights: Iterable[Insight], told: Mapping[str, Sentence], most: int = MOST
    ) -> PictureContent:
        """The best supported ones: those that may act first, then by problems and pieces of evidence."""
        ranked = sorted(insights, key=lambda one: (not one.may_influence, -one.groups, -one.evidence, one.id))
        return cls(insights=tuple(ranked[:most]), told=told, left=max(0, len(ranked) - most))

    @property
    def summary(self) -> tuple[str, ...]:
        """How many there are and how far they are proven, in a line; in another one what is not in the picture."""
        if not self.insights:
            return ("no insights yet; runs and practice make them, such as evolve improve everyday",)
        known = Counter(self.told[one.id].standing for one in self.insights)
        words = {"hypothesis": "hypotheses"}
        parts = [f"{of} {words.get(each, each) if of > 1 else each}" for each, of in known.items()]
        count = len(self.insights)
        insights = f"{count} insight{'s' * (count != 1)}, causes left and effects right: {', '.join(parts)}"
        rest = f"{self.left} more with less evidence are not drawn; evolve memory list has them"
        return (insights, rest) if self.left else (insights,)

    def line_kind(self, one: Insight) -> str:
        """What its line says, a key of the kinds of lines."""
        told = self.told[one.id]
        return "seen" if not told.worded and not told.tried else one.relation

    def claim_line(self, one: Insight) -> str:
        """What is claimed and what speaks for it, in a line."""
        return f"{_LINES[self.line_kind(one)]} ({self.told[one.id].standing}, {self.told[one.id].counts})"

    def cause_and_effect_nodes(self) -> dict[str, tuple[Node, Node]]:
        """Cause and effect of each, by id; a cause that is an effect as well, of the same tasks, is the same node."""
        effects = {one.effect for one in self.insights}
        found = {}
        for one in self.insights:
            place = (one.scope.environment, one.scope.family, tuple(facts_of(one.scope)))
            cause = one.cause if one.cause in effects else self.told[one.id].cause or one.cause
            found[one.id] = ((cause, *place), (one.effect, *place))
        return found


def mermaid(insights: Iterable[Insight], told: Mapping[str, Sentence], most: int = MOST) -> str:
    """The graph as a Mermaid flow chart.

    Args:
        told: What is said of each insight, by id.
    """
    shown = PictureContent.from_insights(insights, told, most)
    ends = shown.cause_and_effect_nodes()
    nodes = _nodes(ends)
    names = {node: f"n{number}" for number, node in enumerate(nodes)}
    lines = ["flowchart LR", *(f"    %% {line}" for line in shown.summary)]
    lines += [f'    {names[node]}["{"<br>".join(map(_plain, [*is_, *of]))}"]' for node, (is_, of) in nodes.items()]
    for one in shown.insights:
        bond, (cause, effect) = shown.line_kind(one), ends[one.id]
        line = {"no_effect": "-.->", "prevents": "-.->", "contributes": "-->", "seen": "-->"}.get(bond, "==>")
        lines.append(f'    {names[cause]} {line}|"{_plain(shown.claim_line(one))}"| {names[effect]}')
    return "\n".join(lines) + "\n"


def svg(insights: Iterable[Insight], told: Mapping[str, Sentence], most: int = MOST) -> str:
    """The graph as a picture of its own, which follows the reader's light or dark setting.

    Args:
        told: What is said of each insight, by id.
    """
    shown = PictureContent.from_insights(insights, told, most)
    ends = shown.cause_and_effect_nodes()
    nodes = _nodes(ends)
    words = {one.id: fit_text(shown.claim_line(one), _WORDS, size=11)[0] for one in shown.insights}
    column = _BOX + 3 * _BEND + max((text_width(each, 11) for each in words.values()), default=0)
    places, points = _layout(ends, {node: len(is_) + len(of) for node, (is_, of) in nodes.items()}, column)
    ways, pills, rights = [], [], [680.0, *(x + _BOX for x, _, _ in places.values())]
    for one in shown.insights:
        ((x, y), *through, stop), bond = points[one.id], shown.line_kind(one)
        start, bends = x + 18 + text_width(words[one.id], 11), (_BEND, -_BEND)
        if x >= stop[0]:  # against the order of the layers, or within one: round the right side
            bends = (_BEND, _BEND + start - stop[0])
            rights.append(start + _BEND)
        kind = f"{bond} {one.status} {_COLOURS.get(bond, '')}".rstrip()
        cause, effect = (_named(node[0]) for node in ends[one.id])
        ways.append(svg_arrow((start, y), stop, bends, kind, f"{cause} → {effect}: {shown.claim_line(one)}", through))
        pills.append(svg_box(x + 4, y - 9, start - x - 4, 18, "pill") + text(x + 11, y + 4, words[one.id], "small"))
    effects = {effect for _, effect in ends.values()}
    boxes = [_box(place, "box green" if node in effects else "box", *nodes[node]) for node, place in places.items()]
    parts = [*heading_lines(_TITLE, shown.summary), *ways, *boxes, *pills]
    bottom = max((y + high for _, y, high in places.values()), default=_TOP - 30)
    return svg_document(_TITLE, parts, width=max(rights) + MARGIN, height=bottom + MARGIN, style=_STYLE)


Place = tuple[float, float, float]
"""Left and upper edge of a box, and its height."""


def _layout(
    ends: Mapping[str, tuple[Node, Node]], lines: Mapping[Node, int], column: float
) -> tuple[dict[Node, Place], dict[str, list[Point]]]:
    """Where the boxes are, and the points through which the line of each insight runs.

    Args:
        lines: How many lines of text each box has.
        column: From the left edge of a layer to that of the next, in pixels.
    """
    columns = {node: number for number, layer in enumerate(layer_nodes(ends.values())) for node in layer}
    # A line that passes layers has a place of its own in each, so that it runs behind no box.
    chains: dict[str, list[Node]] = {
        name: [cause, *((name, "passes", "", (str(at),)) for at in range(columns[cause] + 1, columns[effect])), effect]
        for name, (cause, effect) in ends.items()
    }
    sides = defaultdict[tuple[Node, bool], list[tuple[str, int]]](list)  # at a node's left or right: the ends of lines
    for name, chain in chains.items():
        sides[chain[0], True].append((name, 0))
        sides[chain[-1], columns[chain[0]] == columns[chain[-1]]].append((name, -1))
    most = {node: max(len(sides[node, right]) for right in (False, True)) for node in lines}
    tall = {node: max(30.0, 11 + 15 * lines[node], 10 + _PORT * most[node]) for node in lines}
    places = _places([pair for chain in chains.values() for pair in pairwise(chain)], tall, column)
    ports = dict[tuple[str, int], Point]()
    for (node, right), names in sides.items():
        x, top, high = places[node]
        names.sort(key=lambda one: (places[chains[one[0]][-2 if one[1] else 1]][1], one))
        for place, one in enumerate(names):
            ports[one] = (x + _BOX * right, top + high / 2 + (place - (len(names) - 1) / 2) * _PORT)
    points = {}
    for name, chain in chains.items():
        through = [
            (x + wide, top + high / 2) for x, top, high in (places[node] for node in chain[1:-1]) for wide in (0, _BOX)
        ]
        points[name] = [ports[name, 0], *through, ports[name, -1]]
    return {node: places[node] for node in lines}, points


def _places(edges: Sequence[tuple[Node, Node]], tall: Mapping[Node, float], column: float) -> dict[Node, Place]:
    """The boxes layer by layer, each as near to the middle of its causes as the one above it allows."""
    places = dict[Node, Place]()
    for number, layer in enumerate(layer_nodes(edges)):
        x, y, above = MARGIN + number * column, float(_TOP), None
        for node in layer:
            high = tall.get(node, _PORT)
            causes = [places[cause] for cause, effect in edges if effect == node and places.get(cause, (x,))[0] < x]
            if causes:
                low = max(top + height for _, top, height in causes)
                y = max(y, (min(top for _, top, _ in causes) + low - high) / 2)
            # Causes of another effect keep a distance, so that one sees which belong together.
            after = {effect for cause, effect in edges if cause == node}
            y += _GAP if above not in (None, after) else 0
            above = after
            places[node] = (x, y, high)
            y += high + _GAP
    return places


def _nodes(ends: Mapping[str, tuple[Node, Node]]) -> dict[Node, tuple[list[str], list[str]]]:
    """Each node in lines: what it is; and of an effect, of which tasks."""
    effects = {effect for _, effect in ends.values()}
    found = {}
    for node in dict.fromkeys(node for pair in ends.values() for node in pair):
        name, _, family, facts = node
        tasks = [f"tasks {from_to(family)}" if from_to(family) else "", ", ".join(facts)] if node in effects else []
        found[node] = (
            fit_text(_named(name), _BOX - 32, most=2),
            [line for words in tasks if words for line in fit_text(words, _BOX - 24, size=12, most=2)],
        )
    return found


def _box(place: Place, kind: str, name: list[str], tasks: list[str]) -> str:
    x, top, high = place
    first = top + high / 2 + 5 - 7.5 * (len(name) + len(tasks) - 1)
    lines = [(line, "") for line in name] + [(line, "dim") for line in tasks]
    words = (text(x + 12, first + 15 * number, *line) for number, line in enumerate(lines))
    return svg_box(x, top, _BOX, high, kind) + "".join(words)


def _named(name: str) -> str:
    """A cause or an effect in words: what a model worded is its own sentence."""
    return name.removeprefix(QUOTED).removeprefix(FACT)


def _plain(text: str) -> str:
    """A text that no Mermaid reader takes for syntax."""
    return text.replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
