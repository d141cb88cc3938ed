"""What do functions cost, what do they save, and what do they promise? Calls, loops, and servers of tools.

- ``channel``: calls of a function that does nothing, from code in the sandbox; with the calls in memory, and each on
  disk before anything follows from it. CPU time of this process counts; wall time depends on the neighbours.
- ``questions``: 30 questions that take many calls each, answered by a double of a model that writes loops, and by the
  same that makes one call a reply. Counted are replies of the model, tokens, right answers, and orders placed.
- ``errand``: one run of 500 calls over several servers that is killed 20 times; see ``benchmarks/tool_errand.py``.
- ``servers``: servers that misbehave, one way each; ``overhead``: CPU of a call over that of the SDK's own client; see
  ``benchmarks/tool_servers.py``.

``--peers PYTHON`` is the interpreter of an environment that has ``mcp-server-git`` and ``mcp-server-time``; without it
the errand is run with our own servers alone and its target is missed.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import evolve
from benchmarks.doubles.caller import Caller
from benchmarks.record import Outcome, Target, common_options, progress, publish
from benchmarks.storehouse import questions, storehouse
from benchmarks.tool_errand import errand
from benchmarks.tool_servers import QUICK_WAYS, misbehaving, overhead
from evolve.runtime.functions import CallFile, CallGate, CallLimits, CallsInMemory, Permission, PythonFunctions
from evolve.runtime.sandbox import open_sandbox
from evolve.testing import ScriptedEndpoint

WAYS = ("loops", "call by call")
_AT_ONCE = 500
"""Calls of one action: its own clock is that of a task."""
_LOOP = "from functions import idle\nfor number in range({count}):\n    idle(number)\n"


def channel(count: int) -> Iterator[Mapping[str, Any]]:
    """A row for calls in memory, and one for calls on disk."""
    source = PythonFunctions()

    def idle(number: int) -> int:
        """Does nothing."""
        return number

    source.add(idle, effects=(), repeatable=True)
    limits = CallLimits(calls=10 * count, total_s=600.0)
    with tempfile.TemporaryDirectory(prefix="tools-") as folder:
        for name, record in (("memory", CallsInMemory()), ("disk", CallFile(Path(folder) / "calls.jsonl"))):
            gate = CallGate([source], record, Permission(lambda function: "allow"), limits)
            sandbox = open_sandbox()
            with sandbox.session(calls=gate) as session:
                session.execute(_LOOP.format(count=10))
                wall, cpu = time.monotonic(), time.process_time()
                for step in range(count // _AT_ONCE):
                    gate.start(step + 1)
                    done = session.execute(_LOOP.format(count=_AT_ONCE))
                    assert done.state == "ok", done
                wall, cpu = time.monotonic() - wall, time.process_time() - cpu
            sandbox.close()
            yield {"part": "channel", "record": name, "calls": count, "wall s": wall, "cpu s": cpu}


def answered(count: int, seed: int) -> Iterator[Mapping[str, Any]]:
    """A row for each question and way of calling."""
    for by_step in (False, True):
        house = storehouse(seed)
        with (
            tempfile.TemporaryDirectory(prefix="tools-") as folder,
            ScriptedEndpoint(double=Caller(by_step=by_step)) as endpoint,
            evolve.open(Path(folder) / "ws", model=endpoint.model) as workspace,
        ):
            for name, function in house.functions().items():
                effects = ["changes"] if name == "order" else ["reads"]
                workspace.tools.add(function, effects=effects, grant="allow")
            for question in questions(house, count):
                house.orders.clear()
                result = workspace.run(question.text, budget="2M-tokens")
                yield {
                    "part": "questions",
                    "way": WAYS[by_step],
                    "kind": question.kind,
                    "question": question.text,
                    "replies": result.cost.calls,
                    "tokens": result.cost.tokens,
                    "right": result.answer.strip() == question.answer and tuple(house.orders) == question.orders,
                }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    common_options(parser, seeds=1)
    parser.add_argument("--peers", type=Path, metavar="PYTHON", help="one that has mcp-server-git and mcp-server-time")
    options = parser.parse_args(arguments)
    rows: list[Mapping[str, Any]] = []
    progress("channel")
    rows += channel(500 if options.quick else 5_000)
    for seed in range(options.seeds):
        progress("questions")
        rows += answered(10 if options.quick else 30, seed)
        progress("errand")
        rows += errand(40 if options.quick else 500, 1 if options.quick else 20, options.peers, seed)
    progress("servers")
    rows += misbehaving(QUICK_WAYS) if options.quick else misbehaving()
    progress("overhead")
    rows += overhead(50, 3) if options.quick else overhead(100, 10)
    found = Outcome(benchmark="tools", seeds=options.seeds, quick=options.quick, rows=rows, targets=targets(rows))
    publish(found, options, table(found))


def targets(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """The figures against what they should be."""
    rates = {row["record"]: row["calls"] / row["wall s"] for row in rows if row["part"] == "channel"}
    loops, steps = (ways(rows)[way] for way in WAYS)
    count = len(loops)
    spared = [
        Target(name=f"{name} by loops / {WAYS[1]}", op="<=", target=0.5, value=_sum(loops, name) / _sum(steps, name))
        for name in ("replies", "tokens")
    ]
    return [
        Target(name="calls a second, in memory", op=">=", target=2_000, value=rates["memory"]),
        Target(name="right by loops", op="==", target=count, value=_sum(loops, "right"), n=count),
        Target(name=f"right {WAYS[1]}", op="==", target=count, value=_sum(steps, "right"), n=count),
        *spared,
        *_of_servers(rows),
    ]


def _of_servers(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    errands = [row for row in rows if row["part"] == "errand"]
    foes = [row for row in rows if row["part"] == "servers"]
    calls = int(_sum(errands, "calls"))
    silent = [
        Target(name=f"{what} in silence", op="==", target=0, value=_sum(errands, key), n=calls)
        for what, key in (("lost", "lost"), ("repeated", "repeated"), ("done while told not", "wrongly told"))
    ]
    asked = sum({row["seed"]: row["asked"] for row in errands}.values())
    others = len({row["server"] for row in errands} - {"book", "web"})
    return [
        Target(name="servers of others in the errand", op="==", target=2, value=others),
        Target(name="calls of the errand on record", op="==", target=asked, value=calls),
        *silent,
        Target(name="misbehaving, as promised", op="==", target=len(foes), value=_sum(foes, "as promised")),
        *(
            Target(
                name=f"CPU ms over a direct client, {row['way']}",
                op="<=",
                target=3.0,
                value=row["ours ms"] - row["direct ms"],
                n=row["calls"],
            )
            for row in rows
            if row["part"] == "overhead"
        ),
    ]


def ways(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Rows of the questions by way of calling."""
    return {way: [row for row in rows if row.get("way") == way] for way in WAYS}


