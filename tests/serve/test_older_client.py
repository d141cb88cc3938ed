"""A client of the SDK's 1.x line, which cannot be in one environment with 2.x, is served as well."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import evolve
from evolve.skills import AdmissionVerdict
from tests.improve.test_item_history import SKILL
from tests.serve.clients import command, variables


@pytest.mark.index
def test_a_client_of_the_older_line_calls_skills_and_leaves_notes(tmp_path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(tmp_path / "beside"), "mcp<2"]
    subprocess.run(pip, check=True)
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.stores.skills.add(SKILL, AdmissionVerdict(digest=SKILL.digest, admitted=True))
    (row, *_) = SKILL.rows
    calls = [(SKILL.entry, {"text": row.input[0]}), (SKILL.entry, {}), ("note", {"text": "the port is 9000"})]
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("older_client.py"))],
        input=json.dumps([command(tmp_path / "ws"), calls, variables()]),
        env={**os.environ, "PYTHONPATH": str(tmp_path / "beside")},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    assert told["version"] == "2025-11-25" and SKILL.entry in told["tools"]
    called, wrong, noted = told["given"]
    assert called == [False, {"result": row.output}] and wrong[0] and not noted[0]
    assert told["resources"] == [f"skill://{SKILL.name}/SKILL.md"]
