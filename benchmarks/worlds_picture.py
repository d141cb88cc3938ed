"""The picture of trials in worlds: ``python -m benchmarks.worlds_picture FILE > docs/images/worlds.svg``.

Left: the mean score by number of the trial, with 95 % intervals over variations. Right: the best score so far by steps
of the world, replays and practice of the arm's own trials included, beside arms without memory.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.worlds_figures import Row, by_steps
from evolve.core.svg import Panel, svg_document, text
from evolve.trials.gate import ConfidenceInterval, mean

COLOURS: Mapping[str, str] = {"gen-adapt": "#2b5fb8", "adapt": "#1a7f5a", "no memory": "#8a8f98", "novelty": "#b8772b"}
EVERY = 100


def draw(rows: Sequence[Row]) -> str:
    """The SVG document."""
    left = Panel(left=70, title="score by trial", x_label="trial", y_label="mean", x_range=(1, 12), y_range=(0, 100))
    parts = left.frame()
    for arm in ("adapt", "gen-adapt"):
        curve = _by_trial(rows, arm)
        band = [(at, one.low) for at, one in enumerate(curve, 1)]
        band += [(at, one.high) for at, one in reversed(list(enumerate(curve, 1)))]
        parts.append(left.draw_area([(x, y) for x, y in band if y is not None], COLOURS[arm]))
        parts.append(left.line([(at, one.value or 0.0) for at, one in enumerate(curve, 1)], COLOURS[arm]))
    curves = {arm: by_steps(rows, arm, EVERY) for arm in COLOURS}
    longest = max(map(len, curves.values())) * EVERY
    right = Panel(
        left=540,
        title="best score so far, by effort",
        x_label="steps of the world, replays included",
        y_label="mean",
        x_range=(0, longest),
        y_range=(0, 100),
    )
    parts += right.frame()
    for number, (arm, values) in enumerate(curves.items()):
        parts.append(right.line([(EVERY * at, one) for at, one in enumerate(values, 1)], COLOURS[arm]))
        x, y = right.left + 290, right.top + 24 + 16 * number
        parts.append(f'<path d="M{x} {y - 4} h24" stroke="{COLOURS[arm]}" stroke-width="2.5"/>' + text(x + 30, y, arm))
    return svg_document("trials in worlds, without a model", parts)


def _by_trial(rows: Sequence[Row], arm: str) -> list[ConfidenceInterval]:
    kept: dict[tuple[str, int], list[float]] = {}
    for row in rows:
        if row["arm"] == arm:
            kept.setdefault((row["task"], row["variation"]), []).append(row["score"])
    return [mean([own[at] for own in kept.values() if at < len(own)]) for at in range(max(map(len, kept.values())))]


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.worlds_picture", description="Draws trials in worlds.")
    parser.add_argument("file", type=Path, help="what python -m benchmarks.worlds wrote")
    sys.stdout.write(draw(json.loads(parser.parse_args(argv).file.read_text(encoding="utf-8"))["rows"]))


if __name__ == "__main__":
    main()