def _sum(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    return float(sum(row.get(name, 0) for row in rows))


def table(outcome: Outcome) -> str:
    """The channel, the ways of calling, and the targets."""
    lines = []
    for row in (row for row in outcome.rows if row["part"] == "channel"):
        rate, cpu = row["calls"] / row["wall s"], row["cpu s"] / row["calls"] * 1000
        lines.append(f"channel, {row['record']:<8} {rate:8,.0f} calls a second, {cpu:.3f} ms of CPU here each")
    for way, of in ways(outcome.rows).items():
        right, replies, tokens = (_sum(of, name) for name in ("right", "replies", "tokens"))
        lines.append(f"{way:<16} {right:.0f} of {len(of)} right, {replies:.0f} replies, {tokens:,.0f} tokens")
    for row in outcome.rows:
        if row["part"] == "errand":
            states = ", ".join(f"{row.get(state, 0)} {state}" for state in ("answered", "doubtful", "failed"))
            lines.append(f"errand, {row['server']:<5} {row['calls']} calls, {row['kills']} kills: {states}")
        elif row["part"] == "servers":
            lines.append(
                f"{'ends as promised' if row['as promised'] else 'ENDS OTHERWISE'}: {row['way']}: {row['told']}"
            )
        elif row["part"] == "overhead":
            lines.append(f"{row['way']}: {row['direct ms']:.2f} ms of CPU a call directly, {row['ours ms']:.2f} here")
    lines += [
        f"{'met ' if one.met else 'MISS'} {one.name} {one.op} {one.target:g}: {one.value}" for one in outcome.targets
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
