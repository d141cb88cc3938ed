"""Pictures of a workflow: Mermaid text, and an SVG with a small layout of its own.

The stages are a chain, so the layout is one column; ways back run along its left side and ways that skip stages along
its right, in as few lanes as keep them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from evolve.agent.workflow.reference import visit_bounds
from evolve.agent.workflow.spec import Edge, Workflow
from evolve.agent.workflow.stages import kind_of, skill_of

_BOX, _HEIGHT, _GAP, _LANE, _TOP = 224, 40, 30, 22, 84
"""In pixels: width and height of a box, between two boxes, between two lanes, and above the first box."""
_FIRST = 66
"""From a box to the first lane beside it: room for the word that stands on the way."""
_TEXT = 330
"""Width of the column that says what stages do."""
_PHASES = {
    "recall": "start", "plan": "start", "prepare": "start",
    "act": "work", "ask": "work", "observe": "work",
    "deliberate": "think", "review": "think",
    "judge": "gate", "reflect": "learn", "distill": "learn", "commit": "keep",
}  # fmt: skip
_STYLE = """
  .page { fill: #ffffff } .name { font: 600 14px system-ui, sans-serif; fill: #1d2430 }
  .says, .sum { font: 12px system-ui, sans-serif; fill: #5b6573 }
  .often { font: 10px system-ui, sans-serif; fill: #5b6573; text-anchor: end }
  .title { font: 600 17px system-ui, sans-serif; fill: #1d2430 }
  .word { font: italic 12px system-ui, sans-serif; fill: #39424f; paint-order: stroke; stroke: #ffffff;
    stroke-width: 4px }
  .way { fill: none; stroke: #7a8594; stroke-width: 1.6 } .back { stroke: #c2571a } .skip { stroke: #2f6fb3 }
  .box { stroke-width: 1.4; stroke: #9aa4b2; fill: #f3f5f8 }
  .work { fill: #e4effc; stroke: #5b93d1 } .think { fill: #f1e8fb; stroke: #9a6fce }
  .gate { fill: #fdf0d9; stroke: #d39a2d } .learn { fill: #e3f5e8; stroke: #55a96b }
  .keep { fill: #dfe4ea; stroke: #6b7686 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #14181f } .name, .title { fill: #e8ecf2 } .says, .sum, .often { fill: #9aa6b5 }
    .word { fill: #c6cfda; stroke: #14181f } .box { fill: #232a35 } .work { fill: #1d334d }
    .think { fill: #33264a } .gate { fill: #443415 } .learn { fill: #1d3a27 } .keep { fill: #2c3440 }
  }
"""


def mermaid(workflow: Workflow) -> str:
    """The workflow as a Mermaid flow chart."""
    names = {stage: f"s{number}" for number, stage in enumerate(workflow.stages)}
    lines = ["flowchart TD"]
    lines += [f'    {names[stage]}["{_label(stage)}"]' for stage in workflow.stages]
    for edge in workflow.edges:
        arrow = "-->" if edge.condition == "always" else f"-- {edge.condition} -->"
        lines.append(f"    {names[edge.source]} {arrow} {names[edge.target]}")
    return "\n".join(lines) + "\n"


def svg(workflow: Workflow, *, title: str = "workflow") -> str:
    """The workflow as a picture of its own, which follows the reader's light or dark setting."""
    layout = _Layout.of(workflow)
    # Arrow heads in the colours of the ways
    markers = "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 Z" fill="{colour}"/></marker>'
        for name, colour in (("to", "#7a8594"), ("to-back", "#c2571a"), ("to-skip", "#2f6fb3"))
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width} {layout.height}" '
        f'width="{layout.width}" height="{layout.height}" role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        f"<defs>{markers}</defs>",
        f'<rect class="page" width="{layout.width}" height="{layout.height}"/>',
        f'<text class="title" x="24" y="34">{escape(title)}</text>',
        f'<text class="sum" x="24" y="56">{escape(_summary(workflow))}</text>',
    ]
    parts += [_edge_path(layout, edge) for edge in workflow.edges]
    parts += [_box(layout, number, stage) for number, stage in enumerate(workflow.stages)]
    return "\n".join([*parts, "</svg>"]) + "\n"


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """Where things lie: lanes left of the column for ways back, right of it for ways that skip."""

    workflow: Workflow
    back: dict[Edge, int]
    skip: dict[Edge, int]

    @classmethod
    def of(cls, workflow: Workflow) -> _Layout:
        position = {stage: number for number, stage in enumerate(workflow.stages)}
        back, skip = [], []
        for edge in workflow.edges:
            length = position[edge.target] - position[edge.source]
            if length <= 0:
                back.append(edge)
            elif length > 1:
                skip.append(edge)
        return cls(workflow=workflow, back=_lanes(back, position), skip=_lanes(skip, position))

    @property
    def left(self) -> int:
        """Where the column begins."""
        return 24 + (_FIRST + 12 + _LANE * max(self.back.values()) if self.back else 0)

    @property
    def words(self) -> int:
        """Where the texts begin."""
        return self.left + _BOX + 24 + (_FIRST + _LANE * max(self.skip.values()) if self.skip else 0)

    @property
    def width(self) -> int:
        return self.words + _TEXT + 24

    @property
    def height(self) -> int:
        return _TOP + len(self.workflow.stages) * (_HEIGHT + _GAP)

    def top(self, stage: str) -> int:
        """The upper edge of a stage's box."""
        return _TOP + self.workflow.stages.index(stage) * (_HEIGHT + _GAP)


def _lanes(edges: Sequence[Edge], position: dict[str, int]) -> dict[Edge, int]:
    """The lowest lane for each edge in which it meets no other, short edges first, so that they stay inside."""
    occupied: list[list[tuple[int, int]]] = []
    lanes: dict[Edge, int] = {}
    for edge in sorted(edges, key=lambda edge: abs(position[edge.source] - position[edge.target])):
        low, high = sorted((position[edge.source], position[edge.target]))
        lane = next(
            (n for n, spans in enumerate(occupied) if all(high < a or b < low for a, b in spans)),
            len(occupied),
        )
        if lane == len(occupied):
            occupied.append([])
        occupied[lane].append((low, high))
        lanes[edge] = lane
    return lanes


def _edge_path(layout: _Layout, edge: Edge) -> str:
    source, target, middle = layout.top(edge.source), layout.top(edge.target), layout.left + _BOX // 2
    if edge in layout.back:
        x = layout.left - _FIRST - _LANE * layout.back[edge]
        return _bend(edge, "back", (layout.left, source + _HEIGHT // 2), (layout.left, target + _HEIGHT // 2), x)
    if edge in layout.skip:
        right = layout.left + _BOX
        x = right + _FIRST + _LANE * layout.skip[edge]
        return _bend(edge, "skip", (right, source + _HEIGHT // 2 + 8), (right, target + _HEIGHT // 2 - 8), x)
    line = f'<path class="way" marker-end="url(#to)" d="M{middle} {source + _HEIGHT} V{target - 3}"/>'
    if edge.condition == "always":
        return line
    return line + f'<text class="word" x="{middle + 8}" y="{source + _HEIGHT + 19}">{edge.condition}</text>'


def _bend(edge: Edge, kind: str, start: tuple[int, int], end: tuple[int, int], x: int) -> str:
    side = 1 if x > start[0] else -1
    down = 1 if end[1] > start[1] else -1
    r = 10
    path = (
        f"M{start[0]} {start[1]} H{x - side * r} Q{x} {start[1]} {x} {start[1] + down * r} "
        f"V{end[1] - down * r} Q{x} {end[1]} {x - side * r} {end[1]} H{end[0] + side * 3}"
    )
    at = f'x="{start[0] + side * 6}" y="{start[1] - 6}" text-anchor="{"start" if side > 0 else "end"}"'
    return (
        f'<path class="way {kind}" marker-end="url(#to-{kind})" d="{path}"/>'
        f'<text class="word" {at}>{edge.condition}</text>'
    )


def _box(layout: _Layout, number: int, stage: str) -> str:
    top, kind = layout.top(stage), kind_of(stage)
    places = kind.places if kind is not None else ()
    phase = _PHASES.get(places[0] if places else "", "start")
    bound = visit_bounds(layout.workflow)[stage]
    first, second = _wrapped(_description(stage), 52)
    lines = [(first, top + 17), (second, top + 33)] if second else [(first, top + 25)]
    return (
        f'<rect class="box {phase}" x="{layout.left}" y="{top}" width="{_BOX}" height="{_HEIGHT}" rx="9"/>'
        f'<text class="name" x="{layout.left + _BOX // 2}" y="{top + 25}" text-anchor="middle">{escape(_label(stage))}'
        "</text>"
        + (f'<text class="often" x="{layout.left + _BOX - 7}" y="{top + 14}">≤{bound}</text>' if bound > 1 else "")
        + "".join(f'<text class="says" x="{layout.words}" y="{y}">{escape(text)}</text>' for text, y in lines)
    )


def _label(stage: str) -> str:
    skill = skill_of(stage)
    name = stage if skill is None else skill[0]
    return _shortened(name, 22)


def _shortened(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _description(stage: str) -> str:
    """What a stage does; of a skill also which one is meant, as the box may be too small for its name."""
    kind, skill = kind_of(stage), skill_of(stage)
    if skill is None:
        return kind.does if kind is not None else ""
    return f"{_shortened(skill[0], 36)}@{skill[1][:12]}: proposes an answer, changes one, or doubts one"


def _summary(workflow: Workflow) -> str:
    most = sum(visit_bounds(workflow).values())
    return f"{len(workflow.stages)} stages, at most {most} visits; {workflow.digest[:12]}"


def _wrapped(text: str, width: int) -> tuple[str, str]:
    if len(text) <= width:
        return text, ""
    cut = text.rfind(" ", 0, width)
    return text[:cut], text[cut + 1 :]
