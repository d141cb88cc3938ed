"""A run that waits for a person: left with code 6, answered later in another process, asked at a terminal."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

from evolve.tasks import render_jsonl
from evolve.testing import Scenario, ScriptedEndpoint, question_of
from tests.doubles.asking import QUESTION, AskingDouble, asking_task


@pytest.fixture
def endpoint():
    with ScriptedEndpoint(double=AskingDouble()) as serving:
        yield serving


@pytest.fixture
def tasks(tmp_path):
    file = tmp_path / "dates.jsonl"
    file.write_text(render_jsonl([asking_task()]))
    return file


def asked_for(endpoint):
    return [question_of(body) for body in endpoint.requests]


@pytest.mark.slow
def test_an_answer_given_later_solves_the_task_and_every_call_is_paid_once(cli, endpoint, tasks):
    command = ("run", tasks, "--model", endpoint.model)
    first = cli(*command)
    assert first.code == 6, first.err
    assert QUESTION in first.err and "evolve runs answer r1 TEXT" in first.err
    assert cli(*command).code == 6
    assert asked_for(endpoint) == ["action"]
    assert json.loads(cli("runs", "list", "--json").out)[0]["body"]["question"]["text"] == QUESTION
    assert "waiting" in cli("runs", "list").out and QUESTION in cli("runs", "show", "r1").out
    done = cli("runs", "answer", "r1", "in April, the day comes first", "--json")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert (result["status"], result["verified"], result["question"]) == ("solved", True, None)
    assert asked_for(endpoint)[:2] == ["action", "action"]
    assert result["cost"]["calls"] == len(endpoint.requests)
    shown = cli("runs", "show", "r1").out
    assert QUESTION in shown and "the person answered: in April, the day comes first" in shown
    again = cli("runs", "answer", "r1", "in March")
    assert again.code == 2 and "try: " in again.err


@pytest.mark.slow
def test_the_person_s_word_decides_not_the_model(cli, endpoint, tasks):
    assert cli("run", tasks, "--model", endpoint.model).code == 6
    done = cli("runs", "answer", "r1", "in March")
    assert (done.code, "not solved: " in done.out) == (1, True), done.err


def test_as_json_the_question_is_told_with_code_6(cli, endpoint, tasks):
    done = cli("run", tasks, "--model", endpoint.model, "--json")
    told = json.loads(done.out)
    assert (done.code, told["status"], told["question"]["kind"]) == (6, "waiting", "ask")
    assert told["question"]["text"] == QUESTION


@pytest.mark.slow
def test_a_question_taken_back_ends_the_work(cli, endpoint, tasks):
    assert cli("run", tasks, "--model", endpoint.model).code == 6
    before = len(endpoint.requests)
    done = cli("runs", "answer", "r1", "--withdraw")
    assert done.code == 1 and "withdrawn" in done.out
    assert "action" not in asked_for(endpoint)[before:]
    assert json.loads(cli("runs", "list", "--json").out)[0]["state"] == "done"


@pytest.mark.slow
def test_wrong_answers_to_the_command_are_told(cli, made, endpoint, tasks):
    assert cli("runs", "answer", "r1", "yes").code == 2
    assert cli("run", tasks, "--model", endpoint.model).code == 6
    assert cli("runs", "answer", "r1").code == 2
    assert cli("runs", "answer", "r1", "April", "--withdraw").code == 2
    other = cli("runs", "answer", "r1", "April", "--model", "http://localhost:9/v1#other")
    assert other.code == 2 and "try: " in other.err
    assert cli("run", tasks, "--set", "approve=perhaps").code == 2


@pytest.mark.slow
def test_leave_given_with_the_answer_covers_what_comes_of_it(cli, tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "n.txt").write_text("1\n")
    mend = "open('n.txt', 'w').write('2\\n')\n"
    plain = {"thought": "so", "code": "", "answer": False, "text": "One or two?", "cites": [], "subgoal": 0}
    replies = [
        {"data": {**plain, "kind": "ask_user"}},
        {"data": {**plain, "kind": "code", "code": mend}},
    ]
    with ScriptedEndpoint(Scenario(replies=replies)) as serving:
        command = ("run", "change the number", "--dir", folder, "--check", "grep -q 2 n.txt")
        assert cli(*command, "--model", serving.model).code == 6
        assert (folder / "n.txt").read_text() == "1\n"
        done = cli("runs", "answer", "r1", "two", "--set", "approve=auto")
        assert "two" in json.dumps(serving.requests[1])
    assert done.code == 0, done.err
    assert "applied to" in done.out and (folder / "n.txt").read_text() == "2\n"


class Terminal:
    """A process at a terminal of its own."""

    def __init__(self, start_cli, *arguments):
        master, slave = os.openpty()
        self.process = start_cli(*arguments, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        self.master, self.seen = master, ""

    def until(self, text, seconds=240):
        ends = time.monotonic() + seconds
        while text not in self.seen and time.monotonic() < ends:
            try:
                self.seen += os.read(self.master, 4096).decode("utf-8", "replace")
            except OSError:
                break
        assert text in self.seen, self.seen
        return self

    def type(self, text):
        os.write(self.master, f"{text}\n".encode())
        return self

    def ended(self):
        try:
            while data := os.read(self.master, 4096):
                self.seen += data.decode("utf-8", "replace")
        except OSError:
            pass  # the other side is closed
        code = self.process.wait(240)
        os.close(self.master)
        return code


@pytest.mark.slow
def test_a_process_killed_at_its_question_is_answered_in_a_new_one(cli, start_cli, endpoint, tasks):
    command = ("run", tasks, "--model", endpoint.model)
    waiting = Terminal(start_cli, *command).until("answer (Enter leaves it open)")
    assert QUESTION in waiting.seen
    waiting.process.send_signal(signal.SIGKILL)
    assert waiting.ended() == -signal.SIGKILL
    assert asked_for(endpoint) == ["action"]
    later = Terminal(start_cli, *command).until("answer (Enter leaves it open)").type("the day is first")
    assert later.ended() == 0
    assert "\nverified: " in later.seen
    assert asked_for(endpoint)[:2] == ["action", "action"]


@pytest.mark.slow
def test_who_leaves_a_question_open_at_a_terminal_can_answer_it_later(cli, start_cli, endpoint, tasks):
    open_ = Terminal(start_cli, "run", tasks, "--model", endpoint.model).until("answer (Enter leaves it open)").type("")
    assert open_.ended() == 6
    assert cli("runs", "answer", "r1", "day first").code == 0
