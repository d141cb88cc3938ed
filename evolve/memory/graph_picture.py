"""Pictures of the causal graph: Mermaid text, and an SVG that is laid out in layers from causes to effects.

Every effect stands once for each kind of task in which it was seen, with its causes at its left, the best supported at
the top; an effect that is itself a cause stands between. An edge is an insight: its kind of line says what is claimed,
its weight how far that is proven, and the words at its beginning are the counts behind it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from textwrap import wrap
from xml.sax.saxutils import escape

from evolve.core.episodes import FACT, QUOTED
from evolve.memory.graph_layout import BOX, COLUMN, SIDE, Layout, Node
from evolve.memory.insights import Insight
from evolve.memory.sentences import Sentence, facts_of, from_to

MOST = 40
"""Insights that one picture holds; more of them nobody can follow."""
_SIGNS = 34
"""Letters of usual width in a line of a box."""
_COUNTS = 50
"""Letters of the counts at a line."""
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may hold (XML 1.0, production 2), not even escaped."""
_FILL = "\x00"
"""Stands for the width of a wide letter while lines are broken; no text of a picture holds it."""
_LINES: Mapping[str, str] = {
    "necessary": "needs it",
    "sufficient": "is enough",
    "contributes": "helps",
    "seen": "in answers, untried",
    "no_effect": "no effect",
    "prevents": "prevents",
}
"""What lines say, by relation; ``seen`` is what was observed of an operation and not tried."""
_SHADES: Mapping[str, tuple[str, ...]] = {
    "confirmed": ("confirmed",),
    "supported": ("supported",),
    "open": ("hypothesis", "contested"),
    "past": ("refuted", "superseded", "expired"),
}
"""Statuses by how strong their lines are, the strongest first."""
_STYLE = """
  .page { fill: #ffffff } .box { fill: #f3f5f8; stroke: #9aa4b2; stroke-width: 1.2 }
  .effect { fill: #e3f5e8; stroke: #55a96b }
  text { font-family: system-ui, "DejaVu Sans", sans-serif; fill: #1d2430; font-size: 13px }
  .title { font-weight: 600; font-size: 17px } .sum, .where { fill: #5b6573; font-size: 12px }
  .count { font-size: 11px } .pill { fill: #ffffff; stroke: #c3cad4 }
  .way { fill: none; stroke: #24507f; stroke-width: 2 }
  .sufficient { stroke-dasharray: 14 4 } .seen { stroke: #6b7686 }
  .no_effect { stroke-dasharray: 1 5; stroke-linecap: round; stroke: #6b7686 }
  .prevents { stroke: #b3261e; stroke-dasharray: 7 5 }
  .confirmed { stroke-width: 4 } .supported { stroke-width: 2 } .open { stroke-width: 1 }
  .past { stroke-width: 1; stroke-opacity: .45 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #14181f } text { fill: #e8ecf2 } .sum, .where { fill: #9aa6b5 }
    .box { fill: #232a35 } .effect { fill: #1d3a27 } .pill { fill: #14181f; stroke: #4a5462 }
    .way { stroke: #7fb3ea } .prevents { stroke: #f28b82 } .no_effect, .seen { stroke: #8a94a2 }
  }
"""


@dataclass(frozen=True, kw_only=True)
class Shown:
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
    def of(cls, insights: Iterable[Insight], told: Mapping[str, Sentence], most: int = MOST) -> Shown:
        """The best supported ones: those that may act first, then by problems and pieces of evidence."""
        ranked = sorted(insights, key=lambda one: (not one.influences, -one.groups, -one.evidence, one.id))
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

    def bond(self, one: Insight) -> str:
        """What its line says, a key of the kinds of lines."""
        told = self.told[one.id]
        return "seen" if not told.worded and not told.tried else one.relation

    def words(self, one: Insight) -> str:
        """What is claimed and what speaks for it, in a line."""
        return f"{_LINES[self.bond(one)]} ({self.told[one.id].standing}, {self.told[one.id].counts})"


