"""With a model a person's own run is one arm, and a shadow without what was learned the other, drawn before the run."""

from __future__ import annotations

import json
import shutil
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evolve
from benchmarks.doubles import QuirkDouble, quirk_tasks
from evolve.core.cancellation import Cancellation
from evolve.core.episodes import Cost, EpisodeRecord, Limits, Row
from evolve.core.failpoints import VARIABLE
from evolve.core.ledger import Budget
from evolve.core.reasons import reason
from evolve.runtime.folder_tree import read_tree
from evolve.testing import ScriptedEndpoint
from evolve.workspace import Person
from evolve.workspace.runs.counterfactual import is_affordable, is_comparable, run_each_arm
from tests.doubles.asking import AskingDouble, asking_task
from tests.doubles.folders import FolderDouble, quirk_folder
from tests.workspace.test_learning_set_aside import waiting


def hidden_quirk(number):
    """A job of dates whose examples read the same both ways: only a first answer that knows the fact is right."""
    base = quirk_tasks(32)[4 * (number % 8)]
    space = {}
    exec(base.right, space)

    def row(text):
        return Row(input=(text,), output=space[base.task.entry](text))

    instruction = f"{base.task.instruction.rstrip('.')}, in list {number}."
    task = replace(
        base.task,
        id=f"hidden-{number}",
        group=f"hidden {number}",
        instruction=instruction,
        examples=tuple(row(f"{day:02}/{day:02}/{2000 + number}") for day in (1, 5, 9)),
        verify=tuple(row(f"{day:02}/{day + 5:02}/{2000 + number}") for day in (1, 2, 3, 4)),
        hidden=(),
    )
    return replace(base, task=task)


HIDDEN = [hidden_quirk(number) for number in range(10)]
JOBS = [job for name in ("dates", "amounts") for job in quirk_tasks(32) if job.quirk.name == name]
FACT = JOBS[0].quirk.sentence


class Knowing(QuirkDouble):
    """Does everything right at once, whatever it is told."""

    def answer(self, body):
        said = super().answer(body)
        return next((said.replace(job.wrong, job.right) for job in JOBS if job.wrong in said), said)


class Interrupting(QuirkDouble):
    """Has work set aside while it answers the question with that number."""

    number, at, have_it_set_aside = 0, 0, None

    def answer(self, body):
        self.number += 1
        if self.number == self.at:
            self.have_it_set_aside()
        return super().answer(body)


class Told:
    """Keeps the events of one kind."""

    def __init__(self, kind):
        self.kind, self.texts = kind, []

    def emit(self, event):
        if event.kind == self.kind:
            self.texts.append(event.data["text"])


@pytest.fixture
def opened(tmp_path):
    @contextmanager
    def open_one(double=None, *, share=1.0, **options):
        evolve.open(tmp_path / "ws").close()
        (tmp_path / "ws" / "evolve.toml").write_text(f"[evolve]\nshadow_share = {share}\n")
        with (
            ScriptedEndpoint(double=double or QuirkDouble()) as serving,
            evolve.open(tmp_path / "ws", model=serving.model, **options) as workspace,
        ):
            workspace.served = serving
            yield workspace

    return open_one


@pytest.fixture
def reopened(tmp_path):
    """Opens one workspace again and again, with one endpoint."""
    evolve.open(tmp_path / "ws").close()
    with ScriptedEndpoint(double=QuirkDouble()) as serving:

        def open_one(share=1.0):
            (tmp_path / "ws" / "evolve.toml").write_text(f"[evolve]\nshadow_share = {share}\n")
            return evolve.open(tmp_path / "ws", model=serving.model)

        yield open_one


def forget(workspace):
    """Leaves nothing of a closed workspace but its settings."""
    for part in ("memory_store", "skills"):
        shutil.rmtree(workspace.paths.root / part)
    evolve.init(workspace.paths.root, trust=True)


def tokens(workspace):
    return workspace.learner.spent.tokens


def proof(workspace):
    return workspace.gate.proof(workspace.learner.name)


