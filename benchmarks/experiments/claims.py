"""What experiments found, as claims with evidence; and what is known of an action before the next experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from evolve.core.episodes import Claim, Evidence, EvidenceKind, Relation, Scope
from evolve.memory.insights import Insight, relation_camp
from evolve_worlds.experiments import REACHES

ACTION = "action:"
"""How a cause that is an action begins."""


@dataclass(kw_only=True)
class EffectFindings:
    """What was found of one effect in one problem, as sets of actions.

    Attributes:
        needed: Without it a sequence failed.
        replacing: With it a sequence held again from which a needed action was gone.
        spare: It was taken out and not missed.
        harmless, hindering: It was put in; the effect came all the same, or it did not.
    """

    needed: set[str] = field(default_factory=set)
    replacing: set[str] = field(default_factory=set)
    spare: set[str] = field(default_factory=set)
    harmless: set[str] = field(default_factory=set)
    hindering: set[str] = field(default_factory=set)


@dataclass(kw_only=True)
class Findings:
    """What experiments in one problem found, by effect."""

    group: str
    _found: dict[str, EffectFindings] = field(default_factory=dict)

    def of(self, effect: str) -> EffectFindings:
        """What was found of one effect so far; may be added to."""
        return self._found.setdefault(effect, EffectFindings())

    @property
    def said_anything(self) -> bool:
        return bool(self.claims(Scope(environment="", family="")))

    def claims(self, scope: Scope) -> tuple[Claim, ...]:
        """One claim for each action and effect. What made a difference in some sequence of a problem matters in it."""
        return tuple(
            claim for effect, found in sorted(self._found.items()) for claim in self._claims(effect, found, scope)
        )

    def _claims(self, effect: str, found: EffectFindings, scope: Scope) -> list[Claim]:
        told: dict[str, tuple[Relation, EvidenceKind, Literal[1, -1], str]] = {}
        told |= dict.fromkeys(found.harmless, ("prevents", "intervention", -1, "put in: reached"))
        told |= dict.fromkeys(found.spare, ("necessary", "intervention", -1, "played without it: reached"))
        told |= dict.fromkeys(found.hindering, ("prevents", "intervention", 1, "put in: not reached"))
        told |= dict.fromkeys(found.replacing, ("contributes", "intervention", 1, "put in for another: reached"))
        told |= dict.fromkeys(found.needed, ("necessary", "intervention", 1, "played without it: not reached"))
        return [
            _claim(action, effect, scope, relation, self._evidence(kind, direction, detail))
            for action, (relation, kind, direction, detail) in sorted(told.items())
        ]

    def _evidence(self, kind: EvidenceKind, direction: Literal[1, -1], detail: str) -> Evidence:
        return Evidence(task=self.group, group=self.group, kind=kind, direction=direction, detail=detail)


def _claim(action: str, effect: str, scope: Scope, relation: Relation, evidence: Evidence) -> Claim:
    return Claim(
        cause=f"{ACTION}{action}",
        relation=relation,
        effect=f"{REACHES}{effect}",
        scope=scope,
        evidence=(evidence,),
        text=f"{action} {_VERBS[relation]} {effect}",
    )


_VERBS: Mapping[Relation, str] = {
    "necessary": "is necessary for",
    "sufficient": "is enough for",
    "contributes": "contributes to",
    "no_effect": "does not matter for",
    "prevents": "prevents",
}


@dataclass(frozen=True, kw_only=True)
class Beliefs:
    """What is known of the actions of one scope.

    Attributes:
        insights: By action and effect.
    """

    insights: Mapping[tuple[str, str], Insight] = field(default_factory=dict)

    @classmethod
    def of(cls, insights: Iterable[Insight], scope: Scope) -> Beliefs:
        """Those among insights that speak of actions in a scope."""
        own = (one for one in insights if one.scope == scope and one.cause.startswith(ACTION))
        return cls(insights={(one.cause[len(ACTION) :], one.effect[len(REACHES) :]): one for one in own})

    def promoting(self, effect: str) -> frozenset[str]:
        """Actions that were taken away and missed, so that they may be used for an effect."""
        return self._acting(effect, "promotes")

    def preventing(self, effect: str) -> frozenset[str]:
        """Actions that are to be avoided for an effect."""
        return self._acting(effect, "prevents")

    def settled(self, effect: str) -> frozenset[str]:
        """Actions whose part in an effect is confirmed, or refuted."""
        return frozenset(
            action
            for (action, to), one in self.insights.items()
            if to == effect and one.status in ("confirmed", "refuted")
        )

    def put_in(self, effect: str) -> frozenset[str]:
        """Actions that were put in to see whether they prevent an effect, whatever came of it."""
        return frozenset(
            action
            for (action, to), one in self.insights.items()
            if to == effect and any(standing.camp == "prevents" for standing in one.standings)
        )

    def _acting(self, effect: str, camp: str) -> frozenset[str]:
        return frozenset(
            action
            for (action, to), one in self.insights.items()
            if to == effect and one.may_influence and one.posterior.agree and relation_camp(one.relation) == camp
        )
