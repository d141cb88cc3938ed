"""One optimiser run in a process of its own, so that it can be killed: ``optimizer_run.py WORKSPACE SUITE``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import evolve
from benchmarks.doubles import slow_learner
from evolve.testing import TrustingSandbox
from evolve.workspace.loops import improving as training
from evolve.workspace.loops.optimizing import OptimizerRequest
from tests.improve.test_optimization import POOR, Turner
from tests.offering import offer_engine


def main(folder: Path, suite: str) -> None:
    """Prints the report without what depends on the clock, and the ids of all episodes."""
    (folder / "prompts").mkdir(parents=True, exist_ok=True)
    (folder / "prompts" / "workflow.toml").write_text(POOR)
    evolve.init(folder, trust=True)
    training.sandbox_opener = lambda *_: TrustingSandbox
    offer_engine(pytest.MonkeyPatch(), folder.parent / "offers", Turner((400, 401)))
    with evolve.open(folder, policy=slow_learner()) as workspace:
        workspace._sandbox = TrustingSandbox()
        report = workspace.optimize(OptimizerRequest(suite=suite, engine="turner")).to_json()
        episodes = [record.episode for record in workspace.stores.runs.episodes()]
    report["spent"].pop("seconds")
    print(json.dumps({"report": report, "episodes": episodes}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