def prompts(workspace, start=0):
    return [json.dumps(body["messages"]) for body in workspace.served.requests[start:]]


def taught_one(workspace):
    """A first task that teaches the fact; nothing was learned before, so there is nothing to compare."""
    result = workspace.run(JOBS[0].task)
    assert result.learned and not result.shadow and workspace.gate.own() == ()


@pytest.mark.slow
def test_what_was_learned_wins_against_the_same_model_without_it(opened):
    with opened(QuirkDouble(HIDDEN)) as workspace:
        for job in HIDDEN:
            assert workspace.run(job.task).solved
        found = proof(workspace)
    assert (found.counted, found.state.tally.wins, found.missing_parts) == (9, 9, 0) and found.helped
    assert (found.solved_learned, found.solved_unlearned) == (9, 0) and found.spent.calls


@pytest.mark.slow
def test_a_model_that_learning_does_not_help_proves_nothing(opened):
    with opened(Knowing()) as workspace:
        for job in JOBS[:6]:
            workspace.run(job.task)
        found = proof(workspace)
    assert found.counted == 5 == found.both and not found.helped and not found.state.tally.wins


@pytest.mark.slow
def test_the_shadow_is_told_what_the_person_said_and_nothing_that_was_learned(opened):
    with opened() as workspace:
        taught_one(workspace)
        workspace.memory.note("Ada says: the day of the month of the date is wanted.")
        start = len(workspace.served.requests)
        with workspace.delivering():
            workspace.run(JOBS[1].task)
        own, start = prompts(workspace, start), len(workspace.served.requests)
        workspace.learn()
        first = prompts(workspace, start)[0]
    assert FACT in own[0] and "Ada says" in own[0]
    assert FACT not in first and "Ada says" in first


@pytest.mark.slow
def test_without_a_share_nothing_is_solved_twice_and_with_one_the_problem_alone_decides(opened):
    drawn = []
    for share, tasks, wanted in ((0.0, 3, 0), (1.0, 3, 2), (0.5, 6, None), (0.5, 6, None)):
        with opened(share=share) as workspace:
            for job in JOBS[:tasks]:
                workspace.run(job.task)
            found = [pair.group for pair in workspace.gate.own()]
        drawn.append(found)
        forget(workspace)
        assert wanted in (None, len(found))
    assert drawn[2] == drawn[3] and 0 < len(drawn[2]) < 5


def test_what_it_may_cost_is_told_before_the_run_and_what_it_did_cost_after_it(opened):
    told = Told("shadow")
    with opened(events=told) as workspace:
        taught_one(workspace)
        assert told.texts == []
        before = tokens(workspace)
        result = workspace.run(JOBS[1].task)
        assert "up to 100,000 more tokens" in told.texts[0]
        assert result.shadow.tokens and result.cost.tokens + result.shadow.tokens == tokens(workspace) - before
        assert result.to_json()["shadow"]["tokens"] == result.shadow.tokens == proof(workspace).spent.tokens


@pytest.mark.slow
@pytest.mark.parametrize("budget", ["6k-tokens", "9k-tokens", "5-calls"])
def test_run_shadow_and_learning_together_keep_to_a_budget_that_was_typed(opened, budget):
    with opened() as workspace:
        taught_one(workspace)
        before, calls = tokens(workspace), len(workspace.served.requests)
        workspace.run(JOBS[1].task, budget=budget)
        number, _, unit = budget.partition("-")
        if unit == "calls":
            assert len(workspace.served.requests) - calls <= int(number)
        else:
            assert tokens(workspace) - before <= int(number.removesuffix("k")) * 1000
        assert len(workspace.gate.own()) == 1


@pytest.mark.slow
def test_a_run_that_took_more_than_its_half_is_withheld_and_has_no_shadow(opened):
    amounts = next(job for job in JOBS if job.quirk.name == "amounts")
    with opened() as workspace:
        taught_one(workspace)
        with workspace.delivering():
            result = workspace.run(amounts.task, budget="3-calls")
        (taught,) = workspace.learn()
        (pair,) = workspace.gate.own()
    assert result.solved and result.cost.calls == 2
    assert pair.outcome == "withheld" and not taught.shadow


