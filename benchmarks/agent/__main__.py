"""Compares language agents: ``python -m benchmarks.agent --arms plain,smolagents --peer PYTHON --json``."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.agent import evolve_arm, plain
from benchmarks.agent.endpoint import MeteredEndpoint
from benchmarks.agent.frozen import digests
from benchmarks.agent.measure import Arm, Result, Solved, against_plain, measured, of_memory, summary, table
from benchmarks.agent.smolagents_arm import CodeAgentArm
from benchmarks.agent.task import AgentTask, load_tasks
from benchmarks.record import Outcome, common_options, progress, publish


class PlainArm:
    """The loop of :mod:`benchmarks.agent.plain`."""

    name = "plain"

    def solve(self, task: AgentTask, endpoint: MeteredEndpoint) -> Solved:
        """One task."""
        return plain.solve(task, endpoint)

    def close(self) -> None:
        """There is nothing to give back."""


def main() -> None:
    """Runs the arms asked for, prints a table or the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agent", description=__doc__)
    common_options(parser, seeds=1)
    parser.add_argument("--arms", default="plain", help="plain, smolagents, evolve, evolve with memory; with commas")
    parser.add_argument("--peer", type=Path, help="an interpreter that has smolagents")
    parser.add_argument("--kinds", default="", help="only these kinds of task: rows, folder, words, family")
    parser.add_argument("--endpoint", default="", help="a real model's server, #model, in place of the double")
    options = parser.parse_args()
    kinds = set(filter(None, options.kinds.split(",")))
    tasks = [task for task in load_tasks() if not kinds or task.kind in kinds]
    if options.quick:
        tasks = tasks[::6]
    with tempfile.TemporaryDirectory() as name:
        known = [_arms(Path(name) / str(draw), options.peer) for draw in range(options.seeds)]
        wanted = [word.strip() for word in options.arms.split(",")]
        missing = [word for word in wanted if word not in known[0]]
        if missing:
            parser.error(f"no arm {missing[0]!r}; there are {', '.join(known[0])} (smolagents needs --peer)")
        results: list[Result] = []
        for word in wanted:
            for draw, made in enumerate(known):
                for result in measured(made[word](), tasks, draw, options.endpoint):
                    how = "solved" if result.solved else "not solved"
                    progress(f"{result.arm}, draw {draw}: {result.task} {how}, {result.calls} calls")
                    results.append(result)
    targets = against_plain(results, "evolve") + of_memory(results, *evolve_arm.NAMES)
    outcome = Outcome(
        benchmark="agent",
        seeds=options.seeds,
        quick=options.quick,
        rows=[*(result.to_json() for result in results), *({"measure": "summary", **row} for row in summary(results))],
        targets=targets,
        settings={"arms": wanted, "frozen": digests()},
    )
    lines = [f"{'met' if target.met else 'NOT met'}: {target.name}: {target.value}" for target in targets]
    publish(outcome, options, "\n".join([table(results), *lines]))


def _arms(workspace: Path, peer: Path | None) -> Mapping[str, Callable[[], Arm]]:
    known: dict[str, Callable[[], Arm]] = {"plain": PlainArm, **evolve_arm.arms(workspace)}
    if peer is not None:
        known["smolagents"] = lambda: CodeAgentArm(peer)
    return known


if __name__ == "__main__":
    main()
