"""What is said of a change that the check refuses, and of a check whose test runner the sandbox does not have."""

from __future__ import annotations

from contextlib import closing

import pytest

from evolve.agent.workflow import Workflow
from evolve.cli.render.views import episode_line
from evolve.core.episodes import Action, Step
from evolve.environments import EnvironmentOptions, open_environment
from evolve.policies.language.results import observation_text
from evolve.testing import ScriptedWorker
from tests.environments.conftest import CHECK, RIGHT

GONE = ".venv/bin/pytest"
ELSE = "python3 -c 'from total import total; assert total([1, 2]) == 3'"


@pytest.fixture
def judged(make_work, sandbox):
    """Takes actions, and gives the steps with the judgement of the last one."""

    def run(*actions, own=True, **more):
        task = make_work(**more)
        with closing(open_environment(task, EnvironmentOptions(sandbox=sandbox, own=own))) as environment:
            steps = []
            for number, action in enumerate(actions, 1):
                steps.append(Step(number=number, action=action, observation=environment.observe(action, steps)))
            judgement = environment.judge(steps)
        *before, last = steps
        return task, [*before, Step(number=last.number, action=last.action, observation=last.observation,
                                    judgement=judgement)]  # fmt: skip

    return run


def code(text):
    return Action(kind="code", code=text)


@pytest.mark.slow
def test_what_decides_where_pytest_is_missing_is_the_rest_of_the_command(judged):
    _, steps = judged(code(RIGHT), check=f"{GONE} -q || {ELSE}")
    assert steps[0].observation.ok
    verdict = steps[0].judgement
    assert verdict.accepted and not (verdict.verified or verdict.checked)
    assert "pytest is missing in the sandbox" in verdict.text


@pytest.mark.slow
def test_a_wrong_change_fails_the_rest_of_the_command_and_is_told_why(judged):
    wrong = RIGHT.replace("sum(xs)", "0")
    _, steps = judged(code(wrong), Action(kind="finish"), Action(kind="finish"), check=f"{GONE} || {ELSE}")
    assert "AssertionError" in steps[0].observation.error
    assert "pytest is missing in the sandbox" in steps[0].observation.error
    assert not steps[-1].judgement.accepted


@pytest.mark.slow
def test_a_command_that_ends_with_0_whatever_happens_decides_nothing(judged):
    _, steps = judged(code(RIGHT), Action(kind="finish"), check="python3 -m pytest -q; true")
    assert steps[-1].judgement.accepted and not steps[-1].judgement.checked
    assert "decides nothing" in steps[-1].judgement.text


@pytest.mark.slow
def test_tests_that_pass_are_heard_whatever_the_command_prints_after_them(judged):
    check = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest -q -p no:cacheprovider sums.py && echo all well"
    test = "from total import total\ndef test_sum():\n    assert total([1, 2]) == 3\n"
    add = f"open('sums.py', 'w').write({test!r})"
    _, steps = judged(code(f"{RIGHT}\n{add}"), check=check)
    assert "fails" not in steps[0].observation.error, steps[0].observation


def test_where_pytest_is_there_and_told_of_no_passed_test_the_command_is_not_believed(judged):
    done = Action(kind="finish")
    _, steps = judged(code("open('total.py', 'w').write('import os; os._exit(0)')"), done, done,
                      check="sh -c 'exit 0' # pytest")  # fmt: skip
    assert not steps[-1].judgement.accepted
    assert "told of no passed test, so it is not believed" in steps[0].observation.error


@pytest.mark.slow
def test_in_a_run_of_ones_own_the_model_reads_why_the_shown_check_refused(judged):
    done = Action(kind="finish")
    task, steps = judged(code("open('a.txt', 'w').write('x')"), done, done)
    assert steps[1].observation.error.endswith("done again hands in all the same, and the same check decides")
    told = observation_text(task.view(), steps[-1])
    assert "the check 'python3 test_total.py' fails: AssertionError" in told and "not shown" not in told
    _, steps = judged(code("open('a.txt', 'w').write('x')"), done, done, own=False)
    assert observation_text(task.view(), steps[-1]).endswith("the check that decides refuses it")


@pytest.mark.slow
def test_of_a_check_that_is_not_shown_nothing_but_the_refusal_is_told(judged):
    hidden = {"test_more.py": "from total import total\nassert total([5, 5]) == 10, 'SECRET'\n"}
    fits = "open('total.py', 'w').write('def total(xs):\\n    return 3 if xs else 0\\n')"
    task, steps = judged(code(fits), hidden_check="python3 test_more.py", hidden_files=hidden)
    told = observation_text(task.view(), steps[-1])
    assert told.endswith("a check that is not shown refuses it") and "SECRET" not in told


@pytest.mark.slow
def test_what_fails_the_check_is_not_called_passing_because_it_is_handed_in(judged):
    done = Action(kind="finish")
    task, steps = judged(code("open('a.txt', 'w').write('x')"), done, done)
    assert steps[-1].observation.ok
    assert "the check passes" not in observation_text(task.view(), steps[-1])


def test_what_blocks_above_a_refused_done_gave_is_shown(judged):
    hidden = {"test_more.py": "from total import total\nassert total([5, 5]) == 10\n"}
    fits = "open('total.py', 'w').write('def total(xs):\\n    return 3 if xs else 0\\n')"
    action = Action(kind="finish", code=f"```python\n{fits}\n6 * 7\n```")
    task, steps = judged(action, hidden_check="python3 test_more.py", hidden_files=hidden)
    told = observation_text(task.view(), steps[-1])
    assert "value: 42" in told and told.endswith("a check that is not shown refuses it")


@pytest.mark.parametrize(
    ("check", "told"),
    [
        (CHECK, ["1 file changed; the check fails: AssertionError", "submitted, although the check fails"]),
        ("", ["1 file changed", "submitted"]),
    ],
)
def test_who_watches_reads_the_same_of_the_check_before_and_after_it_is_handed_in(
    make_agent, collector, sandbox, make_work, tmp_path, check, told
):
    agent = make_agent(
        ScriptedWorker(["open('a.txt', 'w').write('x')"]),
        sandbox,
        Workflow().with_knobs(steps=3),
        checkpoints=tmp_path / "runs",
    )
    agent.run_episode(make_work(check=check), variant="unlearned", split="own")
    seen = [episode_line(event) for event in collector.events if event.kind == "observe"]
    assert seen[0].removeprefix("observe  ") == told[0]
    assert seen[-1].removeprefix("observe  ") == told[1]


@pytest.mark.slow
def test_the_check_runs_also_where_a_block_failed_before_done(judged):
    blocks = f"```python\n{RIGHT.replace('sum(xs)', '0')}\n```\n```sh\nfalse\n```\n"
    _, steps = judged(Action(kind="finish", code=blocks))
    assert not steps[0].observation.ok and "AssertionError" in steps[0].observation.state.check
