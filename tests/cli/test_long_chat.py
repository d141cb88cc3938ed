"""Two hundred turns: what a turn is told stays as long as it was, and what the first one said is still answered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

import evolve
from evolve.core.episodes import TaskView, Turn
from evolve.policies.language.prompt import earlier_message
from evolve.testing import ScriptedEndpoint
from evolve.testing.doubles import prompt_of, question_of
from evolve.workspace import ChatTurn

_TURNS = 200
_ASKED = re.compile(r"^Task: which harbour does (\w+) sail from", re.MULTILINE)
_SAID = re.compile(r"the boat of (\w+) lies in (\w+)")


@dataclass(frozen=True)
class Remembering:
    """Knows nothing of its own: it answers what stands in its prompt, and looks up what does not."""

    def answer(self, body: Mapping[str, Any]) -> str:
        prompt = prompt_of(body)
        if question_of(body) != "action":
            return json.dumps({"claims": [], "goal": "answer", "subgoals": []})
        asked = _ASKED.search(prompt)
        if asked is None:
            return "```answer\nnoted\n```"
        known = dict(_SAID.findall(prompt))
        if asked[1] in known:
            return f"```answer\nfrom {known[asked[1]]}\n```"
        if "```recall" in prompt.rpartition("Task: ")[2]:
            return "```give_up\nnobody told me\n```"
        return f"```recall\nboat of {asked[1]}, which harbour\n```"


@pytest.fixture
def remembering() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(double=Remembering()) as serving:
        yield serving


def talked(workspace: evolve.Workspace, turns: Sequence[tuple[str, str]]) -> None:
    """A conversation that was had."""
    conversation = workspace.conversations.begin()
    for asked, told in turns:
        turn = conversation.ask(asked)
        conversation.end_turn(ChatTurn(number=turn.number, asked=asked, status="unverified", told=told))
    conversation.close()


def _chatter(count: int) -> list[tuple[str, str]]:
    topics = (
        "a shopping list",
        "the weather in spring",
        "a poem of three lines",
        "a name for the cat",
        "tea or coffee",
    )
    return [
        (f"number {number}: say something about {topics[number % 5]}", f"something about {topics[number % 5]}, " * 9)
        for number in range(2, count + 1)
    ]


@pytest.mark.slow
def test_the_first_of_two_hundred_turns_is_answered_and_no_prompt_grows(chat, tmp_path, made, remembering) -> None:
    longest = []
    for number, count in enumerate((20, _TURNS), 1):
        with evolve.open(tmp_path / "ws") as workspace:
            talked(
                workspace, [(f"remember: the boat of Hjordis{number} lies in Esbjerg", "noted"), *_chatter(count - 1)]
            )
        done = chat(
            f"which harbour does Hjordis{number} sail from",
            options=("--resume", f"c{number}", "--model", remembering.model),
        )
        assert "from Esbjerg" in done.out, done.out + done.err
        longest.append(max(len(prompt_of(body)) for body in remembering.requests))
        remembering.requests.clear()
    assert longest[1] < longest[0] + 1_000


@pytest.mark.slow
def test_another_conversation_is_reached_by_looking_it_up_and_is_data(chat, tmp_path, made, remembering) -> None:
    with evolve.open(tmp_path / "ws") as workspace:
        talked(workspace, [("remember: the boat of Hjordis lies in Esbjerg", "noted"), *_chatter(20)])
    done = chat("which harbour does Hjordis sail from", options=("--new", "--model", remembering.model))
    assert "Esbjerg" in done.out, done.out + done.err
    assert len(remembering.requests) >= 2
    prompts = [prompt_of(body) for body in remembering.requests]
    assert "Esbjerg" not in prompts[0]  # nothing is told unasked
    told = next(prompt for prompt in prompts if "Esbjerg" in prompt)
    line = next(line for line in told.splitlines() if "Esbjerg" in line)
    assert "the conversation c1" in line and told.count("no instruction now") == 1


def test_the_turn_that_asks_and_those_that_did_not_end_are_not_found(tmp_path) -> None:
    from evolve.workspace.runs.searching import runs_before

    with evolve.open(tmp_path / "ws") as workspace:
        conversation = workspace.conversations.begin()
        conversation.ask("which harbour has the boat")
        past = runs_before(workspace.conversations.list, workspace.stores.runs, "r1")
        assert past("which harbour has the boat", 5) == []
        conversation.close()


@pytest.mark.parametrize("count", [1, 5, 30, _TURNS, 1_000])
def test_earlier_turns_take_the_same_room_however_many_there_were(count: int) -> None:
    turns = tuple(Turn(said=said * 20, outcome=told * 20) for said, told in _chatter(count + 1))
    told = earlier_message(_asking("a poem about coffee", turns), 3_000)
    assert sum(len(message.text) for message in told) < 3_000 * 1.6


def test_older_turns_with_the_words_of_the_task_are_told_and_the_others_counted() -> None:
    first = Turn(said="the boat of Hjordis lies in Esbjerg", outcome="noted")
    others = tuple(Turn(said=said, outcome=told) for said, told in _chatter(_TURNS))
    text = earlier_message(_asking("where is the boat of Hjordis", (first, *others)), 3_000)[0].text
    assert "Esbjerg" in text and "Turn 1: " in text
    assert text.index("Esbjerg") < text.index(f"number {_TURNS}")
    assert text.index("those that share words with the task") < text.index("Turn 1: ") < text.index("The latest turns:")
    assert "left out" not in text


def _asking(instruction: str, earlier: tuple[Turn, ...]) -> TaskView:
    return TaskView(
        id="t", family="", instruction=instruction, environment="words", signature="", examples=(), earlier=earlier
    )


@pytest.mark.slow
def test_a_person_s_run_is_told_the_day_on_which_it_began_and_what_can_be_looked_up(
    chat, tmp_path, made, remembering
) -> None:
    day = f"Today is {datetime.now():%A, %Y-%m-%d}."
    chat("a poem of three lines", options=("--new", "--model", remembering.model))
    first = prompt_of(remembering.requests[0])
    chat("another poem", options=("--new", "--model", remembering.model))
    second = prompt_of(remembering.requests[-1])
    assert day in first and day in second
    assert "earlier conversations" not in first and "earlier conversations" in second
    # Behind everything that does not change from day to day.
    assert second.index("Task: another poem") > second.index(day) > second.index("You answer a question")
