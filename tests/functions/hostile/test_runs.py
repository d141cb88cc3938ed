"""Whole runs: a folder that has functions of its own, and checks that reach for what only actions may call."""

from __future__ import annotations

import re

import pytest

from evolve.agent.exploration import Exploration
from evolve.core.episodes import Action, Observation, Step, Subgoal
from evolve.runtime.sandbox import open_sandbox
from evolve.tasks.reading.folder import folder_task
from tests.functions.hostile.victims import Done

_FILE = """```python
{code}
with open("seats.txt", "w") as seats:
    seats.write(str(made))
```"""


def _in_folder(workspace, clerk, folder, code):
    clerk.code = _FILE.replace("{code}", code)
    reply = clerk.answer

    def answer(body):
        text = reply(body)
        return "```done\nwritten\n```" if "changed: seats.txt" in (clerk.prompts or [""])[-1] else text

    clerk.answer = answer
    return workspace.run(folder_task("write the seats", folder, "grep -q . seats.txt"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"functions.py": "def own():\n    return 8\n"}, "from functions import own\nmade = own()"),
        ({"functions.py": "def own():\n    return 8\n", "app.py": "from functions import own\nx = own()\n"},
         "import app\nmade = app.x"),
        ({"functions/__init__.py": "", "functions/inner.py": "own = 8\n"},
         "from functions.inner import own\nmade = own"),
        ({"functions.py": "def own():\n    return 8\n"}, "import functions\nmade = functions.own()"),
    ],
)  # fmt: skip
def test_a_folder_keeps_its_own_module_of_that_name(workspace_of, clerk, tmp_path, files, code):
    project = tmp_path / "project"
    for name, text in {**files, "seats.txt": ""}.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    done = Done()

    def seats_of(room: str) -> dict[str, int]:
        """How many seats a room has."""
        done.calls.append((room,))
        return {"seats": 21}

    workspace_of.tools.add(seats_of, effects=["reads"])
    result = _in_folder(workspace_of, clerk, project, code)
    assert "+8" in result.answer, re.findall(r"Error.*", clerk.prompts[-1])[:3]


def test_a_folder_s_own_module_does_not_take_the_place_of_what_is_offered(workspace_of, clerk, tmp_path):
    project, done = tmp_path / "project", Done()
    project.mkdir()
    (project / "functions.py").write_text("def seats_of(room):\n    return {'seats': 666}\n")

    def seats_of(room: str) -> dict[str, int]:
        """How many seats a room has."""
        done.calls.append((room,))
        return {"seats": 21}

    workspace_of.tools.add(seats_of, effects=["reads"])
    result = _in_folder(workspace_of, clerk, project, "from functions import {name}\nmade = {name}('blue')['seats']")
    assert "+21" in result.answer and done.calls == [("blue",)]


CHECKS = [
    "from functions import add\nadd(8, 8) == 16",
    "add(8, 8) == 16",
    "__import__('functions').add(8, 8)",
    "import sys\nsys.modules['functions'].add(8, 8)",
    "kept(8, 8)",
]


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS)
def test_no_check_of_a_plan_calls_anything(check, tmp_path):
    done = Done()
    with open_sandbox(cache_dir=tmp_path) as sandbox:
        exploration = Exploration(sandbox=sandbox, calls=done.gate())
        action = Action(kind="code", code="from functions import add\nkept = add\nadd(1, 1)", explores=True)
        observed = exploration.observe(action, ())
        step = Step(number=1, action=action, observation=observed)
        (checked,) = exploration.try_checks([Subgoal(id="s", goal="x", postcondition="x", check=check)], [step])
        exploration.close()
    assert isinstance(observed, Observation) and not checked.held
    assert done.calls == [(1, 1)]