@pytest.mark.slow
def test_a_budget_on_time_or_of_one_call_draws_no_shadow(opened):
    with opened() as workspace:
        taught_one(workspace)
        for job, budget in ((JOBS[1], "60s"), (JOBS[2], "1-calls")):
            workspace.run(job.task, budget=budget)
        assert workspace.gate.proofs() == {}


@pytest.mark.slow
def test_the_same_problem_again_is_never_bet_on_and_costs_no_shadow(opened):
    with opened() as workspace:
        taught_one(workspace)
        workspace.run(JOBS[1].task)
        again = workspace.run(JOBS[1].task, budget="50k-tokens")
        assert not again.shadow and len(workspace.gate.own()) == 1 and proof(workspace).missing == 0


def test_what_nobody_but_a_person_can_judge_gets_no_shadow(opened):
    with opened() as workspace:
        taught_one(workspace)
        workspace.run("say which day comes first in a date")
        workspace.run(examples=[(f"0{day}/12/2024", day) for day in (1, 2, 3)])
        assert workspace.gate.proofs() == {}


class Both:
    """Asks about the one task, and does the others as it knows how."""

    def answer(self, body):
        told = json.dumps(body["messages"])
        return (AskingDouble() if asking_task().instruction in told else QuirkDouble()).answer(body)


@pytest.mark.slow
def test_what_a_person_helped_with_is_no_win(opened):
    with opened(Both()) as workspace:
        taught_one(workspace)
        result = workspace.run(asking_task(), person=Person(respond=lambda question: "in April"))
        (pair,) = workspace.gate.own()
        assert result.solved and not result.shadow and pair.outcome == "withheld"


@pytest.mark.slow
def test_folders_with_a_check_count_and_keep_every_byte(opened, tmp_path):
    with opened(FolderDouble()) as workspace:
        taught_one_in_folder(workspace, tmp_path)
        task = quirk_folder(JOBS[1], tmp_path / "second")
        before = read_tree(tmp_path / "second").digest
        result = workspace.run(task, person=Person(approve="never"))
        assert result.checked and result.shadow.calls
        assert read_tree(tmp_path / "second").digest == before
        (pair,) = workspace.gate.own()
        assert pair.unlearned.solved and pair.learned.solved


def taught_one_in_folder(workspace, tmp_path):
    workspace.run(quirk_folder(JOBS[0], tmp_path / "first"), person=Person(approve="never"))
    assert workspace.memory.list()


class Answering(FolderDouble):
    """Answers the second job in words, without a change."""

    def answer(self, body):
        if JOBS[1].task.instruction in json.dumps(body["messages"]):
            return "So it is.\n\n```answer\nThe day comes first.\n```\n"
        return super().answer(body)


@pytest.mark.slow
def test_a_question_about_a_folder_may_be_answered_in_words_by_both(opened, tmp_path):
    with opened(Answering()) as workspace:
        taught_one_in_folder(workspace, tmp_path)
        result = workspace.run(quirk_folder(JOBS[1], tmp_path / "second"))
        (pair,) = workspace.gate.own()
    assert result.status == "unverified" and result.shadow.calls == 1 and pair.outcome == "tie"


@pytest.mark.slow
def test_a_change_that_was_applied_is_taken_out_again_for_the_shadow(opened, tmp_path):
    with opened(FolderDouble()) as workspace:
        taught_one_in_folder(workspace, tmp_path)
        task = quirk_folder(JOBS[1], tmp_path / "second")
        result = workspace.run(task, person=Person(approve="auto"))
        (pair,) = workspace.gate.own()
        assert result.patch.state == "applied" and pair.outcome in ("win", "tie") and pair.unlearned.cost
        assert JOBS[1].right in (tmp_path / "second" / "answer.py").read_text()


