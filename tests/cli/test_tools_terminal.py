"""The question before a call, in a real terminal: what the person says decides, and nothing else does."""

from __future__ import annotations

import pytest

from evolve.testing import ScriptedEndpoint
from tests.cli.chat_terminal import Terminal, with_office
from tests.doubles.secretary import Secretary

pytestmark = pytest.mark.slow

WISH = "mail ada@example.org when the garden party is"
QUESTION = "ne[v]er in this run"


@pytest.fixture
def endpoint():
    with ScriptedEndpoint(double=Secretary()) as serving:
        yield serving


@pytest.fixture
def terminal(tmp_path):
    window = Terminal(tmp_path, columns=100, rows=40)
    yield window
    window.close()


def test_a_call_is_made_after_yes_and_the_question_says_what_would_leave(terminal, endpoint):
    sent = with_office(terminal)
    terminal.start("run", WISH, "--model", endpoint.model)
    shown = " ".join(terminal.wait(QUESTION).split())
    assert "office_send_mail of office" in shown and "sends data away" in shown and "ada@example.org" in shown
    assert "this run has read from office" in shown and not sent.exists()
    terminal.type("y")
    shown = terminal.wait("left with code")
    assert sent.read_text() == "ada@example.org: The garden party is on 12 June at six.\n"
    assert "The mail with the date is sent." in shown


@pytest.mark.parametrize("said", ["n", "", "v"])
def test_no_call_is_made_after_no(terminal, endpoint, said):
    sent = with_office(terminal)
    terminal.start("run", WISH, "--model", endpoint.model)
    terminal.wait(QUESTION)
    terminal.type(said)
    terminal.wait("left with code 1")
    assert not sent.exists()


def test_what_was_typed_before_the_question_is_no_answer_to_it(terminal, endpoint):
    sent = with_office(terminal)
    terminal.start("run", WISH, "--model", endpoint.model)
    terminal.type("y")
    terminal.wait(QUESTION)
    terminal.type("perhaps")
    terminal.wait(QUESTION, times=2)
    assert not sent.exists()


def test_ctrl_c_at_the_question_calls_nothing(terminal, endpoint):
    sent = with_office(terminal)
    terminal.start("run", WISH, "--model", endpoint.model)
    terminal.wait(QUESTION)
    terminal.press("C-c")
    terminal.wait("left with code")
    assert not sent.exists()
