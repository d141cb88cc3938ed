"""A task that was solved before is known: the same text, run on its rows again, and nothing is searched for."""

from __future__ import annotations

import pytest

import evolve

pytestmark = pytest.mark.usefixtures("few_rivals")

NAMES = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Barbara Liskov", "Donald Knuth", "Edsger Dijkstra"]
MORE = ["John Backus", "Frances Allen", "Tony Hoare"]


def table(names, last=lambda text: text.upper()):
    return "name,short\n" + "".join(f"{name},{name[0]}. {last(name.split()[-1])}\n" for name in names)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "names.csv"


def solved(workspace, file, text, **more):
    file.write_text(text)
    return workspace.run(examples=file, **more)


def test_the_same_file_again_gives_the_same_text_at_no_cost(tmp_path, file):
    with evolve.open(tmp_path / "ws") as workspace:
        first = solved(workspace, file, table(NAMES))
        again = solved(workspace, file, table(NAMES))
        searched = workspace.stores.runs.episode(again.episode_id).cost.candidates
        skills = [skill.name for skill in workspace.skills.list()]
    assert first.verified and first.cost.candidates
    assert again.verified and again.answer == first.answer
    assert searched == 0  # for an answer; other functions that fit are looked for again
    assert again.note.startswith(f"known since run {first.run_id}: the same function")
    assert len(skills) <= 1 and not again.skills and not again.learned


@pytest.mark.slow
def test_more_rows_that_hold_give_the_same_function(tmp_path, file):
    with evolve.open(tmp_path / "ws") as workspace:
        first = solved(workspace, file, table(NAMES))
        more = solved(workspace, file, table([*MORE, *NAMES]))
    assert more.answer == first.answer and more.verified
    assert more.note.startswith(f"known since run {first.run_id}: the same function")


@pytest.mark.slow
def test_rows_that_do_not_hold_are_searched_for_and_that_is_said(tmp_path, file):
    with evolve.open(tmp_path / "ws") as workspace:
        first = solved(workspace, file, table(NAMES))
        other = solved(workspace, file, table([*NAMES[:2], *MORE, "Kurt Goedel"], last=str.lower))
        mixed = table(NAMES[:2]) + table([*NAMES[2:], *MORE], last=str.lower).partition("\n")[2]
        again = solved(workspace, file, mixed, budget="30k-candidates")
    assert other.verified and other.answer != first.answer and other.cost.candidates
    assert again.cost.candidates
    assert "is not right on every row of this" in again.note


@pytest.mark.slow
def test_an_answer_that_saw_the_rows_is_not_called_verified_on_them(tmp_path, file):
    with evolve.open(tmp_path / "ws") as workspace:
        first = solved(workspace, file, table(NAMES[:5]))
        again = solved(workspace, file, table(NAMES[:5]))
        more = solved(workspace, file, table(NAMES))  # five of six were seen, and three are kept back
    assert not first.verified and again.answer == first.answer and not again.verified
    assert "known since" not in more.note
