"""``evolve lab workflow``: looking at, comparing, checking and drawing workflows."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import evolve
from evolve.agent.workflow import Workflow, parse_workflow

DOUBTING = """
stages = ["recall", "plan", "decompose", "act", "vote", "critique", "observe", "judge", "reflect", "distill", "commit"]

[routes.critique]
doubtful = "act"
agree = "observe"

[routes.judge]
again = "act"
stop = "reflect"

[knobs]
rivals = 4
"""


@pytest.fixture
def doubting(tmp_path):
    path = tmp_path / "doubting.toml"
    path.write_text(DOUBTING)
    return path


def test_the_workflow_in_force_is_shown_with_its_bound(cli, made, tmp_path):
    cli("lab", "workflow", "show")
    assert json.loads(cli("lab", "workflow", "show", "--json").out)["digest"] == Workflow().digest
    prompts = tmp_path / "ws" / "prompts"
    prompts.mkdir(parents=True, exist_ok=True)
    (prompts / "workflow.toml").write_text(DOUBTING)
    shown = json.loads(cli("lab", "workflow", "show", "--json").out)
    assert shown["digest"] == parse_workflow(DOUBTING).digest
    assert shown["visits"] == sum(shown["bounds"].values())
    assert "goes on with the answer that most rivals agree with" in cli("lab", "workflow", "show").out


def test_differences_are_told_by_name(cli, doubting):
    text = cli("lab", "workflow", "diff", "seed", doubting).out
    for line in ("+ vote, after act", "~ critique.doubtful: no route -> act", "~ rivals: 2 -> 4"):
        assert line in text
    kinds = {
        one["kind"] for one in json.loads(cli("lab", "workflow", "diff", "seed", doubting, "--json").out)["differences"]
    }
    assert kinds == {"added", "route", "knob"}
    assert cli("lab", "workflow", "diff", doubting, doubting).out == "no difference\n"


def test_a_valid_workflow_is_called_valid_and_says_for_whom_stages_do_nothing(cli, doubting):
    done = cli("lab", "workflow", "validate", doubting)
    assert done.code == 0
    assert "valid; 11 stages" in done.out
    assert "vote does nothing in the environment files" in done.err


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (('agree = "observe"', 'agree = "judge"'), "routes.critique.agree: must not lead past 'observe'"),
        (('"commit"]', '"distil"]'), "unknown stage 'distil'"),
        (('"vote"', '"skill:nobody-has-it@0123456789ab"'), "skill:nobody-has-it@0123456789ab: no such skill"),
        (("rivals = 4", "rivals = 40"), "knobs.rivals: 40 is not between 1 and 8"),
    ],
)
def test_what_would_not_work_is_refused_with_file_key_and_next_command(cli, made, doubting, changed, message):
    doubting.write_text(DOUBTING.replace(*changed))
    cli("lab", "workflow", "show")
    done = cli("lab", "workflow", "validate", doubting)
    assert done.code == 3
    assert "doubting.toml: " in done.err
    assert message in done.err
    assert "evolve " in done.err.splitlines()[-1]
    said = json.loads(cli("lab", "workflow", "validate", doubting, "--json").out)
    assert (said["valid"], message in said["error"]) == (False, True)


def test_a_missing_file_is_named(cli):
    done = cli("lab", "workflow", "show", "nowhere.toml")
    assert done.code == 2
    assert "nowhere.toml" in done.err


def test_the_picture_shows_every_stage_and_decision(cli, doubting, tmp_path):
    cli("lab", "workflow", "draw", doubting, "--out", "picture.svg")
    root = ElementTree.parse(tmp_path / "picture.svg").getroot()
    words = {node.text for node in root.iter() if node.text}
    assert set(parse_workflow(DOUBTING).stages) <= words
    assert {"again", "stop", "doubtful", "agree"} <= words
    text = cli("lab", "workflow", "draw", doubting).out
    assert text.startswith("flowchart TD\n")
    assert text.count("-->") == len(parse_workflow(DOUBTING).edges)


@pytest.mark.slow
def test_a_run_goes_by_the_workflow_of_its_workspace(cli, tmp_path):
    evolve.init(tmp_path / "ws")
    (tmp_path / "ws" / "prompts" / "workflow.toml").write_text(DOUBTING)
    (tmp_path / "sums.csv").write_text("n,m,out\n" + "".join(f"{n},{n + 3},{2 * n + 3}\n" for n in range(8)))
    done = cli("run", "sums.csv")
    assert done.code == 0
    assert "\nvote     " in done.err
    assert "\ncritique " in done.err
