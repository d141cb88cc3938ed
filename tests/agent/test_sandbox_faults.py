"""Where the sandbox failed, nothing is said of the action, also where another one was tried beside it."""

from __future__ import annotations

import pytest

from benchmarks.doubles import small_suite
from evolve.agent.exploration import Exploration
from evolve.agent.stages.observe import best_sample
from evolve.core.episodes import Action, Alternative
from evolve.runtime.sandbox.bubblewrap import Bubblewrap
from evolve.runtime.sandbox.isolated import IsolatedSandbox
from evolve.runtime.sandbox.landlock import Landlock
from evolve.tasks import Task
from evolve.tasks.work import FolderWork
from evolve.testing import ScriptedWorker
from tests.sandbox.breaking import Breaking


@pytest.fixture
def machine():
    """A machine on which what the test wants fails in the next interpreters that are started."""
    backend = Landlock() if Bubblewrap().missing_parts() else Bubblewrap()
    return Breaking(backend=backend, starts=0)


@pytest.mark.slow
def test_files_of_a_session_that_could_not_be_placed_are_no_failure_of_the_action(machine):
    machine.calls, machine.starts = {"os": "unlink"}, 2
    look = Action(kind="code", code="import skills.one\nskills.one.VALUE", explores=True)
    with IsolatedSandbox(machine, warm=False) as sandbox:
        exploration = Exploration(sandbox=sandbox, files={"skills/one.py": b"VALUE = 1\n"})
        seen = exploration.observe(look, ())
        assert seen.fault and "could not be put" in seen.error
        assert "value: 1" in exploration.observe(look, ()).text
        exploration.close()
    assert machine.collect()


def test_a_folder_that_could_not_be_read_back_is_a_fault_and_not_an_empty_one(machine, make_agent, tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "kept.py").write_text("1\n")
    machine.calls, machine.starts = {"os": "listdir"}, 2
    work = FolderWork(folder=str(tmp_path / "job"), check="true")
    task = Task(id="job", family="files", instruction="add a file", examples=(), work=work)
    add = "open('new.py', 'w').write('2')"
    with IsolatedSandbox(machine, warm=False) as sandbox:
        agent = make_agent(ScriptedWorker((add,)), sandbox, checkpoints=tmp_path / "runs")
        record = agent.run_episode(task, variant="unlearned", split="own")
    assert machine.collect()
    assert record.status == "fault" and record.steps[0].observation.state is None


@pytest.mark.slow
def test_of_several_answers_the_best_is_known_only_where_all_of_them_ran(machine):
    view = small_suite(1).tasks[0].view()
    row = view.examples[0]
    given, wanted = list(row.input), row.output
    gave = {repr(list(row.input)): row.output for row in view.examples}
    right = f"def {view.entry}(*values):\n    return {gave!r}[repr(list(values))]\n"
    partly = f"def {view.entry}(*values):\n    return {wanted!r} if list(values) == {given!r} else None\n"

    def tried(one, other):
        machine.calls, machine.starts = {"os": "fork"}, 2  # both tries of the first answer
        action = Action(kind="code", code=one, samples=(Alternative(code=other),))
        with IsolatedSandbox(machine, warm=False) as sandbox:
            found, trial = best_sample(sandbox, view, action)
        assert machine.collect()
        return found.code, trial.ok, trial.fault

    assert tried(right, partly) == (right, False, True)
    assert tried(partly, right) == (right, True, False)
