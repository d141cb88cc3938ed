"""One row that speaks against what all others lead to is named; without an answer, what came nearest is told."""

from __future__ import annotations

import json

import pytest

import evolve
from evolve.agent import Agent, AgentServices
from evolve.core.episodes import Limits, OutlierRow
from evolve.core.reasons import reason
from evolve.policies.search import SearchPolicy, SearchSettings
from evolve.tasks.reading.load import load_examples
from evolve.testing import TrustingSandbox

NAMES = (
    *("Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Gallus", "Emmy Noether"),
    *("John Li", "Max Planck", "Rosa Parks", "Niels Bohr", "Lise Meitner"),
)


def table(tmp_path, count, wrong=(), make=lambda name: name.split()[0]):
    """A table of names; ``wrong`` says what stands in single rows."""
    rows = {name: make(name) for name in NAMES[:count]} | dict(wrong)
    file = tmp_path / "names.csv"
    file.write_text("name,out\n" + "".join(f'{name},"{out}"\n' for name, out in rows.items()))
    return file


# Every slip that is one is found among as many candidates, so those that are none have the same room to be blamed in.
BUDGET = "150k-candidates"


@pytest.fixture
def solve(tmp_path):
    def run(count, wrong=(), **more):
        with evolve.open(tmp_path / "ws") as opened:
            opened._sandbox = TrustingSandbox()
            return opened.run(examples=table(tmp_path, count, wrong, **more), budget=BUDGET)

    return run


# The second is one of those that are kept back.
@pytest.mark.slow
@pytest.mark.parametrize(("name", "out"), [("John Li", "Jhon"), ("Max Planck", "Mx"), ("Ada Lovelace", "Aad")])
def test_a_mistyped_row_is_named_and_nothing_is_called_verified(solve, name, out):
    result = solve(10, [(name, out)])
    assert (result.status, result.kind) == ("solved", "unverified")
    assert result.misfits == (OutlierRow(input=(name,), given=out, expected=name.split()[0]),)
    assert result.reason == reason("row_does_not_fit", input=[name], given=out, expected=name.split()[0])
    assert "every other example" in result.note
    values: dict = {}
    exec(result.answer, values)
    assert [values[result.entry](other) for other in NAMES] == [other.split()[0] for other in NAMES]
    assert json.loads(json.dumps(result.to_json()))["misfits"][0]["given"] == out


# Of six rows three are kept back: "Alan Turing" is one of those that are seen, "Grace Hopper" is not.
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES[:6] if len(name.split()[0]) > 3])
def test_of_six_rows_one_may_be_mistyped_whether_it_was_seen_or_kept_back(solve, name):
    result = solve(6, [(name, name.split()[0] + "t")])
    assert (result.status, result.kind) == ("solved", "unverified")
    assert result.misfits == (OutlierRow(input=(name,), given=name.split()[0] + "t", expected=name.split()[0]),)


@pytest.mark.slow
def test_of_six_rows_one_that_no_slip_explains_is_not_blamed(solve):
    result = solve(6, [("Alan Turing", "Alan (London)")])
    assert not (result.solved and result.misfits)


@pytest.mark.slow
def test_two_odd_rows_of_six_are_no_slip(solve):
    result = solve(6, [("Alan Turing", "Alann"), ("Grace Hopper", "Grce")])
    assert not (result.solved and result.misfits)


@pytest.mark.slow
def test_a_row_that_is_no_slip_is_learned_from_once_another_shows_so(solve, tmp_path):
    """What fits all seen rows but one is refused while there is something left to learn from the row that it shows."""
    kinds = zip("mfmmfmf", NAMES, strict=False)
    pairs = [((kind, name), f"Dear {'Mrs' if kind == 'f' else 'Mr'} {name}") for kind, name in kinds]
    with evolve.open(tmp_path / "ws") as opened:
        opened._sandbox = TrustingSandbox()
        result = opened.run(examples=pairs, budget=BUDGET)
    values: dict = {}
    exec(result.answer, values)
    assert [values[result.entry](*row) for row, _ in pairs] == [out for _, out in pairs] and not result.misfits


@pytest.mark.slow
def test_joined_pieces_may_have_a_mistyped_row_too(solve):
    result = solve(10, [("Kurt Gallus", "Galus, Kurt")], make=lambda name: ", ".join(name.split()[::-1]))
    assert [misfit.expected for misfit in result.misfits] == ["Gallus, Kurt"]


