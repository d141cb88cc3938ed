"""The causal graph over insights: what leads to an effect, link by link."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from evolve.memory.insight_book import InsightBook
from evolve.memory.insights import EvidenceRow, Insight

_LONGEST = 5
"""Links in a chain; longer ones explain nothing to a person."""


@dataclass(frozen=True, kw_only=True)
class ChainLink:
    """One insight of a chain with everything it rests on."""

    insight: Insight
    evidence: tuple[EvidenceRow, ...]


@dataclass(frozen=True, kw_only=True)
class CausalChain:
    """A path of causes, the first cause first, the effect asked for last.

    Attributes:
        strength: Product of the links' posterior means, as if they were independent.
    """

    links: tuple[ChainLink, ...]
    strength: float


def chains_to(book: InsightBook, effect: str, insights: Iterable[Insight]) -> list[CausalChain]:
    """Every chain of these insights that ends in ``effect``, strongest first, then shortest, then by id.

    A chain begins at a cause that is itself the effect of nothing further along it, and passes
    no cause twice. Insights of relation ``no_effect`` make no link.
    """
    # Only who asks for causes pays for loading it.
    import networkx as nx

    # Several insights may lead from the same cause to the same effect.
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for insight in insights:
        if insight.relation != "no_effect":
            graph.add_edge(insight.cause, insight.effect, key=insight.id)
    if effect not in graph:
        return []
    chains = []
    for source in sorted(nx.ancestors(graph, effect)):
        for path in nx.all_simple_edge_paths(graph, source, effect, cutoff=_LONGEST):
            links = tuple(ChainLink(insight=book.get(name), evidence=tuple(book.evidence(name))) for _, _, name in path)
            strength = math.prod(link.insight.posterior.mean for link in links)
            chains.append(CausalChain(links=links, strength=strength))
    return sorted(
        chains, key=lambda chain: (-chain.strength, len(chain.links), [link.insight.id for link in chain.links])
    )
