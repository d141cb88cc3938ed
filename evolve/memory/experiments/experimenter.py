"""Experiments on what actions do: which to make next, and what they taught, until the episodes are used up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evolve.episodes import Scope
from evolve.memory.experiments.ablation import put_in, replace_with, shortest, take_out
from evolve.memory.experiments.claims import REACHES, Beliefs, Findings
from evolve.memory.experiments.notebook import Notebook
from evolve.memory.experiments.observation import Seen
from evolve.memory.experiments.replays import Allowance, OutOfEpisodes, Replayable, Replays, Trace

ENOUGH = 4
"""Episodes in which an effect came, before experiments on it: half the idle actions go with each."""


@dataclass(kw_only=True)
class Experimenter:
    """Finds out which actions an effect needs and which prevent it, problem by problem.

    An action is tried again until it is confirmed or refuted, in another problem each time: what one problem shows may
    be its own. What is confirmed is taken along as known, so that later problems cost less.

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
    """The last sequence for each effect from which nothing could be taken away."""
    _replays: dict[str, Replays] = field(default_factory=dict)
    _seen: Seen = field(default_factory=Seen)
    _instead: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def investigate(self, traces: Sequence[Trace]) -> int:
        """Makes experiments on what was played, as long as something is unsettled; gives in how many problems."""
        made = 0
        for trace in traces:
            self._of(trace.group).add(trace)
            self._seen.add(trace)
        for trace in traces:
            findings = Findings(group=trace.group)
            try:
                self._experiment(trace, findings)
            except OutOfEpisodes:
                return made
            finally:
                self.notebook.keep(trace.group, findings.claims(self.scope))
            made += findings.said_anything
        return made

    def suggest(self, order: Sequence[str]) -> tuple[str, ...]:
        """A sequence in which effects without a known plan may come: all that is known to work, then what was drawn.

        Args:
            order: Actions drawn by chance, in the order in which they are to come.
        """
        known = list(dict.fromkeys(action for plan in self.plans.values() for action in plan))
        return (*known, *order)

    def still_holds(self, group: str, effect: str) -> bool:
        """Whether the known plan for an effect still reaches it; it is played again where it seems not to.

        Where it does not, the world has changed: all that is claimed of the effect is set aside, what prevents it and
        what does not matter as well, until an experiment speaks of it again. The evidence stays on record.

        Raises:
            KeyError: No plan is known.
            OutOfEpisodes: No episode is left.
        """
        fresh = Replays(world=self.world, group=group, allowance=self.allowance, doubt=self.doubt)
        if fresh.reaches(self.plans[effect], effect, if_not=self.doubt):
            return True
        del self.plans[effect]
        self._replays.clear()
        for insight in self.notebook.insights():
            if insight.scope == self.scope and insight.effect == f"{REACHES}{effect}":
                self.notebook.expire(insight.id, "what it promised failed twice: the world has changed")
        return False

    def _experiment(self, trace: Trace, findings: Findings) -> None:
        replays = self._of(trace.group)
        fresh = sorted(one for one in trace.outcome.reached.keys() - self.plans.keys() if self._ripe(one))
        steady = replays.steady(trace.actions) if fresh else frozenset()
        for effect in [one for one in fresh if one in steady]:
            self._find_plan(replays, trace.before(effect), effect, findings)
        self._test_known(replays, [one for one in self.plans if one not in fresh], findings)
        if not any(self._open(effect) for effect in self.plans):
            for effect in self.plans:
                self._replace(replays, effect, findings)

    def _find_plan(self, replays: Replays, actions: Sequence[str], effect: str, findings: Findings) -> None:
        """Finds a shortest plan, first among the actions that stand before the effect whenever it came."""
        likely = [one for one in actions if one in self._seen.always(effect)]
        found = likely if replays.reaches(likely, effect) else shortest(replays, actions, effect, last=likely)
        if found is None or not replays.surely(found, effect):
            return
        plan, tried = found, findings.of(effect)
        while True:
            self.plans[effect] = tuple(plan)
            self._take_out(replays, plan, [effect], findings)
            rest = [one for one in plan if one not in tried.spare]
            if rest == plan:
                break
            # Of what replaces each other nothing is missed alone, and one of it is needed all the same.
            found = (
                rest if replays.reaches(rest, effect) else shortest(replays, plan, effect, last=sorted(tried.needed))
            )
            if found is None or found == plan or not replays.surely(found, effect):
                break
            tried.spare -= set(found)
            plan = found
        self._put_in(replays, plan, [effect], findings)

    def _test_known(self, replays: Replays, effects: Sequence[str], findings: Findings) -> None:
        """Tests plans that were found in other problems; several are played as one where that goes."""
        waiting = [one for one in effects if self._open(one)]
        while waiting:
            plan = tuple(dict.fromkeys(action for effect in waiting for action in self.plans[effect]))
            together = [one for one in waiting if replays.surely(plan, one)]
            if not together:  # they stand in each other's way
                plan, together = self.plans[waiting[0]], waiting[:1]
                if not replays.surely(plan, waiting[0]):
                    del self.plans[waiting.pop(0)]
                    continue
            self._take_out(replays, plan, together, findings)
            self._put_in(replays, plan, together, findings)
            waiting = [one for one in waiting if one not in together]

    def _take_out(self, replays: Replays, plan: Sequence[str], effects: Sequence[str], findings: Findings) -> None:
        for effect in effects:
            known, inside = self._beliefs().promoting(effect) | self._likely(effect), self._inside(effect)
            findings.of(effect).occurring.update(set(self.plans[effect]).difference(inside))
            for action in inside:
                missed = take_out(replays, plan, effect, action, expected=action in known)
                (findings.of(effect).needed if missed else findings.of(effect).spare).add(action)

    def _put_in(self, replays: Replays, plan: Sequence[str], effects: Sequence[str], findings: Findings) -> None:
        """Puts in what the plan lacks: all at once, and those alone that are suspected."""
        for effect in effects:
            fresh, suspected = self._outside(effect)
            for chunk in filter(None, ([one for one in fresh if one not in plan], *([one] for one in suspected))):
                hindering = put_in(
                    replays, plan, effect, chunk, expected=self._known_well(effect) or chunk[0] in suspected
                )
                findings.of(effect).hindering.update(hindering)
                findings.of(effect).harmless.update(set(chunk) - hindering)

    def _ripe(self, effect: str) -> bool:
        """Whether an effect came often enough to be worth experiments; late, everything is."""
        return self._known_well(effect) or self.allowance.taken > self.allowance.left

    def _known_well(self, effect: str) -> bool:
        return self._seen.times(effect) >= ENOUGH

    def _likely(self, effect: str) -> frozenset[str]:
        """Actions that episodes suggest strongly; an experiment that says the same need not be repeated."""
        return self._seen.always(effect) if self._known_well(effect) else frozenset()

    def _open(self, effect: str) -> bool:
        """Whether something about the known plan of an effect is still to be tested."""
        return bool(self._inside(effect)) or any(self._outside(effect))

    def _inside(self, effect: str) -> list[str]:
        """Actions of a plan whose part is not settled."""
        settled = self._beliefs().settled(effect)
        return [one for one in dict.fromkeys(self.plans[effect]) if one not in settled]

    def _outside(self, effect: str) -> tuple[list[str], list[str]]:
        """Actions outside a plan that may prevent its effect: those that nothing is known of, and those suspected."""
        beliefs = self._beliefs()
        fresh = self._seen.never(effect) - beliefs.tried(effect) - set(self.plans[effect])
        return sorted(fresh), sorted(beliefs.preventing(effect) - beliefs.settled(effect))

    def _replace(self, replays: Replays, effect: str, findings: Findings) -> None:
        """Puts in the place of a needed action what stood there when the effect came without it."""
        beliefs, plan, own = self._beliefs(), self.plans[effect], findings.of(effect)
        for action in [one for one in plan if one in beliefs.promoting(effect)]:
            known = self._instead.setdefault((action, effect), set())
            fresh = self._seen.instead(effect, action) - set(plan) - beliefs.tried(effect)
            for chunk in (known - beliefs.settled(effect), fresh):
                found = replace_with(replays, plan, effect, action, sorted(chunk), expected=chunk is not fresh)
                own.replacing |= found
                known |= found

    def _beliefs(self) -> Beliefs:
        return Beliefs.of(self.notebook.insights(), self.scope)

    def _of(self, group: str) -> Replays:
        if group not in self._replays:
            self._replays[group] = Replays(world=self.world, group=group, allowance=self.allowance, doubt=self.doubt)
        return self._replays[group]
