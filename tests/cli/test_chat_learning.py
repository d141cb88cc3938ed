"""Learning goes on behind the prompt: nobody waits for it, nothing of it is lost, and what came of it is told."""

from __future__ import annotations

import json
import threading

import pytest

from evolve.failpoints import VARIABLE
from evolve.testing import ScriptedEndpoint, question_of
from tests.cli.chat_terminal import Terminal
from tests.workspace.test_found_while_learning import RIGHT, Adder, mending

FOUND = "found a right answer while learning"


class Held:
    """Mends the folder as :class:`Adder` does, and answers a question about claims only when it may."""

    def __init__(self):
        self.answers, self.asked, self.free = Adder(), threading.Event(), threading.Event()
        self.after_two, self.number = lambda: None, 0

    def answer(self, body):
        self.number += 1
        if self.number == 2:
            self.after_two()
        if question_of(body) == "claims":
            self.asked.set()
            self.free.wait(240.0)
        prompt = "\n".join(message["content"] for message in body["messages"])
        if "Task: what is xs" in prompt:
            return "```answer\nIt is a list.\n```\n"
        return self.answers(body)


@pytest.fixture
def double():
    held = Held()
    yield held
    held.free.set()


@pytest.fixture
def serving(double):
    with ScriptedEndpoint(double=double) as endpoint:
        yield endpoint


pytestmark = pytest.mark.slow


@pytest.fixture
def window(tmp_path, serving):
    project = mending(tmp_path)
    opened = Terminal(tmp_path, columns=110)

    def start(*options, **variables):
        check = ("--dir", project, "--check", "python3 test_total.py")
        opened.start("chat", *options, *check, "--model", serving.model, **variables)
        opened.wait("/help lists")
        opened.ready()
        return opened

    yield start
    opened.close()


def refused(opened, double):
    """A turn whose result is there while learning from it is under way."""
    opened.type("make total add up")
    opened.wait("why r1")
    opened.ready()
    assert double.asked.wait(240.0)


@pytest.mark.parametrize("options", [(), ("--plain",)], ids=["terminal", "plain"])
def test_the_prompt_is_there_at_once_and_what_is_found_is_told_without_spoiling_the_line(
    window, double, tmp_path, options
):
    opened = window(*options)
    refused(opened, double)
    assert FOUND not in opened.screen()
    opened.type("/app", enter=False)
    double.free.set()
    if options:  # the line is the terminal's: it is told before the next one
        opened.type("rove ask")
        opened.wait("you are asked before")
        done = threading.Event()
        for _ in range(100):
            if FOUND not in opened.screen():
                opened.type("")
                done.wait(0.3)
    opened.wait(FOUND)
    opened.ready()
    opened.type("/approve" if options else "rove")
    opened.wait("[yes/no/later]")  # a change that came while something was typed is asked about
    opened.ready()
    opened.type("yes")
    opened.wait("applied")
    assert (tmp_path / "mending" / "total.py").read_text() == RIGHT
    assert opened.screen().count("learned") == 1 and "Traceback" not in opened.screen()


def test_a_turn_sets_learning_aside_and_it_goes_on_afterwards(window, double, serving):
    opened = window()
    refused(opened, double)
    opened.press("C-c")
    opened.wait("Ctrl-D or /exit leaves")
    opened.ready()
    opened.type("what is xs")
    opened.wait("It is a list.")  # though the model has not answered what learning asked it
    assert FOUND not in opened.screen()
    double.free.set()
    opened.wait(FOUND)
    opened.ready()
    opened.type("/learn")
    opened.wait("learned: A total adds up")
    assert "Traceback" not in opened.screen()


def test_leaving_says_what_is_left_and_the_command_learns_it(window, double, cli, serving):
    opened = window()
    refused(opened, double)
    opened.press("C-d")
    shown = opened.wait("left with code 0")
    assert "not everything is learned from r1 yet: `evolve learn" in shown and "Traceback" not in shown
    double.free.set()
    (learned,) = json.loads(cli("learn", "--model", serving.model, "--json").out)
    assert learned["run"] == "r1" and learned["found"]


def test_killed_while_it_learns_behind_the_prompt_nothing_is_lost_or_paid_twice(window, double, cli, serving):
    opened = window(**{VARIABLE: "lessons.inside:1:kill"})
    refused(opened, double)
    opened.type("/he", enter=False)
    double.free.set()
    opened.wait("left with code 137")
    paid = len(serving.requests)
    assert FOUND not in opened.screen()
    (learned,) = json.loads(cli("learn", "--model", serving.model, "--json").out)
    assert learned["found"] and len(learned["learned"]) == 1 and len(serving.requests) == paid
    assert json.loads(cli("learn", "--model", serving.model, "--json").out) == []
    again = json.loads(cli("memory", "list", "--json").out)["insights"]
    assert len(again) == 1


@pytest.mark.parametrize("ended", [False, True], ids=["failed", "ended"])
def test_learn_goes_on_with_what_failed_or_was_ended(chat, double, serving, tmp_path, cli, monkeypatch, ended):
    """From a pipe, where each line waits for what the one before brought."""
    double.free.set()
    if ended:
        monkeypatch.setenv(VARIABLE, "lessons.before:1:int")
    else:
        double.after_two = lambda: serving.add({"status": 401, "message": "no such key"})
    project = mending(tmp_path)
    options = ("--dir", project, "--check", "python3 test_total.py", "--model", serving.model)
    done = chat("make total add up", "/learn", options=options)
    told, _, later = done.out.partition("the result stays" if ended else "it is not learned from yet")
    assert "why r1" in told and FOUND not in told
    assert FOUND in later and "learned: A total adds up" in later.partition(FOUND)[2]
    assert json.loads(cli("learn", "--model", serving.model, "--json").out) == []


@pytest.mark.parametrize("budget", [(), ("--budget", "2-calls")], ids=["", "spent"])
def test_what_a_turn_still_owes_is_not_learned_with_a_budget_that_is_spent(chat, double, serving, tmp_path, budget):
    double.free.set()
    options = ("--dir", mending(tmp_path), "--check", "python3 test_total.py", "--model", serving.model)
    done = chat("make total add up", options=(*options, *budget))
    assert ("is spent" in done.out) == bool(budget)
    assert double.asked.is_set() == (not budget)
