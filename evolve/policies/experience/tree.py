"""Search with going back over the scenes of one variation: best first, or by upper confidence bounds.

A node is a scene with the moves that lead there from the beginning. What is tried from it is ordered by what the
transition memory and the words of the goal say of a move. Going back costs nothing where the trial can be restored;
else the moves up to there are made again, and every one of them counts.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evolve.policies.experience.transitions import Transition, TransitionMemory
from evolve.policies.experience.wording import Goal
from evolve.worlds import Move, Stateful, Trial, World

Strategy = Literal["best-first", "uct"]
Proposer = Callable[[Goal, Move], float]
"""How promising a move is, above 0."""

EXPLORING = 0.5
"""The exploration constant of UCT for scores between 0 and 1."""
ROLLOUT = 12
"""Moves that UCT makes from a new node before it goes back to the start."""


@dataclass(frozen=True, kw_only=True)
class Searched:
    """What a search found.

    Attributes:
        moves: Those to the best score, the fewest that were found.
        executed: Moves that the world made, those included that were made again to go back.
        lines: The score at the end of each line of play, with the moves that the world made in it.
    """

    moves: tuple[str, ...]
    score: float
    executed: int
    lines: tuple[tuple[float, int], ...]


class _Spent(Exception):
    """No move is left of the budget."""


@dataclass(kw_only=True, eq=False)
class _Node:
    """A scene, and what was done there.

    Attributes:
        visits, rewards: How many moves were made at or below it, and the sum of the scores they led to.
    """

    path: tuple[Move, ...]
    score: float
    moves: Sequence[Move]
    sight: int
    over: bool
    parent: _Node | None = None
    children: dict[Move, _Node] = field(default_factory=dict)
    kept: object = None
    visits: int = 0
    rewards: float = 0.0

    def untried(self) -> Iterator[Move]:
        return (one for one in self.moves if one not in self.children)


def tree_search(
    world: World,
    task: str,
    variation: int,
    strategy: Strategy = "best-first",
    nodes: int = 200,
    proposer: Proposer | None = None,
) -> Searched:
    """Searches one variation.

    ``best-first`` goes on where the score of a scene and the worth of a move there, for each move that it takes to do
    it, are highest. ``uct`` (Kocsis and Szepesvari 2006) goes down from the start by the mean score below each node
    and how little it was tried, opens a node, and goes on from it for a few moves.

    Args:
        nodes: Moves that the world may make, those included that are made again to go back.
        proposer: Tells how promising a move is; by default the transition memory of the search itself and the goal.

    Raises:
        WorldFault: The world failed.
    """
    search = _Search(world=world, task=task, variation=variation, left=nodes, proposer=proposer)
    try:
        step = search.best_first if strategy == "best-first" else search.uct
        while search.best.score < 1.0 and step():
            pass
    except _Spent:
        pass
    search.end_line()
    found = search.best
    return Searched(
        moves=tuple(one.text for one in found.path),
        score=found.score,
        executed=nodes - search.left,
        lines=tuple(search.lines),
    )


@dataclass(kw_only=True)
class _Search:
    world: World
    task: str
    variation: int
    left: int
    proposer: Proposer | None
    memory: TransitionMemory = field(default_factory=TransitionMemory)
    done: Counter[str] = field(default_factory=Counter)
    often: Counter[str] = field(default_factory=Counter)
    seen: Counter[int] = field(default_factory=Counter)
    lines: list[tuple[float, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.trial: Trial = self.world.start(self.task, self.variation)
        self.goal = Goal(self.trial.goal)
        self.root = self.here = self.best = self._node((), None)
        self.nodes = [self.root]
        self.queue: list[tuple[float, int]] = [(0.0, 0)]
        self.worths: dict[Move, tuple[int, float]] = {}
        self._begun_with = self.left

    @property
    def restores(self) -> bool:
        return isinstance(self.trial, Stateful)

    # strategies

    def best_first(self) -> bool:
        """Makes the most promising move of all; whether there was one.

        What is known of a move changes with every move, so a value is worked out anew when it is the highest.
        """
        aside: list[tuple[float, int]] = []
        found = None
        while self.queue and found is None:
            _, number = heapq.heappop(self.queue)
            node = self.nodes[-number]
            move = self._next(node)
            if move is None:
                continue
            own = (-2 * node.score - self._promise(node, move) / (1 + self._cost(node)), number)
            if node is not self.here and self._cost(node) >= self.left:
                aside.append(own)
            elif self.queue and own > self.queue[0]:
                heapq.heappush(self.queue, own)
            else:
                aside.append(own)
                found = node, move
        for own in aside:
            heapq.heappush(self.queue, own)
        if found is None:
            return False
        self._go(found[0])
        self._make(found[1])
        return True

    def uct(self) -> bool:
        """Opens one node and goes on from it for a few moves; whether there was one."""
        node = self.root
        while True:
            move = self._next(node)
            wide = 1 + math.isqrt(node.visits)  # progressive widening (Coulom 2007): there are hundreds of moves
            open_ones = [one for one in node.children.values() if not one.over]
            if move is not None and (len(node.children) < wide or not open_ones):
                break
            if not open_ones:
                node.over = True  # all that can be done there was done
                if node is self.root:
                    return False
                node = self.root
                continue
            node = max(open_ones, key=lambda one: one.rewards / one.visits + self._bonus(one))
        self._go(node)
        for _ in range(ROLLOUT):
            move = self._next(self.here)
            if move is None or self.here.over or self.best.score >= 1.0:
                break
            self._make(move)
        return True

    def _bonus(self, node: _Node) -> float:
        whole = node.parent.visits if node.parent is not None else 1
        return EXPLORING * math.sqrt(math.log(whole + 1) / node.visits)

    # which move

    def _next(self, node: _Node) -> Move | None:
        """The most promising move that was not tried at a node."""
        best, value = None, -1.0
        for move in node.untried():
            own = self._promise(node, move)
            if own > value:
                best, value = move, own
        return best

    def _promise(self, node: _Node, move: Move) -> float:
        told = self._worth(move) / (1 + self.often[move.text])
        return told / math.sqrt((1 + self.done[move.schema]) * self.seen[node.sight])

    def _worth(self, move: Move) -> float:
        """What may come of a move; worked out anew where much more is known of its kind."""
        tally = self.memory.schemas.get(move.schema)
        key, known = (tally.tried // 8 if tally else 0), self.worths.get(move)
        if known is None or known[0] != key:
            known = self.worths[move] = key, (self.proposer or self._known)(self.goal, move)
        return known[1]

    def _known(self, goal: Goal, move: Move) -> float:
        asked, _ = goal.wants(move)
        told = 0.1 + 2 * asked * asked + 2 * self.memory.rate(goal, move, "gained", prior=0.02)
        told += 3 * self.memory.rate(goal, move, "revealed", prior=0.1)
        lost = self.memory.rate(goal, move, "lost", prior=0.02)
        return told * self.memory.rate(goal, move, "changed", prior=0.7) * (1 - lost)

    # moves

    def _cost(self, node: _Node) -> int:
        return 0 if node is self.here or self.restores else len(node.path)

    def _go(self, node: _Node) -> None:
        """Lets the trial stand at a node."""
        if node is self.here:
            return
        self.end_line()
        if isinstance(self.trial, Stateful):
            self.trial.restore(node.kept)
        else:
            self.trial = self.world.start(self.task, self.variation)
            for move in node.path:
                self._count()
                self.trial.do(move.text)
        self.here = node

    def _make(self, move: Move) -> None:
        """Makes a move that was not tried here, and remembers what came of it."""
        self._count()
        before = self.here
        scene = self.trial.do(move.text)
        self.done[move.schema] += 1
        self.often[move.text] += 1
        node = self._node((*before.path, move), before)
        gain = 0.0 if scene.lost else scene.score - before.score
        told = Transition(
            changed=node.sight != before.sight or gain > 0,
            revealed=self.seen[node.sight] == 1,
            gain=gain,
            lost=scene.lost,
        )
        self.memory.add(self.goal, move, told)
        before.children[move] = node
        above: _Node | None = node
        while above is not None:
            above.visits, above.rewards = above.visits + 1, above.rewards + node.score
            above = above.parent
        if told.changed and not node.over:
            heapq.heappush(self.queue, (-math.inf, -len(self.nodes)))
            self.nodes.append(node)
        if node.score > self.best.score:
            self.best = node
        self.here = node

    def _node(self, path: tuple[Move, ...], parent: _Node | None) -> _Node:
        scene = self.trial.scene
        moves = () if scene.over else self.trial.moves()
        sight = hash((scene.view or scene.told, len(moves)))
        self.seen[sight] += 1
        score = 0.0 if scene.lost else scene.score
        kept = self.trial.snapshot() if isinstance(self.trial, Stateful) else None
        return _Node(path=path, score=score, moves=moves, sight=sight, over=scene.over, parent=parent, kept=kept)

    def _count(self) -> None:
        if self.left <= 0:
            raise _Spent
        self.left -= 1

    def end_line(self) -> None:
        """Notes how a line of play ended."""
        taken = self._begun_with - self.left
        if taken:
            self.lines.append((self.here.score, taken))
            self._begun_with = self.left
