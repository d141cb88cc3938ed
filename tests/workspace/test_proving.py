"""A person's own task is judged before it is learned from: with what was learned earlier, and without."""

from __future__ import annotations

import json

import pytest

import evolve
from evolve.core.cancellation import Cancellation
from evolve.core.errors import UsageError
from evolve.core.failpoints import VARIABLE
from evolve.workspace import Person
from evolve.workspace.learners import SearchLearner

pytestmark = pytest.mark.usefixtures("few_rivals")

FIRST = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Goedel", "Emmy Noether", "Max Born", "Lise Meitner"]
SECOND = ["Tony Hoare", "John Backus", "Frances Allen", "Barbara Liskov", "Donald Knuth", "Jean Bartik", "Alan Kay"]
THIRD = ["Rosa Parks", "Nelson Mandela", "Angela Davis", "Martin King", "Bertha Suttner", "Mary Wilson", "Desmond Tutu"]


def mail(name):
    return name.lower().replace(" ", ".") + "@corp.com"


def table(folder, names, rule, label):
    file = folder / f"{label}.csv"
    file.write_text(f"person {label},{label}\n" + "".join(f'{name},"{rule(name)}"\n' for name in names))
    return file


def test_a_second_problem_is_solved_with_what_the_first_taught_and_without(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=table(tmp_path, FIRST, mail, "mail"))
        assert workspace.skills.list()
        workspace.run(examples=table(tmp_path, SECOND, mail, "address"))
        first, second = workspace.gate.own()
        proof = workspace.gate.proof()
    # Nothing was learned before the first task, not even from itself.
    assert (first.outcome, first.alike, first.learned.cost) == ("tie", False, first.unlearned.cost)
    assert (second.outcome, second.alike) == ("win", False)
    assert second.learned.solved and second.unlearned.solved and second.learned.cost < second.unlearned.cost
    assert (proof.counted, proof.state.tally.wins, proof.helped) == (2, 1, False)


@pytest.mark.slow
def test_another_column_of_a_table_and_the_same_rows_elsewhere_count_for_nothing(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=table(tmp_path, FIRST, mail, "mail"))
        workspace.run(examples=table(tmp_path, FIRST, str.upper, "capitals"))
        workspace.run(examples=table(tmp_path, FIRST[::-1], mail, "copy"))
        assert [pair.alike for pair in workspace.gate.own()] == [False, True, True]


@pytest.mark.slow
def test_a_table_that_grew_is_the_same_table(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=table(tmp_path, FIRST, mail, "mail"))
        workspace.run(examples=table(tmp_path, SECOND, lambda name: name.split()[1], "mail"))
        assert [pair.alike for pair in workspace.gate.own()] == [False, True]


@pytest.mark.slow
def test_columns_in_another_order_and_under_other_names_are_the_same_table(tmp_path):
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    towns = [(name, f"Town {number}", mail(name)) for number, name in enumerate(FIRST)]
    first.write_text("person,town,mail\n" + "".join(f"{name},{town},{to}\n" for name, town, to in towns))
    second.write_text("place,who,address\n" + "".join(f"{town},{name},{to}\n" for name, town, to in towns))
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=first)
        workspace.run(examples=second)
        assert [pair.alike for pair in workspace.gate.own()] == [False, True]


@pytest.mark.slow
def test_what_a_loop_practised_on_is_known_when_it_is_told_as_a_table(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOLVE_WORKERS", "1")
    rules = [mail, str.upper, str.lower, lambda name: name[::-1], lambda name: name[:3], lambda name: name.split()[1]]
    lines = []
    for number, rule in enumerate(rules):
        rows = [{"input": [f"{name} {number}"], "output": rule(f"{name} {number}")} for name in FIRST]
        task = {"id": f"t{number}", "family": "own", "instruction": "", "examples": rows[:3], "hidden": rows[3:]}
        lines.append(json.dumps(task))
    (tmp_path / "suite.jsonl").write_text("\n".join(lines))
    # What is known hangs on no guide, so that of the loop may be a poor one.
    with evolve.open(tmp_path / "ws", policy=SearchLearner(dreams=60)) as workspace:
        workspace.improve(tmp_path / "suite.jsonl")
        for number, rule in enumerate(rules[:2]):
            workspace.run(examples=table(tmp_path, [f"{name} {number}" for name in FIRST], rule, f"told {number}"))
        assert [pair.alike for pair in workspace.gate.own()] == [True, True]
        # So few tasks prove nothing, and are practised on alone; that stays what the report shows.
        measured = workspace.report()
        with pytest.raises(UsageError, match="none is held out"):
            workspace.report(fresh=True)
        assert workspace.report() == measured and measured.run_changes.practised == len(rules)


@pytest.mark.slow
def test_what_was_learned_from_unjudged_is_known_later(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=table(tmp_path, FIRST[:4], mail, "few"))
        workspace.run(examples=table(tmp_path, FIRST, mail, "many"))
        assert [pair.alike for pair in workspace.gate.own()] == [True]


@pytest.mark.slow
def test_what_too_few_rows_decide_and_what_is_not_learned_from_is_not_judged(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=table(tmp_path, FIRST[:4], mail, "few"))
        workspace.run(examples=table(tmp_path, SECOND, mail, "unlearned"), person=Person(learn="off"))
        assert workspace.gate.own() == ()


@pytest.mark.slow
def test_nothing_of_the_pair_teaches(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=table(tmp_path, FIRST, mail, "mail"))
        workspace.run(examples=table(tmp_path, SECOND, mail, "address"))
        assert {record.split for record in workspace.stores.runs.episodes()} == {"own"}


@pytest.mark.slow
def test_stopped_before_it_was_judged_it_is_judged_when_learning_goes_on(tmp_path):
    stop = Cancellation()
    with evolve.open(tmp_path / "ws") as workspace, workspace.delivering():
        workspace.run(examples=table(tmp_path, FIRST, mail, "mail"))
    with evolve.open(tmp_path / "ws") as workspace:
        stop.wind_down()
        (taught,) = workspace.learn(person=Person(cancellation=stop))
        assert taught.stopped and workspace.gate.own() == () and not workspace.skills.list()
        (taught,) = workspace.learn()
        assert taught.skills and len(workspace.gate.own()) == 1


@pytest.mark.slow
def test_cut_off_while_it_learned_it_is_judged_once_and_as_it_stood_before(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "lessons.inside:1:int")
    with evolve.open(tmp_path / "ws") as workspace, pytest.raises(KeyboardInterrupt):
        workspace.run(examples=table(tmp_path, FIRST, mail, "mail"))
    monkeypatch.delenv(VARIABLE)
    with evolve.open(tmp_path / "ws") as workspace:
        before = workspace.gate.own()
        workspace.learn()
        assert workspace.gate.own() == before and len(before) == 1


@pytest.mark.slow
def test_a_task_that_was_not_solved_is_judged_like_any_other(tmp_path):
    codes = dict(zip(FIRST, ["q7", "zz", "1x", "p", "m44", "h", "o-o"], strict=True))
    evolve.init(tmp_path / "ws")
    (tmp_path / "ws" / "evolve.toml").write_text("candidates = 2000\n")  # a bound of one call leaves nothing to judge
    with evolve.open(tmp_path / "ws") as workspace:
        result = workspace.run(examples=table(tmp_path, FIRST, codes.get, "code"))
        assert not result.verified
        (judged,) = workspace.gate.own()
    assert (judged.outcome, judged.alike, judged.learned.solved) == ("tie", False, False)