def mermaid(insights: Iterable[Insight], told: Mapping[str, Sentence], most: int = MOST) -> str:
    """The graph as a Mermaid flow chart.

    Args:
        told: What is said of each insight, by id.
    """
    shown = Shown.of(insights, told, most)
    ends = _ends_of(shown)
    effects = frozenset(effect for _, effect in ends.values())
    names = {node: f"n{number}" for number, node in enumerate(dict.fromkeys(n for pair in ends.values() for n in pair))}
    lines = ["flowchart LR", *(f"    %% {line}" for line in shown.summary)]
    lines += [f'    {name}["{"<br>".join(map(_plain, _told(node, effects)))}"]' for node, name in names.items()]
    for one in shown.insights:
        bond, (cause, effect) = shown.bond(one), ends[one.id]
        arrow = {"no_effect": "-.->", "prevents": "-.->", "contributes": "-->", "seen": "-->"}.get(bond, "==>")
        lines.append(f'    {names[cause]} {arrow}|"{_plain(shown.words(one))}"| {names[effect]}')
    return "\n".join(lines) + "\n"


def svg(insights: Iterable[Insight], told: Mapping[str, Sentence], most: int = MOST) -> str:
    """The graph as a picture of its own, which follows the reader's light or dark setting.

    Args:
        told: What is said of each insight, by id.
    """
    shown = Shown.of(insights, told, most)
    ends = _ends_of(shown)
    effects = frozenset(effect for _, effect in ends.values())
    layout = Layout.of(ends, lambda node: len(_told(node, effects)))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width} {layout.height}" '
        f'width="{layout.width}" height="{layout.height}" role="img" aria-label="{_TITLE}">'
    )
    parts = [head, f"<style>{_STYLE}</style>", f'<rect class="page" width="{layout.width}" height="{layout.height}"/>']
    parts.append(_text("title", SIDE, 34, _TITLE))
    parts += [_text("sum", SIDE, 56 + 18 * place, line) for place, line in enumerate(shown.summary)]
    parts += [*_legend(shown), *(_way(layout, shown, one) for one in shown.insights)]
    parts += [_box(layout, node, effects) for node in layout.places]
    parts += [_count(layout, shown, one) for one in shown.insights]
    return "\n".join([*parts, "</svg>"]) + "\n"


_TITLE = "Claims of what leads to what, and what speaks for each"


def _ends_of(shown: Shown) -> dict[str, tuple[Node, Node]]:
    """Where each insight begins and ends; a cause that is an effect as well, of the same tasks, is the same node."""
    effects = {one.effect for one in shown.insights}
    found = {}
    for one in shown.insights:
        place = (one.scope.environment, one.scope.family, tuple(facts_of(one.scope)))
        cause = one.cause if one.cause in effects else shown.told[one.id].cause or one.cause
        found[one.id] = ((cause, *place), (one.effect, *place))
    return found


def _way(layout: Layout, shown: Shown, one: Insight) -> str:
    (x1, y1), (x2, y2) = _line(layout, one)
    back = x2 <= x1  # within a layer, or against the order of layers: round the right side
    bend = COLUMN * 0.6
    end = x2 + bend if back else x2 - COLUMN * 0.3
    path = f"M{x1:.0f} {y1:.0f} C{x1 + bend:.0f} {y1:.0f} {end:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"
    cause, effect = (_named(node[0]) for node in layout.ends[one.id])
    told = _escaped(f"{cause} → {effect}: {shown.words(one)}")
    return f'<path class="way {shown.bond(one)} {_shade(one.status)}" d="{path}"><title>{told}</title></path>'


def _line(layout: Layout, one: Insight) -> tuple[tuple[float, float], tuple[float, float]]:
    cause, effect = layout.ends[one.id]
    begin, end = layout.places[cause][0] + BOX, layout.places[effect][0]
    end = end if end > begin else end + BOX
    return (begin, layout.starts[one.id]), (end, layout.stops[one.id])


