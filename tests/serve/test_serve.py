"""Another agent has what this workspace learned, over stdio: skills, memory and tables."""

from __future__ import annotations

import json
import signal
import subprocess
import time

import pytest
from mcp import MCPError

import evolve
from evolve.runtime.sandbox.process_limits import living_descendants
from tests.serve.clients import SECRET, command, is_running, over_stdio, variables
from tests.workspace.begun import Begun
from tests.workspace.test_next_month import APRIL, MARCH, short, write


def names(file, rows, given):
    """A table of names, so many of them with a short one."""
    return write(file, rows, given, header=("name", "short"), row=lambda name, team, cell: (name, cell))


@pytest.fixture(scope="module")
def begun(tmp_path_factory, private_home):
    begun = Begun(tmp_path_factory.mktemp("served") / "work")

    def learn(workspace):
        run = workspace.fill(names(begun.place / "march.csv", [*MARCH, "Kurt Goedel"], 7)).result
        assert run.verified and run.skills
        return run.run_id

    begun.at("learned", learn)
    return begun


RECALL = {"name": "recall", "arguments": {"query": "short names"}}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"}}


@pytest.fixture(scope="module", params=["auto", "legacy"])
def served(begun, request):
    """A client of today's protocol and one of those before, and the folder where the server was started."""
    begun.at("learned", None)
    with over_stdio(begun.place / "ws", begun.place, mode=request.param) as client:
        yield client, begun.place


def tool(client, called, **arguments):
    """What a tool gives; its text says the same."""
    result = client.call_tool(called, arguments)
    assert not result.is_error, result.content[0].text
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


def refused(client, called, **arguments):
    """The text of a refusal."""
    result = client.call_tool(called, arguments)
    assert result.is_error and result.structured_content is None
    return result.content[0].text


def test_skills_are_tools_that_give_what_they_were_learned_from(served) -> None:
    client, place = served
    with evolve.open(place / "ws", read_only=True) as opened:
        (skill,) = opened.skills.list()
    listed = {one.name: one for one in client.list_tools().tools}
    found = listed[skill.entry]
    assert found.annotations.read_only_hint and found.input_schema["required"] == ["name"]
    assert found.output_schema["properties"]["result"] == {"type": "string"}
    for row in skill.rows:
        assert tool(client, skill.entry, name=row.input[0]) == {"result": row.output}
    (named,) = tool(client, "find_skills", query="short from name")["skills"]
    assert named["name"] == skill.entry and named["inputSchema"] == found.input_schema
    called = tool(client, "call_skill", name=skill.entry, arguments={"name": "Alonzo Church"})
    assert called == {"result": short("Alonzo Church")}


@pytest.mark.parametrize(
    ("arguments", "named"), [({}, "'name'"), ({"name": 5}, "name: 5"), ({"name": "A B", "other": 1}, "'other'")]
)
def test_a_wrong_call_is_told_what_is_wrong_with_it(served, arguments, named) -> None:
    client, place = served
    with evolve.open(place / "ws", read_only=True) as opened:
        (skill,) = opened.skills.list()
    assert named in refused(client, skill.entry, **arguments)
    assert repr("query") in refused(client, "recall")
    assert "abstains: name is empty" in refused(client, skill.entry, name="")
    assert tool(client, skill.entry, name="A B") == {"result": "A. B"}
    assert "nosuch" in refused(client, "nosuch") and "nosuch" in refused(
        client, "call_skill", name="nosuch", arguments={}
    )


def test_a_note_of_a_client_is_attributed_and_clean_and_no_preference(served) -> None:
    client, place = served
    kept = tool(client, "note", text=f"the port of billing is 9000, its key is {SECRET}")
    assert kept["author"] == "Claude Code" and SECRET not in json.dumps(kept)
    with evolve.open(place / "ws", read_only=True) as opened:
        (note,) = opened.memory.notes()
        assert (note.role, note.author) == ("assistant", "Claude Code") and SECRET not in note.text
        assert not opened.preferences.list() and not opened.preferences.proposals()
    (found,) = (one for one in tool(client, "recall", query="port of billing")["items"] if one["kind"] == "note")
    assert found["unchecked"] and found["author"] == "Claude Code" and "9000" in found["text"]
    assert "2,000" in refused(client, "note", text="x" * 2_001)
    assert refused(client, "note", text=" ") and refused(client, "note", text="\u202e\x1b\u200b")


