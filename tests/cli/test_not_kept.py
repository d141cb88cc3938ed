"""What the commands tell of a draft that did not become a skill."""

from __future__ import annotations

import json

import pytest

from tests.doubles.repairing import TASK, open_grading


def test_runs_show_says_why_a_skill_was_not_kept(cli, tmp_path):
    with open_grading(tmp_path / "ws", {"code": "", "calls": []}, []) as workspace:
        result = workspace.run(TASK)
    [refused] = result.not_kept
    shown = cli("runs", "show", result.run_id)
    told = " ".join(shown.out.split())
    assert f"skill {refused.skill} not kept: 2 of 9 wrong versions of it pass its tests, such as 'points > 50'" in told
    [episode] = json.loads(cli("runs", "show", result.run_id, "--json").out)
    assert episode["not_kept"] == [
        {"skill": refused.skill, "reason": refused.reason, "survivors": list(refused.survivors)}
    ]


PHONES = ("0171 2345678", "0151 9876543", "0172 5556667", "0160 1112223", "0176 4445556", "0152 1234567")


@pytest.mark.slow
def test_a_function_of_large_numbers_is_kept_and_told_once(cli, tmp_path):
    rows = [f"{phone},+49{phone[1:].replace(' ', '')}" for phone in PHONES]
    (tmp_path / "phones.csv").write_text("\n".join(["phone,e164", *rows, "0157 3334441,", ""]))
    done = cli("fill", "phones.csv")
    told = done.out + done.err
    assert "not kept" not in told and "new skill: " in done.out and "learned  skill" not in told


@pytest.mark.slow
def test_an_export_carries_a_persons_own_words_where_there_are_some(cli, tmp_path):
    repair = {"code": "", "calls": [{"arguments": "[50]", "value": json.dumps("pass")}]}
    with open_grading(tmp_path / "ws", repair, []) as workspace:
        [name] = workspace.run(TASK).skills
    given = json.loads(cli("skills", "export", name, "--to", "own", "--description", "Grades points.", "--json").out)
    (left,) = given["names"].values()
    assert "Grades points." in (tmp_path / "own/skills" / left / "SKILL.md").read_text()
    assert cli("skills", "own", name).code == 0
    owned = json.loads(cli("skills", "export", name, "--to", "owned", "--json").out)
    assert owned["names"] == {name: name}
