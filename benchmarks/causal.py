"""Are confirmed claims true, and are true ones found? In worlds whose causal graph is known.

Three ways to learn, each with ten episodes per edge of the graph, faults and repeated plays included:
``experiments`` plays actions again with one taken out or put in; ``observation`` has the same memory and as many
episodes, and looks only at what goes with what (Fisher's exact test, one-sided, at .05); ``hints`` keeps, as advice
from successes does, what stood in the shortest episode that reached an effect.

Precision is the share of what is claimed to promote or to prevent an effect that does so; recall the share of the edges
(those that follow through a needed effect included) that are claimed. Intervals are bootstrapped over worlds. Then an
effect comes to need another action: counted are the episodes until the old claim is not used any more, and the
experiments until the new one is.

    python -m benchmarks.causal --worlds 40 --json
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.causal_worlds import CausalWorld, Edge, draw_world
from evolve.episodes import Scope
from evolve.memory import MIGRATIONS, Memory
from evolve.memory.experiments import Allowance, Beliefs, Experimenter, MemoryNotebook, Trace
from evolve.retrieval import HashingEmbedder
from evolve.store import Database
from evolve.vectors import MemoryIndex

SCOPE = Scope(environment="causal-world", family="actions")
EPISODES = 10
"""Episodes for each true edge, by default."""
FIRST, AT_ONCE = 14, 3
"""Problems that are played before the first experiments, and before the next ones."""
TARGETS: Mapping[str, float] = {"precision": 0.95, "recall": 0.85, "stopped_within": 3, "back_within": 1}


@dataclass(frozen=True, kw_only=True)
class Claims:
    """What an arm says: edges by which an effect comes, and edges by which it does not."""

    promoting: frozenset[Edge]
    preventing: frozenset[Edge]


@dataclass(frozen=True, kw_only=True)
class Score:
    right: int
    claimed: int
    found: int
    true: int

    def __add__(self, other: Score) -> Score:
        return Score(
            right=self.right + other.right,
            claimed=self.claimed + other.claimed,
            found=self.found + other.found,
            true=self.true + other.true,
        )

    @property
    def precision(self) -> float:
        return self.right / self.claimed if self.claimed else 1.0

    @property
    def recall(self) -> float:
        return self.found / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.right / (self.claimed + self.true)


@contextmanager
def memory() -> Iterator[Memory]:
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "memory.db", MIGRATIONS) as db:
        yield Memory(db, MemoryIndex, HashingEmbedder())


def experiments(world: CausalWorld, kept: Memory, each: int = EPISODES) -> tuple[Experimenter, Claims]:
    """Plays a few problems at a time and makes experiments on them, until the episodes are used up."""
    experimenter = Experimenter(
        world=world,
        scope=SCOPE,
        notebook=MemoryNotebook(memory=kept, run=f"world {world.seed}"),
        allowance=Allowance(left=each * world.edges()),
    )
    number = 0
    while experimenter.allowance.left > 0:
        traces = []
        for _ in range(min(AT_ONCE if number else FIRST, experimenter.allowance.left)):
            experimenter.allowance.take()
            traces.append(explored(world, experimenter, number))
            number += 1
        experimenter.investigate(traces)
    return experimenter, claims_in(kept, world)


def explored(world: CausalWorld, experimenter: Experimenter, number: int) -> Trace:
    """What is known to work, and then all the rest in any order."""
    group = f"problem {world.seed}-{number}"
    draw = random.Random(group)
    order = draw.sample(world.actions, draw.randint(len(world.actions) // 2, len(world.actions)))
    actions = experimenter.suggest(order)
    return Trace(group=group, actions=actions, outcome=world.play(group, actions))


def claims_in(kept: Memory, world: CausalWorld) -> Claims:
    """What is confirmed."""
    confirmed = Beliefs.of(kept.claims("confirmed"), SCOPE)
    return Claims(
        promoting=frozenset((action, effect) for effect in world.laws for action in confirmed.promoting(effect)),
        preventing=frozenset((action, effect) for effect in world.laws for action in confirmed.preventing(effect)),
    )


def observation(world: CausalWorld, each: int) -> Claims:
    traces = _watched(world, each)
    promoting, preventing = set(), set()
    for effect in world.laws:
        for action in world.actions:
            with_it = [effect in one.outcome.reached for one in traces if action in one.actions]
            without = [effect in one.outcome.reached for one in traces if action not in one.actions]
            if _fisher(with_it, without) < 0.05:
                promoting.add((action, effect))
            if _fisher(without, with_it) < 0.05:
                preventing.add((action, effect))
    return Claims(promoting=frozenset(promoting), preventing=frozenset(preventing))


def hints(world: CausalWorld, each: int) -> Claims:
    traces = _watched(world, each)
    promoting = set()
    for effect in world.laws:
        reached = [one for one in traces if effect in one.outcome.reached]
        if reached:
            promoting |= {(action, effect) for action in min(reached, key=lambda one: len(one.actions)).actions}
    return Claims(promoting=frozenset(promoting), preventing=frozenset())


def _watched(world: CausalWorld, each: int) -> list[Trace]:
    traces = [world.episode(number) for number in range(each * world.edges())]
    return [one for one in traces if not one.outcome.fault]


def _fisher(more: Sequence[bool], fewer: Sequence[bool]) -> float:
    """P of at least so many successes among the first, all margins fixed."""
    total, wins, size = len(more) + len(fewer), sum(more) + sum(fewer), len(more)
    most = min(size, wins)
    ways = math.comb(total, wins)
    return (
        sum(
            math.comb(size, count) * math.comb(total - size, wins - count)
            for count in range(sum(more), most + 1)
            if wins - count <= total - size
        )
        / ways
    )


def score(claims: Claims, world: CausalWorld) -> Score:
    promoting, preventing = world.promoting(), world.preventing()
    right = sum(edge in promoting for edge in claims.promoting) + len(claims.preventing & preventing)
    return Score(
        right=right,
        claimed=len(claims.promoting) + len(claims.preventing),
        found=right,
        true=len(promoting) + len(preventing),
    )


def change(world: CausalWorld, experimenter: Experimenter, kept: Memory) -> Mapping[str, Any] | None:
    """What happens when an effect comes to need another action; None where no known plan breaks by it."""
    other, effect, old, new = world.changed()
    known = Beliefs.of(kept.claims(), SCOPE).promoting(effect)
    plan = experimenter.plans.get(effect)
    if plan is None or old not in known or other.holds(plan, effect):
        return None
    experimenter.world, experimenter.allowance = other, Allowance(left=10_000)
    uses, number = 0, 0
    while effect in experimenter.plans and uses < 50:
        before = other.plays
        experimenter.still_holds(f"use {number}", effect)
        uses += other.plays - before
        number += 1
    known = Beliefs.of(kept.claims(), SCOPE)
    stopped = old not in known.promoting(effect)
    tried, back, number = 0, False, 10_000
    while not back and number < 10_400:
        trace = other.episode(number)
        number += 1
        if effect not in trace.outcome.reached:
            continue
        tested = experimenter.investigate([trace])
        tried += tested
        back = new in Beliefs.of(kept.claims(), SCOPE).promoting(effect)
    return {"stopped": stopped, "episodes": uses, "experiments": tried, "back": back}


def run(worlds: int, *, first: int, faults: float, each: int = EPISODES) -> Mapping[str, Any]:
    scores: dict[str, list[Score]] = {"experiments": [], "observation": [], "hints": []}
    changes, used = [], 0
    for seed in range(first, first + worlds):
        world = draw_world(seed, faults=faults)
        with memory() as kept:
            experimenter, claims = experiments(world, kept, each)
            used += world.plays
            scores["experiments"].append(score(claims, world))
            after = change(world, experimenter, kept)
            changes += [after] if after else []
        scores["observation"].append(score(observation(draw_world(seed, faults=faults), each), world))
        scores["hints"].append(score(hints(draw_world(seed, faults=faults), each), world))
    return {
        "benchmark": "causal",
        "worlds": worlds,
        "episodes_per_edge": round(used / sum(draw_world(first + n).edges() for n in range(worlds)), 2),
        "targets": TARGETS,
        "arms": {name: _summary(own) for name, own in scores.items()},
        "better_than": {
            name: {part: _interval(scores["experiments"], scores[name], part) for part in ("precision", "recall", "f1")}
            for name in ("observation", "hints")
        },
        "change": _changes(changes),
    }


def _summary(scores: Sequence[Score]) -> Mapping[str, float]:
    total = sum(scores[1:], scores[0])
    parts = {part: round(getattr(total, part), 3) for part in ("precision", "recall", "f1")}
    return {**parts, "claimed": total.claimed}


def _interval(own: Sequence[Score], other: Sequence[Score], part: str) -> tuple[float, float]:
    """95 % interval of the difference, worlds drawn with replacement."""
    draw = random.Random(0)

    def difference() -> float:
        chosen = [draw.randrange(len(own)) for _ in own]
        one, two = (sum((each[i] for i in chosen[1:]), each[chosen[0]]) for each in (own, other))
        return float(getattr(one, part) - getattr(two, part))

    drawn = sorted(difference() for _ in range(1000))
    return round(drawn[25], 3), round(drawn[974], 3)


def _changes(changes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    if not changes:
        return {"worlds": 0}
    return {
        "worlds": len(changes),
        "stopped_within_3": round(statistics.fmean(one["stopped"] and one["episodes"] <= 3 for one in changes), 3),
        "episodes_mean": round(statistics.fmean(one["episodes"] for one in changes), 2),
        "back_within_1": round(statistics.fmean(one["back"] and one["experiments"] <= 1 for one in changes), 3),
        "experiments_mean": round(statistics.fmean(one["experiments"] for one in changes), 2),
    }


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--first", type=int, default=1000, help="seed of the first world")
    parser.add_argument("--episodes", type=int, default=EPISODES, help="for each true edge")
    parser.add_argument("--faults", type=float, default=0.2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(argv)
    result = run(given.worlds, first=given.first, faults=given.faults, each=given.episodes)
    show: Callable[[Mapping[str, Any]], str] = json.dumps if given.json else _table
    print(show(result))


def _table(result: Mapping[str, Any]) -> str:
    lines = [f"{result['worlds']} worlds, {result['episodes_per_edge']} episodes an edge"]
    lines += [f"  {name:12} {own}" for name, own in result["arms"].items()]
    lines += [f"  better than {name} by (95 %) {own}" for name, own in result["better_than"].items()]
    return "\n".join([*lines, f"  after a change {result['change']}"])


if __name__ == "__main__":
    main()
