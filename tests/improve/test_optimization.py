"""A search for a better variant: what it keeps, what it says of it, and that nothing is paid twice."""

from __future__ import annotations

import pytest

from evolve.workspace.optimizing import Wish

POOR = """
stages = ["recall", "plan", "act", "observe", "judge", "reflect", "distill", "commit"]

[routes.judge]
again = "act"
stop = "reflect"

[knobs]
candidates = 100
"""


@pytest.fixture
def poor(tmp_path):
    """A workspace whose workflow allows too few candidates for most tasks."""
    folder = tmp_path / "ws" / "prompts"
    folder.mkdir(parents=True)
    (folder / "workflow.toml").write_text(POOR)


def test_a_search_finds_that_the_workflow_was_too_tight_and_the_gate_keeps_it(poor, suite_file, open_ws) -> None:
    with open_ws() as ws:
        report = ws.optimize(Wish(suite=str(suite_file), only="knobs", proposals=16))
        assert report.changes and report.active == ws.stores.variants.active_digest
        assert ws.stores.active_workflow(ws.workflow).knobs.candidates > 100
        assert all(change.predicted.n and change.realised.n for change in report.changes)
        assert ws.stores.looks.count(report.suite_digest) == 1
