"""Are confirmed claims true, and are true ones found? In worlds whose causal graph is known.

Three ways to learn, each with ten episodes per edge of the graph, faults and repeated plays included:
``experiments`` plays actions again with one taken out or put in; ``observation`` has the same memory and as many
episodes, and looks only at what goes with what (Fisher's exact test, one-sided, at .05); ``hints`` keeps, as advice
from successes does, what stood in the shortest episode that reached an effect.

Precision is the share of what is claimed to promote or to prevent an effect that does so; recall the share of the edges
(those that follow through a needed effect included) that are claimed. Intervals are bootstrapped over worlds. Then an
effect comes to need another action: counted are the episodes until the old claim is not used any more, and the
experiments until the new one is.

    python -m benchmarks.causal --seeds 40 --json
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.causal_worlds import CausalWorld, Edge, draw_crossed, draw_large, draw_world
from benchmarks.experiments import REACHES, Allowance, Beliefs, Experimenter, MemoryNotebook, Trace
from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from evolve.core.episodes import Scope
from evolve.core.schema import MEMORY
from evolve.core.store import Database
from evolve.memory import MemoryRepository
from evolve.memory.index import MemoryIndex
from evolve.runtime.retrieval import HashingEmbedder
from evolve.trials.gate import ConfidenceInterval, clopper_pearson

SCOPE = Scope(environment="causal-world", family="actions")
EPISODES = 10
"""Episodes for each true edge, by default."""


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
def memory() -> Iterator[MemoryRepository]:
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "memory.db", MEMORY) as db:
        yield MemoryRepository(db, MemoryIndex, HashingEmbedder())


def experiments(world: CausalWorld, kept: MemoryRepository, each: int = EPISODES) -> tuple[Experimenter, Claims]:
    """Plays one problem after the other and makes experiments on it, until the episodes are used up."""
    experimenter = Experimenter(
        world=world,
        scope=SCOPE,
        notebook=MemoryNotebook(memory=kept, run=f"world {world.seed}"),
        allowance=Allowance(left=each * world.edges()),
    )
    number = 0
    while experimenter.allowance.left > 0:
        experimenter.allowance.take()
        experimenter.investigate([explored(world, experimenter, number)])
        number += 1
    return experimenter, claims_in(kept, world)


def explored(world: CausalWorld, experimenter: Experimenter, number: int) -> Trace:
    """All that can be done in any order, and what is known to work first."""
    group = f"problem {world.seed}-{number}"
    draw = random.Random(group)
    order = draw.sample(world.actions, len(world.actions))
    actions = experimenter.suggest(order)
    return Trace(group=group, actions=actions, outcome=world.play(group, actions))


def claims_in(kept: MemoryRepository, world: CausalWorld) -> Claims:
    """What is confirmed."""
    confirmed = Beliefs.of(kept.list_insights("confirmed"), SCOPE)
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


def change(world: CausalWorld, experimenter: Experimenter, kept: MemoryRepository) -> Mapping[str, Any] | None:
    """What happens when an effect comes to need another action; None where no known plan breaks by it."""
    other, effect, old, new = world.changed()
    known = Beliefs.of(kept.list_insights(), SCOPE).promoting(effect)
    plan = experimenter.plans.get(effect)
    if plan is None or old not in known or other.holds(plan * len(plan), effect):
        return None
    experimenter.world, experimenter.allowance = other, Allowance(left=10_000)
    uses, number = 0, 0
    while effect in experimenter.plans and uses < 50:
        before = other.plays
        experimenter.still_holds(f"use {number}", effect)
        uses += other.plays - before
        number += 1
    stopped = old not in Beliefs.of(kept.list_insights(), SCOPE).promoting(effect)
    tried, back, number = 0, False, 10_000
    while not back and number < 10_400:
        trace = explored(other, experimenter, number)
        number += 1
        if effect not in trace.outcome.reached:
            continue
        experimenter.investigate([trace])
        tried += _speaks_of(kept, effect, trace.group)
        back = new in Beliefs.of(kept.list_insights(), SCOPE).promoting(effect)
    return {"stopped": stopped, "episodes": uses, "experiments": tried, "back": back}


def _speaks_of(kept: MemoryRepository, effect: str, group: str) -> bool:
    """Whether an experiment on an effect was made in a problem."""
    about = [one for one in kept.list_insights() if one.effect == f"{REACHES}{effect}"]
    return any(row.group == group for one in about for row in kept.evidence(one.id))


ARMS = ("experiments", "observation", "hints")


WORLDS = {"usual": draw_world, "crossed": draw_crossed, "large": draw_large}
"""What draws worlds, by name; the targets are those of the usual ones."""


def measure(seed: int, *, faults: float, each: int, worlds: str = "usual") -> list[dict[str, Any]]:
    """A row for each arm in one world, that of experiments with what a change of the world brings."""
    drawn = partial(WORLDS[worlds], seed, faults=faults)
    world = drawn()
    with memory() as kept:
        experimenter, claims = experiments(world, kept, each)
        found = {"experiments": score(claims, world)}
        played = world.plays
        after = change(world, experimenter, kept)
    found["observation"] = score(observation(drawn(), each), world)
    found["hints"] = score(hints(drawn(), each), world)
    rows = [{"world": seed, "arm": arm, "episodes": played, **asdict(own)} for arm, own in found.items()]
    rows[0]["change"] = after
    return rows


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """What is claimed against the truth, against both other ways, and after a change."""
    own = _scores(rows, "experiments")
    found = [
        against("precision", _interval([own], "precision"), ">=", 0.95),
        against("recall", _interval([own], "recall"), ">=", 0.85),
    ]
    for arm in ARMS[1:]:
        for part in ("precision", "recall", "f1"):
            difference = _interval([own, _scores(rows, arm)], part)
            found.append(against(f"{part}, more than by {arm}", difference, "low >", 0.0))
    changes = [row["change"] for row in rows if row.get("change")]
    return [
        *found,
        _share("old claim unused within 3 episodes", [one["stopped"] and one["episodes"] <= 3 for one in changes]),
        _share("new cause used after 1 experiment", [one["back"] and one["experiments"] <= 1 for one in changes]),
    ]


def _scores(rows: Sequence[Mapping[str, Any]], arm: str) -> list[Score]:
    names = [one.name for one in fields(Score)]
    return [Score(**{name: row[name] for name in names}) for row in rows if row["arm"] == arm]


def _share(name: str, held: Sequence[bool]) -> Target:
    interval = clopper_pearson(sum(held), len(held))
    value = sum(held) / len(held) if held else None
    return Target(name=name, op=">=", target=0.95, value=value, low=interval.low, high=interval.high, n=len(held))


def _interval(arms: Sequence[Sequence[Score]], part: str) -> ConfidenceInterval:
    """A figure of the first arm, or its difference to a second one, with 95 % by drawing worlds with replacement."""
    draw, worlds = random.Random(0), range(len(arms[0]))

    def figure(chosen: Sequence[int]) -> float:
        parts = [float(getattr(sum((arm[i] for i in chosen[1:]), arm[chosen[0]]), part)) for arm in arms]
        return parts[0] - sum(parts[1:])

    drawn = sorted(figure([draw.choice(worlds) for _ in worlds]) for _ in range(1000))
    return ConfidenceInterval(value=figure(list(worlds)), low=drawn[25], high=drawn[974], n=len(worlds))


def table(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """What each way of learning claims."""
    yield ("way", "claims", "true", "precision", "recall", "F1")
    for arm in ARMS:
        total = sum((own := _scores(rows, arm))[1:], own[0])
        shares = (f"{one:.3f}" for one in (total.precision, total.recall, total.f1))
        yield (arm, total.claimed, total.true, *shares)


def _told(target: Target) -> str:
    met, value = "met " if target.met else "MISS", "-" if target.value is None else f"{target.value:.3f}"
    bounds = "" if target.low is None else f" [{target.low:.3f}, {target.high:.3f}]"
    return f"{met} {target.name}: {value}{bounds}, {target.op} {target.target}"


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.causal", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=40)
    parser.add_argument("--first", type=int, default=1000, help="number of the first world; seeds are worlds")
    parser.add_argument("--episodes", type=int, default=EPISODES, help="for each true edge")
    parser.add_argument("--worlds", choices=WORLDS, default="usual")
    parser.add_argument("--faults", type=float, default=0.2, help="share of episodes")
    options = parser.parse_args(argv)
    worlds = 5 if options.quick else options.seeds
    rows = []
    for seed in range(options.first, options.first + worlds):
        progress(f"world {seed}")
        rows += measure(seed, faults=options.faults, each=options.episodes, worlds=options.worlds)
    outcome = Outcome(
        benchmark="causal",
        seeds=worlds,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={
            "episodes": options.episodes,
            "faults": options.faults,
            "first": options.first,
            "worlds": options.worlds,
        },
    )
    told = ["  ".join(f"{cell!s:>11}" for cell in line) for line in table(rows)]
    told += [_told(one) for one in outcome.targets]
    publish(outcome, options, "\n".join(told))


if __name__ == "__main__":
    main()
