"""``evolve run`` with the policy and sandbox that ship."""

from __future__ import annotations

import io
import json
import sys

import pytest

import evolve
from tests.cli.screens import check_screen


@pytest.fixture
def rows(tmp_path):
    """A column of names as a data worker has it, with enough rows to verify."""
    names = [
        "ada lovelace",
        "alan turing",
        "grace hopper",
        "edsger dijkstra",
        "barbara liskov",
        "tony hoare",
        "john backus",
    ]
    lines = ["name,shout", *(f"{name},{name.upper()}" for name in names)]
    file = tmp_path / "shout.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_a_column_is_learned_verified_and_the_code_runs_by_itself(cli, rows):
    done = cli("run", "--examples", rows, "--name", "shout", "--json")
    result = json.loads(done.out)
    assert done.code == 0
    assert (result["status"], result["verified"], result["entry"]) == ("solved", True, "shout")
    namespace = {}
    exec(result["answer"], namespace)
    assert namespace["shout"]("donald knuth") == "DONALD KNUTH"
    assert "plan" in done.err and "judge" in done.err


@pytest.mark.slow
def test_the_result_for_people_is_code_then_what_it_rests_on(cli, rows):
    done = cli("run", rows)
    assert done.code == 0
    check_screen("run-verified", done, folder=rows.parent)


@pytest.mark.slow
def test_rows_come_from_stdin(cli, rows, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(rows.read_bytes())

        def isatty(self):
            return False

    monkeypatch.setattr(sys, "stdin", Stdin())
    assert json.loads(cli("run", "-", "--json").out)["status"] == "solved"


def test_few_rows_are_labelled_unverified(cli, tmp_path):
    (tmp_path / "few.csv").write_text("n,double\n1,2\n2,4\n5,10\n")
    done = cli("run", "--examples", "few.csv")
    assert done.code == 0
    check_screen("run-unchecked", done, progress=True)


@pytest.mark.slow
def test_what_cannot_be_found_is_not_solved(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("EVOLVE_CANDIDATES", "50000")
    (tmp_path / "noise.csv").write_text("n,out\n1,731\n2,15\n3,9981\n4,2\n5,77123\n6,403\n")
    done = cli("run", "--examples", "noise.csv")
    assert done.code == 1
    check_screen("run-not-found", done)
    assert cli("run", "--examples", "noise.csv", "--budget", "300-candidates").code == 5


@pytest.mark.slow
def test_mined_constants_are_told_in_words(cli, tmp_path):
    (tmp_path / "times.csv").write_text("n,out\n" + "".join(f"{n},{38 * n}\n" for n in range(1, 9)))
    assert cli("run", "--examples", "times.csv").code == 0
    listed = cli("memory", "list", "--all")
    assert "mined:int" not in listed.out and "a number that stands in the rows is in the answer to" in listed.out


@pytest.mark.slow
def test_only_the_budget_that_was_asked_for_ends_with_its_own_code(cli, tmp_path, monkeypatch):
    (tmp_path / "noise.csv").write_text("n,out\n1,731\n2,15\n3,9981\n4,2\n5,77123\n6,403\n")
    monkeypatch.setenv("EVOLVE_CANDIDATES", "300")
    for budget in ("1h", "10k-calls"):
        done = cli("run", "--examples", "noise.csv", "--budget", budget)
        assert (done.code, "300 candidates" in done.out) == (1, True), budget  # the setting ended it
    assert cli("run", "--examples", "noise.csv", "--budget", "200-candidates", "--budget", "1h").code == 5


def test_values_the_search_does_not_know_are_not_solved_in_words(cli, tmp_path):
    mixed = [{"input": [value], "output": number} for number, value in enumerate([1, "x", [2], {"a": None}, None, 2.5])]
    (tmp_path / "mixed.json").write_text(json.dumps(mixed))
    done = cli("run", "--examples", "mixed.json")
    assert done.code == 1
    check_screen("run-unknown-values", done)


@pytest.mark.slow
def test_after_forgetting_and_retiring_everything_runs_are_as_unlearned(cli, rows, tmp_path):
    def run(*more):
        result = json.loads(cli("run", rows, "--json", *more).out)
        return result["answer"], result["cost"]["candidates"]

    unlearned = run()
    with evolve.open(tmp_path / "ws") as workspace:
        assert workspace.memory.list()
        for skill in workspace.skills.list():
            workspace.skills.retire(skill.name)
        workspace.memory.forget(everything=True)
    # The run itself stays on record, so the same file is known and only other functions that fit are looked for;
    # in a workspace without it, it is searched for.
    again = run()
    assert again[0] == unlearned[0] and again[1] <= unlearned[1]
    assert run("-w", tmp_path / "another") == unlearned


@pytest.mark.slow
@pytest.mark.parametrize(
    ("budget", "code", "why"),
    [("10-candidates", 5, "your budget ended"), ("600s", 1, "the settings ended")],
)
def test_a_search_that_is_ended_says_by_what_and_how_it_may_go_further(cli, tmp_path, monkeypatch, budget, code, why):
    rows = {"a": 77.3, "bq": 19.1, "zc": -3.7, "hhd": 1041.9}
    (tmp_path / "odd.csv").write_text("of,is\n" + "".join(f"{of},{value}\n" for of, value in rows.items()))
    monkeypatch.setenv("EVOLVE_CANDIDATES", "500")
    done = cli("run", "--examples", "odd.csv", "--budget", budget)
    assert done.code == code
    assert why in done.out and "try: --budget" in done.out
    assert " and 20 s" not in done.out and "600 s" not in done.out


@pytest.mark.slow
def test_retiring_and_exporting_by_command(cli, tmp_path):
    lines = ["code,out", *(f"{a}-{b},{b}_{a.upper()}" for a, b in zip("abcdefgh", "stuvwxyz", strict=True))]
    (tmp_path / "codes.csv").write_text("\n".join(lines) + "\n")
    done = cli("run", "--examples", "codes.csv", "--name", "swap_code", "--json")
    skills = json.loads(cli("skills", "list", "--json").out)
    assert [skill["name"] for skill in skills] == json.loads(done.out)["skills"]
    for skill in skills:
        assert "def " in cli("skills", "show", skill["name"]).out
        assert cli("skills", "verify", skill["name"]).code == 0
        assert cli("skills", "export", skill["name"], "--to", "out").code == 0
        assert next((tmp_path / "out" / "skills").glob("*/SKILL.md")).is_file()
        assert cli("forget", skill["name"]).code == 0
    assert cli("skills", "list").out == "no skills of yours yet\n"


def test_a_verdict_is_said_once(cli, tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n1,2\n2,4\n3,6\n")
    done = cli("run", "--examples", "rows.csv")
    assert done.code == 0 and done.out.count("unchecked") == 1 and "verified" not in done.out
    (tmp_path / "table.csv").write_text("x,y\n1,2\n2,4\n3,6\n4,\n")
    assert cli("fill", "table.csv", "--out", "filled.csv").out.count("unchecked") == 1
