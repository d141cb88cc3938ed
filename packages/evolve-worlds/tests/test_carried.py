"""Plans of other variations: what they speak for in this one, and what they do not make anyone do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evolve_worlds import Move, Scene, Split, Trial
from evolve_worlds.experience import Learner, Limits, VariationNotes
from evolve_worlds.experience.carried import Carried, nearest
from evolve_worlds.experience.learner import copied
from evolve_worlds.experience.notes import Plan, Step
from evolve_worlds.experience.wording import Goal

STATUES = ("bronze", "marble", "wooden", "golden")
TOLD = ((0, 1), (1, 2), (2, 3), (3, 0), (2, 0))
HIDDEN = 4
"""The variation in which the first statue stands in a closed case."""


def focus(colour: str) -> Move:
    return Move(schema="focus on {}", objects=(f"{colour} statue",))


@dataclass
class Museum:
    """Two statues are to be named, one after the other; another one, or the wrong order, loses the trial."""

    name: str = "museum"
    version: str = "museum 1"

    def tasks(self) -> Sequence[str]:
        return ("look",)

    def variations(self, task: str, split: Split) -> Sequence[int]:
        return range(len(TOLD))

    def start(self, task: str, variation: int) -> Trial:
        first, second = (STATUES[one] for one in TOLD[variation])
        return Visit(wanted=(first, second), shut=variation == HIDDEN)

    def close(self) -> None:
        return


@dataclass
class Visit:
    wanted: tuple[str, str]
    shut: bool
    done: int = 0
    scene: Scene = field(init=False)

    def __post_init__(self) -> None:
        self.scene = self._told(lost=False)

    @property
    def goal(self) -> str:
        return "Focus on the {} statue. Then, focus on the {} statue.".format(*self.wanted)

    @property
    def seen(self) -> Sequence[str]:
        return [one for one in STATUES if not (self.shut and one == self.wanted[0])]

    def moves(self) -> Sequence[Move]:
        if self.scene.over:
            return ()
        return [*map(focus, self.seen), *(Move(schema=f"{verb} {{}}", objects=("case",)) for verb in ("open", "wipe"))]

    def do(self, move: str) -> Scene:
        if move == "open case":
            self.shut = False
        lost = move.startswith("focus") and move != focus(self.wanted[self.done]).text
        self.done += move.startswith("focus") and not lost
        self.scene = self._told(lost=lost)
        return self.scene

    def _told(self, *, lost: bool) -> Scene:
        view = f"A hall.\nYou see {', '.join(f'a {one} statue' for one in self.seen)} and a case."
        return Scene(told=view, view=view, score=self.done / 2, over=lost or self.done == 2, lost=lost)


def test_a_thing_that_is_not_in_sight_is_looked_for_and_nothing_else_taken_for_it() -> None:
    learner = Learner(world=Museum(), limits=Limits(moves=30, replays=6))
    for variation in range(HIDDEN):
        notes = VariationNotes()
        for _ in range(4):
            learner.play("look", variation, notes)
    fresh = Learner(world=Museum(), experience=copied(learner.experience), limits=learner.limits)
    trial = fresh.play("look", HIDDEN, VariationNotes())
    assert trial.score == 1.0, trial.played


def plan(*steps: tuple[Move, float]) -> Plan:
    made = tuple(Step(move=move, gain=gain) for move, gain in steps)
    return Plan(
        task="look", variation=0, goal="Focus on the bronze statue.", steps=made, score=sum(one.gain for one in made)
    )


def test_a_plan_reads_with_the_things_of_this_goal() -> None:
    carried = Carried(goal=Goal("Focus on the golden statue."), plans=[plan((focus("bronze"), 1.0))])
    assert [move for _, move in carried.steps(carried.plans[0], {})] == [focus("golden")]


def test_what_plans_did_with_other_things_is_strange_where_the_goal_asks_for_it() -> None:
    told = [plan((Move(schema="open {}", objects=("case",)), 0.5), (focus("bronze"), 0.5))]
    carried = Carried(goal=Goal("Focus on the golden statue."), plans=told)
    assert (carried.strange(focus("wooden")), carried.strange(focus("golden"))) == (True, False)
    assert not carried.strange(Move(schema="open {}", objects=("door",)))  # the goal does not ask for that
    assert not Carried(goal=carried.goal).strange(focus("wooden"))  # nor is anything known without plans


def test_the_nearest_shares_most_words_and_the_schema() -> None:
    door = Move(schema="open {}", objects=("golden door",))
    assert nearest(focus("golden"), [focus("wooden"), door]) == focus("wooden")
    assert nearest(Move(schema="focus on {}", objects=("lamp",)), [focus("wooden"), door]) is None
