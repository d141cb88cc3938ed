"""The package of docs/extending.md and the pages beside it, installed: every part that it adds is used."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

import evolve
from benchmarks.doubles import small_suite
from evolve.agent import Agent, AgentServices
from evolve.agent.workflow import StageKind, parse_workflow
from evolve.cli import main
from evolve.core.episodes import EpisodeRecord
from evolve.core.errors import EvolveError, SetupProblem, UsageError, WorkspaceError
from evolve.skills import AdmissionVerdict, Skill
from evolve.tasks import load_suite, render_jsonl
from evolve.testing import FixedPolicy, Scenario, ScriptedEndpoint, ScriptedWorker, TrustingSandbox
from evolve.testing.doubles import prompt_of
from evolve.workspace.health.doctor import doctor
from evolve.workspace.loops.optimizing import OptimizerRequest
from tests.architecture.source import ROOT
from tests.offering import hide, offer, put_metadata
from tests.skills.samples import GOOD

PAGES = sorted((ROOT / "docs").glob("extending*.md"), key=lambda path: path.stem)
BLOCK = re.compile(r"^```(toml|python|text)\n(?:# (\S+)\n)?(.*?)^```$", re.DOTALL | re.MULTILINE)
TASK = {"id": "answer", "instruction": "What is 6 times 7?", "expects": {"value": 42}}
WORKFLOW = """
stages = ["recall", "plan", "act", "shortest", "observe", "judge", "commit"]

