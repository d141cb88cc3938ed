"""What ``evolve report`` says of a person's own tasks."""

from __future__ import annotations

import json

import evolve
from evolve.cancellation import Cancellation
from evolve.workspace import Person
from tests.workspace.test_proving import FIRST, SECOND, mail, table

THIRD = ["Rosa Parks", "Nelson Mandela", "Angela Davis", "Martin King", "Bertha Suttner", "Mary Wilson", "Desmond Tutu"]


def test_the_report_tells_it_without_any_suite(cli, tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        for label, names in (("mail", FIRST), ("address", SECOND), ("contact", THIRD)):
            workspace.run(examples=table(tmp_path, names, mail, label))
    told = cli("report")
    assert told.code == 0 and "your own tasks: 3 distinct problems" in told.out
    assert "2 better, 0 worse, 1 the same" in told.out and "of 20:1 needed. Not shown yet" in told.out
    own = json.loads(cli("report", "--json").out)["own"]
    assert (own["counted"], own["alike"], own["helped"]) == (3, 0, False)


def test_what_was_begun_and_never_finished_is_told(cli, tmp_path):
    stop = Cancellation()
    stop.wind_down()
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=table(tmp_path, FIRST, mail, "mail"))
        workspace.run(examples=table(tmp_path, SECOND, mail, "address"), person=Person(cancellation=stop))
    assert "1 run begun and never finished" in cli("report").out
    assert json.loads(cli("report", "--json").out)["own"]["unfinished"] == 1
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=table(tmp_path, SECOND, mail, "address"))
    assert "never finished" not in cli("report").out


def test_without_own_tasks_and_suites_there_is_no_report(cli, tmp_path):
    evolve.open(tmp_path / "ws").close()
    told = cli("report")
    assert told.code == 2 and "no report in this workspace" in told.err
