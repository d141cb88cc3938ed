"""Leave is given for what is on the screen: nothing typed before counts, and nothing unseen is applied."""

from __future__ import annotations

import pytest

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
def test_a_yes_that_was_typed_before_the_change_was_on_the_screen_approves_nothing(window, project, options):
    opened = window(*options)
    opened.ready()
    # In one go, so that all of it is there before anything is shown.
    opened.type("replace red by green in left.txt\nyes")
    shown = opened.wait(LEAVE)
    assert "+green green" in shown
    opened.ready()
    assert (project / "left.txt").read_text() == "red red\n"
    assert "typed before" in opened.screen() and "applied" not in opened.screen()
    opened.type("yes")
    opened.wait("applied")
    assert (project / "left.txt").read_text() == "green green\n"


@pytest.mark.slow
def test_a_run_outside_of_a_conversation_takes_no_leave_that_was_typed_ahead(window, project):
    opened = window("replace red by green in left.txt", command="run")
    opened.type("y")
    opened.wait("change 1 file in")
    opened.type("n")
    opened.wait("what is wrong with it")
    opened.type("")
    opened.wait("left with code")
    assert (project / "left.txt").read_text() == "red red\n"


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
