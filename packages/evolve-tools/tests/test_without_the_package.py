"""What was approved and recorded with such tools opens where the package is not installed, and goes on where it is."""

from __future__ import annotations

import json

import pytest

import evolve
from evolve.core.errors import UsageError
from evolve.core.paths import approvals_folder
from evolve.runtime.functions.servers import Server
from evolve.testing import ScriptedEndpoint
from evolve.testing.doubles import prompt_of
from evolve.workspace import servers
from tests.doubles.counting_seats import Clerk
from tests.functions.running import INTERPRETER
from tests.offering import hide

HINT = "pip install ./packages/evolve-tools"


@pytest.fixture
def approved(tmp_path):
    """A workspace in which a program was approved, which tells how many seats a room has."""
    line = (INTERPRETER, "-I", "-c", "import sys; print({'blue': 12, 'green': 30}[sys.argv[1]])", "{room}")
    about = "How many seats a room has."
    server = Server(name="rooms", kind="program", command=line, settings={"output": "json", "about": about})
    shelf = servers(tmp_path / "ws")
    (offer,) = shelf.add(server)
    shelf.allow("rooms", grants={"*": "allow"}, tools=[offer.tool])
    return tmp_path / "ws"


@pytest.fixture
def alone(tmp_path, monkeypatch):
    def hidden():
        (tmp_path / "empty").mkdir()
        hide(monkeypatch, tmp_path / "empty")

    return hidden


def test_a_run_that_called_one_is_read_and_the_next_is_told_what_to_install(approved, alone, cli):
    clerk = Clerk(code='```python\nfrom functions import {name}\n{name}(room="blue") + 30\n```', about="seats")
    with ScriptedEndpoint(double=clerk) as endpoint, evolve.open(approved, model=endpoint.model) as opened:
        assert opened.run("How many seats have both rooms together?").answer
        (run,) = opened.runs.list()
        shown = str(opened.runs.show(run.run.id))
        assert [one.name.partition("_")[0] for one in opened.tools.list()] == ["rooms"]
    kept = (approvals_folder() / "tools.json").read_text()
    alone()
    with evolve.open(approved) as opened:
        assert str(opened.runs.show(run.run.id)) == shown
    (known,) = servers(approved).list()
    assert (known.state, known.server.kind, known.server.settings["output"]) == ("approved", "program", "json")
    for words in (("tools", "list"), ("runs", "list"), ("why", run.run.id, "--steps"), ("status", "--json")):
        done = cli(*words, "-w", approved)
        assert done.code == 0, (words, done.err)
    for words in (("tools", "check", "rooms"), ("tools", "call", "rooms_python", "--yes"), ("tools", "allow", "rooms")):
        done = cli(*words, "-w", approved)
        assert (done.code, HINT in done.err) == (2, True), (words, done.err)
    assert (approvals_folder() / "tools.json").read_text() == kept


class Told:
    """Keeps what a person is warned of."""

    def __init__(self):
        self.texts = []

    def emit(self, event):
        self.texts += [event.data["text"]] if event.kind == "warning" else []


class TwoSteps(Clerk):
    """Asks for one room in the first step, and counts with it in the second."""

    def answer(self, body):
        reply, prompt = super().answer(body), prompt_of(body)
        if not reply.startswith("```answer"):
            return reply
        if "value: 42" in prompt:
            return "```answer\n42 seats\n```"
        return "```python\nfrom functions import stop\nstop() + seen + 30\n```"


def test_a_run_that_was_cut_off_goes_on_with_the_answers_that_it_had(approved, alone):
    called, told = [], Told()

    def stop() -> int:
        """Is cut off the first time."""
        called.append(1)
        if len(called) == 1:
            raise KeyboardInterrupt
        return 0

    code = '```python\nfrom functions import {name}\nseen = {name}(room="blue")\nseen\n```'
    with ScriptedEndpoint(double=TwoSteps(code=code)) as endpoint:
        for again in (False, True):
            with evolve.open(approved, model=endpoint.model, events=told) as opened:
                opened.tools.add(stop, grant="trust", repeatable=True)
                if again:
                    assert "42" in str(opened.run("How many seats have both rooms together?").answer)
                else:
                    with pytest.raises(KeyboardInterrupt):
                        opened.run("How many seats have both rooms together?")
                    alone()
    assert len(called) == 2 and len([text for text in told.texts if HINT in text]) == 1


def test_a_proposal_opens_and_adding_it_says_what_to_install(tmp_path, alone, cli):
    cli("init", tmp_path / "ws")
    table = '[tools.servers.pets]\nkind = "openapi"\nfile = "/srv/pets.json"\nurl = "https://pets.example.org/v1"\n'
    (tmp_path / "ws" / "evolve.toml").write_text(table)
    alone()
    (listed,) = json.loads(cli("tools", "list", "--json", "-w", tmp_path / "ws").out)
    assert (listed["state"], listed["kind"], listed["file"]) == ("proposed", "openapi", "/srv/pets.json")
    with evolve.open(tmp_path / "ws") as opened:
        assert opened.tools.list() == []
    for more in ((), ("--json",)):
        done = cli("tools", "add", "pets", "--yes", "-w", tmp_path / "ws", *more)
        assert done.code == 2 and HINT in done.err
    done = cli("tools", "add", "find", "--kind", "program", "--set", "output=json", "--yes", "--", "ls")
    assert done.code == 2 and HINT in done.err
    with pytest.raises(UsageError) as refused:
        servers(tmp_path / "ws").add(Server(name="find", kind="program", command=("/bin/ls",)))
    assert HINT in refused.value.hint


def test_what_is_approved_goes_on_where_it_is_installed_again(approved, tmp_path, monkeypatch):
    (before,) = servers(approved).list()
    with monkeypatch.context() as patch:
        (tmp_path / "empty").mkdir()
        hide(patch, tmp_path / "empty")
        (without,) = servers(approved).list()
        assert (without.server, without.tools) == (before.server, before.tools)
    (tool,) = before.tools
    name = before.tools[tool].name
    assert servers(approved).call(name, {"room": "green"}) == 30
