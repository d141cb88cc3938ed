"""What the commands tell of a procedure over folders."""

from __future__ import annotations

import json

import pytest

import evolve
from benchmarks.doubles.chores import GENERAL, ChoreDouble, chore
from evolve.testing import ScriptedEndpoint


@pytest.mark.slow
def test_skills_show_tells_on_which_folders_it_was_tried(cli, tmp_path):
    with (
        ScriptedEndpoint(double=ChoreDouble(writes=GENERAL)) as endpoint,
        evolve.open(tmp_path / "ws", model=endpoint.model) as workspace,
    ):
        for seed in (0, 1):
            result = workspace.run(chore("rename", seed, tmp_path / str(seed)).task)
    [name] = result.skills
    shown = cli("skills", "show", name)
    assert "rename-1" in shown.out and "rename-0" in shown.out
    assert "from folder_functions import" in shown.out and "variants ablate" not in shown.out
    told = json.loads(cli("skills", "show", name, "--json").out)
    assert [(one["task"], one["held"]) for one in told["rehearsals"]] == [("rename-1", True), ("rename-0", True)]
    assert name in cli("skills", "find", "rename a setting").out
    done = cli("skills", "verify", name)
    assert done.code == 2 and "is a procedure" in done.err
    assert cli("status").code == 0
