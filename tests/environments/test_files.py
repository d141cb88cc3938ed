"""Episodes that work in a copy of a folder."""

from __future__ import annotations

import itertools
from contextlib import closing

import pytest

from evolve.agent.workflow import Workflow
from evolve.core.episodes import Action, Step
from evolve.core.errors import UsageError
from evolve.environments import EnvironmentOptions, open_environment
from evolve.environments.files import Snapshots
from evolve.testing import ScriptedWorker
from tests.environments.conftest import CHECK, RIGHT, TEST, WRONG


@pytest.fixture
def work(make_agent, sandbox, make_work, tmp_path):
    number = itertools.count()

    def run(*actions, branches=1, steps=8, **more):
        workflow = Workflow().with_knobs(branches=branches, steps=steps)
        agent = make_agent(ScriptedWorker(actions), sandbox, workflow, checkpoints=tmp_path / f"runs{next(number)}")
        return agent.run_episode(make_work(**more), variant="unlearned", split="own")

    return run


@pytest.fixture
def handed_in(sandbox, make_work):
    """Steps that take these actions and hand in twice, because the first time may warn; and how they are judged."""

    def run(*codes, **more):
        steps = []
        with closing(open_environment(make_work(**more), EnvironmentOptions(sandbox=sandbox))) as environment:
            actions = [*(Action(kind="code", code=code) for code in codes), *[Action(kind="finish")] * 2]
            for number, action in enumerate(actions, 1):
                steps.append(Step(number=number, action=action, observation=environment.observe(action, steps)))
            return steps, environment.judge(steps) if steps[-1].observation.ok else None

    return run


def test_code_changes_a_copy_until_the_check_passes(work, project):
    record = work("print(open('total.py').read())", RIGHT)
    looked, mended = (step.observation for step in record.steps)
    assert (record.status, record.checked, record.verified) == ("solved", True, False)
    assert "return xs[0]" in looked.state.output and not looked.ok
    assert mended.state.changed == ("total.py",)
    assert record.answer == (
        "--- a/total.py\n+++ b/total.py\n@@ -1,2 +1,2 @@\n def total(xs):\n-    return xs[0]\n+    return sum(xs)\n"
    )
    assert (project / "total.py").read_text() == WRONG


@pytest.mark.slow
def test_variables_last_through_an_episode(work):
    record = work("text = open('total.py').read()", "open('total.py', 'w').write(text.replace('xs[0]', 'sum(xs)'))")
    assert (record.status, len(record.steps)) == ("solved", 2)


@pytest.mark.slow
def test_what_fails_its_check_is_handed_in_at_the_second_time(work):
    record = work("open('notes.txt', 'w').write('x')")
    assert record.status == "refused"
    assert [step.action.kind for step in record.steps[:3]] == ["code", "finish", "finish"]


def test_a_check_won_by_changing_its_own_files_is_not_won(handed_in):
    forge = "open('test_total.py', 'w').write('')", "open('conftest.py', 'w').write('')"
    steps, judged = handed_in(*forge)
    assert [step.observation.state.protected for step in steps[:2]] == [("test_total.py",), ("conftest.py",)]
    assert judged is None and not any(step.observation.ok for step in steps)


@pytest.mark.slow
def test_what_is_not_part_of_the_work_is_not_there_and_is_not_taken(work):
    look = "import os; result = sorted(os.listdir('.'))"
    hide = (
        "import os; os.mkdir('.git'); open('.git/hooks', 'w').write('x'); os.symlink('/etc', 'etc'); open('new', 'w')"
    )
    record = work(look, hide, RIGHT)
    assert record.steps[0].observation.state.value == ["test_total.py", "total.py"]
    assert record.steps[1].observation.state.changed == ("new",)
    assert "hooks" not in record.answer


def test_handing_in_nothing_is_giving_up(work):
    record = work()
    assert (record.status, record.answer) == ("unsolved", "")


@pytest.mark.slow
def test_a_check_that_was_never_shown_decides_instead(work):
    hidden = {"test_more.py": "from total import total\nassert total([5, 5]) == 10\n"}
    fits = "open('total.py', 'w').write('def total(xs):\\n    return 3 if xs else 0\\n')"
    more = {"hidden_check": f"{CHECK} && python3 test_more.py", "hidden_files": hidden}
    assert work(fits, **more).status == "refused"
    assert work(RIGHT, **more).status == "solved"
    assert work(RIGHT, check="", **more).status == "solved"


def test_code_that_ends_pytest_early_does_not_pass_it(handed_in):
    ends = "open('total.py', 'w').write('import os; os._exit(0)')"
    steps, judged = handed_in(ends, check="sh -c 'exit 0' # pytest")
    assert not judged.accepted
    assert "told of no passed test" in steps[0].observation.error


@pytest.mark.slow
def test_the_search_goes_back_to_the_best_state(work):
    worse = "import os; os.remove('total.py')"
    count = (
        "import importlib, sys; sys.path.insert(0, '.'); ok = 0\n"
        "try:\n    from total import total; ok = 1 + (total([1, 2]) == 3)\nexcept Exception: pass\n"
        "print(f'{ok} passed, {2 - ok} failed'); sys.exit(ok < 2)\n"
    )
    check = f'python3 -c "{count}"'
    straight = work(worse, "x = 1", RIGHT.replace("sum(xs)", "xs[-1]"), check=check)
    assert "undone, another state" not in str(straight)
    record = work(worse, "assert open('total.py').read()", RIGHT, check=check, branches=2)
    parents = [step.observation.state.parent for step in record.steps]
    assert parents == [0, 0, 2]
    assert record.steps[0].observation.state.score < record.steps[1].observation.state.score
    assert record.solved


@pytest.mark.slow
def test_snapshots_survive_the_process(work, tmp_path, project):
    record = work(RIGHT)
    snapshots = Snapshots(tmp_path / "runs0" / record.episode / "tree")
    changes = snapshots.load_changes(record.steps[-1].observation.state.snapshot)
    assert changes.apply_to({"total.py": WRONG.encode(), "test_total.py": TEST.encode()})["total.py"].endswith(
        b"sum(xs)\n"
    )


def test_a_folder_that_changed_since_the_task_was_made_is_refused(work):
    with pytest.raises(UsageError, match="changed since"):
        work(RIGHT, base="0" * 64)