def test_recall_tells_how_far_an_insight_is_proven_and_why_gives_the_grounds(served) -> None:
    client, place = served
    insights = [one for one in tool(client, "recall", query="short names")["items"] if one["kind"] == "insight"]
    assert insights and all(one["status"] and one["why"] for one in insights)
    with evolve.open(place / "ws", read_only=True) as opened:
        (run,) = (row.run.id for row in opened.runs.list() if row.run.id)
    assert tool(client, "why", name=run)["verdict"] == "verified"
    assert tool(client, "why", name="solved")["chains"]
    with evolve.open(place / "ws", read_only=True) as opened:
        (skill,) = opened.skills.list()
    assert tool(client, "why", name=skill.name.replace("-", "_")) == tool(client, "why", name=skill.name)
    assert "nosuch" in refused(client, "why", name="nosuch")


def test_a_skill_is_a_resource(served) -> None:
    client, place = served
    with evolve.open(place / "ws", read_only=True) as opened:
        (skill,) = opened.skills.list()
    (resource,) = client.list_resources().resources
    assert resource.uri == f"skill://{skill.name}/SKILL.md"
    (document,) = client.read_resource(resource.uri).contents
    assert (
        f'name: "{skill.name}"' in document.text and skill.digest in document.text and skill.signature in document.text
    )
    assert not [row for row in skill.rows if row.output in document.text]  # rows are the person's
    (code,) = client.read_resource(f"skill://{skill.name}/skill.py").contents
    assert code.text == skill.code
    for uri in (
        "skill://nosuch/SKILL.md",
        f"skill://{skill.name}/examples.json",
        f"skill://{skill.name}/../../evolve.toml",
    ):
        with pytest.raises(MCPError):
            client.read_resource(uri)


def test_the_rows_of_a_client_are_evidence_for_and_against_nothing(tmp_path) -> None:
    place, table = tmp_path, tmp_path / "turned.csv"
    with evolve.open(place / "ws", model="") as workspace:
        workspace.fill(names(place / "march.csv", [*MARCH, "Kurt Goedel"], 7))
    before = learned(place)
    text = names(table, [*MARCH, "Kurt Goedel"], 7).read_text()
    rows = [line.partition(",")[::2] for line in text.splitlines()]
    turned = [(name, "" if not cell else cell if cell == "short" else name.split()[-1].lower()) for name, cell in rows]
    table.write_text("\n".join(map(",".join, turned)) + "\n")
    with over_stdio(place / "ws", place, mode="auto") as client:
        assert tool(client, "fill", table="turned.csv", column="short")["filled"]
    assert learned(place) == before
    with evolve.open(place / "ws", model="") as workspace:
        assert workspace.runs.list()[-1].run.body["by_client"] and not workspace.learn()


def learned(place):
    with evolve.open(place / "ws", model="") as workspace:
        return [(one.name, one.status, one.tasks) for one in workspace.skills.list()]


def test_a_table_below_the_folder_is_filled_into_a_new_file(served, tmp_path) -> None:
    client, place = served
    table = names(place / "april.csv", APRIL, 1)
    before = table.read_bytes()
    filled = tool(client, "fill", table="april.csv", column="short")
    assert filled["out"] == str((place / "april.filled.csv").resolve()) and table.read_bytes() == before
    assert (filled["filled"], filled["marked"]) == (3, len(filled["marks"]))
    assert json.dumps(filled).count("def short") == 1 and len(json.dumps(filled)) < 1_000
    assert (place / "april.filled.csv").read_text().split("\n")[2].startswith("Frances Allen,F. Allen")
    outside = names(tmp_path / "april.csv", APRIL, 1)
    (place / "link.csv").symlink_to(outside)
    for name in (str(outside), "../april.csv", "link.csv"):
        assert "--dir" in refused(client, "fill", table=name)
    for name in ("nosuch.csv", "nosuch\0.csv", "~nosuch/table.csv", "n" * 5_000):
        assert "n" in refused(client, "fill", table=name)
    assert not list(tmp_path.glob("*.filled.*"))


