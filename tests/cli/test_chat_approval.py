"""Leave is given for what is on the screen: nothing typed before counts, and nothing unseen is applied."""

from __future__ import annotations

import json

import pytest

from evolve.cli.chat.screen import PlainScreen
from evolve.cli.chat.session import ChatSession
from evolve.cli.chat.setup import ChatSetup
from evolve.testing.doubles import prompt_of
from tests.cli.chat_terminal import Terminal

LEAVE = "[yes/no/later]"


@pytest.fixture
def window(tmp_path, endpoint, project):
    opened = Terminal(tmp_path, columns=110)

    def start(*options, command="chat"):
        opened.start(command, *options, "--dir", project, "--check", "true", "--model", endpoint.model)
        return opened

    yield start
    opened.close()


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--plain",)], ids=["terminal", "plain"])
def test_a_yes_that_was_typed_before_the_change_was_on_the_screen_approves_nothing(window, project, endpoint, options):
    opened = window(*options)
    opened.ready()
    opened.type("replace red by green in left.txt")
    while not endpoint.requests:  # what comes with the line itself would belong to it
        opened.screen()
    opened.type("yes")
    shown = opened.wait(LEAVE)
    assert "+green green" in shown
    assert shown.index("unchecked") < shown.index(LEAVE)
    opened.ready()
    assert (project / "left.txt").read_text() == "red red\n"
    assert "typed before" in opened.screen() and "applied" not in opened.screen()
    opened.type("yes")
    opened.wait("applied")
    assert (project / "left.txt").read_text() == "green green\n"


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--plain",)], ids=["terminal", "plain"])
def test_lines_that_come_together_are_one_message_with_its_line_breaks(window, endpoint, options):
    opened = window(*options)
    opened.type("replace red by green in left.txt\nand nothing else\nplease")  # before it is ready
    opened.wait(LEAVE)
    assert "Task: replace red by green in left.txt\nand nothing else\nplease\n" in prompt_of(endpoint.requests[0])


@pytest.mark.slow
def test_a_run_outside_of_a_conversation_takes_no_leave_that_was_typed_ahead(window, project):
    opened = window("replace red by green in left.txt", command="run")
    opened.type("y")
    shown = opened.wait("change 1 file in")
    assert shown.index("unchecked: ") < shown.index("change 1 file in")
    opened.type("n")
    opened.wait("why not?")
    opened.type("")
    opened.wait("keep it?")
    opened.type("")
    opened.wait("left with code")
    assert (project / "left.txt").read_text() == "red red\n"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["/refuse one line is enough"], "one line is enough"),
        (["/refuse", "too long"], "too long"),
        (["no too long"], "too long"),
        (["one line is enough"], "one line is enough"),
        (["/approve"], "yes"),
        (["/approve never"], None),
        (["/diff all"], None),
        (["/undo r1"], None),
        (["later"], None),
    ],
)
def test_a_command_at_the_question_means_what_it_says_and_is_never_a_reason(tmp_path, typed, meant):
    replies = iter(typed)
    session = ChatSession(
        setup=ChatSetup(workspace=str(tmp_path)),
        screen=PlainScreen(),
        ask=lambda question: next(replies),
        conversation=None,
    )
    assert session.ask_leave("", "change 1 file?") == meant


def test_what_was_not_shown_here_is_shown_before_it_is_applied(work, project):
    assert work("replace red by green in left.txt").code == 6
    first = work("/approve", options=("--resume", "c1"))
    assert first.code == 6 and "+green green" in first.out and "applied" not in first.out
    assert (project / "left.txt").read_text() == "red red\n"
    done = work("/approve", "/approve", options=("--resume", "c1"))
    assert done.code == 0 and "applied: left.txt" in done.out
    assert (project / "left.txt").read_text() == "green green\n"


@pytest.mark.slow
def test_what_was_shown_is_applied_at_once(work, project):
    assert work("replace red by green in left.txt", "/approve").code == 0
    assert (project / "left.txt").read_text() == "green green\n"
    work("replace green by pink in left.txt")
    done = work("/diff", "/approve", options=("--resume", "c2"))
    assert done.code == 0 and (project / "left.txt").read_text() == "pink pink\n"


def test_after_a_refusal_again_tries_anew_with_the_reason(work, project, endpoint):
    task = "replace red by green in left.txt"
    done = work(task, "/refuse the right file instead", "/again")
    assert done.code == 6 and "/again" in done.out
    prompt = [text for text in map(prompt_of, endpoint.requests) if f"Task: {task}" in text][-1]
    assert "the person refused this change: the right file instead" in prompt
    assert work("/again", options=("--resume", "c1")).code == 2  # nothing is refused any more


def test_a_run_says_at_a_refusal_how_its_reason_counts_in_the_next(cli, project, endpoint):
    command = ("run", "replace red by green in left.txt", "--dir", project, "--model", endpoint.model)
    cli(*command)
    refused = cli("runs", "answer", "r1", "Keep the red ones.")
    assert "once you keep it" in refused.out
    cli(*command)
    assert "once you keep it" not in cli("runs", "answer", "r2", "no").out
    name = json.loads(cli("memory", "proposals", "--json").out)[0]["id"]
    cli("memory", "proposals", "keep", name)
    cli(*command)
    assert any("Keep the red ones" in prompt_of(body) for body in endpoint.requests[-3:])
