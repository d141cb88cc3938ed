"""Pictures of a workflow: Mermaid text, and an SVG of its stages in a column, since each leads to the next.

Ways to other stages run along the left side, the longer ones outside of the shorter.
"""

from __future__ import annotations

from evolve.agent.workflow.reference import visit_bounds
from evolve.agent.workflow.spec import Workflow
from evolve.agent.workflow.stages import skill_of, stage_kind
from evolve.core.svg import MARGIN, fit_text, heading_lines, svg_arrow, svg_box, svg_document, text

_BOX, _HEIGHT, _PITCH, _TOP, _TEXT = 224, 40, 70, 84, 350
"""In pixels: width and height of a box, from one to the next, above the first, width of what is said of each."""
_FIRST, _FURTHER = 80, 32
"""How far the shortest way along the side bends, and how much further each longer one, in pixels."""
_PHASES = {
    "recall": "box", "plan": "box", "prepare": "box",
    "act": "box blue", "ask": "box blue", "observe": "box blue",
    "deliberate": "box violet", "review": "box violet",
    "judge": "box amber", "reflect": "box green", "distill": "box green", "commit": "box slate",
}  # fmt: skip


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
    tops = {stage: _TOP + _PITCH * number for number, stage in enumerate(workflow.stages)}
    far = {edge: tops[edge.target] - tops[edge.source] for edge in workflow.edges}
    around = sorted((edge for edge in far if far[edge] != _PITCH), key=lambda edge: abs(far[edge]))
    left = MARGIN + (0.75 * (_FIRST + _FURTHER * len(around)) if around else 0)
    ways, words = [], []
    for edge in workflow.edges:
        word = "" if edge.condition == "always" else edge.condition
        y, back = tops[edge.source] + _HEIGHT / 2, far[edge] <= 0
        if edge in around:
            bend = -_FIRST - _FURTHER * around.index(edge)
            ways.append(svg_arrow((left, y), (left, y + far[edge]), (bend, bend), "back" if back else ""))
            words.append(text(left - 6, y + (15 if back else -6), word, "dim halo", "end"))
        else:
            x, low = left + _BOX / 2, y + _HEIGHT / 2
            ways.append(svg_arrow((x, low), (x, y + _PITCH - _HEIGHT / 2), (0, 0), "plain"))
            # Where both conditions lead on, their words stand on either side.
            side, anchor = (-8, "end") if edge.condition in ("again", "doubtful") else (8, "start")
            words.append(text(x + side, low + 19, word, "dim halo", anchor))
    bounds = visit_bounds(workflow)
    told = f"{len(tops)} stages, at most {sum(bounds.values())} visits; {workflow.digest[:12]}"
    boxes = [_box(stage, left, top, bounds[stage]) for stage, top in tops.items()]
    parts = [*heading_lines(title, [told]), *ways, *words, *boxes]
    width, height = left + _BOX + _TEXT + 2 * MARGIN, _TOP + _PITCH * len(tops)
    return svg_document(title, parts, width=width, height=height)


def _box(stage: str, left: float, top: float, bound: int) -> str:
    kind, skill = stage_kind(stage), skill_of(stage)
    places, does = (kind.places, kind.does) if kind is not None else ((), "")
    if skill is not None:  # which one is meant, as the box may be too small for its name
        does = f"{fit_text(skill[0], 230, size=12)[0]}@{skill[1][:12]}: proposes an answer, changes one, or doubts one"
    lines = fit_text(does, _TEXT, size=12, most=2)
    parts = [
        svg_box(left, top, _BOX, _HEIGHT, _PHASES.get(places[0] if places else "", "box")),
        text(left + _BOX / 2, top + 25, _label(stage), "name", "middle"),
        text(left + _BOX - 7, top + 14, f"≤{bound}", "small", "end") if bound > 1 else "",
        *(
            text(left + _BOX + MARGIN, top + 33 - 8 * len(lines) + 16 * place, line, "says dim")
            for place, line in enumerate(lines)
        ),
    ]
    return "".join(parts)


def _label(stage: str) -> str:
    skill = skill_of(stage)
    return fit_text(stage if skill is None else skill[0], 180, size=14)[0]