@pytest.mark.slow
def test_a_folder_that_was_changed_meanwhile_is_withheld(opened, tmp_path):
    with opened(FolderDouble()) as workspace:
        taught_one_in_folder(workspace, tmp_path)
        with workspace.delivering():
            workspace.run(quirk_folder(JOBS[1], tmp_path / "second"), person=Person(approve="never"))
        (tmp_path / "second" / "answer.py").write_text("# mine\n")
        workspace.learn()
        (pair,) = workspace.gate.own()
        assert pair.outcome == "withheld" and (tmp_path / "second" / "answer.py").read_text() == "# mine\n"


def straight(opened):
    """How a second task is judged where nothing comes in between, and what was asked for that."""
    with opened() as workspace:
        taught_one(workspace)
        with workspace.delivering():
            workspace.run(JOBS[1].task)
        start = len(workspace.served.requests)
        workspace.learn()
        (pair,) = workspace.gate.own()
        asked = prompts(workspace, start)
    forget(workspace)
    return pair, asked


@pytest.mark.slow
@pytest.mark.parametrize("point", ["episode.end:1", "stage.act.after:1", "stage.observe.after:1", "lessons.before:1"])
def test_cut_off_between_answer_and_evidence_it_goes_on_and_pays_for_nothing_twice(opened, monkeypatch, point):
    pair, asked = straight(opened)
    with opened() as workspace:
        taught_one(workspace)
        model, serving = workspace.learner.name, workspace.served
        with workspace.delivering():
            if not point.startswith("episode"):
                workspace.run(JOBS[1].task)
        start = len(serving.requests)
        monkeypatch.setenv(VARIABLE, f"{point}:int")
        with pytest.raises(KeyboardInterrupt):
            if point.startswith("episode"):
                start += 1  # the run's own question
                workspace.run(JOBS[1].task)
            else:
                workspace.learn()
        monkeypatch.delenv(VARIABLE)
        assert workspace.gate.proof(model).missing + len(workspace.gate.own()) == 1
        workspace.learn()
        (again,) = workspace.gate.own()
        assert prompts(workspace, start) == asked and workspace.gate.proof(model).missing == 0
    assert (again.outcome, again.learned.cost, again.unlearned.cost, again.spent.tokens) == (
        pair.outcome,
        pair.learned.cost,
        pair.unlearned.cost,
        pair.spent.tokens,
    )


@pytest.mark.slow
def test_set_aside_before_every_question_the_shadow_asks_each_once(opened):
    pair, asked = straight(opened)
    double = Interrupting()
    with opened(double) as workspace:
        taught_one(workspace)
        with workspace.delivering():
            workspace.run(JOBS[1].task)
        start, taught = len(workspace.served.requests), None
        while taught is None or taught.stopped:
            stop = Cancellation()
            double.at, double.have_it_set_aside = double.number + 1, stop.wind_down
            (taught,) = workspace.learn(person=Person(cancellation=stop))
        (again,) = workspace.gate.own()
        assert prompts(workspace, start) == asked
    assert (again.outcome, again.unlearned.cost, again.spent.tokens) == (
        pair.outcome,
        pair.unlearned.cost,
        pair.spent.tokens,
    )


@pytest.mark.slow
def test_a_call_of_the_shadow_that_is_stopped_is_asked_again_counted_and_in_no_prompt(opened):
    pair, asked = straight(opened)
    with opened() as workspace:
        taught_one(workspace)
        with workspace.delivering():
            result = workspace.run(JOBS[1].task)
        start = len(workspace.served.requests)
        workspace.served.add({"fault": "hang"})
        stop = Cancellation()
        ending = threading.Thread(target=lambda: (waiting(workspace.served), stop.cancel()))
        ending.start()
        (taught,) = workspace.learn(person=Person(cancellation=stop))
        ending.join()
        assert taught.stopped and taught.note and taught.shadow.tokens and result.solved
        (done,) = workspace.learn()
        (again,) = workspace.gate.own()
        assert prompts(workspace, start)[1:] == asked
    assert (again.outcome, again.unlearned.cost) == (pair.outcome, pair.unlearned.cost)
    assert done.shadow.tokens == again.spent.tokens > pair.spent.tokens


