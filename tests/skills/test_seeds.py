"""The skills that ship with evolve: sound by the rules for learned ones, and in no learned state until they help."""

from __future__ import annotations

import csv
import shutil
import subprocess

import pytest

import evolve
from evolve.core.paths import seed_root
from evolve.skills import Admission, read_folder
from evolve.skills.archives import read_foreign
from evolve.skills.folder import folder_changes
from evolve.skills.imported import foreign_skills
from evolve.skills.seeds import seed_digest

FOLDER = seed_root() / "skills"
SHIPPED = sorted(path.parent for path in FOLDER.glob("*/SKILL.md"))
LEAVE = [("2026-03-02", "2026-03-06", 5), ("2026-03-05", "2026-03-10", 4), ("2026-03-14", "2026-03-15", 0)]
LEAVE += [("2026-04-01", "2026-04-30", 22), ("2026-06-10", "2026-06-10", 1), ("2026-07-03", "2026-07-13", 7)]
LEAVE += [("2026-08-03", "2026-08-21", 15), ("2026-09-04", "2026-09-07", "")]


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_a_seed_is_admitted_as_a_learned_skill_is(folder, sandbox):
    skill = read_folder(folder)
    (read,) = foreign_skills(*read_foreign(folder))  # as an import of the folder reads it, with its evals as rows
    verdict = Admission(sandbox).judge(skill, read.skill.rows)
    assert verdict.admitted, verdict.reason
    assert verdict.checks["unseen_rows"] >= 5 and not verdict.checks["mutants_missed"]
    assert folder_changes(skill, folder) == ("evals/evals.json",)  # else the folder is as evolve writes one


def test_the_list_of_seeds_names_every_file_that_git_has():
    listed = [
        line for line in (FOLDER / "SEEDS").read_text().splitlines() if not line.startswith("#") and " " not in line
    ]
    assert listed == sorted(str(path.relative_to(FOLDER)) for one in SHIPPED for path in one.rglob("*.*"))
    ignored = subprocess.run(["git", "check-ignore", *listed], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert ignored.stdout == ""


def test_a_seed_that_is_not_as_it_was_shipped_is_told_of_and_left_out(tmp_path, monkeypatch):
    lines = (FOLDER / "SEEDS").read_text().splitlines()
    assert {line for line in lines if " " in line and not line.startswith("#")} == {
        f"{one.name} {seed_digest(FOLDER, one.name)}" for one in SHIPPED
    }
    shutil.copytree(FOLDER, tmp_path / "skills")
    (tmp_path / "skills" / "split-amount" / "skill.py").write_text("def split_amount(:")
    (tmp_path / "skills" / "readable-size" / "examples.json").unlink()
    monkeypatch.setattr("evolve.workspace.opening.seed_root", lambda: tmp_path)
    with evolve.open(tmp_path / "ws", model="") as workspace:
        assert [one.name for one in workspace.skills.seeds()] == ["working-days-between"]
        assert workspace.stores.skills.quarantined.keys() == {"split-amount", "readable-size"}


def test_a_seed_that_fills_a_column_is_a_skill_of_the_workspace_from_then_on(tmp_path, few_rivals):
    table = tmp_path / "leave.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([("start", "end", "days"), *LEAVE])
    with evolve.open(tmp_path / "ws", model="") as workspace:
        assert workspace.skills.list() == [] and len(workspace.skills.seeds()) == len(SHIPPED)
        filled = workspace.fill(table, budget="2k-candidates")
        assert filled.result.solved and filled.out.read_text().splitlines()[-1] == "2026-09-04,2026-09-07,2"
        (used,) = workspace.skills.list()
        assert (used.name, used.owner, len(used.tasks)) == ("working-days-between", "seed", 1)
        assert used not in workspace.skills.seeds()


def test_a_seed_that_the_rows_do_not_tell_from_a_plain_rule_verifies_nothing(tmp_path):
    weeks = [("04-06", "04-10", 5), ("04-13", "04-17", 5), ("04-20", "04-22", 3), ("04-28", "04-29", 2)]
    weeks += [("05-04", "05-08", 5), ("05-11", "05-12", 2), ("05-20", "05-21", 2), ("05-04", "05-15", "")]
    table = tmp_path / "rent.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows(
            [("start", "end", "calendar_days"), *((f"2026-{a}", f"2026-{b}", days) for a, b, days in weeks)]
        )
    with evolve.open(tmp_path / "ws", model="") as workspace:
        filled = workspace.fill(table, budget="20k-candidates")
        assert not filled.result.verified and filled.result.reason.code == "another_as_simple"
        assert filled.marked == filled.filled == 1


def test_a_skill_of_the_workspace_goes_before_a_seed_of_its_name(tmp_path):
    with evolve.open(tmp_path / "ws", model="") as workspace:
        before = workspace.skills.show("readable-size")
        (tmp_path / "ws" / "skills" / "readable-size").mkdir(parents=True)
        (tmp_path / "ws" / "skills" / "readable-size" / "mine.txt").write_text("mine")
        workspace.skills.own("readable-size")
        assert workspace.skills.show("readable-size").owner == "user" != before.owner
        assert (tmp_path / "ws" / "skills" / "readable-size" / "mine.txt").read_text() == "mine"
