"""What every kind of environment promises, those of other packages included."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from evolve.agent import Agent, AgentServices
from evolve.core.episodes import Action, EpisodeRecord, Row, Step
from evolve.core.errors import UsageError
from evolve.environments import BaseEnvironment, EnvironmentOptions, environment_kind, open_environment
from evolve.runtime.functions import CallGate, CallsInMemory, StatefulSource, Toolbox
from evolve.runtime.sandbox.protocol import Sandbox
from evolve.tasks import PlainWork, Task, load_suite, task_json
from evolve.testing import ScriptedWorker
from evolve.workspace.runs.tasks import in_words
from tests.environments.conftest import RIGHT
from tests.offering import put_metadata


@dataclass(frozen=True)
class Case:
    """A task of a kind, an action that does half of it or goes wrong, and one that then solves it."""

    task: Task
    wrong: str
    right: str
    judged: bool = True
    record: CallsInMemory = field(default_factory=CallsInMemory)
    gates: list[CallGate] = field(default_factory=list)


ROWS = tuple(Row(input=([n, n + 1],), output=2 * n + 1) for n in range(6))
ANEW = "the interpreter was started anew: variables and temporary files are gone, the folder is as it was"
ADDING = "tests.environments.adding:ADDING"
KINDS = ("programs", "words", "files", "adding")


@pytest.fixture
def case(request: pytest.FixtureRequest, offered: None) -> Case:
    name = request.param
    if name == "programs":
        task = Task(id="sum", family="sums", instruction="add up", examples=ROWS[:2], hidden=ROWS[2:])
        return Case(task, "def solve(xs):\n    return xs[0]\n", "def solve(xs):\n    return sum(xs)\n")
    if name == "words":
        words = replace(in_words("how much is 6 times 7"), id="words-1")
        return Case(words, "def solve():\n    return 1 / 0\n", "def solve():\n    return 42\n", judged=False)
    if name == "files":
        return Case(request.getfixturevalue("make_work")(), "x = 1", RIGHT)
    work = PlainWork(kind="adding", data={"total": 7})
    return Case(Task(id="seven", family="adding", instruction="make 7", examples=(), work=work), "3", "4")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every kind of the module: a package whose test takes over these tests names its own."""
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", metafunc.module.KINDS, indirect=True)


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that offers a kind by one line of its metadata."""
    put_metadata(tmp_path / "site", "evolve-adding", {"evolve.environments": {"adding": ADDING}})
    monkeypatch.syspath_prepend(tmp_path / "site")


def opened(case: Case, sandbox: Sandbox) -> BaseEnvironment:
    """An environment as an episode opens it, with the functions that its kind offers."""
    setting, kind = EnvironmentOptions(sandbox=sandbox), environment_kind(case.task.environment)
    if (source := kind.source(case.task)) is not None:
        if isinstance(source, StatefulSource):
            source.rebuild(tuple(case.record.calls.values()))
        case.gates[:] = [Toolbox().open_gate(case.record, clean=lambda value: value, more=[source])]
        setting = replace(setting, source=source, calls=case.gates[0])
    return open_environment(case.task, setting)


def acted(case: Case, environment: BaseEnvironment, codes: list[str]) -> list[Step]:
    steps: list[Step] = []
    for number, code in enumerate(codes, 1):
        for gate in case.gates:
            gate.start(number)
        action = Action(kind="code", code=code)
        steps.append(Step(number=number, action=action, observation=environment.observe(action, steps)))
    return steps


def test_a_task_names_its_kind_and_a_task_file_gives_the_same_task(case: Case, tmp_path: Path) -> None:
    kind = environment_kind(case.task.environment)
    assert kind.name == case.task.environment
    if kind.accepts_unchecked:
        return  # nobody writes such a task into a file: it is a question of the moment
    file = tmp_path / "tasks.jsonl"
    file.write_text(json.dumps(task_json(case.task)) + "\n")
    (loaded,) = load_suite(str(file)).tasks
    assert (loaded.environment, loaded.group, loaded.work) == (kind.name, case.task.group, case.task.work)


def test_what_is_told_to_a_model_is_words_of_ours_or_named_data(case: Case, sandbox: Sandbox) -> None:
    kind = environment_kind(case.task.environment)
    with closing(opened(case, sandbox)) as environment:
        view = replace(case.task.view(), files=tuple(map(str, environment.reset().outputs)))
    first, *others = (*kind.task_parts(view), None)
    assert first is None or (first.text and not first.name)
    assert all(part.name for part in others if part is not None)
    assert kind.prompt.endswith(".md")
    assert kind.refusal
    assert "\n" not in kind.summary(case.task)


def test_an_environment_knows_the_past_from_the_steps_alone(case: Case, sandbox: Sandbox) -> None:
    """So an episode that was cut off goes on in another process, and a stage may ask again."""
    with closing(opened(case, sandbox)) as environment:
        steps = acted(case, environment, [case.wrong, case.right])
        if case.judged:
            assert [step.observation.ok for step in steps if step.observation is not None] == [False, True]
        for gate in case.gates:
            gate.start(2)
        again = environment.observe(steps[1].action, steps[:1])
    with closing(opened(case, sandbox)) as another:
        replayed = acted(case, another, [case.wrong, case.right])
    if environment_kind(case.task.environment).has_states:
        assert all(step.observation is not None and step.observation.state is not None for step in steps)
    assert _lasting(steps[1].observation) == _lasting(again) == _lasting(replayed[1].observation)


def test_the_right_answer_is_accepted_and_the_wrong_one_is_not(case: Case, sandbox: Sandbox) -> None:
    with closing(opened(case, sandbox)) as environment:
        if not case.judged:
            return
        steps = acted(case, environment, [case.wrong, case.right])
        assert not environment.judge(steps[:1]).accepted
        judged = environment.judge(steps)
        assert judged.accepted and not judged.fault
        assert environment.answer(steps[-1])


def test_what_is_seen_at_the_start_has_a_name_each(case: Case, sandbox: Sandbox) -> None:
    with closing(opened(case, sandbox)) as environment:
        assert all(part.name and part.text for part in environment.initial_view())


def test_all_that_a_step_gave_can_be_had(case: Case, sandbox: Sandbox) -> None:
    with closing(opened(case, sandbox)) as environment:
        for step in acted(case, environment, [case.wrong, case.right]):
            seen = step.observation
            assert seen is not None
            assert (seen.state.output if seen.state and seen.state.output else seen.text) in environment.full_output(
                step
            )


def test_what_a_kind_can_do_besides_is_asked_of_every_kind(case: Case, sandbox: Sandbox) -> None:
    kind = environment_kind(case.task.environment)
    with closing(opened(case, sandbox)) as environment:
        steps = acted(case, environment, [case.wrong, case.right])
        assert environment.name == kind.name
        assert environment.active_steps(steps)[-1].action == steps[-1].action
        assert environment.known_rows(steps) is None and environment.equivalent_answer(case.wrong, [case.right]) is None
        assert environment.try_checks((), steps[-1]) == ()
        assert environment.probe([], []) == []
        if environment.changed_files(steps[-1]) is None:
            assert environment.rehearse(case.right, "solve", (), {}).fault
        if not environment.repeats:
            assert environment.repeat_actions([(1, case.right)], None, id) is None
    assert kind.recount((), case.task.view()) == () and "\n" not in kind.advice(case.task)


def test_giving_up_and_an_action_without_code_solve_nothing(case: Case, sandbox: Sandbox) -> None:
    with closing(opened(case, sandbox)) as environment:
        assert not environment.observe(Action(kind="finish", text="no idea"), ()).ok
        assert not environment.observe(Action(kind="give_up", text="no idea"), ()).ok
        assert not environment.observe(Action(kind="code", text="a mistake"), ()).ok
    environment.close()


def test_an_episode_runs_from_its_start_to_its_record(case: Case, sandbox: Sandbox) -> None:
    class Kept:
        def __init__(self) -> None:
            self.records: list[EpisodeRecord] = []

        def commit(self, record: EpisodeRecord) -> None:
            self.records.append(record)

    recorder, kind = Kept(), environment_kind(case.task.environment)
    around = AgentServices(
        policy=ScriptedWorker((case.wrong, case.right)), sandbox=sandbox, recorder=recorder, run="r1"
    )
    record = Agent(around).run_episode(case.task, variant="v", split="own")
    assert recorder.records == [record]
    assert record.solved == case.judged
    assert 0.0 <= kind.progress(case.task, replace(record, status="unsolved")) < 1.0


def test_a_kind_that_nobody_offers_is_refused_with_those_that_there_are(offered: None) -> None:
    with pytest.raises(UsageError, match="no environment 'moon'; there are programs, words, files, .*adding"):
        environment_kind("moon")


def test_a_built_in_name_cannot_be_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_metadata(tmp_path / "site", "evolve-other", {"evolve.environments": {"files": ADDING}})
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert environment_kind("files").leaves_changes


def test_two_kinds_of_work_in_one_task_are_refused(tmp_path: Path, offered: None) -> None:
    file = tmp_path / "tasks.jsonl"
    work = {"files": {"folder": ".", "check": "true"}, "adding": {"total": 1}}
    file.write_text(json.dumps({"id": "both", **work}) + "\n")
    with pytest.raises(UsageError, match="'adding': not together with files"):
        load_suite(str(file))


def _lasting(seen: object) -> object:
    """An observation without what a check prints of the time it took, and without a word on a lost interpreter."""
    if not getattr(seen, "state", None):
        return seen
    output = seen.state.output.removeprefix(f"{ANEW}\n")  # type: ignore[attr-defined]
    return replace(seen, state=replace(seen.state, check=None, output=output))  # type: ignore[type-var,attr-defined]
