"""What is doubtful fills no later table, what a better one refutes is retired, and the same command says the same."""

from __future__ import annotations

import csv

import pytest

import evolve

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug"]
PLAIN = [f"v1.{n}.0" for n in range(2, 9)]


def line(tag, date):
    return f"{tag.lstrip('v').replace('rc', '')} / {date.split(' ', 1)[1]}"


def write(file, tags, given, year=2026):
    rows = [(tag, f"{3 * n + 1} {MONTHS[n % 8]} {year}") for n, tag in enumerate(tags)]
    with file.open("w", newline="") as out:
        csv.writer(out).writerows(
            [("tag", "date", "line"), *((*row, line(*row) if n < given else "") for n, row in enumerate(rows))]
        )
    return file


def cells(file):
    with file.open(newline="") as lines:
        return [row["line"] for row in csv.DictReader(lines)]


def expected(file):
    with file.open(newline="") as lines:
        return [line(row["tag"], row["date"]) for row in csv.DictReader(lines)]


@pytest.fixture
def workspace(tmp_path, private_home):
    with evolve.open(tmp_path / "ws") as opened:
        yield opened


def test_a_doubtful_answer_is_no_skill_in_use_and_the_verified_one_fills_the_next_month(workspace, tmp_path):
    first = workspace.fill(write(tmp_path / "releases.csv", [*PLAIN, "v2.0.0-rc1"], 7)).result
    assert first.solved and not first.verified and first.skills == ()
    assert [skill.status for skill in workspace.skills.list()] == ["doubtful"]
    again = workspace.fill(tmp_path / "releases.csv")
    assert (again.result.verified, again.used) == (False, None)

    fixed = workspace.fill(write(tmp_path / "fixed.csv", [*PLAIN, "v2.0.0-rc1", "v2.1.0-rc2"], 8)).result
    assert fixed.verified and fixed.skills
    file = write(tmp_path / "next.csv", ["v3.0.0", "v3.3.0-rc3", "v3.4.0"], 1, 2028)
    filled = workspace.fill(file)
    assert (cells(filled.out), filled.used.name) == (expected(file), fixed.skills[0])


def test_a_skill_that_a_verified_answer_refutes_is_retired_with_the_row_as_the_reason(workspace, tmp_path):
    first = workspace.fill(write(tmp_path / "march.csv", [*PLAIN, "v1.9.1"], 7)).result
    assert first.verified
    tags = [*PLAIN, "v2.0.0-rc1", "v2.1.0-rc2", "v2.2.0-rc3"]
    second = workspace.fill(write(tmp_path / "april.csv", tags, 9)).result
    assert second.verified and second.skills
    standing = {skill.name: skill.status for skill in workspace.skills.list()}
    assert standing == {first.skills[0]: "retired", second.skills[0]: "admitted"}
    assert "2.0.0-1" in workspace.stores.skills.reason(first.skills[0])


def test_a_skill_stays_in_use_until_what_replaces_it_is_kept(workspace, tmp_path):
    first = workspace.fill(write(tmp_path / "march.csv", [*PLAIN, "v1.9.1"], 7)).result
    tags = [*PLAIN, "v2.0.0-rc1", "v2.1.0-rc2", "v2.2.0-rc3"]
    with workspace.delivering():  # a kill after this loses no function
        assert workspace.fill(write(tmp_path / "april.csv", tags, 9)).result.verified
    assert {skill.name: skill.status for skill in workspace.skills.list()} == {first.skills[0]: "admitted"}
    (taught,) = workspace.learn()
    standing = {skill.name: skill.status for skill in workspace.skills.list()}
    assert standing == {first.skills[0]: "retired", taught.skills[0]: "admitted"}


def test_a_typing_error_retires_no_skill(workspace, tmp_path):
    first = workspace.fill(write(tmp_path / "march.csv", [*PLAIN, "v1.9.1"], 7)).result
    file = write(tmp_path / "april.csv", ["v3.0.0", "v3.3.0", "v3.4.0"], 1, 2028)
    file.write_text(file.read_text().replace("3.0.0 / Jan", "3.0.O / Jan"))
    workspace.fill(file, budget="2k-candidates")  # nothing gives that cell
    assert [skill.status for skill in workspace.skills.list() if skill.name in first.skills] == ["admitted"]


@pytest.mark.parametrize("in_place", [False, True])
def test_a_table_that_a_saved_function_filled_has_the_same_verdict_again(workspace, tmp_path, in_place):
    assert workspace.fill(write(tmp_path / "march.csv", [*PLAIN, "v2.0.0-rc1", "v2.1.0-rc2"], 8)).result.verified
    file = write(tmp_path / "april.csv", [*(tag.replace("1", "4", 1) for tag in PLAIN), "v4.1.0-rc2"], 7, 2028)
    first = workspace.fill(file, in_place=in_place)
    if in_place:
        workspace.undo(first.undo)
    again = workspace.fill(file, in_place=in_place)
    assert first.result.verified and first.used
    assert (again.result.verified, again.used.name, again.marked) == (True, first.used.name, first.marked)
