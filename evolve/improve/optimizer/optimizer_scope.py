"""What a search over workflows leaves alone because no trial could show a difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from evolve.agent.workflow import Workflow
from evolve.core.episodes import Limits

UNSEEN_KNOBS = frozenset({"submissions", "withhold"})
"""These act where something is learned, and trials are runs on which nothing is."""

INERT_KNOBS: Mapping[str, frozenset[str]] = {
    "search": frozenset({"samples", "tokens", "branches", "recall_k"}),
    "language": frozenset({"candidates", "seconds"}),
}
"""Knobs that mean nothing to a kind of policy."""

_LENT = frozenset({"candidates", "seconds"})
"""Knobs of which a stage ``search`` lends a share to a policy that does not search."""

INERT_STAGES: Mapping[str, frozenset[str]] = {"search": frozenset({"recall"})}
"""Stages that do nothing for a kind of policy."""

LEARNING_STAGES = frozenset({"reflect", "distill"})
"""These only learn, and on trials nothing is learned."""


@dataclass(frozen=True, kw_only=True)
class SearchScope:
    """The part of a workflow in which a search looks.

    Attributes:
        policy: Kind of policy, such as ``search``; "" where every difference counts.
        limits: What an episode may spend at most; a knob above it means the same as one at it.
    """

    policy: str = ""
    limits: Limits = field(default_factory=lambda: Limits(candidates=None, seconds=None))

    def fitted(self, workflow: Workflow) -> Workflow:
        """The workflow with knobs at most at the limits."""
        bounds = {"candidates": self.limits.candidates, "seconds": self.limits.seconds, "tokens": self.limits.tokens}
        changes = {
            name: type(value)(bound)  # of the knob's own type, because a digest tells 20 from 20.0
            for name, bound in bounds.items()
            if bound is not None and (value := getattr(workflow.knobs, name)) > bound
        }
        return workflow.with_knobs(**changes) if changes else workflow

    def shows(self, before: Workflow, after: Workflow) -> bool:
        """Whether a trial could tell the two apart."""
        return self._seen(before) != self._seen(after)

    def hides(self, part: str) -> bool:
        """Whether no trial could show a change of this part alone."""
        kind, _, name = part.partition(":")
        return name in (self._hidden_knobs if kind == "knob" else self._hidden_stages)

    @property
    def _hidden_knobs(self) -> frozenset[str]:
        return self._hidden(UNSEEN_KNOBS, INERT_KNOBS)

    @property
    def _hidden_stages(self) -> frozenset[str]:
        return self._hidden(LEARNING_STAGES, INERT_STAGES)

    def _hidden(self, always: frozenset[str], inert: Mapping[str, frozenset[str]]) -> frozenset[str]:
        return always | inert.get(self.policy.partition(":")[0], frozenset()) if self.policy else frozenset()

    def _seen(self, workflow: Workflow) -> object:
        if not self.policy:
            return workflow.as_json()
        unseen = self._hidden_knobs - (_LENT if "search" in workflow.stages else frozenset())
        knobs = {name: value for name, value in asdict(workflow.knobs).items() if name not in unseen}
        hidden = self._hidden_stages
        stages = [stage for stage in workflow.stages if stage not in hidden]
        routes = {
            stage: {condition: target for condition, target in targets.items() if target not in hidden}
            for stage, targets in workflow.routes.items()
        }
        return [stages, routes, knobs]
