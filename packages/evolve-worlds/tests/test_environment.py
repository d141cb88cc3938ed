"""The kind ``worlds``: what code can do in a world, what it is told, and what a crash leaves of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.agent import Agent, AgentServices
from evolve.core.episodes import Action, Limits, Row, Step
from evolve.core.errors import TaskError
from evolve.environments import EnvironmentOptions, environment_kind, open_environment
from evolve.runtime.functions import CallFailed, CallsInMemory, Toolbox
from evolve.tasks import load_suite
from evolve.testing import ScriptedWorker
from evolve_worlds import Move, choices
from evolve_worlds.environment.moving import by_kind, fitting, seen_since
from tests.offering import offer
from world_doubles.acting import WORK, act_all, task
from world_doubles.vault import SOLUTION, Vault, VaultTrial


@pytest.fixture
def worlds(tmp_path, monkeypatch):
    """The worlds that were made, in order."""
    made: list[Vault] = []

    def make() -> Vault:
        made.append(Vault())
        return made[-1]

    offer(monkeypatch, tmp_path / "site", "worlds", "vault", make)
    return made


@pytest.fixture
def acts(worlds, sandbox):
    """Gives a function that runs code in one trial and gives the observation."""
    opened = []

    def start(work=WORK, **more):
        kind, record = environment_kind("worlds"), CallsInMemory()
        source = kind.source(task(work))
        gate = Toolbox().open_gate(record, clean=lambda value: value, more=[source])
        environment = open_environment(
            task(work), EnvironmentOptions(sandbox=sandbox, source=source, calls=gate, **more)
        )
        opened.extend((environment, source))
        numbers = iter(range(1, 100))

        def act(code, before=()):
            gate.start(next(numbers))
            return environment.observe(Action(kind="code", code=code), before)

        act.environment = environment
        return act

    yield start
    for one in opened:
        one.close()


def test_code_makes_moves_in_loops_and_the_world_says_that_it_is_done(acts):
    act = acts()
    looked = act.environment.initial_view()
    assert [part.name for part in looked] == ["goal", "what can be seen", "kinds of moves", "moves left"]
    assert "go {}: garden" in looked[2].text and looked[3].text == "100"
    half = act(act_all(*SOLUTION[:2]))
    assert not half.ok and half.state.score == 0.5 and "score 0.50 of 1.00; 98 moves left" in half.state.output
    assert "'new': ['You are in the garden.', 'A key lies here.']" in half.state.output
    done = act(act_all(*SOLUTION[2:]))
    assert done.ok and done.state.score == 1.0 and "the trial is over" in done.state.output


def test_a_lost_trial_is_over_and_refused(acts):
    act = acts()
    lost = act(act_all("go garden", "bend key", "take key"))
    assert lost.ok and "the trial is lost" in lost.state.output and "the trial is over" in lost.state.output


def test_moves_that_are_not_possible_count_and_those_above_the_bound_are_not_made(acts, worlds):
    act = acts(replace(WORK, moves=3))
    seen = act(act_all("fly", "dance", "wait", "go garden"))
    assert seen.ok and "all 3 moves of the trial are made" in seen.state.output
    assert worlds[0].played == ["fly", "dance", "wait"] and "0 moves left" in seen.text


def test_only_python_makes_moves(acts):
    seen = acts()("```sh\nls\n```")
    assert not seen.ok and "moves are made by Python" in seen.error


def test_what_can_be_seen_is_told_whole_where_differences_are_off(acts):
    seen = acts(replace(WORK, differences=False))(act_all("go garden"))
    assert "'view': 'You are in the garden.\\nA key lies here.'" in seen.state.output


@pytest.mark.slow
def test_all_moves_are_told_where_fitting_is_off(acts):
    code = "from functions import moves\nprint(len(moves('chest')), moves())"
    assert "1 ['go {}: garden'" in acts()(code).state.output
    assert "3 ['go garden', 'wait', 'open chest']" in acts(replace(WORK, fitting=False))(code).state.output


def test_a_world_that_fails_is_a_fault_and_no_evidence(acts):
    seen = acts()(act_all("go garden", "break down"))
    assert seen.fault and seen.failure.startswith("the world failed: ") and "the world broke down" in seen.error


def test_nothing_is_asked_once_a_trial_is_lost(worlds, sandbox):
    codes = act_all("go garden", "bend key"), act_all("take key")
    agent = Agent(AgentServices(policy=ScriptedWorker(codes), sandbox=sandbox, run="r1"))
    record = agent.run_episode(task(), variant="v", split="own")
    assert not record.solved and len(record.steps) == 1 and record.steps[0].judgement.final
    assert record.steps[0].judgement.text == "the world gives 0.00 of 1.00; the trial is lost"


@pytest.mark.slow
def test_looks_are_not_counted_against_moves(worlds, sandbox):
    code = "from functions import act, look\nfor _ in range(600):\n    look()\n" + act_all(*SOLUTION).split("\n", 1)[1]
    agent = Agent(AgentServices(policy=ScriptedWorker((code,)), sandbox=sandbox, run="r1"))
    assert agent.run_episode(task(), variant="v", split="own").solved


def test_a_first_look_up_leaves_the_interpreter_as_new(acts):
    act = acts()
    looked = [Step(number=1, action=Action(kind="recall", text="keys"))]
    assert "started anew" not in act("1 + 1", before=looked).state.output


def test_an_episode_is_verified_by_the_world_and_ends_it(worlds, sandbox):
    agent = Agent(AgentServices(policy=ScriptedWorker((act_all(*SOLUTION),)), sandbox=sandbox, run="r1"))
    record = agent.run_episode(task(), variant="v", split="own")
    assert record.solved and record.verified and record.steps[0].judgement.text == "the world gives 1.00 of 1.00"
    assert [json.loads(call.arguments)["move"] for call in record.steps[0].observation.calls] == list(SOLUTION)
    assert worlds[0].played == [*SOLUTION, "closed"]


PLANS = """
def plan(place, thing, verb='take'):
    return [f'go {place}', f'{verb} {thing}'] if place else [f'{verb} {thing}']
