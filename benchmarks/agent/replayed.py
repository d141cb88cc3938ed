"""What a strong model answered once, replayed by task and ordinal beside the prompts that it answered.

``python -m benchmarks.agent.replayed`` runs every task and arm of ``answers.jsonl.xz`` again. Where a prompt is not the
one that was answered, the exchange is stale, which is told and is no failure: prompts are meant to get better.
``--keep FOLDER ROWS`` makes the file from the folder of :mod:`benchmarks.agent.answered` and the rows that it printed.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from benchmarks.agent.answered import solve
from benchmarks.agent.endpoint import MeteredEndpoint
from benchmarks.agent.figures import answered_table
from benchmarks.agent.judge import judged
from benchmarks.agent.task import load_tasks
from benchmarks.record import Outcome, common_options, publish
from evolve.testing import ScriptedEndpoint

ANSWERS = Path(__file__).with_name("answers.jsonl.xz")
_VARIES = (
    (re.compile(r"(</?data )[0-9a-f]{12}"), r"\1"),  # a digest of the text, which may hold a time
    (re.compile(r"\b\d+(?:\.\d+)? ?s(?:econds)?\b"), "0 s"),
    (re.compile(r"/tmp/\w+"), "/tmp"),
    (re.compile(r"0x[0-9a-f]+"), "0x"),
    (re.compile(r"\b[A-Z][a-z]{2} [ \d]\d  ?(?:\d\d:\d\d|\d{4})\b"), "Jan  1 00:00"),
)

Exchange = Mapping[str, Any]
"""``task``, ``arm``, ``ordinal``, ``messages`` and ``reply``."""


class Replay(ScriptedEndpoint):
    """Gives the replies of one task and arm in their order, as long as the prompts are those that were answered.

    Attributes:
        stale: Ordinal of the first prompt that is another one, from 0; None as long as there is none.
    """

    def __init__(self, exchanges: Sequence[Exchange]) -> None:
        super().__init__()
        self._exchanges, self._place, self.stale = list(exchanges), 0, cast(int | None, None)

    def take_step(self, body: dict[str, Any], key: str) -> Any:
        """The next reply."""
        place, self._place = self._place, self._place + 1
        fits = place < len(self._exchanges) and _plain(self._exchanges[place]["messages"]) == _plain(body["messages"])
        if not fits and self.stale is None:
            self.stale = place
        return {"text": self._exchanges[place]["reply"] if self.stale is None else "```give_up\nstale\n```"}


def exchanges() -> Mapping[tuple[str, str], list[Exchange]]:
    """All exchanges by task and arm, in order."""
    found: dict[tuple[str, str], list[Exchange]] = defaultdict(list)
    for line in lzma.decompress(ANSWERS.read_bytes()).decode("utf-8").splitlines():
        exchange = json.loads(line)
        found[exchange["task"], exchange["arm"]].append(exchange)
    return found


def replayed(arms: Sequence[str] = ("plain", "evolve")) -> Iterator[dict[str, Any]]:
    """One row for each task and arm: whether its exchanges fit, and whether what was handed in is right."""
    tasks = {task.id: task for task in load_tasks()}
    for (name, arm), listed in exchanges().items():
        if arm not in arms:
            continue
        with Replay(listed) as endpoint:
            solved = solve(tasks[name], arm, cast(MeteredEndpoint, endpoint))
        right = solved.handed_in is not None and judged(tasks[name], solved.handed_in)
        yield {"task": name, "arm": arm, "calls": len(listed), "stale": endpoint.stale, "solved": right}


def keep(folder: Path, rows: Path) -> None:
    """Makes the file anew from requests, replies and rows; exchanges of arms that the rows do not name stay."""
    said = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    arms = {row["arm"] for row in said}
    kept = [one for listed in (exchanges() if ANSWERS.exists() else {}).values() for one in listed]
    lines = [one for one in kept if one["arm"] not in arms]
    for row in said:
        for ordinal, number in enumerate(row["requests"]):
            place = folder / row.get("folder", "") / number
            messages = json.loads(place.with_suffix(".request.json").read_text(encoding="utf-8"))["messages"]
            reply = place.with_suffix(".reply.txt").read_text(encoding="utf-8")
            what = {"task": row["task"], "arm": row["arm"], "ordinal": ordinal}
            lines.append({**what, "messages": messages, "reply": reply})
    text = "".join(f"{json.dumps(line, ensure_ascii=False, sort_keys=True)}\n" for line in lines)
    ANSWERS.write_bytes(lzma.compress(text.encode("utf-8"), preset=9))


def _plain(messages: Sequence[Mapping[str, Any]]) -> str:
    """What was asked, without what differs from run to run."""
    text = json.dumps([[one["role"], one["content"]] for one in messages])
    for pattern, instead in _VARIES:
        text = pattern.sub(instead, text)
    return text


def main() -> None:
    """Replays, or makes the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agent.replayed", description=__doc__)
    parser.add_argument("--keep", nargs=2, type=Path, metavar=("FOLDER", "ROWS"))
    parser.add_argument("--figures", nargs="+", type=Path, metavar="ROWS", help="only tell of rows that were printed")
    common_options(parser, seeds=1)
    options = parser.parse_args()
    if options.keep:
        keep(*options.keep)
        return
    if options.figures:
        lines = [line for path in options.figures for line in path.read_text(encoding="utf-8").splitlines()]
        rows = [json.loads(line) for line in lines]
        outcome = Outcome(benchmark="answered", seeds=1, quick=False, rows=rows, targets=())
        publish(outcome, options, "\n".join("  ".join(map(str, row)) for row in answered_table(rows)))
        return
    for row in replayed():
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
