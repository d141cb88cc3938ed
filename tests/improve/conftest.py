from __future__ import annotations

import pytest

import evolve
from benchmarks.doubles import slow_learner, small_suite
from evolve.tasks import render_jsonl
from evolve.testing import TrustingSandbox


@pytest.fixture
def suite_file(tmp_path):
    file = tmp_path / "small.jsonl"
    file.write_text(render_jsonl(small_suite(40).tasks))
    return file


@pytest.fixture
def open_ws(tmp_path, monkeypatch):
    """Opens workspaces that work in this process and trust the tests' own programs."""
    monkeypatch.setenv("EVOLVE_WORKERS", "1")
    monkeypatch.setattr("evolve.workspace.loops.improving.sandbox_opener", lambda *_: TrustingSandbox)

    def open_one(name="ws", learner=None, **more):
        workspace = evolve.open(tmp_path / name, policy=learner or slow_learner(), trust=True, **more)
        workspace._sandbox = TrustingSandbox()
        return workspace

    return open_one