print(plan('', 'lamp'), plan('cellar', 'lamp'), plan('attic', 'rope', 'cut'))
"""
ACTS = """
from functions import act
for places in ('garden', 'key'), ('hall', 'chest'), ('', 'lid', 'shut'), ('yard', 'ladder', 'raise'):
    for move in plan(*places, *(['open'] if 'chest' in places else [])):
        act(move)
        if move == 'open chest':
            known = [plan('cellar', 'cask', 'roll'), plan('', 'door', 'shut'), plan('loft', 'hay')]
"""


@pytest.mark.parametrize("later", [False, True])
def test_a_function_by_which_a_world_was_done_is_proposed_as_a_skill(worlds, sandbox, tmp_path, later):
    around = AgentServices(
        policy=ScriptedWorker((PLANS, ACTS)), sandbox=sandbox, run="r1", checkpoints=tmp_path / "runs"
    )
    record = Agent(around).run_episode(task(), variant="v", split="own" if later else "train")
    assert record.solved
    drafts = Agent(around).learn(task(), record, limits=Limits()).drafts if later else record.drafts
    (draft,) = drafts
    assert (draft.name, draft.signature) == ("plan", "(place: str, thing: str, verb: str) -> list[str]")
    assert Row(input=("attic", "rope", "cut"), output=["go attic", "cut rope"]) in draft.tests
    assert len(draft.unseen) >= 3 and Row(input=("loft", "hay", "take"), output=["go loft", "take hay"]) in draft.unseen


def test_code_imports_what_was_learned(acts):
    act = acts(modules={"skills/__init__.py": b"", "skills/twice.py": b"def twice(n):\n    return 2 * n\n"})
    assert "value: 42" in act("from skills.twice import twice\ntwice(21)").state.output


def test_a_trial_that_was_cut_off_goes_on_from_the_record(worlds, sandbox, tmp_path, monkeypatch):
    """What was answered is played again in a new world and asked for no more; the move in doubt is made."""

    class Killed(Exception):
        """Stands for the end of the process."""

    around = AgentServices(
        policy=ScriptedWorker((act_all(*SOLUTION[:2]), act_all(*SOLUTION[2:]))),
        sandbox=sandbox,
        run="r1",
        checkpoints=tmp_path / "runs",
    )
    whole = Vault.start

    def start(self, name, variation):
        trial = whole(self, name, variation)
        do = trial.do

        def until_killed(move):
            if move == "open chest" and len(worlds) == 1:
                raise Killed
            return do(move)

        trial.do = until_killed
        return trial

    monkeypatch.setattr(Vault, "start", start)
    with pytest.raises(Killed):
        Agent(around).run_episode(task(), variant="v", split="own")
    assert worlds[0].played == [*SOLUTION[:3], "closed"]
    record = Agent(around).run_episode(task(), variant="v", split="own")
    assert record.solved and len(worlds) == 2 and worlds[1].played == [*SOLUTION, "closed"]


@pytest.mark.parametrize(
    ("work", "told"),
    [
        ({"world": "vault", "task": "open"}, "is missing"),
        ({"world": "vault", "task": "open", "variation": True}, "expected int"),
        ({"world": "vault", "task": "open", "variation": 0, "moves": 0}, "expected 1 to 1000"),
        ({"world": "vault", "task": "open", "variation": 0, "gold": 1}, "is not known"),
        ("vault", "expected an object"),
    ],
)
def test_a_task_file_with_a_mistake_is_refused_with_its_place(tmp_path, work, told):
    file = tmp_path / "tasks.jsonl"
    file.write_text(json.dumps({"id": "one", "instruction": "open it", "worlds": work}))
    with pytest.raises(TaskError, match=told):
        load_suite(file)


LINES = st.lists(st.text("abc", min_size=1, max_size=3), max_size=8)


@pytest.mark.slow
@given(LINES, LINES)
def test_differences_lose_no_line(before, after):
    told = seen_since("\n".join(before), "\n".join(after))
    assert Counter(before) - Counter(told["gone"]) + Counter(told["new"]) == Counter(after)


def test_moves_are_told_by_kind_and_found_by_words():
    moves = [Move(schema="put {} in {}", objects=pair) for pair in (("cup", "sink"), ("cup", "box"), ("egg", "box"))]
    assert by_kind([*moves, Move(schema="wait")]) == ["put {} in {}: cup, egg | box, sink", "wait"]
    assert fitting(moves, "the egg") == ["put egg in box"]


def test_things_that_stand_in_several_places_are_listed_once():
    things = ("a red ball", "a blue ball", "a box")
    moves = [Move(schema=f"{verb} {{}}", objects=(one,)) for verb in ("take", "kick") for one in things]
    told = by_kind([*moves, Move(schema="open {}", objects=("a box",))])
    assert told == ["A = a blue ball, a box, a red ball", "take {}: A", "kick {}: A", "open {}: a box"]


def test_a_world_of_a_package_may_describe_its_moves_as_they_are_seen(worlds, monkeypatch):
    class Seen(VaultTrial):
        """Of its own: that a class has a method is remembered of it (by ``isinstance`` with a protocol)."""

        moves_seen: Sequence[object] = (Move(schema="go {}", objects=("green garden",)),)

        def described(self):
            return self.moves_seen

    monkeypatch.setattr(Vault, "start", lambda world, task, variation: Seen(world))
    with closing(environment_kind("worlds").source(task())) as source:
        assert source.call("moves", {}, seconds=1.0) == ["go {}: green garden"]
    Seen.moves_seen = (1,)
    with (
        closing(environment_kind("worlds").source(task())) as source,
        pytest.raises(CallFailed, match="offers int as a move"),
    ):
        source.call("moves", {}, seconds=1.0)


def test_no_letter_is_the_name_of_a_thing():
    moves = [Move(schema=f"{verb} {{}}", objects=(one,)) for verb in ("take", "kick") for one in ("A", "a" * 30)]
    assert by_kind(moves) == [f"B = A, {'a' * 30}", "take {}: B", "kick {}: B"]


def test_moves_are_listed_only_where_numbers_were_told(worlds):
    with closing(environment_kind("worlds").source(task())) as source:
        source.trial.moves = lambda: 1 / 0
        assert source.call("act", {"move": "go garden"}, seconds=1.0)["choices"] == {}


def test_which_one_is_meant_is_told_by_number_where_the_world_asks():
    asks = (
        "Ambiguous request: enter a number:\n0:\tfocus on soap (in table)\n1:\tfocus on soap (in kitchen)\n2: no move"
    )
    offered = [Move(schema="0"), Move(schema="1")]
    assert choices(asks, lambda: offered) == {"0": "focus on soap (in table)", "1": "focus on soap (in kitchen)"}
    assert choices("You see:\n2: a box", lambda: [Move(schema="wait")]) == {}


def test_moves_with_all_words_come_alone_and_the_list_holds_nothing_else(worlds, monkeypatch):
    moves = [Move(schema="pour {} into {}", objects=pair) for pair in (("tea", "cup"), ("tea", "pot"), ("milk", "cup"))]
    assert fitting(moves, "pour tea into cup") == ["pour tea into cup"]
    assert set(fitting(moves, "stir tea")) == {"pour tea into cup", "pour tea into pot"}
    monkeypatch.setattr("evolve_worlds.environment.moving.LISTED", 1)
    with closing(environment_kind("worlds").source(task())) as source:
        source.call("act", {"move": "go garden"}, seconds=1.0)
        assert len(source.call("moves", {"words": "key"}, seconds=1.0)) == 1


def test_closing_twice_is_no_error(worlds, sandbox):
    source = environment_kind("worlds").source(task())
    with closing(source):
        assert source.call("look", {}, seconds=1.0) == "You are in the hall."
    source.close()
    assert not environment_kind("worlds").task_parts(task().view())