@pytest.mark.slow
def test_a_run_that_is_broken_off_counts_as_lost_until_it_is_done(opened):
    stop = Cancellation()
    stop.wind_down()
    with opened() as workspace:
        taught_one(workspace)
        assert workspace.run(JOBS[1].task, person=Person(cancellation=stop)).status == "interrupted"
        found = proof(workspace)
        assert (found.missing_parts, found.state.tally.withheld) == (1, 1) and found.state.wealth < 1.0
        # Begun anew with another budget it is no other problem, and the first try is not forgotten.
        workspace.run(JOBS[1].task, budget="50k-tokens")
        assert proof(workspace).missing == 1 and workspace.gate.own() == ()
        workspace.run(JOBS[1].task)
        assert proof(workspace).missing == 0


@pytest.mark.slow
def test_a_limit_of_the_day_that_ends_the_shadow_is_no_win(reopened, monkeypatch):
    with reopened() as workspace:
        taught_one(workspace)
        with workspace.delivering():
            workspace.run(JOBS[1].task)
    monkeypatch.setenv("EVOLVE_DAY_LIMIT", "500-tokens")
    with reopened() as workspace:
        workspace.learn()
        (pair,) = workspace.gate.own()
        assert pair.outcome == "withheld" and tokens(workspace) <= 500


@pytest.mark.slow
def test_learning_with_a_budget_too_small_for_the_shadow_waits_and_says_so(opened):
    with opened() as workspace:
        taught_one(workspace)
        with workspace.delivering():
            workspace.run(JOBS[1].task)
        before = len(workspace.served.requests)
        (taught,) = workspace.learn(budget="20k-tokens")
        assert taught.waits and taught.note == reason("judging_takes_more") and len(workspace.served.requests) == before
        (taught,) = workspace.learn()
        assert taught.learned and len(workspace.gate.own()) == 1


@pytest.mark.slow
def test_the_share_taken_back_spends_nothing_and_withholds_what_was_drawn(reopened):
    with reopened() as workspace:
        taught_one(workspace)
        with workspace.delivering():
            workspace.run(JOBS[1].task)
    with reopened(share=0.0) as workspace:
        (taught,) = workspace.learn()
        (pair,) = workspace.gate.own()
    assert taught.learned and not taught.shadow and pair.outcome == "withheld"


@pytest.mark.slow
def test_another_model_begins_without_evidence(opened, tmp_path):
    with opened() as workspace:
        taught_one(workspace)
        workspace.run(JOBS[1].task)
        first = workspace.learner.name
    with opened() as workspace:
        workspace.run(JOBS[2].task)
        assert workspace.learner.name != first
        assert [proof(workspace).counted, workspace.gate.proof(first).counted] == [1, 1]
        assert list(workspace.gate.proofs()) == sorted([first, workspace.learner.name])


@given(
    st.none() | st.integers(2, 10**6), st.none() | st.floats(0.001, 100.0), st.none() | st.integers(2, 50), st.data()
)
def test_a_run_that_may_have_a_shadow_leaves_it_all_that_it_may_spend(tokens, money, calls, data):
    typed = {"tokens": tokens, "money": money, "calls": calls}
    budget = Budget(**typed)
    most = run_each_arm(Limits(tokens=tokens or 100_000, money=money, calls=calls), budget)
    spent = {name: data.draw(_up_to(bound)) for name, bound in typed.items() if bound is not None}
    cost = Cost(**spent)
    record = EpisodeRecord(
        **dict.fromkeys(("episode", "run", "task", "suite", "group", "split", "variant"), ""),
        seed=0,
        status="solved",
        cost=cost,
    )
    left = Limits(**{**vars(budget), "candidates": None}).minus_cost(cost)
    if is_comparable(record, most, budget):
        assert is_affordable(most, left)
    else:
        assert any(spent[name] > getattr(most, name) for name in spent)


def _up_to(bound):
    return st.integers(0, bound) if isinstance(bound, int) else st.floats(0.0, bound)
