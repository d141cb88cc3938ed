"""Files that decide are as they were; one that the person names may change, and decides nothing in its own favour."""

from __future__ import annotations

from contextlib import closing

import pytest

from evolve.core.episodes import Action, Step
from evolve.environments import EnvironmentOptions, open_environment
from evolve.runtime.folder_tree import read_tree
from evolve.tasks.reading.folder import folder_task
from evolve.tasks.verification.test_quality import finding_of
from tests.environments.conftest import CHECK, RIGHT, TEST

EASIER = "open('test_total.py', 'w').write('')"
MORE = "open('test_total.py', 'a').write('assert total([2]) == 2\\n')"
WRONG_TEST = "open('test_total.py', 'a').write('assert total([2]) == 3\\n')"
BREAKING = f"open('test_total.py', 'w').write({TEST.replace('[]) == 0', '[4]) == 5')!r})"


@pytest.fixture
def handed_in(sandbox, make_work):
    """What is taken of these actions once they are handed in, the last observation, and the verdict."""

    def run(*codes, **more):
        steps = []
        with closing(open_environment(make_work(**more), EnvironmentOptions(sandbox=sandbox))) as environment:
            for code in (*codes, "", ""):
                action = Action(kind="code" if code else "finish", code=code)
                steps.append(Step(number=len(steps) + 1, action=action, observation=environment.observe(action, steps)))
            seen = steps[-1].observation
            return environment.answer(steps[-1]), seen, environment.judge(steps) if seen.ok else None

    return run


def test_what_a_change_shows_is_what_is_taken(handed_in):
    answer, _, judged = handed_in(MORE, RIGHT)
    assert "b/total.py" in answer and "test_total" not in answer
    assert judged.accepted and judged.checked


def test_a_change_of_protected_files_alone_is_none(handed_in):
    answer, seen, judged = handed_in(MORE, check="")
    assert (answer, seen.ok, judged) == ("", False, None)
    assert "test_total.py" in seen.error


def test_a_test_that_the_person_names_may_change_and_the_tests_as_they_were_decide(handed_in):
    named = {"named": ("test_total.py",)}
    answer, _, judged = handed_in(MORE, RIGHT, **named)
    assert "b/test_total.py" in answer and judged.checked
    answer, _, judged = handed_in(EASIER, **named)
    assert "b/test_total.py" in answer
    assert (judged.accepted, judged.checked, finding_of(judged.text)) == (True, False, "tests_changed")
    _, _, judged = handed_in(WRONG_TEST, RIGHT, **named)
    assert not judged.accepted


@pytest.mark.parametrize(
    ("task", "named"),
    [
        ("add a case to test_total.py.", ("test_total.py",)),
        ("mend `./tests/test_new.py`, please", ("tests/test_new.py",)),
        ("mend total.py and the tests", ()),
        ("mend ../test_total.py", ()),
        ("raise the version in pyproject.toml", ("pyproject.toml",)),
    ],
)
def test_the_words_of_a_task_name_what_may_change(project, task, named):
    assert folder_task(task, project, CHECK).work.named == named


def test_a_folder_of_which_nothing_is_copied_is_there_and_told_of(sandbox, project, make_work):
    (project / "generated").mkdir()
    (project / "generated" / "service.env").write_text("KEY=secret\n")
    (project / "empty" / "inner").mkdir(parents=True)
    tree = read_tree(project)
    assert (tree.folders, tree.secret) == (("empty/inner", "generated"), (".env", "generated/service.env"))
    write = Action(
        kind="code", code="open('generated/a.env', 'w').write('KEY=1'); open('empty/inner/b', 'w').write('')"
    )
    work = make_work(check="test -d generated && test -e total.txt")
    with closing(open_environment(work, EnvironmentOptions(sandbox=sandbox))) as environment:
        assert "service.env" in environment.initial_view()[1].text
        seen = environment.observe(write, [])
        assert seen.state.changed == ("empty/inner/b",)
        assert "generated/a.env" in seen.state.output
        done = Action(kind="code", code="open('total.txt', 'w').write('1')")
        assert environment.observe(done, [Step(number=1, action=write, observation=seen)]).ok
