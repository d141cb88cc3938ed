"""What a person sees is theirs: what practice on a suite that ships taught is counted, and shown when asked for."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

import evolve
from evolve.cli.serve.answers import McpHandler
from evolve.skills import AdmissionVerdict, Skill
from evolve.tasks.suites import generate_suite
from tests.doubles.practised import work_on
from tests.export.test_bundle import SHORT
from tests.skills.samples import GOOD

PRACTISED = Skill.from_draft(GOOD)


@pytest.fixture
def practised(tmp_path, cli):
    """A workspace with a skill, an insight and a note of the person's, and a skill and two insights of practice."""
    with evolve.open(tmp_path / "ws") as opened:
        taught = work_on(opened, 1, "operation:filter", "Keep the even numbers of a name", suite="lists")
        own = work_on(opened, 2, "operation:upper", "Give a short name")
        work_on(opened, 3, "operation:sort", "Order the names", suite="everyday")
        for skill, source in ((PRACTISED, taught), (SHORT, own)):
            made = replace(skill, source=source, status="draft")
            verdict = AdmissionVerdict(digest=made.digest, admitted=True, fingerprint="bubblewrap")
            opened.stores.skills.add(made, verdict)
        opened.memory.note("a short name has an initial")
        opened.preferences.add("names are in capitals")
    return tmp_path / "ws"


def told(cli, *command, key="name"):
    found = json.loads(cli(*command, "--json").out)
    return [(one[key], one["origin"]) for one in found]


def test_lists_show_what_is_the_persons_and_count_the_rest(cli, practised):
    for command in (("skills", "list"), ("skills", "find", "even numbers, short name")):
        done, whole = cli(*command), cli(*command, "--practice")
        assert SHORT.name in done.out and PRACTISED.name not in done.out and "--practice" in done.err
        assert whole.out.index(SHORT.name) < whole.out.index(PRACTISED.name) and "--practice" not in whole.err
        assert told(cli, *command, "--practice") == [(SHORT.name, "own"), (PRACTISED.name, "practice")]
    insights = json.loads(cli("memory", "list", "--json").out)["insights"]
    assert [one["origin"] for one in insights] == ["own", "practice", "practice"]
    assert "operation" not in cli("memory", "list").out and "--practice" in cli("memory", "list").err
    with evolve.open(practised, read_only=True) as opened:
        assert "skill" not in {one.kind for one in opened.memory.kept() if one.text == PRACTISED.name}


def test_a_skill_of_practice_that_helped_the_person_is_listed(cli, practised):
    with evolve.open(practised) as opened:
        digest = opened.skills.show(PRACTISED.name).digest
        opened.stores.skills.record_use(digest, work_on(opened, 4, "operation:filter", "Keep even ones"), "search")
    assert PRACTISED.name in cli("skills", "list").out


def test_recall_gives_the_same_to_a_person_and_to_a_served_program(cli, practised, monkeypatch):
    # Work elsewhere, with the person's preferences for work there.
    for query in ("a short name", "shorten names", "the weather in the north"):
        here = json.loads(cli("memory", "recall", query, "--json").out)
        answers = McpHandler(str(practised), SimpleNamespace(), [practised.parent])
        asked = SimpleNamespace(name="recall", arguments={"query": query})
        served = answers.call_tool(asked, "client", None)["structuredContent"]["items"]
        answers.close()
        assert [one["text"] for one in here] == [one["text"] for one in served]
        kinds = [one["kind"] for one in here]
        assert kinds == (["preference"] if "weather" in query else ["preference", "note", "insight"])
    assert ("practice", "insight") in {
        (one["origin"], one["kind"]) for one in json.loads(cli("memory", "recall", "names", "--practice", "--json").out)
    }


def test_what_practice_taught_is_dropped_together_and_a_skill_can_come_back(cli, practised):
    done = json.loads(cli("forget", "--practice", "--json").out)
    assert done["by_kind"] == {"skill": 1, "insight": 2}
    with evolve.open(practised, read_only=True) as opened:
        assert {one.name: one.status for one in opened.skills.list()} == {
            PRACTISED.name: "retired",
            SHORT.name: "admitted",
        }
        assert [one.cause for one in opened.memory.list()] == ["operation:upper"] and opened.memory.notes()
    assert cli("skills", "undo", PRACTISED.name).code == 0
    assert (PRACTISED.name, "practice") in told(cli, "skills", "list")
    assert cli("forget", "--practice", "--all").code == 2


def test_a_file_of_tasks_that_ship_is_practice_too(tmp_path, cli):
    shipped, mine = generate_suite("composed").tasks[0], "a-problem-of-mine"
    with evolve.open(tmp_path / "ws") as opened:
        for number, (skill, group) in enumerate(((PRACTISED, shipped.group), (SHORT, mine)), 1):
            task = work_on(opened, number, "operation:filter", "Keep some", suite="demo/mine.jsonl", group=group)
            made = replace(skill, source=task, status="draft")
            verdict = AdmissionVerdict(digest=made.digest, admitted=True, fingerprint="bubblewrap")
            opened.stores.skills.add(made, verdict)
            for other in range(3):
                opened.stores.skills.record_use(made.digest, f"{task}-{other}" if skill is SHORT else task, "search")
    listed = cli("skills", "list")
    assert SHORT.name in listed.out and PRACTISED.name not in listed.out and "--practice" in listed.err
    assert cli("skills", "export", PRACTISED.name, "--to", "never").code == 2
    assert json.loads(cli("forget", "--practice", "--json").out)["by_kind"]["skill"] == 1
