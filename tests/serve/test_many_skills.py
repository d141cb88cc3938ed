"""Of many skills some are tools and all can be called; what takes too long is ended."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

import evolve
from evolve.cli.serve.answers import MOST_TOOLS, McpHandler, McpTexts
from evolve.cli.serve.protocol import server_of
from evolve.core.errors import UsageError
from evolve.skills import AdmissionVerdict
from evolve.testing import TrustingSandbox
from tests.export.test_bundle import TAXED
from tests.improve.test_item_history import SKILL
from tests.serve.clients import connected

WORDING = McpTexts(flag=str, filled=lambda filled: filled.to_json(), why=lambda opened, name: {})


def add(workspace, skill):
    return workspace.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True))


@pytest.fixture
def client(tmp_path):
    """Connected to a server in this process."""
    answers = McpHandler(str(tmp_path / "ws"), WORDING, [tmp_path])
    answers._first._sandbox = TrustingSandbox()
    with ThreadPoolExecutor(1) as reading, connected(server_of(answers, [reading, reading])) as client:
        yield client
    answers.close()


@pytest.fixture
def many(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        skills = [
            add(workspace, replace(SKILL, name=f"loud-{n}", code=f"{SKILL.code}\n# {n}\n", rows=SKILL.rows))
            for n in range(MOST_TOOLS + 5)
        ]
        workspace.stores.skills.record_use(skills[-1].digest, "another")
        return skills


def test_the_most_used_are_listed_and_the_others_are_found_and_called(many, client) -> None:
    listed = [one.name for one in client.list_tools().tools]
    assert len(listed) == len(set(listed)) <= 100 and all(name.isidentifier() for name in listed)
    skills = [name for name in listed if name.startswith("loud")]
    assert skills[0] == many[-1].name.replace("-", "_") and len(skills) == MOST_TOOLS
    (left, *_) = {one.name.replace("-", "_") for one in many} - set(skills)
    (row, *_) = many[0].rows
    result = client.call_tool("call_skill", {"name": left, "arguments": {"text": row.input[0]}})
    assert result.structured_content == {"result": row.output}
    assert len(client.call_tool("find_skills", {"query": "loud"}).structured_content["skills"]) > 1


def test_a_skill_is_called_from_python_and_held_to_its_time_and_its_promise(tmp_path) -> None:
    endless = replace(SKILL, name="endless", code="def loud(text):\n    while True:\n        pass\n", entry="loud")
    liar = replace(SKILL, name="liar", code="def loud(text):\n    return 5\n", entry="loud")
    with evolve.open(tmp_path / "ws") as opened:
        for skill in (SKILL, endless, liar):
            add(opened, skill)
        (row, *_) = SKILL.rows
        assert opened.skills.call(SKILL.name, {"text": row.input[0]}) == row.output
        with pytest.raises(UsageError, match="longer than"):
            opened.skills.call("endless", {"text": "a"}, seconds=0.3)
        with pytest.raises(UsageError, match="not of type"):
            opened.skills.call("liar", {"text": "a"})
        with pytest.raises(UsageError, match="text: None"):
            opened.skills.call(SKILL.name, {"text": None})
        opened.skills.retire(SKILL.name)
        with pytest.raises(UsageError, match="retired"):
            opened.skills.call(SKILL.name, {"text": "a"})


@pytest.fixture
def taxed(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        return add(workspace, TAXED)


def test_it_takes_the_arguments_that_the_code_reads_as_an_export_does(taxed, client) -> None:
    (tool,) = (one for one in client.list_tools().tools if one.name == taxed.entry)
    assert tool.input_schema["required"] == ["code", "net"]
    for more in ({}, {"note": ""}):
        called = client.call_tool(taxed.entry, {"code": "T-9", "net": 4.5, **more})
        assert called.structured_content == {"result": "99.0"}, called.content
