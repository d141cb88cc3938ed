"""Where a claim in a model's words may act: where trials showed it, and no further."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evolve.core.episodes import BUILT_IN, RunOrigin
from evolve.tasks import load_examples, load_suite, resolve_task, task_json
from evolve.tasks.reading.folder import folder_task

FACT = "fact:dates are written day first"
DATES, NAMES = "dates", "names"


def asks(memory, family=DATES, kinds=("insight", "trial")):
    """Kinds of what a task is offered."""
    at = RunOrigin(environment="programs", family=family)
    return [one.kind for one in memory.recall("anything", 5, features=(1.0, 0.0), kinds=kinds, scope=at)]


@pytest.fixture
def learned(memory, lesson):
    """Commits lessons on a fact."""

    def learn(*numbers, family=DATES, cause=FACT, source="", **more):
        for number in numbers:
            memory.commit(lesson(number, cause=cause, family=family, **more), source=source)
        return memory

    return learn


def test_one_trial_acts_nowhere_and_is_tried_again(learned):
    memory = learned(1)
    assert asks(memory) == asks(memory, family=NAMES) == ["trial"]
    assert asks(memory, kinds=("insight",)) == []
    assert [one.status for one in memory.list_insights()] == ["hypothesis"]


def test_trials_on_two_problems_let_it_act_in_its_family(learned):
    memory = learned(1, 2)
    assert asks(memory) == ["insight"]
    assert asks(memory, family=NAMES) == ["trial"]


def test_many_trials_in_one_family_do_not_carry_it_to_another(learned):
    memory = learned(*range(1, 9))
    assert [one.status for one in memory.list_insights()] == ["confirmed"]
    assert asks(memory, family=NAMES) == ["trial"]


def test_a_trial_in_another_family_from_another_source_does(learned):
    memory = learned(1, 2, source="file-a")
    learned(3, family=NAMES, source="file-b")
    assert set(asks(memory, family="amounts")) <= {"insight", "trial"} and "insight" in asks(memory, family="amounts")


def test_one_trial_each_in_two_families_from_two_sources_lets_it_act_in_a_third(learned):
    memory = learned(1, source="file-a")
    learned(2, family=NAMES, source="file-b")
    at = RunOrigin(environment="programs", family="amounts")
    found = memory.recall("anything", 5, features=(1.0, 0.0), kinds=("insight",), scope=at)
    assert found and {(one.kind, one.status) for one in found} == {("insight", "supported")}


def test_a_trial_in_another_family_that_disagrees_does_not(learned):
    memory = learned(1, 2, source="file-a")
    learned(3, family=NAMES, direction=-1, source="file-b")
    assert "insight" not in asks(memory, family="amounts")


@pytest.mark.parametrize("sources", [("file-a", "file-a"), ("place-a old", "place-a new"), ("", "file-a"), ("", "")])
def test_families_that_one_source_names_do_not(learned, sources):
    """Whoever writes a task file writes its families too; a changed file in its place is no second one."""
    memory = learned(1, 2, source=sources[0])
    learned(3, family=NAMES, source=sources[1])
    assert "insight" not in asks(memory, family="amounts") and "insight" not in asks(
        memory.snapshot(), family="amounts"
    )
    assert asks(memory)[0] == "insight"


def test_two_sources_that_name_one_family_do_not(learned):
    memory = learned(1, source="file-a")
    learned(2, source="file-b")
    assert asks(memory) == ["insight"] and asks(memory, family=NAMES) == ["trial"]


def test_what_the_search_found_of_its_programs_is_not_told_to_other_kinds_of_work(memory, lesson):
    memory.commit(lesson(1, family=DATES))

    def told(environment, family):
        at = RunOrigin(environment=environment, family=family)
        return memory.recall("anything", 5, features=(1.0, 0.0), kinds=("insight",), scope=at)

    assert told("programs", DATES) and told("programs", NAMES)
    assert told("files", DATES) == told("words", "") == []


def test_two_families_of_suites_that_ship_do(learned):
    memory = learned(1, 2, source=BUILT_IN)
    learned(3, family=NAMES, source=BUILT_IN)
    assert "insight" in asks(memory, family="amounts")


@pytest.mark.parametrize(("source", "acts"), [("file-a", False), ("file-b", True)])
def test_where_it_came_from_is_read_anew_with_the_record(store, lesson, source, acts):
    first = store.memory()
    for number, family, origin in ((1, DATES, "file-a"), (2, DATES, "file-a"), (3, NAMES, source)):
        first.commit(lesson(number, cause=FACT, family=family), source=origin)
    store.close()
    assert ("insight" in asks(store.memory(), family="amounts")) is acts


def test_a_file_that_names_two_families_is_one_source_however_its_tasks_are_run(tmp_path, memory, lesson):
    file = tmp_path / "from-outside.jsonl"
    rows = [{"input": [text], "output": text.upper()} for text in ("a b", "c d", "e f", "g h", "i j", "k l")]
    named = [{"id": f"t{n}", "family": family, "examples": rows} for n, family in ((1, DATES), (2, DATES), (3, NAMES))]
    file.write_text("".join(json.dumps(one) + "\n" for one in named))
    tasks = [*load_suite(file).tasks[:2], resolve_task(f"{file}#t3")]
    for number, task in enumerate(tasks, 1):
        assert task.source
        memory.commit(lesson(number, cause=FACT, family=task.family), source=task.source)
    assert "insight" not in asks(memory, family="amounts")


def test_two_files_and_two_folders_are_two_sources_and_a_copy_is_none(tmp_path, memory, lesson):
    rows = "name,initials\n" + "".join(f"{name},{name[0]}\n" for name in ("Ada", "Bob", "Cem", "Dan", "Eva", "Fay"))
    for name, text in (("a.csv", rows), ("b.csv", rows.replace("Ada", "Alan")), ("copied/a.csv", rows)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    one, other, copy = (load_examples(tmp_path / name) for name in ("a.csv", "b.csv", "copied/a.csv"))
    here, there = (folder_task("tidy up", tmp_path / name, "true") for name in ("", "copied"))
    assert not set(one.source.split()) & set(other.source.split())
    assert set(one.source.split()) & set(copy.source.split())
    assert here.source and there.source and here.source != there.source


@pytest.mark.slow
def test_tasks_that_ship_say_so_and_a_file_named_like_their_suite_does_not(tmp_path):
    shipped = load_suite("lists").tasks
    assert {task.source for task in shipped} == {BUILT_IN}
    file = tmp_path / "lists.jsonl"
    file.write_text("".join(json.dumps(task_json(task)) + "\n" for task in shipped[:3]))
    assert BUILT_IN not in " ".join(task.source for task in load_suite(file).tasks)


def test_two_trials_on_one_problem_are_one(learned, lesson):
    memory = learned(1)
    again = lesson(1, cause=FACT, family=DATES)
    memory.commit(replace(again, episode="another"))
    assert asks(memory) == ["trial"]


def test_claims_that_the_search_composed_are_not_bound(learned):
    memory = learned(1, cause="operation:sort")
    assert asks(memory) == asks(memory, family=NAMES) == ["insight"]


def test_a_snapshot_says_the_same(learned):
    memory = learned(1, 2)
    assert asks(memory.snapshot()) == ["insight"] and asks(memory.snapshot(), family=NAMES) == ["trial"]
    assert asks(memory.snapshot().without_insights([memory.list_insights()[0].id])) == []


def test_what_a_text_had_said_first_acts_only_once_it_is_confirmed(learned):
    said = "fact:quoted:dates are written day first"
    assert asks(learned(1, 2, 3, cause=said)) == ["trial"]
    memory = learned(4, cause=said)
    assert asks(memory) == ["insight"] and asks(memory, family=NAMES) == ["trial"]
    assert "after a text" in memory.recall("anything", features=(1.0, 0.0))[0].provenance


def test_a_person_who_looks_something_up_is_not_bound(learned):
    memory = learned(1, 2)
    assert [one.kind for one in memory.recall("anything", features=(1.0, 0.0))] == ["insight"]
