"""Going back in a world: an action may begin where an earlier one left it, and everything that was played counts."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.agent import Agent, AgentServices
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Action, EnvironmentState, Observation, Step
from evolve.environments import environment_kind
from evolve.environments.branching import best_first, best_path, state_of, uct_branch
from evolve.testing import ScriptedWorker
from evolve_worlds import open_world
from evolve_worlds.environment import WorldWork
from evolve_worlds.environment.branches import with_what_was_left
from evolve_worlds.environment.moving import Moving
from tests.offering import offer
from tests.policies.language.conftest import Asked
from world_doubles.acting import WORK, act_all, task
from world_doubles.vault import SOLUTION, Vault, VaultTrial


@pytest.fixture
def vaults(tmp_path, monkeypatch):
    made: list[Vault] = []

    def make() -> Vault:
        made.append(Vault())
        return made[-1]

    offer(monkeypatch, tmp_path / "site", "worlds", "vault", make)
    return made


def agent(sandbox, codes, **knobs):
    workflow = Workflow()
    workflow = replace(workflow, knobs=replace(workflow.knobs, **{"branches": 3, "steps": 8, **knobs}))
    return Agent(AgentServices(policy=ScriptedWorker(codes), sandbox=sandbox, run="r1"), workflow)


def node(number, parent, score, *, over=False):
    state = EnvironmentState(snapshot=str(number), parent=parent, score=score, over=over)
    return Step(number=number, action=Action(kind="code", code="x"), observation=Observation(ok=False, state=state))


def path(steps):
    return [step.number for step in steps if not state_of(step).undone]


@pytest.mark.slow
def test_a_lost_trial_costs_a_branch_and_not_the_task(vaults, sandbox):
    codes = (act_all(*SOLUTION[:1]), act_all("bend key"), act_all(*SOLUTION[1:]))
    record = agent(sandbox, codes).run_episode(task(), variant="v", split="own")
    assert record.solved and record.verified
    assert [step.observation.state.parent for step in record.steps] == [0, 1, 1]
    assert record.steps[1].observation.state.over and "the trial is lost" in record.steps[1].observation.state.output
    # The trial was lost, and its first move was made again; nothing else was.
    assert vaults[0].played == ["go garden", "bend key", "go garden", *SOLUTION[1:], "closed"]


def test_variables_are_gone_after_going_back_and_it_says_so(vaults, sandbox):
    codes = ("x = 1\n" + act_all("go garden"), act_all("bend key"), act_all(*SOLUTION[1:]) + "\nprint(x)")
    record = agent(sandbox, codes).run_episode(task(), variant="v", split="own")
    assert "variables are gone" in record.steps[2].observation.state.output
    assert "NameError" in record.steps[2].observation.state.output


def test_without_branches_a_lost_trial_ends_it(vaults, sandbox):
    codes = (act_all("go garden", "bend key"), act_all(*SOLUTION))
    record = agent(sandbox, codes, branches=1).run_episode(task(), variant="v", split="own")
    assert not record.solved and len(record.steps) == 1


@pytest.mark.parametrize("moves", [2, 3, 4])
@pytest.mark.parametrize("exploring", [0.0, 1.0])
def test_moves_of_all_lines_together_are_bounded_with_those_that_lead_back(vaults, sandbox, moves, exploring):
    codes = (act_all("go garden", "wait"), *[act_all("bend key")] * 2, *[act_all("wait", "wait", "wait")] * 5)
    work, knobs = replace(WORK, moves=moves), {"branches": 2, "exploring": exploring}
    record = agent(sandbox, codes, **knobs).run_episode(task(work), variant="v", split="own")
    made = [one for vault in vaults for one in vault.played if one != "closed"]
    assert not record.solved and len(made) <= 2 * moves
    judged = record.steps[-1].judgement
    assert f"{len(record.steps)} steps, which took {len(made)} moves, those to go back included" in judged.text


def test_the_best_scene_is_judged_and_the_moves_to_it_are_the_answer(vaults, sandbox):
    codes = (act_all("go garden", "take key"), act_all("go hall"), *[act_all("go garden", "go hall")] * 6)
    record = agent(sandbox, codes, branches=2).run_episode(task(replace(WORK, moves=4)), variant="v", split="own")
    assert "the world gives 0.50 of 1.00 for the best of" in record.steps[-1].judgement.text
    assert record.answer == "go garden\ntake key" and environment_kind("worlds").progress(task(), record) == 0.5


class Remembering(VaultTrial):
    """A trial that goes back by itself."""

    def snapshot(self):
        return self._room, self._key, self._score, self._over, self.scene

    def restore(self, snapshot):
        self._room, self._key, self._score, self._over, self.scene = snapshot


def test_a_trial_that_can_goes_back_by_itself_and_nothing_is_made_again(vaults, sandbox, monkeypatch):
    monkeypatch.setattr(Vault, "start", lambda world, task, variation: Remembering(world))
    codes = (act_all("go garden"), act_all("bend key"), act_all(*SOLUTION[1:]))
    record = agent(sandbox, codes).run_episode(task(), variant="v", split="own")
    assert record.solved and record.answer.split("\n") == list(SOLUTION)
    assert vaults[0].played == ["go garden", "bend key", *SOLUTION[1:], "closed"]
    assert "took 5 moves" in record.steps[-1].judgement.text


REAL = [
    ("gymnasium", "frozen-lake-4", 100),
    ("gymnasium", "taxi", 100),
    ("minigrid", "GoToLocal", None),
]


@pytest.mark.parametrize(("name", "level", "variation"), REAL)
@pytest.mark.parametrize("restores", [True, False])
def test_the_scene_after_going_back_is_the_one_that_was_left(name, level, variation, restores, monkeypatch):
    if not restores:
        monkeypatch.setattr("evolve_worlds.environment.moving.Stateful", Nobody)
    variation = open_world(name).variations(level, "dev")[0] if variation is None else variation
    with closing(Moving(WorldWork(world=name, task=level, variation=variation))) as moving:
        assert moving.restores == restores
        scenes, lines = {}, [()]
        for number in range(1, 4):
            moving.stand(lines[-1], number, 50)
            for _ in range(2):
                offered = [one.text for one in moving.trial.moves()]
                if offered:
                    moving.call("act", {"move": offered[number % len(offered)]}, seconds=1.0)
            lines.append(tuple(moving.made))
            scenes[lines[-1]] = moving.scene
        for line in [lines[1], lines[3], lines[2], lines[1]]:
            moving.stand(line, 9, 50)
            assert (moving.scene, tuple(moving.made)) == (scenes[line], line)


class Nobody:
    """No trial is one."""


def test_a_model_is_told_of_branches_that_were_left_as_data(vaults, sandbox):
    """The double acts by what its prompt says: it bends a key that it sees, unless it reads what came of that."""

    def handler(body):
        text = "\n".join(message["content"] for message in body["messages"] if message["role"] != "assistant")
        moves = SOLUTION[1:] if "-> You bend key" in text else ["bend key"] if "A key lies" in text else ["go garden"]
        return f"```python\n{act_all(*moves)}\n```"

    asked = Asked(handler)
    workflow = Workflow().with_knobs(branches=3, exploring=0.5)
    record = asked.run(task(), sandbox=sandbox, workflow=workflow, split="own")
    assert record.solved and [step.observation.state.parent for step in record.steps] == [0, 1, 1]
    *_, told = asked.prompts()
    told = told[told.index("You go on from where things stand as step 1 left it") :]
    assert told.splitlines()[1].startswith("<data")
    assert "step 2, from step 1: bend key -> You bend key.; score 0.00 at best; nothing can follow it" in told
    assert act_all("bend key") not in asked.prompts()[-1]  # the line stands for the whole turn


def test_a_branch_of_several_steps_is_told_by_the_best_that_it_led_to():
    steps = [node(1, 0, 0.0), node(2, 1, 0.4), node(3, 0, 0.5)]
    shown = with_what_was_left(best_first(steps, 3), steps)
    assert path(shown) == [3] and not [state_of(step).left for step in shown if state_of(step).left]
    shown = with_what_was_left(uct_branch(steps, 3, 0.01), steps)
    told = [state_of(step).left for step in shown if state_of(step).left]
    assert told == ["step 1, from the start: no move; score 0.40 at best in 2 steps"]


def test_an_episode_that_was_cut_off_in_a_branch_goes_on_there(vaults, sandbox, tmp_path, monkeypatch):
    class Killed(Exception):
        """Stands for the end of the process."""

    start = Vault.start

    def killing(self, name, variation):
        trial = start(self, name, variation)
        do = trial.do

        def until_killed(move):
            if move == "open chest" and len(vaults) == 1:
                raise Killed
            return do(move)

        trial.do = until_killed
        return trial

    monkeypatch.setattr(Vault, "start", killing)
    codes = (act_all("go garden"), act_all("bend key"), act_all(*SOLUTION[1:]))
    made = agent(sandbox, codes)
    made = Agent(replace(made.services, checkpoints=tmp_path / "runs"), made.workflow)
    with pytest.raises(Killed):
        made.run_episode(task(), variant="v", split="own")
    record = made.run_episode(task(), variant="v", split="own")
    assert record.solved and vaults[1].played[-5:] == [*SOLUTION, "closed"]
    assert "bend key" not in vaults[1].played


def test_the_best_state_is_gone_on_from_and_one_that_is_over_is_not():
    steps = [node(1, 0, 0.2), node(2, 1, 0.9, over=True)]
    assert path(best_first(steps, 2)) == [1]
    assert (
        path(best_first([*steps, node(3, 1, 0.1)], 2)) == [1, 3] or path(best_first([*steps, node(3, 1, 0.1)], 2)) == []
    )


def test_upper_bounds_prefer_what_scored_and_try_others_in_time():
    steps = [node(1, 0, 0.6), node(2, 0, 0.1)]
    assert path(uct_branch(steps, 2, 0.1)) == [1]
    # What scored well at first and then disappoints is left for what was tried less.
    poor = [*steps, *(node(number, 1, 0.0, over=True) for number in range(3, 5)), node(5, 1, 0.0)]
    assert path(uct_branch(poor, 3, 1.0)) != [1, 5]


def test_what_failed_beside_the_path_is_shown():
    steps = [node(1, 0, 0.5), node(2, 0, 0.0, over=True), node(3, 1, 0.0, over=True)]
    shown = uct_branch(steps, 2, 0.5)
    assert {step.number for step in shown if state_of(step).undone} == {2, 3}


trees = st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(0, 100)), max_size=12)


@pytest.mark.slow
@given(trees, st.integers(2, 4), st.floats(0.01, 3))
def test_a_search_goes_on_from_a_state_that_is_not_over(drawn, branches, exploring):
    steps = []
    for number, (score, over, at) in enumerate(drawn, 1):
        alive = [0, *(step.number for step in steps if not state_of(step).over)]
        steps.append(node(number, alive[at % len(alive)], score, over=over))
    for found in (uct_branch(steps, branches, exploring), best_first(steps, branches)):
        own = path(found)
        assert not own or not state_of(steps[own[-1] - 1]).over
        assert all(state_of(steps[number - 1]).parent in (0, *own) for number in own)
    best = best_path(steps)
    assert not steps or state_of(best[-1]).score == max(state_of(step).score for step in steps)
