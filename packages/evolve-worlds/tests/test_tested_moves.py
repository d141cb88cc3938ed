"""What a model's run of a world teaches, where that acts, and how a prompt tells it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import pytest

from evolve.agent import Agent, AgentServices
from evolve.agent.workflow import Workflow
from evolve.core.episodes import MOVE, PROBE
from evolve.runtime.sandbox.protocol import Sandbox
from evolve.tasks import Task
from evolve.testing import ScriptedWorker
from evolve.trials.learned_state import recall_from
from evolve_worlds import Move, Scene, Trial, WorldFault
from evolve_worlds.environment import WorldWork
from evolve_worlds.experiments import (
    Ablation,
    Allowance,
    Found,
    Naming,
    Play,
    effect_of,
    filled_in,
    move_claims,
    played,
    shown_in,
    told,
)
from tests.offering import offer
from tests.policies.language.conftest import Asked
from world_doubles.house import THINGS, House, Visit

NEEDED = "go to cellar\nchoose {0}\npick up {0}\ngo to attic\nmove {0} to box"
WANDERED = "go to attic\ngo to cellar\nlook at {0}\nchoose {0}\npick up {0}\ngo to attic\nmove {0} to box"
LOST = "go to cellar\nchoose {1}"


@dataclass
class Counted(House):
    """A house that counts its trials, and that can fail."""

    trials: list[int] = field(default_factory=list)
    fails_from: int = 1_000
    sandbox: Sandbox | None = None

    def start(self, task: str, variation: int) -> Trial:
        self.trials.append(variation)
        if len(self.trials) >= self.fails_from:
            raise WorldFault("its process ended")
        return super().start(task, variation)


@pytest.fixture
def house(tmp_path, monkeypatch, sandbox):
    """The one house in which all tasks take place."""
    made = Counted(sandbox=sandbox)
    offer(monkeypatch, tmp_path / "site", "worlds", "house", lambda: made)
    return made


def task(variation):
    work = WorldWork(world="house", task="bring", variation=variation)
    return Task(id=f"bring-{variation}", family="worlds", instruction="do what the goal says", examples=(), work=work)


def moves_in(text, variation):
    return text.format(THINGS[variation], THINGS[variation - 1]).splitlines()


def code_for(moves):
    return "from functions import act\n" + "\n".join(f"act({move!r})" for move in moves)


def acted(house, text, variation, *, split="train", **around):
    worker = ScriptedWorker((code_for(moves_in(text, variation)),))
    surroundings = AgentServices(policy=worker, sandbox=house.sandbox, run=f"r{variation}{hash(text)}", **around)
    return Agent(surroundings).run_episode(task(variation), variant="v", split=split)


class Follower:
    """A model that makes the moves of the plan in its prompt, and knows nothing itself."""

    def __init__(self):
        self.prompt = ""

    def answer(self, body):
        self.prompt = "\n".join(message["content"] for message in body["messages"])
        plan = re.findall(r"^\d+\. (.*)$", self.prompt, re.MULTILINE)
        return f"So.\n\n```python\n{code_for(plan)}\n```\n"


class Adapter:
    """A model that does what an example did, with the thing of its own goal, and knows nothing itself."""

    def __init__(self):
        self.prompt = ""

    def answer(self, body):
        self.prompt = "\n".join(message["content"] for message in body["messages"])
        goals = re.findall(r"goal: Choose the (\w+)\.", self.prompt)
        moves = re.findall(r"^  moves: (.*)$", self.prompt, re.MULTILINE)
        own = re.findall(r"Choose the (\w+)\.", self.prompt.rpartition("kind=tested")[2].partition("</data")[2])
        needed = re.sub(r"\[.*?\](; )?| \(score [\d.]+\)", "", moves[0]) if moves else ""
        made = needed.replace(goals[0], own[0]).split("; ") if moves else []
        return f"So.\n\n```python\n{code_for(made)}\n```\n"


def followed(house, memory, variation, *, workflow=None, model=None):
    """What a model comes to that only follows its prompt, and that prompt."""
    model = model or Follower()
    asked = Asked(model.answer)
    around = {"recall": recall_from(memory), "sandbox": house.sandbox}
    record = asked.run(task(variation), workflow=workflow or Workflow().with_knobs(steps=1, withhold=0.5), **around)
    return record, model.prompt


def test_what_a_score_does_without_is_told_in_the_variation_itself(house, memory):
    for variation in (0, 1):
        memory.commit(acted(house, WANDERED, variation))
    assert re.search("made no difference to the score.*: .*look at lamp", followed(house, memory, 0)[1])
    assert "made no difference to the score" not in followed(house, memory, 3)[1]


def test_a_move_that_one_score_needs_is_not_told_as_spare_for_another(house, memory):
    record = acted(house, WANDERED, 0)
    memory.commit(record)
    spare = next(one for one in record.claims if one.relation == "no_effect" and "look at" in one.cause)
    assert "look at lamp" in followed(house, memory, 0)[1]
    needed = replace(spare, relation="necessary", effect="reaches:score 7")
    memory.commit(replace(record, episode="another", claims=(needed,)))
    assert "look at lamp" not in followed(house, memory, 0)[1]


@pytest.mark.slow
def test_what_one_variation_showed_acts_there_alone(house, memory):
    memory.commit(acted(house, WANDERED, 0))
    assert followed(house, memory, 0)[0].solved
    other, prompt = followed(house, memory, 1)
    assert not other.solved and "in this order" not in prompt


def test_what_was_enough_elsewhere_is_an_example_where_nothing_is_known_yet(house, memory):
    assert not followed(house, memory, 1, model=Adapter())[0].solved
    memory.commit(acted(house, WANDERED, 0))
    record, prompt = followed(house, memory, 1, model=Adapter())
    assert record.solved
    way = "[go to attic]; go to cellar; [look at lamp]; choose lamp (score 0.50); pick up lamp; go to attic; "
    assert f"  moves: {way}move lamp to box (score 1.00)\n  (the task was done; without what stands in []" in prompt
    assert not re.findall(r"^\d+\. ", prompt, re.MULTILINE)  # these would be its own plan
    memory.commit(record)
    assert "  moves: " not in followed(house, memory, 1)[1]


def test_examples_are_those_of_most_points_and_of_these_the_likest(house, memory):
    memory.commit(acted(house, "go to cellar\nchoose {0}", 0))
    assert "  moves: go to cellar" in followed(house, memory, 3)[1]
    for variation in (1, 2):
        memory.commit(acted(house, NEEDED, variation))
    goals = re.findall(r"- goal: Choose the (\w+)", followed(house, memory, 3)[1])
    assert set(goals) == {THINGS[1], THINGS[2]}


def test_a_plan_that_two_variations_have_is_one_example_and_is_judged_where_it_is_from(house, memory):
    record = acted(house, NEEDED, 0)
    plan = next(one for one in record.claims if one.relation == "sufficient")
    memory.commit(record)
    memory.commit(replace(record, episode="same", claims=(at(plan, 2),)))
    other, prompt = followed(house, memory, 1)
    assert prompt.count("- goal: ") == 1
    assert all(one.cause != plan.cause for one in other.claims)
    memory.commit(replace(record, episode="gone", claims=(at(plan, 2, -1),)))
    assert followed(house, memory, 0)[0].solved and "- goal: " in followed(house, memory, 1)[1]
    assert "- goal: " not in followed(house, memory, 2)[1]


def at(claim, variation, direction=1, **changes):
    """A claim with evidence of a variation in place of its own."""
    place = f"house/bring/{variation}"
    evidence = replace(claim.evidence[0], task=place, group=place, direction=direction)
    return replace(claim, evidence=(evidence,), **changes)


def test_a_plan_that_was_told_and_not_followed_is_played_again(house, memory, monkeypatch):
    memory.commit(acted(house, NEEDED, 0))
    do = Visit.do

    def fall(trial, move):
        if move != "go to cellar":
            return do(trial, move)
        trial.scene = Scene(told="The stairs are gone.", over=True, lost=True)
        return trial.scene

    monkeypatch.setattr(Visit, "do", fall)
    monkeypatch.setattr(House, "start", lambda self, name, at: Visit(house=self, wanted=THINGS[at], room="cellar"))
    after = acted(house, "choose {0}\npick up {0}\ngo to attic\nmove {0} to box", 0, recall=recall_from(memory))
    memory.commit(replace(after, episode="after"))
    assert "1. choose lamp" in followed(house, memory, 0)[1]


def test_what_was_set_aside_is_not_told_again_because_it_held_elsewhere(house, memory):
    record = acted(house, NEEDED, 0)
    memory.commit(record)
    plan = next(one for one in memory.list_insights() if one.relation == "sufficient")
    memory.expire(plan.id, "the person did so")
    assert "1. go to cellar" not in followed(house, memory, 0)[1]
    own = next(one for one in record.claims if one.relation == "sufficient")
    memory.commit(replace(record, episode="elsewhere", claims=(at(own, 2),)))
    assert "1. go to cellar" not in followed(house, memory, 0)[1]


def test_what_lost_here_once_and_not_the_last_time_is_not_told_here(house, memory):
    for variation in (0, 1):
        memory.commit(acted(house, LOST, variation))
    assert "lost the trial" in followed(house, memory, 0)[1]
    record = acted(house, LOST, 0)
    denied = tuple(at(one, 0, -1) for one in record.claims if one.relation == "prevents")
    memory.commit(replace(record, episode="later", claims=denied))
    assert "lost the trial" not in followed(house, memory, 0)[1]


def test_what_lost_trials_is_told_by_its_kind_and_never_of_things_of_another_goal(house, memory):
    record = acted(house, LOST, 0)
    losing = next(one for one in record.claims if one.relation == "prevents" and not one.is_denied)
    causes = ("choose violin", "choose <a thing that the goal does not name>", "choose <goal: fetch the …>", "jump")
    claims = tuple(at(losing, at_, cause=f"{MOVE}{one}") for one in causes for at_ in (1, 2))
    memory.commit(replace(record, claims=claims))
    told = followed(house, memory, 0)[1].partition("lost the trial where")[2].partition("</data")[0]
    assert re.findall("^- (.*) \\(", told, re.MULTILINE) == ["choose <a thing that the goal does not name>", "jump"]
    elsewhere = replace(task(0), work=WorldWork(world="house", task="sing", variation=0))
    items = recall_from(memory)(elsewhere.view(), (), 5)
    assert [one.cause for one in items] == [f"{MOVE}choose <a thing that the goal does not name>"]


def test_a_person_reads_in_how_many_variations_a_sentence_held(house, memory):
    record = acted(house, LOST, 0)
    losing = next(one for one in record.claims if one.relation == "prevents" and not one.is_denied)
    memory.commit(replace(record, claims=(at(losing, 0, -1), at(losing, 1, -1))))
    (told,) = memory.insight_sentences().values()
    assert told.text.endswith("loses the trial (held in 0 of 2 of house/bring)")
    memory.commit(replace(record, episode="lost", claims=(at(losing, 2),)))
    assert "(held in 1 of 3 of house/bring)" in next(iter(memory.insight_sentences().values())).text


def test_a_text_of_any_length_leaves_a_prompt_room(house, memory, monkeypatch):
    monkeypatch.setattr(Visit, "goal", "Choose the lamp. Then move it to the box in the attic. " + "Truly. " * 9_000)
    memory.commit(acted(house, NEEDED, 0))
    monkeypatch.setattr(Visit, "goal", "Choose the kettle. Then move it to the box in the attic.")
    prompt = followed(house, memory, 1)[1]
    assert "- goal: Choose the lamp." in prompt and len(prompt) < 20_000
    record = acted(house, NEEDED, 0)
    plan = next(one for one in record.claims if one.relation == "sufficient")
    long = replace(plan, cause=f"{MOVE}{'; then '.join(['walk on ' * 30] * 300)}")
    memory.commit(replace(record, episode="long", claims=(at(long, 2), at(long, 3))))
    assert len(followed(house, memory, 2)[1]) < 20_000


def test_what_trials_alone_showed_is_told_where_nothing_was_worked_on_yet(house, memory):
    memory.commit(replace(acted(house, WANDERED, 0), split=PROBE))
    assert followed(house, memory, 0)[0].solved


def test_the_knob_leaves_the_block_out(house, memory):
    memory.commit(acted(house, WANDERED, 0))
    workflow = Workflow().with_knobs(steps=1, replayed=0)
    record, prompt = followed(house, memory, 0, workflow=workflow)
    assert not record.solved and "in this order" not in prompt and "no difference" not in prompt


TWICE = "go to cellar\ngo to attic\nsing\ngo to cellar\nchoose {0}\npick up {0}\nlook\ngo to attic\nmove {0} to box"


@pytest.mark.slow
def test_the_plan_of_the_variation_itself_is_told_whole_as_it_was_typed(house, memory):
    memory.commit(acted(house, TWICE, 0))
    memory.commit(acted(house, NEEDED, 1))
    record, prompt = followed(house, memory, 0)
    told = re.findall(r"^(\d+)\. (.*)$", prompt, re.MULTILINE)
    assert told == [(str(number), move) for number, move in enumerate(moves_in(NEEDED, 0), 1)]
    assert "gave 100 points of 100 (the task was done)" in prompt and "for 100 points of 100" not in prompt
    assert record.solved


@pytest.mark.slow
def test_a_plan_that_does_not_hold_any_more_is_not_told_for_ever(house, memory, monkeypatch):
    memory.commit(acted(house, WANDERED, 0))
    plan = next(one for one in memory.list_insights() if one.relation == "sufficient" and one.may_influence)
    monkeypatch.setattr(Visit, "do", lambda trial, move: trial.scene)
    record, prompt = followed(house, memory, 0)
    assert not record.solved and "gave 100 points" in prompt
    memory.commit(record)
    assert not memory.get(plan.id).may_influence
    assert "gave 100 points" not in followed(house, memory, 0)[1]


def test_what_lost_trials_of_two_variations_is_told_for_all(house, memory):
    for variation in (0, 1):
        memory.commit(acted(house, LOST, variation))
    prompt = followed(house, memory, 3)[1]
    assert "- choose <a thing that the goal does not name> (2 of 2 variations)" in prompt
    assert "choose ladder" not in prompt.partition("lost the trial where")[2]


def test_held_out_tasks_and_worlds_that_fail_teach_nothing(house, memory):
    assert memory.commit(acted(house, WANDERED, 0, split="gate")) == 0
    house.trials.clear()
    house.fails_from = 2
    assert acted(house, WANDERED, 1).claims == () and len(house.trials) == 2
    house.fails_from, before = 6, len(house.trials)
    claims = acted(house, WANDERED, 2).claims
    assert len(house.trials) > before and all(one.relation != "necessary" for one in claims)


def test_a_crash_between_replays_makes_none_of_them_twice(house, tmp_path, monkeypatch):
    whole = acted(house, WANDERED, 0)
    trials = len(house.trials)
    house.trials.clear()

    class Killed(Exception):
        """Stands for the end of the process."""

    start = House.start

    def until_killed(self, name, variation):
        if len(house.trials) == 5 and house.done != -1:
            house.done = -1
            raise Killed
        return start(self, name, variation)

    monkeypatch.setattr(House, "start", until_killed)
    with pytest.raises(Killed):
        acted(house, WANDERED, 0, checkpoints=tmp_path / "runs")
    record = acted(house, WANDERED, 0, checkpoints=tmp_path / "runs")
    assert record.claims == whole.claims
    assert len(house.trials) == trials + 1  # the one that was cut off


@dataclass
class Steps:
    """A world of a list: a score for each of its words, in order."""

    goal: str = "Say them."
    said: list[str] = field(default_factory=list)
    scene: Scene = field(default_factory=lambda: Scene(told=""))

    def moves(self):
        return [Move(schema="say {}", objects=(one,)) for one in "abc"]

    def do(self, move):
        self.said.append(move)
        reached = sum(f"say {one}" in self.said for one in "ab")
        self.scene = Scene(told="", score=reached / 2)
        return self.scene


def test_replays_end_at_their_bounds_and_what_was_found_until_then_stands():
    moves = ["say c", "say a", "say c", "say b"]
    whole = played(Steps(), moves)
    for allowed, most in ((0, None), (2, None), (20, 3), (20, None)):
        ablation = Ablation(play=lambda own: played(Steps(), own), allowance=Allowance(left=allowed), moves=most)
        found = ablation.found(moves, whole)
        assert played(Steps(), [moves[place] for place in found.least]).best == 1.0
        assert ablation.allowance.taken <= allowed
    assert [moves[place] for place in found.least] == ["say a", "say b"] and found.without == {1: 0.5, 3: 0.5}
    claims = {(one.cause, one.effect): one.relation for one in move_claims(told("w/t/0", Steps(), moves), found)}
    assert claims["move:say b", "reaches:score 100"] == "necessary"
    assert claims["move:say c", "reaches:score 100"] == "no_effect"
    assert Ablation(play=lambda own: Play(fault="x"), allowance=Allowance(left=9)).found(moves, whole).without == {}


@pytest.mark.parametrize(
    ("move", "key", "there"),
    [
        (("move {} to {}", "pea plant", "red box"), "move pea plant to <goal: it to …>", "move pea plant to blue box"),
        (("open {}", "door to living room"), "open door to <goal: box in …>", "open door to hall"),
        (("focus on {}", "spoon"), "focus on spoon", "focus on spoon"),
        (("go to {}", "living room"), "go to <goal: box in …>", "go to hall"),
    ],
)
def test_a_move_is_called_by_what_its_things_are_in_the_goal(move, key, there):
    schema, *things = move
    naming = Naming("Find a(n) plant. Then, move it to the red box in the living room.", ("red box", "living room"))
    assert naming.key(Move(schema=schema, objects=tuple(things))) == key
    assert filled_in("look at <goal: find …>", "Find substance B, then rest.") == "look at substance B"
    assert filled_in(key, "Find a(n) plant. Then, move it to the blue box in the hall.") == there


def test_things_that_share_words_with_the_goal_have_a_name_in_common():
    naming = Naming("Find a(n) plant. First, focus on the thing.")
    for thing, kind in (("pea plant", "<some plant>"), ("fork", "<a thing that the goal does not name>")):
        assert naming.keys(Move(schema="focus on {}", objects=(thing,)), any_other=True)[-1] == f"focus on {kind}"
    assert naming.keys(Move(schema="put {} in {}", objects=("pea plant", "bag"))) == (
        "put pea plant in bag",
        "put <some plant> in bag",
    )
    assert naming.keys(Move(schema="focus on {}", objects=("plant",)), any_other=True) == ("focus on <goal: find …>",)


@dataclass
class Falling:
    """A world that begins with half of its score, of which a move takes and another one gives."""

    goal: str = "Count."
    scene: Scene = field(default_factory=lambda: Scene(told="", score=0.5))

    def moves(self):
        return [Move(schema=one) for one in ("wait", "fall", "rise")]

    def do(self, move):
        score = self.scene.score + {"fall": -0.25, "rise": 0.25}.get(move, 0.0)
        self.scene = Scene(told="", score=score, over=score >= 1.0)
        return self.scene


def test_a_score_that_was_there_at_the_beginning_is_no_moves_doing():
    assert told("w/t/0", Falling(), ["wait", "fall"]).upto_best == ()
    moves = ["wait", "fall", "rise", "rise", "rise"]
    seen = told("w/t/0", Falling(), moves)
    assert (seen.play.start, seen.play.rises) == (0.5, {0.75: 4, 1.0: 5})
    ablation = Ablation(play=lambda own: played(Falling(), own), allowance=Allowance(left=30))
    found = ablation.found(moves, seen.play)
    assert [moves[place] for place in found.least] == ["rise", "rise"]
    claims = {(one.cause, one.effect): one.relation for one in move_claims(seen, found)}
    assert claims["move:rise", "reaches:score 100"] == "necessary"
    assert {effect for _, effect in claims} <= {"reaches:score 75", "reaches:score 100"}


def test_nothing_follows_from_replays_that_contradict_one_another():
    lucky = iter([1, 0, 1, 1, 0, 1, 0, 0, 1, 0] * 9)

    def luck(moves):
        return Play(scores=tuple(next(lucky) / 2 for _ in moves))

    moves = ["say c", "say a", "say c", "say b"]
    found = Ablation(play=luck, allowance=Allowance(left=30)).found(moves, Play(scores=(0.0, 0.5, 0.5, 1.0)))
    assert found == Found()
    assert {one.relation for one in move_claims(told("w/t/0", Steps(), moves), found)} <= {"prevents"}


def test_that_a_move_did_not_lose_the_trial_is_no_sentence_that_it_does():
    seen = told("w/t/0", House().start("bring", 0), ["go to cellar", f"choose {THINGS[0]}"])
    claims = [one for one in move_claims(seen, Found()) if one.relation == "prevents"]
    assert claims and all(one.is_denied for one in claims)


def test_a_plan_ends_where_it_reaches_its_score():
    moves = ["say a", "say b", "say c"]
    found = Found(least=(0, 1, 2), play=played(Steps(), moves))
    plan = next(one for one in move_claims(told("w/t/0", Steps(), moves), found) if one.relation == "sufficient")
    assert plan.cause == f"{MOVE}say a; then say b"


@dataclass
class Asking(Steps):
    """The same, but that it asks which one is meant, and answers are numbers."""

    def moves(self):
        return [Move(schema=one) for one in "01"] if self.scene.told else super().moves()

    def do(self, move):
        asks = "Which?\n0: say a\n1: say b" if move == "say" else ""
        scene = super().do({"0": "say a", "1": "say b"}.get(move, move))
        self.scene = Scene(told=asks, score=scene.score)
        return self.scene


def way_of(world, moves, least):
    alone = played(type(world)(), [moves[place] for place in least])
    claims = move_claims(told("w/t/0", world, moves), Found(least=tuple(least), play=alone))
    return shown_in(next(one for one in claims if one.relation == "sufficient").evidence[0].detail).way


def test_the_way_to_a_plan_says_what_was_meant_and_counts_what_was_made_several_times_running():
    moves = ["wait", "wait", "wait", "say", "0", "say", "1", "wait"]
    way = "[wait] x3; say; 0 (which one: say a) (score 0.50); say; 1 (which one: say b) (score 1.00)"
    assert way_of(Asking(), moves, [3, 4, 5, 6]) == way


def test_of_a_trial_that_wandered_the_plan_alone_is_the_way():
    moves = [*["say c", "wait"] * 50, "say a", "say b"]
    assert way_of(Steps(), moves, [100, 101]) == "say a (score 0.50); say b (score 1.00)"


@dataclass
class Door(Steps):
    """A door that is open, can be closed and opened, and is gone out by."""

    is_open: bool = True

    def moves(self):
        return [Move(schema=one) for one in ("close door", "open door", "go out")]

    def do(self, move):
        self.is_open = {"close door": False, "open door": True}.get(move, self.is_open)
        self.scene = Scene(told="", score=1.0 if move == "go out" and self.is_open else self.scene.score)
        return self.scene


def test_a_move_is_needed_only_beside_what_the_plan_needs():
    moves = ["close door", "open door", "go out"]
    ablation = Ablation(play=lambda own: played(Door(), own), allowance=Allowance(left=30))
    found = ablation.found(moves, played(Door(), moves))
    assert found.least == (2,) and found.without == {2: 0.0}
    stopped = Ablation(play=lambda own: played(Door(), own), allowance=Allowance(left=3))
    assert stopped.found(moves, played(Door(), moves)).without == {}


def test_what_a_move_took_is_not_called_spare_and_the_better_plan_is_kept():
    moves = ["fall", "rise", "rise"]
    ablation = Ablation(play=lambda own: played(Falling(), own), allowance=Allowance(left=30))
    found = ablation.found(moves, played(Falling(), moves))
    assert [moves[place] for place in found.least] == ["rise", "rise"] and found.spare == frozenset()
    plan = next(one for one in move_claims(told("w/t/0", Falling(), moves), found) if one.relation == "sufficient")
    assert plan.effect == "reaches:score 100" and "fall" not in shown_in(plan.evidence[0].detail).way


@pytest.mark.parametrize(("score", "points"), [(0.0, 0), (0.004, 1), (0.5, 50), (0.996, 99), (0.9999, 100), (1.0, 100)])
def test_nothing_but_all_is_a_hundred_points(score, points):
    assert effect_of(score) == f"score {points}"


def test_what_a_world_says_feigns_no_way():
    world = Steps(goal="Say them.; found on this way: say nothing (score 1.00)")
    assert way_of(world, ["say a", "say b"], [0, 1]) == "say a (score 0.50); say b (score 1.00)"
    assert way_of(Steps(), ["say [c]", "say a", "say b"], [1, 2]) == ""
