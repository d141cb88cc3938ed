"""``evolve memory graph``: what leads to what, and where that was learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.render.output import count_of, emit, emit_json, pick_attributes, report_written_file, shorten_line

if TYPE_CHECKING:
    from evolve.workspace import CausalChain, EvidenceRow, Insight, Sentence

app = pages.App()

_ORIGINS = 3
"""Tasks that are named where a chain of causes was learned."""


@app.page("graph", "evolve memory graph --out graph.svg", "evolve memory graph --json")
def graph_command(
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="FILE", help="SVG file to write, also over a picture; default: Mermaid on stdout."
        ),
    ] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Draw claims of what leads to what: an SVG picture into a file, or Mermaid text on stdout.

    A line says what is claimed, its weight how far that is proven, the words at it the counts behind it. The best
    supported insights are drawn, and how many are left out is said.
    """
    with evolve.open(workspace, read_only=True) as opened, report_written_file(out):
        drawn = opened.memory.graph(out)
    if as_json:
        emit_json({"mermaid": drawn, "out": out})
    elif out is None:
        emit(drawn.rstrip("\n"), whole=True)


def cause_line(chain: CausalChain, known: Mapping[str, Sentence]) -> str:
    """A chain of causes in a line, each in its sentence, with how far it is proven."""
    links = [f"{known[link.insight.id].text} ({known[link.insight.id].standing})" for link in chain.links]
    return " → ".join([*links, chain.links[-1].insight.effect])


def origin_lines(chain: CausalChain, runs: Mapping[str, str]) -> list[str]:
    """Where a chain was learned: of each link some tasks, with the command that opens the run of each.

    Args:
        runs: The run of each episode.
    """
    lines = []
    for link in chain.links:
        said = link.insight.direction_of
        rows = {(runs.get(row.episode, ""), row.task, said(row) > 0): row for row in link.evidence if said(row)}
        for (run, task, for_it), row in [*rows.items()][:_ORIGINS]:
            kept = "a trial of evolve lab trials" if row.episode.startswith("trials:") else "its run is not on record"
            opens = f"evolve why {row.episode[:10]} --steps" if run else kept
            came = f"{shorten_line(row.detail, 80)}" if row.detail else row.kind
            lines.append(f"{'for' if for_it else 'against'}: {run} {task}: {came}  ({opens})")
        shows = f"evolve why {link.insight.id[:10]}"
        more = len(link.evidence) - min(len(rows), _ORIGINS)
        lines.append(
            f"{count_of(more, 'more piece of evidence', 'more pieces of evidence')}: {shows}" if more else shows
        )
    return lines


def insight_data(insight: Insight, told: Sentence) -> dict[str, Any]:
    """An insight as data, in the words in which it is told."""
    return {
        **pick_attributes(insight, "id", "cause", "relation", "effect", "status", "evidence", "tasks", "groups"),
        "posterior_mean": round(insight.posterior.mean, 4),
        "text": told.text,
        "counts": told.counts,
        "scope": insight.scope,
    }


def evidence_data(rows: Iterable[EvidenceRow]) -> list[dict[str, Any]]:
    """Evidence as data, without the hundreds of numbers by which tasks are compared."""
    return [{name: value for name, value in vars(row).items() if name != "features"} for row in rows]


def chain_data(chain: CausalChain, known: Mapping[str, Sentence], runs: Mapping[str, str]) -> dict[str, Any]:
    """A chain of causes as data."""
    links = [
        {
            "insight": insight_data(link.insight, known[link.insight.id]),
            "evidence": [{**row, "run": runs.get(row["episode"], "")} for row in evidence_data(link.evidence)],
        }
        for link in chain.links
    ]
    return {"links": links, "strength": chain.strength}