def _count(layout: Layout, shown: Shown, one: Insight) -> str:
    (x, y), _ = _line(layout, one)
    counts = _wrapped(shown.told[one.id].counts, _COUNTS, 1)[0]
    wide = 14 + 6 * len(counts)
    pill = f'<rect class="pill" x="{x + 6:.0f}" y="{y - 9:.0f}" width="{wide}" height="18" rx="9"/>'
    return pill + _text("count", x + 13, y + 4, counts)


def _box(layout: Layout, node: Node, effects: frozenset[Node]) -> str:
    x, top, tall = layout.places[node]
    lines, named = _told(node, effects), len(_lines(node[0]))
    kind = "box effect" if node in effects else "box"
    parts = [f'<rect class="{kind}" x="{x:.0f}" y="{top:.0f}" width="{BOX}" height="{tall:.0f}" rx="8"/>']
    first = top + tall / 2 + 5 - 7.5 * (len(lines) - 1)
    for place, line in enumerate(lines):
        parts.append(_text("where" if place >= named else "name", x + 12, first + 15 * place, line))
    return "".join(parts)


def _legend(shown: Shown) -> list[str]:
    if not shown.insights:
        return []
    bonds = {shown.bond(one) for one in shown.insights}
    kinds = [(f"{bond} supported", told) for bond, told in _LINES.items() if bond in bonds]
    known = {shade: dict.fromkeys(_standings(shown, shade)) for shade in _SHADES}
    weights = [(shade, ", ".join(told)) for shade, told in known.items() if told]
    parts = []
    for y, head, row in ((98, "what is claimed:", kinds), (118, "how far proven:", weights)):
        parts.append(_text("sum", SIDE, y + 4, head))
        x = SIDE + 110.0
        for kind, told in row:
            parts.append(f'<path class="way {kind}" d="M{x:.0f} {y} h36"/>' + _text("sum", x + 43, y + 4, told))
            x += 61 + 6.4 * len(told)
    return parts


def _standings(shown: Shown, shade: str) -> list[str]:
    return [shown.told[one.id].standing for one in shown.insights if _shade(one.status) == shade]


def _shade(status: str) -> str:
    return next(shade for shade, statuses in _SHADES.items() if status in statuses)


def _text(kind: str, x: float, y: float, text: str) -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}">{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return escape(_NO_XML.sub("\ufffd", text))


def _told(node: Node, effects: frozenset[Node]) -> list[str]:
    """A node in one line, or a few: what it is; of an effect, of which tasks."""
    name, _, family, facts = node
    lines = _lines(name)
    if node not in effects:
        return lines
    kind = from_to(family)
    lines += _wrapped(f"tasks {kind}", _SIGNS + 4, 2) if kind else []
    return lines + (_wrapped(", ".join(facts), _SIGNS + 4, 2) if facts else [])


def _lines(name: str) -> list[str]:
    """A cause or an effect in words, in one line or two."""
    return _wrapped(_named(name), _SIGNS, 2)


def _wrapped(text: str, signs: int, most: int) -> list[str]:
    """The text in at most so many lines, each no wider than so many letters of usual width."""
    # Half a letter is a unit: a capital is three of them, a letter of East Asia four.
    wide = "".join(sign + _FILL * (_width(sign) - 1) for sign in _NO_XML.sub("\ufffd", text))
    lines = wrap(wide, 2 * signs, max_lines=most, placeholder=" …")
    return [line.replace(_FILL, "") for line in lines] or [text]


def _width(sign: str) -> int:
    if sign in "WM@%—…" or unicodedata.east_asian_width(sign) in "WF":
        return 4
    return 3 if sign.isupper() or sign in "mw" or ord(sign) > 0x2000 else 2


def _named(name: str) -> str:
    """A cause or an effect in words: what a model worded is its own sentence."""
    sign = next((sign for sign in (QUOTED, FACT) if name.startswith(sign)), "")
    return name.removeprefix(sign)


def _plain(text: str) -> str:
    """A text that no Mermaid reader takes for syntax."""
    return text.replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
