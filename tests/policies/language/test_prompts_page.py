"""``docs/prompts.md`` shows every kind of prompt as it is sent now, and none says what is idle or leaves a key open."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from docs import prompts
from evolve.core.episodes import Action, EnvironmentState, Observation, Step, TaskView
from evolve.core.paths import seed_root
from evolve.policies.language.prompt import task_message
from evolve.policies.language.results import observation_text

VIEW = TaskView(id="t", family="f", instruction="Do it.", signature="", examples=())


@pytest.fixture(scope="module")
def asked():
    return list(prompts.requests())


def keys(schema):
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from keys(inner.get("items", inner))


def test_the_page_shows_what_is_sent():
    assert prompts.PAGE.read_text("utf-8") == prompts.page(), f"renew with: {prompts.RENEW}"


def test_every_prompt_that_ships_is_on_the_page():
    listed = (seed_root() / "prompts" / "SEEDS").read_text("utf-8").splitlines()
    page = prompts.PAGE.read_text("utf-8")
    assert [name for name in listed if name.endswith(".md") and not re.search(rf"\n## .*\b{name}", page)] == []


def test_a_prompt_says_what_each_key_of_its_reply_means(asked):
    """Endpoints that do not heed a schema see the words alone."""
    for name, _, body in asked:
        form = body.get("response_format", {}).get("json_schema")
        rules = body["messages"][0]["content"]
        missing = [key for key in keys(form["schema"]) if not re.search(rf"\b{key}\b", rules)] if form else []
        assert missing == [], name


def test_json_is_spoken_of_only_where_the_types_do_not_say_what_comes_back():
    for signature, said in (("(x: str) -> str", False), ("(x: str) -> list[int]", False), ("", True)):
        assert ("JSON" in task_message(replace(VIEW, signature=signature)).text) is said
    assert "JSON" in task_message(replace(VIEW, signature="(x: str) -> any")).text


def test_why_a_block_failed_is_told_once():
    state = EnvironmentState(output="[1] edit a.py: refused: there is no such file")
    failed = Observation(ok=False, error="edit a.py: refused: there is no such file", state=state)
    step = Step(number=1, action=Action(kind="code", code="x"), observation=failed)
    assert observation_text(replace(VIEW, environment="files"), step) == state.output
    late = replace(step, observation=replace(failed, error="the copy is too large"))
    assert observation_text(replace(VIEW, environment="files"), late) == f"{state.output}\nthe copy is too large"
