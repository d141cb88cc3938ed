"""What a session says and counts where its model is slow or fails, and how it goes on."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from evolve.cli.chat.progress import Progress
from evolve.cli.chat.screen import TerminalScreen
from evolve.core.events import Event
from evolve.core.paths import WorkspacePaths
from evolve.core.progress import report_activity
from evolve.core.settings import load_settings
from evolve.runtime.models import Deadlines
from evolve.testing import Scenario, ScriptedEndpoint
from evolve.workspace.model_setup import model_setup

ANSWER = {"text": "Forty-two.", "usage": {"prompt_tokens": 100, "completion_tokens": 5}}


@pytest.fixture
def talk(chat, made):
    """A session with a model that plays a script."""
    opened = []

    def run(*lines, replies=(), options=("--new",)):
        if not opened:
            opened.append(ScriptedEndpoint(Scenario(replies=replies)).start())
        return chat(*lines, options=("--model", opened[0].model, *options))

    yield run
    for endpoint in opened:
        endpoint.close()


def turns(made):
    lines = (made / "memory_store" / "runs" / "chats" / "c1.jsonl").read_text().splitlines()
    return [entry for entry in map(json.loads, lines) if entry["kind"] == "answered"]


@pytest.mark.parametrize(
    "trouble",
    [[{"fault": "hang"}] * 2, [{"bad": "null content"}] * 3, [{"fault": "stalled stream"}] * 2],
    ids=["silent", "unusable", "stalled"],
)
def test_a_turn_that_the_endpoint_broke_off_is_counted_and_gone_on_with(talk, made, trouble):
    (made / "evolve.toml").write_text("reply_seconds = 2.0\n")
    done = talk("what is six times seven", "/budget", "/again", "/budget", replies=[*trouble, ANSWER])
    assert done.code == 0, done.err
    broken, ended = turns(made)
    assert broken["status"] == "interrupted" and broken["spent"]["calls"] == len(trouble)
    assert ended["status"] == "unverified" and ended["spent"]["calls"] == len(trouble) + 1
    assert ended["spent"]["tokens"] == broken["spent"]["tokens"] + 105
    assert "nothing spent" not in done.out
    # Each further attempt is told, whom it asks and why.
    retries = [line for line in done.out.splitlines() if line.startswith("retry: http://127.0.0.1:")]
    assert [f"attempt {number} of {len(trouble)}: " in line for number, line in enumerate(retries, 2)] == [True] * (
        len(trouble) - 1
    )


@pytest.mark.slow
def test_an_endpoint_that_fails_again_is_gone_on_with_again(talk, made):
    (made / "evolve.toml").write_text("reply_seconds = 2.0\n")
    silent = {"fault": "hang"}
    done = talk("what is six times seven", "/again", "/again", replies=[silent] * 4 + [ANSWER])
    assert done.code == 0, done.err
    assert [turn["spent"]["calls"] for turn in turns(made)] == [2, 4, 5]


def test_what_was_asked_wrongly_is_not_gone_on_with(talk):
    done = talk("./no-such-file.csv", "/again", replies=[ANSWER])
    assert done.code == 2 and "no turn" in done.out + done.err


@pytest.mark.parametrize("seconds", [5.0, 900.0])
def test_a_reply_that_streams_may_take_as_long_as_another(tmp_path, seconds):
    (tmp_path / "evolve.toml").write_text(f"reply_seconds = {seconds}\n")
    deadlines = model_setup(WorkspacePaths(tmp_path), load_settings(tmp_path)).deadlines
    assert (deadlines.idle, deadlines.total) == (seconds, seconds)
    assert Deadlines().idle == Deadlines().total


def test_the_live_line_says_whom_it_waits_for_until_something_comes():
    console = Console(file=io.StringIO(), width=100, force_terminal=True)
    screen = TerminalScreen(console)
    progress = Progress(screen)

    def shown():
        aside = Console(file=io.StringIO(), width=100)
        with aside.capture() as capture:
            aside.print(screen._now())
        return capture.get()

    def emit(field, piece):
        progress.emit(Event(kind="text", data={"call": 1, "field": field, "piece": piece}))

    with screen.show_working("working on it"):
        with report_activity("model", "http://here/v1#slow"):
            assert "http://here/v1#slow, 0 s" in shown()
            emit("thought", "I look.")
            assert "I look." in shown()
        assert "slow" not in shown() and "working on it" in shown()
        with report_activity("model", "http://here/v1#slow, attempt 2 of 5"):
            assert "http://here/v1#slow, attempt 2 of 5, 0 s" in shown()
