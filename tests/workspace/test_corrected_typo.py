"""A row that a person corrected in the file counts as it stands there now, whatever earlier runs met in it."""

from __future__ import annotations

import pytest

import evolve
from evolve.workspace import tasks
from evolve.workspace.runs.skill_origin import origin_of

pytestmark = pytest.mark.usefixtures("few_rivals")

DAYS = {
    "2026-03-02": "Monday",
    "2026-03-03": "Tuesday",
    "2026-03-05": "Thursday",
    "2026-03-06": "Friday",
    "2026-03-10": "Tuesday",
    "2026-03-12": "Thursday",
    "2026-03-14": "Saturday",
    "2026-03-18": "",
    "2026-03-25": "",
}


def write(file, wrong=None):
    rows = DAYS | (wrong or {})
    file.write_text("date,weekday\n" + "".join(f"{day},{name}\n" for day, name in rows.items()))
    return file


@pytest.mark.parametrize("wrong", [{"2026-03-05": "Thrusday"}, {"2026-03-12": "Thrusday"}])
def test_a_corrected_typo_is_no_doubt_any_more(tmp_path, wrong):
    with evolve.open(tmp_path / "ws") as workspace:
        before = workspace.fill(write(tmp_path / "march.csv", wrong)).result
        assert not before.verified and [one.given for one in before.misfits] == ["Thrusday"]
        after = workspace.fill(write(tmp_path / "march.csv")).result
        assert (after.kind, after.misfits) == ("verified", ())


def test_a_function_that_was_kept_beside_a_typo_is_not_held_to_it(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        before = workspace.fill(write(tmp_path / "march.csv", {"2026-03-05": "Thrusday"})).result
        skill = workspace.runs.keep(before.run_id)
        task = tasks.read(None, examples=str(write(tmp_path / "march.csv")))
        rows = {row.input: row.output for row in origin_of(workspace._services, skill).rows_in(task)}
        assert rows["2026-03-05",] == "Thursday"
        after = workspace.fill(write(tmp_path / "march.csv")).result
        assert (after.kind, after.misfits) == ("verified", ())


def test_the_rows_given_are_counted_alike_in_every_run(tmp_path):
    names = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra", "Donald Knuth", "Barbara Liskov"]
    names += ["John McCarthy", "Ken Thompson", "Dennis Ritchie", "Linus Torvalds"]
    rows = [f"{name},{(name[0] + name.split()[-1]).lower()}" for name in names]
    (tmp_path / "people.csv").write_text("\n".join(["Employee,Login", *rows, "Bjarne Stroustrup,", ""]))
    with evolve.open(tmp_path / "ws") as workspace:
        grounds = [workspace.fill(tmp_path / "people.csv").result.grounds for _ in range(2)]
    assert [one.given + one.rows for one in grounds] == [10, 10]
    assert [one.given for one in grounds] == [8, 8]
