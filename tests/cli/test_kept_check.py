"""The check that a person kept for a folder is offered where none is given."""

from __future__ import annotations

import functools
import json

import pytest

import evolve
from evolve.cli.folder import chosen_check, kept_check
from evolve.core.episodes import Suggestion
from evolve.testing import ScriptedWorker
from evolve.workspace import tasks

MEND = "open('total.py', 'w').write('def total(xs):\\n    return sum(xs)\\n')\n"
CHECK = "python3 test_total.py"


@pytest.fixture
def run(cli, failing_project, monkeypatch):
    opened = evolve.open

    def call(*more):
        with monkeypatch.context() as patch:
            patch.setenv("EVOLVE_MODEL", "scripted")
            patch.setattr(evolve, "open", functools.partial(opened, policy=ScriptedWorker((MEND,))))
            return cli("run", "make total add up", "--dir", failing_project, *more)

    return call


def test_a_kept_check_is_offered_in_its_folder_and_a_script_is_told_of_the_option(run, cli, failing_project, tmp_path):
    assert run("--check", CHECK).code == 6
    folder, asked, told = str(failing_project), [], []
    with evolve.open() as opened:
        suggestion = Suggestion(kind="tests", text=f"Work here is checked with `{CHECK}`.", quote=CHECK, source="run")
        (waiting,) = opened.preferences.suggest_remembering([suggestion], run="r1")
        assert kept_check(opened, folder) == ""  # nobody has kept it yet
        opened.preferences.confirm(waiting.id)
        assert kept_check(opened, folder) == CHECK
        assert kept_check(opened, str(tmp_path)) == ""
        assert chosen_check(opened, folder, lambda text: not asked.append(text), told.append) == CHECK
        assert chosen_check(opened, folder, lambda text: False, told.append) == ""
        assert chosen_check(opened, folder, None, told.append) == ""
    assert len(asked) == 1 and CHECK in asked[0] and len(told) == 1
    done = run()
    assert f"--check '{CHECK}'" in done.err and done.code == 6
    assert json.loads(run("--json").out)["checked"] is False
    task = tasks.in_folder("make total add up", failing_project, "")
    assert tasks.with_check(task, CHECK).work.check == CHECK
