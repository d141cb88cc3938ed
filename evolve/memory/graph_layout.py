"""Where things lie in a picture of the causal graph: layers from causes to effects, an effect beside its causes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx

BOX, COLUMN, SIDE = 270, 380, 30
"""In pixels: width of a box, between layers, beside them."""
_PORT, _LEAST, _GAP, _APART, _TOP = 22, 30, 9, 14, 142
"""In pixels: between two edges at a box, least height, between boxes, more between the causes of two effects, above."""
_SWEEPS = 8

Node = tuple[str, str, str, tuple[str, ...]]
"""A cause or an effect, with environment, family and what is seen of the tasks of which it is claimed."""
Ends = Mapping[str, tuple[Node, Node]]
"""By insight, its cause and its effect; the best supported insight first."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where things lie, in pixels.

    Attributes:
        places: Upper left corner and height of each node's box.
        ends: By insight, its nodes.
        starts, stops: By insight, the height at which its line leaves and arrives.
    """

    places: Mapping[Node, tuple[float, float, float]]
    ends: Ends
    starts: Mapping[str, float]
    stops: Mapping[str, float]
    width: int
    height: int

    @classmethod
    def of(cls, ends: Ends, lines: Callable[[Node], int]) -> Layout:
        """The layout of these insights.

        Args:
            lines: How many lines of text a box has.
        """
        # Only who asks for a picture pays for loading it.
        import networkx as nx

        graph: nx.DiGraph[Node] = nx.DiGraph()
        graph.add_edges_from(ends.values())
        leaving, arriving = defaultdict(list), defaultdict(list)
        ranks = dict[Node, int]()
        for rank, (name, (cause, effect)) in enumerate(ends.items()):
            leaving[cause].append(name)
            arriving[effect].append(name)
            ranks.setdefault(cause, rank)
            ranks.setdefault(effect, rank)
        layers = _ordered(graph, ranks)
        tall = {
            node: max(_LEAST, 11 + 15 * lines(node), 10 + _PORT * max(len(leaving[node]), len(arriving[node])))
            for node in graph
        }
        places = _placed(layers, tall, graph)
        round_it = any(places[cause][0] == max(x for x, _, _ in places.values()) for cause, _ in ends.values())
        wide = len(layers) * (BOX + COLUMN) - COLUMN + (int(0.75 * COLUMN) if round_it else 0)
        return cls(
            places=places,
            ends=ends,
            starts=_ports(leaving, places, lambda name: places[ends[name][1]][1]),
            stops=_ports(arriving, places, lambda name: places[ends[name][0]][1]),
            width=max(2 * SIDE + wide, 980),
            height=int(max((top + high for _, top, high in places.values()), default=_TOP - 50) + SIDE),
        )


def _placed(
    layers: Sequence[Sequence[Node]], tall: Mapping[Node, int], graph: nx.DiGraph[Node]
) -> dict[Node, tuple[float, float, float]]:
    """The boxes layer by layer, each as near to the middle of its causes as the one above it allows."""
    places = dict[Node, tuple[float, float, float]]()
    for column, layer in enumerate(layers):
        x, y, above = float(SIDE + column * (BOX + COLUMN)), float(_TOP), None
        for node in layer:
            causes = [places[other] for other in graph.predecessors(node) if other in places and places[other][0] < x]
            if causes:
                top, low = min(top for _, top, _ in causes), max(top + high for _, top, high in causes)
                y = max(y, (top + low - tall[node]) / 2)
            # Causes of another effect keep a distance, so that one sees which belong together.
            after = set(graph.successors(node))
            y += _APART if above is not None and after != above else 0
            above = after
            places[node] = (x, y, float(tall[node]))
            y += tall[node] + _GAP
    return places


def _ordered(graph: nx.DiGraph[Node], ranks: Mapping[Node, int]) -> list[list[Node]]:
    """The nodes by layers, and within each so that few lines cross (barycentres; Sugiyama, Tagawa and Toda, 1981).

    Args:
        ranks: The place of each among all by evidence, which decides where crossings do not.
    """
    import networkx as nx

    whole = nx.condensation(graph)  # causes that go round in a circle share a layer
    # From the effects backwards, so that a cause stands beside its effect and few lines pass a layer.
    layers = [
        sorted((node for part in parts for node in whole.nodes[part]["members"]), key=ranks.__getitem__)
        for parts in nx.topological_generations(whole.reverse())
    ][::-1]
    for sweep in range(_SWEEPS):
        onward = sweep % 2 == 1
        order = range(1, len(layers)) if onward else range(len(layers) - 2, -1, -1)
        for number in order:
            at = {node: place for layer in layers for place, node in enumerate(layer)}
            beside = graph.predecessors if onward else graph.successors
            means = {
                node: sum(at[other] for other in beside(node)) / max(1, len(list(beside(node))))
                for node in layers[number]
            }
            layers[number].sort(key=lambda node: (means[node], ranks[node], node))
    return layers


def _ports(
    edges: Mapping[Node, Sequence[str]],
    places: Mapping[Node, tuple[float, float, float]],
    other_end: Callable[[str], float],
) -> dict[str, float]:
    """The height at which each edge meets its box, in the order of where they come from or go to."""
    found = {}
    for node, names in edges.items():
        _, top, tall = places[node]
        for place, name in enumerate(sorted(names, key=lambda name: (other_end(name), name))):
            found[name] = top + tall / 2 + (place - (len(names) - 1) / 2) * _PORT
    return found