def test_beside_a_loop_it_reads_and_notes(served) -> None:
    client, place = served
    with evolve.open(place / "ws") as writing:
        writing.memory.note("invoices are due on the 14th")
        (found,) = (one for one in tool(client, "recall", query="invoices due")["items"] if one["kind"] == "note")
        assert "14th" in found["text"] and "unchecked" not in found
        with writing._services.lock.hold("improve"):
            assert tool(client, "note", text="the port is 9000")
            assert tool(client, "find_skills", query="short")["skills"]
        assert "the port is 9000" in [note.text for note in writing.memory.notes()]


def test_what_other_processes_change_is_listed_next_time(begun, served) -> None:
    client, place = served
    before = {one.name for one in client.list_tools().tools}
    with evolve.open(place / "ws") as opened:
        (skill,) = opened.skills.list()
        opened.skills.retire(skill.name)
    assert {one.name for one in client.list_tools().tools} == before - {skill.entry}
    assert skill.name in refused(client, "call_skill", name=skill.name, arguments={})
    assert not client.list_resources().resources


def test_it_ends_with_its_input_and_writes_nothing_but_messages(begun) -> None:
    begun.at("learned", None)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": RECALL}
    given = f"{json.dumps(hello)}\nno message\n{json.dumps(asked)}\n"
    done = subprocess.run(
        command(begun.place / "ws"), input=given, env=variables(), cwd=begun.place, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    # What is no message may be answered before what came first.
    replies = {reply["id"]: reply for reply in map(json.loads, done.stdout.splitlines()) if "id" in reply}
    assert replies[1]["result"]["serverInfo"]["name"] == "evolve"


def test_half_of_a_character_is_answered_with_an_error_and_a_change_of_skills_is_told(begun) -> None:
    begun.at("learned", None)
    half = {"name": "note", "arguments": {"text": "\ud800"}}
    with subprocess.Popen(
        command(begun.place / "ws"), env=variables(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as serving:

        def ask(method, params, number=7):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            serving.stdin.write(json.dumps(message) + "\n")
            serving.stdin.flush()
            return json.loads(serving.stdout.readline())

        assert ask("initialize", HELLO)["result"]["capabilities"]["tools"]["listChanged"]
        answer = ask("tools/call", half)
        assert answer["id"] == 7 and answer["error"]["code"] == -32700
        with evolve.open(begun.place / "ws") as opened:
            (skill,) = opened.skills.list()
            opened.skills.retire(skill.name)
        assert ask("tools/call", RECALL)["method"] == "notifications/tools/list_changed"
        assert "result" in json.loads(serving.stdout.readline())
        serving.stdin.close()


def test_a_client_can_leave_so_many_notes_and_no_more(begun) -> None:
    begun.at("learned", None)
    with over_stdio(begun.place / "ws", begun.place) as client:
        kept = [client.call_tool("note", {"text": f"fact {number}"}).is_error for number in range(25)]
    assert kept == [False] * 20 + [True] * 5


def test_a_signal_ends_it_at_once_with_all_that_it_started(begun) -> None:
    begun.at("learned", None)
    with evolve.open(begun.place / "ws", read_only=True) as opened:
        (skill,) = opened.skills.list()
    call = {"name": skill.entry, "arguments": {"name": "Alonzo Church"}}
    asked = [("initialize", HELLO), ("tools/call", call)]
    with subprocess.Popen(
        command(begun.place / "ws"),
        env=variables(),
        cwd=begun.place,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as serving:
        for number, (method, params) in enumerate(asked):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            serving.stdin.write(json.dumps(message) + "\n")
            serving.stdin.flush()
            assert "result" in json.loads(serving.stdout.readline())
        started = living_descendants(serving.pid)
        assert started  # the warm sandbox
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(10) == 143
    deadline = time.monotonic() + 10
    while any(is_running(one) for one in started) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(is_running(one) for one in started)


def test_a_folder_that_is_no_workspace_is_refused(tmp_path) -> None:
    done = subprocess.run(command(tmp_path / "none"), env=variables(), capture_output=True, text=True)
    assert done.returncode == 3 and "evolve init" in done.stderr and not done.stdout
