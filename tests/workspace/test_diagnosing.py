"""A failed run is had again without what it rested on, and only what turns the outcome is called a cause."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import evolve
from benchmarks.diagnose_cases import MAKERS, QUIET
from evolve.core.episodes import Row
from evolve.core.errors import UsageError
from evolve.core.reasons import reason
from evolve.tasks import Task
from evolve.testing import Scenario, ScriptedEndpoint, prompt_of
from evolve.workspace import tasks

NAMES = ["Ann Lee", "Bob Ray", "Cy Dow", "Dee Fox", "Eve Kay", "Flo Jon", "Gus Hill"]
PAIRS = [(name, f"{name[0]}. {name.split()[1].upper()}") for name in NAMES]


@pytest.fixture
def planted(tmp_path):
    """Makes a failed run of a kind, and diagnoses it with and without trials."""

    def made(kind, seed=0):
        for ws, one in MAKERS[kind](tmp_path, Random(f"{kind} {seed}")):
            before = ws.runs.show(one.run).episodes, ws.memory.list(), ws.memory.notes(), ws.skills.list()
            read, tried = (ws.runs.diagnose(one.run, replay=replay) for replay in (False, True))
            assert (ws.runs.show(one.run).episodes, ws.memory.list(), ws.memory.notes(), ws.skills.list()) == before
            assert ws.runs.diagnose(one.run, replay=False) == read
            return one, read, tried
        raise AssertionError

    return made


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["note", "preference", "skill"])
def test_what_the_model_was_told_wrongly_is_the_cause_and_nothing_else_is(planted, kind):
    one, read, tried = planted(kind)
    assert read.state == "failed" and not read.causes and read.untried
    assert [cause.id for cause in tried.causes] == [one.id]
    assert tried.step == one.step and tried.replays > 2
    assert "evolve why" not in " ".join(tried.tries)


@pytest.mark.slow
def test_the_step_that_spoiled_a_file_is_the_cause_without_asking_a_model(planted):
    one, _, tried = planted("action")
    assert [cause.id for cause in tried.causes] == [one.id]
    assert all(other.verdict != "cause" for other in tried.suspects if other.id != one.id)


@pytest.mark.slow
def test_a_budget_is_a_cause_where_more_of_it_solves(planted):
    _, read, tried = planted("budget")
    assert read.suspects[0].kind == "budget" and read.suspects[0].verdict == "suspicion"
    assert [cause.kind for cause in tried.causes] == ["budget"]


@pytest.mark.slow
def test_a_budget_is_cleared_where_more_of_it_finds_nothing(planted):
    _, _, tried = planted("data")
    assert not tried.causes
    assert {one.kind: one.verdict for one in tried.suspects}["budget"] == "cleared"


def test_an_endpoint_that_failed_is_named_and_no_item_is(planted):
    _, read, _ = planted("endpoint")
    assert read.state == "fault" and "401" in str(read.said) and not read.suspects


def test_short_searches_are_had_again_unasked(tmp_path):
    with evolve.open(tmp_path / "ws", model="") as ws:
        run = ws.run(examples=PAIRS, budget="100-candidates", person=QUIET).run_id
    with evolve.open(tmp_path / "ws", model="", read_only=True) as ws:
        found = ws.runs.diagnose(run)
        assert found.replays == 2 and [one.kind for one in found.causes] == ["budget"]
        with pytest.raises(UsageError):
            ws.runs.diagnose(run, replay=True)


@pytest.mark.slow
def test_a_run_that_went_well_says_so(tmp_path):
    with evolve.open(tmp_path / "ws", model="") as ws:
        result = ws.run(examples=PAIRS, person=QUIET)
        found = ws.runs.diagnose(result.run_id)
        assert (found.state, found.suspects, found.replays) == ("well", (), 0)
        assert ws.runs.diagnose(result.episode_id[:8]).run == result.run_id


def test_a_run_that_waits_says_for_what(tmp_path):
    ask = "Unclear.\n```ask_user\nWhich of both?\n```\n"
    with (
        ScriptedEndpoint(Scenario(replies=[ask])) as endpoint,
        evolve.open(tmp_path / "ws", model=endpoint.model) as ws,
    ):
        run = ws.run("write one of two words", person=QUIET).run_id
        found = ws.runs.diagnose(run)
    assert found.state == "unfinished" and "Which of both?" in str(found.said)
    assert found.tries == (f"evolve runs answer {run} TEXT",)


def test_a_change_that_the_person_refused_failed_by_their_word_and_by_no_step(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    replies = ["I write it.\n```file a.txt\ntwo\n```\n```done\n```\n"]
    with (
        ScriptedEndpoint(Scenario(replies=replies)) as endpoint,
        evolve.open(tmp_path / "ws", model=endpoint.model) as ws,
    ):
        ws.memory.note("write two in the file")
        task = tasks.in_folder("write the file anew", folder, "")
        run = ws.run(task, person=QUIET).run_id
        unchecked = ws.runs.diagnose(run)
        assert unchecked.state == "unchecked" and not unchecked.suspects  # it did not fail, so nothing is to blame
        ws.runs.refuse(run, "it should be three")
        found = ws.runs.diagnose(run, replay=False)
    assert (found.state, found.step, found.why) == ("failed", 0, None)
    assert found.said == reason("change_refused_because", said="it should be three")
    assert [one.kind for one in found.suspects] == ["note"]


FALSE, WISH = "Amounts are written in capitals.", "from now on write names as initial and surname"


class Abbreviating:
    """Writes what an earlier turn asked for, unless a note says otherwise; without that turn it knows nothing."""

    def answer(self, body):
        prompt = prompt_of(body)
        right = WISH in prompt and FALSE not in prompt
        code = "f'{name[0]}. {name.split()[1].upper()}'" if right else "name.upper()"
        return f"I write it.\n```python\ndef solve(name):\n    return {code}\n```\n"


@pytest.mark.slow
@pytest.mark.parametrize("changed", [False, True])
def test_a_later_turn_of_a_conversation_is_had_again_with_the_turns_before_it(tmp_path, changed):
    rows = [Row(input=(name,), output=short) for name, short in PAIRS]
    task = Task(
        id="names",
        family="names",
        instruction="Amounts and names: write the name as I said.",
        signature="(name: str) -> str",
        examples=tuple(rows[:3]),
        verify=tuple(rows[3:]),
    )
    with (
        ScriptedEndpoint(double=Abbreviating()) as endpoint,
        evolve.open(tmp_path / "ws", model=endpoint.model) as ws,
    ):
        planted = ws.memory.note(FALSE).id
        talk = ws.conversations.begin()
        talk.end_turn(replace(talk.ask(WISH), status="solved", told="so it is"))
        turn = talk.ask(task.instruction)
        run = ws.run(replace(task, earlier=talk.earlier_turns(ws.folders.list())), person=QUIET).run_id
        talk.end_turn(replace(turn, status="unsolved", told="not solved", run=run))
        if changed:
            talk.end_turn(replace(talk.turns[0], told="something else"))
        talk.close()
        found = ws.runs.diagnose(run, replay=True)
    if changed:
        assert not found.replays and found.untried == reason("turns_are_gone")
    else:
        assert [cause.id for cause in found.causes] == [planted]