def test_rows_without_a_slip_have_no_misfit(solve):
    result = solve(10)
    assert result.verified and not result.misfits and not result.reason


@pytest.mark.slow
def test_one_row_of_four_is_not_said_to_be_mistyped(solve):
    result = solve(4, [("Alan Turing", "Nobody")])
    assert not (result.solved and result.misfits)


@pytest.mark.slow
def test_two_slips_are_no_slip(solve):
    result = solve(10, [("Alan Turing", "Aln"), ("Grace Hopper", "Grc")])
    assert not (result.solved and result.misfits)


@pytest.mark.slow
def test_a_special_case_that_is_plain_enough_is_learned_and_not_blamed(tmp_path):
    rows = [(3, 3), (12, 12), (7, 7), (-4, 4), (9, 9), (31, 31), (-8, 8), (5, 5), (40, 40)]
    with evolve.open(tmp_path / "ws") as opened:
        opened._sandbox = TrustingSandbox()
        result = opened.run(examples=[((n,), out) for n, out in rows], budget="100k-candidates")
    assert result.solved and not result.misfits


@pytest.mark.slow
def test_in_practice_and_in_trials_no_row_is_blamed(tmp_path):
    task = load_examples(table(tmp_path, 10, [("John Li", "Jhon")]))
    policy = SearchPolicy(settings=SearchSettings(doubts_rows=True))
    around = AgentServices(policy=policy, sandbox=TrustingSandbox(), run="r1")
    limits = Limits(candidates=150_000, seconds=None)
    record = Agent(around).run_episode(task, variant="v", split="gate", limits=limits)
    assert not record.solved and all(step.judgement is None for step in record.steps if step.action.misfits)


@pytest.mark.slow
@pytest.mark.parametrize("cut", ["stage.act.after:2", "stage.observe.after:2", "stage.judge.after:1"])
def test_a_run_that_was_cut_off_names_the_same_row(tmp_path, monkeypatch, cut):
    task = load_examples(table(tmp_path, 10, [("Max Planck", "Mx")]))
    limits = Limits(candidates=150_000, seconds=None)

    def attempt(checkpoints=None):
        policy = SearchPolicy(settings=SearchSettings(doubts_rows=True))
        around = AgentServices(policy=policy, sandbox=TrustingSandbox(), run="r1", checkpoints=checkpoints)
        return Agent(around).run_episode(task, variant="v", split="own", limits=limits)

    monkeypatch.setenv("EVOLVE_FAULT", f"{cut}:int")
    with pytest.raises(KeyboardInterrupt):
        attempt(tmp_path)
    monkeypatch.delenv("EVOLVE_FAULT")
    record, alone = attempt(tmp_path), attempt()
    assert record.steps[-1].action.misfits == alone.steps[-1].action.misfits != ()
    assert (record.answer, record.note) == (alone.answer, alone.note)
    assert record.cost.candidates == alone.cost.candidates


@pytest.mark.slow
def test_the_same_table_again_names_the_same_row(tmp_path):
    file = table(tmp_path, 10, [("Max Planck", "Mx")])
    with evolve.open(tmp_path / "ws") as opened:
        opened._sandbox = TrustingSandbox()
        first, second = (opened.run(examples=file, budget=BUDGET) for _ in range(2))
    assert first.refused and first.misfits == second.misfits
    assert second.solved and not second.verified and second.answer == first.answer


@pytest.mark.slow
def test_without_an_answer_the_nearest_is_told_with_the_rows_that_it_fails(solve):
    result = solve(8, [("Alan Turing", "A T"), ("Grace Hopper", "Hop")])
    assert not result.solved and not result.answer
    values: dict = {}
    exec(result.nearest, values)
    visible = {misfit.input: misfit for misfit in result.misfits}
    assert 0 < len(visible) < 4
    for misfit in result.misfits:
        assert values[result.entry](*misfit.input) == misfit.expected != misfit.given
    assert result.advice is not None


@pytest.mark.slow
def test_a_column_that_seems_to_be_missing_is_told(solve):
    towns = ("Paris", "Oslo", "Turin", "Vienna", "Ghent", "Cork", "Minsk", "Porto")
    result = solve(8, zip(NAMES, towns, strict=False))
    assert not result.solved and result.advice.code == "words_of_no_input"


def test_for_categories_more_rows_of_each_are_asked_for_and_no_column(solve):
    groups = ("Furniture", "Food", "Electronics") * 3
    result = solve(8, zip(NAMES, groups, strict=False))
    assert not result.solved and result.advice.code == "words_of_categories"