[routes.judge]
again = "act"
stop = "commit"
"""


NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay")
INITIALS = [((f"{name} Smith",), f"{name[0]}. Smith") for name in NAMES]


class Kept:
    """Keeps the records of episodes."""

    def __init__(self) -> None:
        self.records: list[EpisodeRecord] = []

    def commit(self, record: EpisodeRecord) -> None:
        self.records.append(record)


def written(folder: Path) -> str:
    """Writes the package of the pages into a folder; gives its pyproject.toml."""
    project = ""
    for kind, place, text in BLOCK.findall("".join(map(Path.read_text, PAGES))):
        if kind == "toml":
            project += text
            continue
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    (folder / "evolve_toys" / "__init__.py").write_text("")
    return project


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    site = tmp_path / "site"
    groups = tomllib.loads(written(site))["project"]["entry-points"]
    put_metadata(site, "evolve-toys", groups)
    monkeypatch.syspath_prepend(site)
    yield
    for name in [name for name in sys.modules if name.startswith("evolve_toys")]:
        del sys.modules[name]


def test_the_doctor_lists_what_packages_add(toys: None, tmp_path: Path) -> None:
    (finding,) = [result for result in doctor(tmp_path / "ws") if result.part == "extensions"]
    parts = (
        "expects (environments, ",
        "plain (formats, ",
        "counter (functions, ",
        "halving (engines, ",
        "shortest (stages, ",
        "brief (stages, ",
        "answers (state, ",
        "greet.md (prompts, ",
        "greet (commands, ",
        "holidays (recall, ",
        "brevity (evaluators, ",
        "threads (workers, ",
        "shorter (proposers, ",
        "greetings (workspace, ",
    )
    for name in parts:
        assert f"{name}from evolve-toys)" in finding.text


def test_a_task_of_an_added_kind_is_worked_on_and_judged(toys: None, tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text(json.dumps(TASK) + "\n")
    (task,) = load_suite(str(file)).tasks
    for value, solved in ((41, False), (42, True)):
        recorder = Kept()
        policy = ScriptedWorker((f"def solve():\n    return {value}\n",))
        around = AgentServices(policy=policy, sandbox=TrustingSandbox(), recorder=recorder, run="r1")
        record = Agent(around).run_episode(task, variant="v", split="own")
        assert record.solved == solved


def test_tools_of_an_added_kind_are_proposed_approved_and_called(
    toys: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    evolve.init(tmp_path / "ws")
    (tmp_path / "ws" / "evolve.toml").write_text('[tools.servers.a]\nkind = "counter"\nletter = "a"\n')

    def command(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["tools", *words, "-w", str(tmp_path / "ws")])
        told = capfd.readouterr()
        return told.out if not ended.value.code else told.err

    assert "counts    a" in command("add", "a", "--yes")
    assert command("call", "a_count", "text=banana", "--yes") == "3\n"
    command("allow", "a", "count", "--grant", "allow", "--yes")
    assert command("add", "n", "--kind", "counter", "--set", "letter=n", "--yes")
    assert command("call", "n_count", "text=banana", "--yes") == "2\n"
    assert "it counts one letter" in command("add", "an", "--kind", "counter", "--set", "letter=an", "--yes")
    with evolve.open(tmp_path / "ws") as workspace:
        assert [one.name for one in workspace.tools.list()] == ["a_count", "n_count"]


@pytest.mark.slow
def test_skills_leave_in_one_file_of_an_added_format(toys: None, tmp_path: Path) -> None:
    with evolve.open(tmp_path / "ws") as workspace:
        assert workspace.run(examples=INITIALS, name="initials").verified
        (skill,) = workspace.skills.list()
        other = replace(Skill.from_draft(GOOD), status="admitted")
        workspace.stores.skills.add(other, AdmissionVerdict(digest=other.digest, admitted=True))
        (file,) = workspace.skills.export([skill.name, other.name], to=tmp_path / "out", format="plain").places
        assert file == tmp_path / "out" / "skills.py"
        assert file.read_text().count("def ") >= 2
        with pytest.raises(UsageError, match="not an earlier export"):
            workspace.skills.export([skill.name], to=tmp_path / "out", format="plain")
        with pytest.raises(UsageError, match="no export format 'fancy'") as refused:
            workspace.skills.export([skill.name], to=tmp_path / "out", format="fancy")
        assert refused.value.hint == "--format bundle, --format plain"


@pytest.mark.slow
def test_an_added_format_cannot_carry_a_secret_or_write_beside_its_folder(
    toys: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Leaking:
        name = "leaking"
        held: ClassVar = {"../elsewhere.py": ""}

        def problems(self, skill, description):
            return []

        def files(self, skills):
            return {f"{one.skill.name}/{path}": text for one in skills for path, text in self.held.items()}

        def script(self, skill):
            return ""

        def is_own(self, folder):
            return True

    offer(monkeypatch, tmp_path / "more", "formats", "leaking", Leaking())
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.run(examples=INITIALS, name="initials")
        name = workspace.skills.list()[0].name
        with pytest.raises(UsageError, match=r"elsewhere.py is no path below its folder"):
            workspace.skills.export([name], to=tmp_path / "out", format="leaking")
        Leaking.held = {"notes.txt": "key = sk-proj-Zx81kQpL0vT93mWcYb72HdRuNe64Gs5A"}
        with pytest.raises(UsageError, match=r"notes.txt contains"):
            workspace.skills.export([name], to=tmp_path / "out", format="leaking")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_an_added_engine_searches_and_the_gate_judges(
    toys: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLVE_WORKERS", "1")
    file = tmp_path / "small.jsonl"
    file.write_text(render_jsonl(small_suite().tasks))
    with evolve.open(tmp_path / "ws") as workspace:
        report = workspace.optimize(OptimizerRequest(suite=str(file), engine="halving"))
        assert report.to_json()["engine"] == "halving"
        with pytest.raises(UsageError, match="the engine halving changes knobs, not workflow"):
            workspace.optimize(OptimizerRequest(suite=str(file), engine="halving", only="workflow"))
        with pytest.raises(UsageError, match="no engine 'doubling'") as refused:
            workspace.optimize(OptimizerRequest(suite=str(file), engine="doubling"))
        assert refused.value.hint == "--engine adas, --engine gepa, --engine linked, --engine halving"


@pytest.mark.slow
def test_an_added_evaluator_is_a_target_that_the_gate_knows_nothing_of(
    toys: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLVE_WORKERS", "1")
    file = tmp_path / "small.jsonl"
    file.write_text(render_jsonl(small_suite().tasks))
    with evolve.open(tmp_path / "ws") as workspace:
        report = workspace.optimize(OptimizerRequest(suite=str(file), engine="halving", target="brevity"))
        assert report.target is not None and report.target.judge == "a count of lines"
        assert report.target.start.value == 1.0 and not report.target.promoted
        assert [one.name for one in workspace.criteria.list()][-1:] == ["brevity"]
        with pytest.raises(UsageError, match="nothing of it can be forgotten"):
            workspace.criteria.forget(["brevity"])


def test_an_evaluator_that_is_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, tmp_path / "site", "evaluators", "odd", lambda services: 42)
    with (
        evolve.open(tmp_path / "ws") as workspace,
        pytest.raises(SetupProblem, match=r"odd \(evaluators\) of the package evolve-toy makes int"),
    ):
        workspace.criteria.list()


def test_an_added_stage_says_its_part_and_a_resumed_episode_does_not_ask_again(toys: None) -> None:
    (task,) = small_suite().tasks[:1]
    recorder = Kept()
    around = AgentServices(policy=FixedPolicy(), sandbox=TrustingSandbox(), recorder=recorder, run="r1")
    record = Agent(around, parse_workflow(WORKFLOW)).run_episode(task, variant="v", split="own")
    notes = [note for step in record.steps for note in step.action.notes]
    assert [(note.stage, note.text) for note in notes][:1] == [("shortest", "no rival is shorter")]


@pytest.mark.slow
def test_an_added_encoder_and_store_serve_a_workspace_that_names_them(toys: None, tmp_path: Path) -> None:
    root = tmp_path / "ws"
    evolve.init(root)
    (root / "evolve.toml").write_text('encoder = "letters"\nvectors = "ephemeral"\n')
    with evolve.open(root) as workspace:
        for name in ("initials", "short"):
            assert workspace.run(examples=INITIALS, name=name).solved
        assert workspace.memory.recall("short") and workspace.memory.check().ok
    assert [path.name for path in (root / "memory_store").glob("index*") if any(path.iterdir())] == []


def test_an_added_part_of_a_workspace_renders_an_added_prompt(toys: None, tmp_path: Path) -> None:
    with evolve.open(tmp_path / "ws") as workspace:
        assert workspace.greetings.say("Ann") == "Good morning, Ann."
        workspace.paths.prompts.mkdir(exist_ok=True)
        (workspace.paths.prompts / "greet.md").write_text("Hi $name!\n")
        assert workspace.greetings.say("Ann") == "Hi Ann!"
        assert workspace.greetings is workspace.greetings
        with pytest.raises(AttributeError, match="a workspace has no part 'farewells'$"):
            _ = workspace.farewells


def test_an_added_part_keeps_tables_of_its_own_and_the_workspace_opens_without_them(
    toys: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Ann", "Bo"):
        with evolve.open(tmp_path / "ws") as workspace:
            assert workspace.greetings.greet(name) == f"Good morning, {name}."
    with evolve.open(tmp_path / "ws", read_only=True) as workspace:
        with pytest.raises(EvolveError):
            workspace.greetings.greet("Cleo")
        assert workspace.greetings.greeted() == ["Ann", "Bo"]
    hide(monkeypatch, tmp_path / "hidden")
    with evolve.open(tmp_path / "ws") as workspace:
        assert workspace.memory.check().ok
    assert not {finding.part for finding in doctor(tmp_path / "ws") if finding.state == "damaged"}


def test_an_added_source_of_recall_is_told_as_a_note_where_it_has_one(toys: None, tmp_path: Path) -> None:
    replies = ["On 7 January.", "It is 4."]
    serving = ScriptedEndpoint(Scenario(replies=replies))
    with serving, evolve.open(tmp_path / "ws", model=serving.model) as workspace:
        workspace.run("when can we release?")
        workspace.run("what is 2 + 2?")
    told = [prompt_of(request) for request in serving.requests]
    assert "(the team's calendar): Nobody is there on 6 January." in told[0]
    assert not [prompt for prompt in told if "2 + 2" in prompt and "6 January" in prompt]


def test_an_added_command_stands_under_lab(toys: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    evolve.init(tmp_path / "ws")
    for words in (["lab", "--help"], ["lab", "greet", "Ann", "-w", str(tmp_path / "ws")]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert not ended.value.code
    told = capfd.readouterr().out
    assert re.search("^  greet +Greet a person$", told, re.MULTILINE) and told.endswith("Good morning, Ann.\n")


def test_an_added_command_of_two_words_stands_in_a_group_that_there_is(
    toys: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tasks.jsonl").write_text(json.dumps(TASK) + "\n")
    for words in (["lab", "tasks", "--help"], ["lab", "tasks", "count", str(tmp_path / "tasks.jsonl")]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert not ended.value.code
    told = capfd.readouterr().out
    assert re.search("^  count +Count the tasks of a file$", told, re.MULTILINE) and told.endswith("\n1\n")
    assert re.search("^  show +", told, re.MULTILINE)


@pytest.mark.parametrize(
    "wrong",
    [
        StageKind(name="bad", does="judges", places=("judge",), work=lambda *_: None),
        StageKind(name="bad", does="must be", places=("review",), mandatory=True, work=lambda *_: None),
        StageKind(name="bad", does="nothing", places=("review",)),
        StageKind(name="good", does="has another name", places=("review",), work=lambda *_: None),
    ],
)
def test_a_package_cannot_add_a_stage_that_decides(
    wrong: StageKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, tmp_path / "site", "stages", "bad", wrong)
    with pytest.raises(WorkspaceError, match="'bad', which a package offers, is no stage that may be added"):
        parse_workflow(WORKFLOW.replace("shortest", "bad"))


def test_an_unknown_stage_is_refused_with_those_that_there_are(toys: None) -> None:
    with pytest.raises(WorkspaceError, match=r"unknown stage 'longest'; known are recall, .*, commit, shortest"):
        parse_workflow(WORKFLOW.replace("shortest", "longest"))


@pytest.mark.slow
def test_the_package_is_built_installed_and_found_by_the_command(tmp_path: Path) -> None:
    source, site = tmp_path / "source", tmp_path / "site"
    (source / "pyproject.toml").write_text(written(source))
    install = ["--no-index", "--no-build-isolation", "--no-deps", "--target", str(site), str(source)]
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", *install], check=True, timeout=300)
    paths = {"PYTHONPATH": str(site), "EVOLVE_WORKSPACE": str(tmp_path / "ws")}

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        asked = [sys.executable, "-m", "evolve", *words]
        return subprocess.run(asked, env={**os.environ, **paths}, cwd=ROOT, capture_output=True, text=True, timeout=300)

    assert "halving (engines, from evolve-toys)" in command("status", "--json").stdout
    file = tmp_path / "tasks.jsonl"
    file.write_text(json.dumps(TASK) + "\n")
    assert "answer" in command("lab", "tasks", "show", f"{file}#answer").stdout
    rows = tmp_path / "initials.csv"
    rows.write_text("name,short\n" + "".join(f"{name} Smith,{name[0]}. Smith\n" for name in NAMES))
    assert command("run", str(rows)).returncode == 0
    assert command("lab", "greet", "Ann").stdout == "Good morning, Ann.\n"
    skill = json.loads(command("skills", "list", "--json").stdout)[0]["name"]
    exported = command("skills", "export", skill, "--format", "plain", "--to", str(tmp_path / "out"))
    assert exported.returncode == 0, exported.stderr
