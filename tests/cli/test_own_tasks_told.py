"""What ``evolve report`` says of a person's own tasks."""

from __future__ import annotations

import json

import pytest

import evolve
from benchmarks.doubles import QuirkDouble
from evolve.core.cancellation import Cancellation
from evolve.testing import ScriptedEndpoint
from evolve.workspace import Person
from evolve.workspace import tasks as workspace_tasks
from tests.workspace.test_proving import FIRST, SECOND, mail, table
from tests.workspace.test_shadow import HIDDEN

pytestmark = pytest.mark.usefixtures("few_rivals")

THIRD = ["Rosa Parks", "Nelson Mandela", "Angela Davis", "Martin King", "Bertha Suttner", "Mary Wilson", "Desmond Tutu"]


def tally(own):
    counts = own["state"]["tally"]
    return counts["wins"], counts["losses"], counts["ties"]


@pytest.mark.slow
def test_the_report_tells_it_without_any_suite(cli, tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        for label, names in (("mail", FIRST), ("address", SECOND), ("contact", THIRD)):
            workspace.run(examples=table(tmp_path, names, mail, label))
    assert cli("report").code == 0
    own = json.loads(cli("report", "--json").out)["own"]
    assert (own["counted"], own["alike"], own["helped"]) == (3, 0, False)
    assert tally(own) == (2, 0, 1) and own["spent"]["candidates"] > 0


@pytest.mark.slow
def test_what_was_begun_and_never_finished_is_told(cli, tmp_path):
    stop = Cancellation()
    stop.wind_down()
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=table(tmp_path, FIRST, mail, "mail"))
        workspace.run(examples=table(tmp_path, SECOND, mail, "address"), person=Person(cancellation=stop))
    own = json.loads(cli("report", "--json").out)["own"]
    assert own["missing"] == 1 and own["state"]["wealth"] < 1.0 and tally(own) == (0, 0, 1)
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=table(tmp_path, SECOND, mail, "address"))
    assert json.loads(cli("report", "--json").out)["own"]["missing"] == 0


@pytest.mark.slow
def test_what_is_not_to_count_is_not_missing(cli, tmp_path):
    stop = Cancellation()
    stop.wind_down()
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=table(tmp_path, FIRST, mail, "mail"))
        for names, label, more in ((FIRST, "again", {}), (SECOND[:4], "few", {}), (SECOND, "off", {"learn": "off"})):
            person = Person(cancellation=stop, **more)
            assert workspace.run(examples=table(tmp_path, names, mail, label), person=person).status == "interrupted"
    assert json.loads(cli("report", "--json").out)["own"]["missing"] == 0


def test_evidence_with_a_model_is_told_by_model_with_what_it_is_about(cli, tmp_path):
    with ScriptedEndpoint(double=QuirkDouble(HIDDEN)) as serving:
        evolve.open(tmp_path / "ws").close()
        (tmp_path / "ws" / "evolve.toml").write_text("[evolve]\nshadow_share = 1.0\n")
        (tmp_path / "first.jsonl").write_text(workspace_tasks.render([HIDDEN[0].task]))
        (tmp_path / "second.jsonl").write_text(workspace_tasks.render([HIDDEN[1].task]))
        assert cli("run", "first.jsonl#hidden-0", "--model", serving.model).code == 0
        told = cli("run", "second.jsonl#hidden-1", "--model", serving.model)
    assert "\njudging  " in told.err
    assert serving.model in cli("report").out
    own = json.loads(cli("report", "--json").out)
    assert "own" not in own and own["own_models"][f"language:{serving.model}"]["state"]["tally"]["wins"] == 1


def test_without_own_tasks_and_suites_there_is_no_report(cli, tmp_path):
    evolve.open(tmp_path / "ws").close()
    told = cli("report")
    assert told.code == 2 and "\n  try: " in told.err
