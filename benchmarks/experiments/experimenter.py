"""Experiments on what actions do: which to make next, and what they taught, until the episodes are used up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.experiments.claims import REACHES, Beliefs, Findings
from benchmarks.experiments.courses import ROUNDS, Course, added, withdrawn
from benchmarks.experiments.notebook import Notebook
from benchmarks.experiments.prevention import put_in
from benchmarks.experiments.replays import Replayable, Replays, Trace
from evolve.core.episodes import Scope
from evolve_worlds.experiments import Allowance, OutOfEpisodes

PATIENCE = 3
"""Problems in a row that show no new effect, before what is known is tested."""


@dataclass(kw_only=True)
class Experimenter:
    """Finds out which actions an effect needs and which prevent it, problem by problem.

    An action is tried again until it is confirmed or refuted, in another problem each time: what one problem shows may
    be its own. First it finds for each effect actions that are enough, from what is enough for others on; then, problem
    by problem, it puts in what none of them has and takes out each of them, for all effects in the same plays.
    An effect that does not come where all is done together, as what another one needs prevents it, is tested apart.

    Attributes:
        world: What the actions act on.
        scope: Where the claims are meant to hold.
        notebook: What is known, asked before every experiment and added to after it.
        allowance: Episodes that may be played.
        doubt: See :class:`Replays`.
    """

    world: Replayable
    scope: Scope
    notebook: Notebook
    allowance: Allowance
    doubt: int = 2
    plans: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Actions that are enough for each effect when they are done again and again."""
    _least: set[str] = field(default_factory=set)
    """Effects of whose plans nothing more can be left out."""
    _apart: set[str] = field(default_factory=set)
    """Effects that do not come where the plans of the others are played as well."""
    _waited: int = 0
    _suggested: int = 0
    _actions: dict[str, None] = field(default_factory=dict)
    """Every action that was ever taken, in that order."""
    _instead: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """What did in the place of an action, for an effect."""

    def investigate(self, traces: Sequence[Trace]) -> int:
        """Makes experiments on what was played, as long as something is unsettled; gives in how many problems."""
        made = 0
        try:
            for trace in traces:
                self._explore(trace)
            for trace in traces if self._waited >= PATIENCE else ():
                made += self._test(trace.group)
        except OutOfEpisodes:
            return made
        return made

    def suggest(self, order: Sequence[str]) -> tuple[str, ...]:
        """A sequence in which effects without a known plan may come: what is known to work, then the rest one by one.

        Every other time what is known stays out of it, as it may prevent what has never come.

        Args:
            order: Actions drawn by chance, in the order in which they are to come.
        """
        self._suggested += 1
        front, last = self._all() if self._suggested % 2 else (), self._preventing()
        others = sorted((one for one in order if one not in front), key=last.__contains__)
        return added(front, others).actions if front else tuple(others) * ROUNDS

    def still_holds(self, group: str, effect: str) -> bool:
        """Whether the known plan for an effect still reaches it; it is played again where it seems not to.

        Where it does not, the world has changed: all that is claimed of the effect is set aside, what prevents it and
        what does not matter as well, until an experiment speaks of it again. The evidence stays on record.

        Raises:
            KeyError: No plan is known.
            OutOfEpisodes: No episode is left.
        """
        fresh = self._of(group)
        if fresh.reaches(self.plans[effect] * ROUNDS, effect, if_not=self.doubt):
            return True
        self._forget(effect)
        for insight in self.notebook.insights():
            if insight.scope == self.scope and insight.effect == f"{REACHES}{effect}":
                self.notebook.expire(insight.id, "what it promised failed twice: the world has changed")
        return False

    def _explore(self, trace: Trace) -> None:
        """Finds plans for the effects of a trace that have none."""
        self._actions |= dict.fromkeys(trace.actions)
        replays, known = self._of(trace.group), len(self.plans)
        for effect, _ in sorted(trace.outcome.reached.items(), key=lambda one: (one[1], one[0])):
            if effect not in self.plans:
                self._scan(replays, effect, trace.before(effect))
        if self._waited < PATIENCE:
            self._waited = 0 if len(self.plans) > known else self._waited + 1

    def _test(self, group: str) -> bool:
        """Tests in one problem what is unsettled; gives whether that said anything, and keeps it in any case."""
        replays, findings = self._of(group), Findings(group=group)
        try:
            self._check(replays)
            self._hinder(replays, findings)
            self._withdraw(replays, findings)
        finally:
            if findings.said_anything:
                self.notebook.keep(group, findings.claims(self.scope))
        return findings.said_anything

    def _scan(self, replays: Replays, effect: str, way: Sequence[str]) -> None:
        """Looks for actions that are enough for an effect among those before it, with what is known and without."""
        for known in dict.fromkeys((self._all(), ())):
            front = self._enough(replays, effect, known, way)
            if front is not None:
                self.plans[effect] = front
                if not known:
                    self._least.add(effect)
                    if len(self.plans) > 1:
                        self._apart.add(effect)
                return

    def _enough(
        self, replays: Replays, effect: str, known: Sequence[str], way: Sequence[str], *, surely: bool = False
    ) -> tuple[str, ...] | None:
        """Adds to what is known what an effect waits for, until it comes at once; None where it comes no more."""
        front, misses, hits = list(known), 0, 0
        while misses < self.doubt:
            course = added(front, [one for one in dict.fromkeys(way) if one not in front])
            with_it = course.came_with(replays.again(course.actions), effect)
            if with_it is None:
                misses += 1
            elif with_it:
                front.append(with_it)
            else:
                hits += 1
                if hits >= (self.doubt if surely else 1):
                    return tuple(front)
        return None

    def _check(self, replays: Replays) -> None:
        """Sets effects apart that do not come where all plans are played together, and forgets what does not hold."""
        front = self._all()
        for effect, plan in list(self.plans.items()):
            if not self._unsettled(effect):
                continue
            if effect not in self._apart and not replays.surely(front * ROUNDS, effect):
                self._apart.add(effect)
            if effect in self._apart and not replays.surely(plan * ROUNDS, effect):
                self._forget(effect)

    def _hinder(self, replays: Replays, findings: Findings) -> None:
        """Puts in what a plan lacks: all at once, and those alone that are suspected."""
        front = self._all()
        for effect, own in list(self.plans.items()):
            fresh, suspected = self._outside(effect)
            parts = [one for one in fresh if one not in front], [one for one in fresh if one in front]
            for chunk in filter(None, (*parts, *([one] for one in suspected))):
                # What others need is put before what this one needs, and all the rest before all that is known.
                plan = own if effect in self._apart or not set(front).isdisjoint(chunk) else front
                hindering = put_in(
                    replays, plan * ROUNDS, effect, chunk, lead=1 if chunk[0] in suspected else self.doubt
                )
                findings.of(effect).hindering.update(hindering)
                findings.of(effect).harmless.update(set(chunk) - hindering)

    def _withdraw(self, replays: Replays, findings: Findings) -> None:
        """Takes every action out of plans that is not settled: of all effects together, then of one where it is."""
        front = self._all()
        for action in front:
            waiting = [one for one in self.plans if one not in self._apart and action in self._open(one)]
            if waiting:
                course = withdrawn(front, action, self._others(front, action, waiting, findings))
                self._taken_out(replays, course, action, waiting, findings)
        for effect in list(self.plans):
            if effect not in self._least:
                self._lessen(replays, effect, findings)
            found = findings.of(effect)
            for action in self.plans.get(effect, ()):
                if effect in self.plans and action in self._open(effect) and action not in found.needed:
                    self._alone(replays, effect, action, findings)

    def _taken_out(
        self, replays: Replays, course: Course, action: str, effects: Sequence[str], findings: Findings
    ) -> dict[str, int]:
        """One play without an action; gives for each effect of which it says something 1 if it is missed, else -1."""
        reached = replays.again(course.actions)
        told = {}
        for effect in effects:
            with_it = course.came_with(reached, effect)
            if with_it is None:
                continue
            told[effect] = 1 if with_it else -1
            found = findings.of(effect)
            (found.needed if with_it else found.spare).add(action)
            if with_it:
                self._replaced(course, effect, action, with_it, findings)
        return told

    def _replaced(self, course: Course, effect: str, action: str, by: str, findings: Findings) -> None:
        names = [name for name, _ in course.ends]
        before = names[: names.index(by)]  # they were put in and did not do
        known = self._instead.setdefault((action, effect), [])
        known[:] = [one for one in known if one not in before]
        if by != action:
            findings.of(effect).replacing.add(by)
            if by not in known:
                known.append(by)

    def _lessen(self, replays: Replays, effect: str, findings: Findings) -> None:
        """Leaves of a plan what is missed, and what of the rest it waits for: of two that replace each other one."""
        plan = self.plans[effect]
        needed = [one for one in plan if one in findings.of(effect).needed]
        front = tuple(needed) if len(needed) == len(plan) else self._enough(replays, effect, needed, plan, surely=True)
        if front is None:
            self._forget(effect)
        else:
            self.plans[effect] = front
            self._least.add(effect)

    def _alone(self, replays: Replays, effect: str, action: str, findings: Findings) -> None:
        """Takes an action out of the plan of one effect alone, where what others need may hide that it is missed."""
        plan, found = self.plans[effect], findings.of(effect)
        lead, told = self.doubt if action in found.spare else 1, 0
        for number in range(2 * self.doubt):
            others = self._others(plan, action, [effect], findings) if number % 2 == 0 else []
            told += self._taken_out(replays, withdrawn(plan, action, others), action, [effect], findings).get(effect, 0)
            if abs(told) >= lead:
                break
        found.needed.discard(action)
        found.spare.discard(action)
        if told > 0:
            found.needed.add(action)
        elif told < 0:
            found.spare.add(action)
            self.plans[effect] = tuple(one for one in plan if one != action)
        else:
            self._forget(effect)

    def _others(self, front: Sequence[str], action: str, effects: Sequence[str], findings: Findings) -> list[str]:
        """What may do in the place of an action: first what did so and is not settled, last what is."""
        beliefs = self._beliefs()
        hindering = self._preventing().union(*(findings.of(one).hindering for one in self.plans))
        known = [(one, to) for to in effects for one in self._instead.get((action, to), ())]
        order = {one: 2 if one in beliefs.settled(to) else 0 for one, to in known}
        others = [one for one in self._actions if one not in front and one not in hindering]
        return sorted(others, key=lambda one: order.get(one, 1))

    def _open(self, effect: str) -> list[str]:
        """Actions of a plan whose part, or the part of what does in their place, is not settled."""
        settled = self._beliefs().settled(effect)
        return [
            one
            for one in self.plans[effect]
            if one not in settled or set(self._instead.get((one, effect), ())) - settled
        ]

    def _unsettled(self, effect: str) -> bool:
        return bool(self._open(effect)) or any(self._outside(effect))

    def _outside(self, effect: str) -> tuple[list[str], list[str]]:
        """Actions that may prevent an effect: those that were never put in, and those suspected."""
        beliefs, plan = self._beliefs(), self.plans[effect]
        known = beliefs.put_in(effect).union(plan if effect in self._least else (*plan, *self._all()))
        fresh = [one for one in self._actions if one not in known]
        return fresh, sorted(beliefs.preventing(effect) - beliefs.settled(effect) - set(plan))

    def _all(self) -> tuple[str, ...]:
        """The actions of all plans that go together."""
        return tuple(
            dict.fromkeys(one for effect, plan in self.plans.items() if effect not in self._apart for one in plan)
        )

    def _preventing(self) -> frozenset[str]:
        beliefs = self._beliefs()
        return frozenset().union(*(beliefs.preventing(effect) for effect in self.plans))

    def _forget(self, effect: str) -> None:
        del self.plans[effect]
        self._least.discard(effect)
        self._apart.discard(effect)

    def _beliefs(self) -> Beliefs:
        return Beliefs.of(self.notebook.insights(), self.scope)

    def _of(self, group: str) -> Replays:
        return Replays(world=self.world, group=group, allowance=self.allowance, doubt=self.doubt)
