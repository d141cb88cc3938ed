"""Workflows that a model writes: the brief, how its text becomes a workflow or a fault, and the scope of the search.

The text is not trusted. It is read by the loader that reads a person's file, may name built-in stages and those that
the parent has, and cannot change what no trial would show or what is a person's choice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from evolve.agent.workflow import BY_HAND, KINDS, Workflow, parse_workflow, used_knobs
from evolve.agent.workflow.reference import knob_reference, stage_reference
from evolve.core.episodes import Limits
from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import parse_toml
from evolve.improve.optimizer.leakage import LeakGuard, unsafe_reason
from evolve.improve.optimizer.workflow_parts import crossover
from evolve.policies import WorkflowBrief, WorkflowWriter

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

    def clamp_knobs(self, workflow: Workflow) -> Workflow:
        """The workflow with knobs at most at the limits."""
        bounds = {"candidates": self.limits.candidates, "seconds": self.limits.seconds, "tokens": self.limits.tokens}
        changes = {
            name: type(value)(bound)  # of the knob's own type, because a digest tells 20 from 20.0
            for name, bound in bounds.items()
            if bound is not None and (value := getattr(workflow.knobs, name)) > bound
        }
        return workflow.with_knobs(**changes) if changes else workflow

    def can_distinguish(self, before: Workflow, after: Workflow) -> bool:
        """Whether a trial could tell the two apart."""
        return self._seen(before) != self._seen(after)

    def hides_part(self, part: str) -> bool:
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


LONGEST = 4_000
"""Characters of a workflow's text, some times what one takes that has every stage, route and knob."""

MENDS = 2
"""How often a draft with a fault goes back with what is wrong."""

_FAULT = 400
_FILE = "workflow.toml"
_FENCED = re.compile(r"```[a-z]*\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class ValidDraft:
    """A workflow that passed the check.

    Attributes:
        why: One sentence of whoever wrote it; "" where it may not be repeated.
    """

    workflow: Workflow
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class DraftSpace:
    """What a draft may differ in from its parent.

    Attributes:
        taken: Digests of workflows that were tried, each with what came of it.
    """

    parent: Workflow
    scope: SearchScope = field(default_factory=SearchScope)
    taken: Mapping[str, str] = field(default_factory=dict)

    @property
    def allowed_stages(self) -> tuple[str, ...]:
        """Stages that a draft may have: what has an effect outside the episode is a person's choice."""
        offered = [kind.name for kind in KINDS if (kind.mandatory or not kind.effect) and self._serves(kind.policies)]
        return tuple(dict.fromkeys((*offered, *self.parent.stages)))

    @property
    def allowed_knobs(self) -> tuple[str, ...]:
        """Knobs whose change a trial could show."""
        used = used_knobs(self.allowed_stages)
        return tuple(name for name in used if name not in BY_HAND and not self.scope.hides_part(f"knob:{name}"))

    def _serves(self, policies: frozenset[str]) -> bool:
        acting = self.scope.policy.partition(":")[0]
        return not policies or not acting or acting in policies

    def to_brief(self, **more: Any) -> WorkflowBrief:
        """The brief that lists what a draft may hold, filled in with the rest."""
        return WorkflowBrief(
            stages=stage_reference(self.allowed_stages),
            knobs=knob_reference(self.allowed_knobs),
            parent=self.parent.render(),
            **more,
        )

    def read(self, text: str) -> Workflow:
        """The workflow that a text is, with what is not its to change as the parent has it.

        Raises:
            WorkspaceError: It cannot be used, and the message says why.
        """
        # Models often put the fence of a code block around all of it.
        found = _FENCED.fullmatch(text.strip())
        text = found[1] if found else text
        if len(text) > LONGEST:
            raise WorkspaceError(f"it has {len(text):,} characters; {LONGEST:,} are allowed")
        self._check_names(text)
        written = parse_workflow(text, file=_FILE)
        kept: dict[str, Any] = {name: getattr(self.parent.knobs, name) for name in BY_HAND}
        settled = crossover(written.with_knobs(**kept), self.parent, self.scope.hides_part)
        if settled is None:
            fixed = [stage for stage in self.parent.stages if self.scope.hides_part(f"stage:{stage}")]
            raise WorkspaceError(
                f"keep {' and '.join(fixed) or 'every stage that asks a person'}, and a way to each stage"
            )
        workflow = self.scope.clamp_knobs(settled)
        if not self.scope.can_distinguish(self.scope.clamp_knobs(self.parent), workflow):
            raise WorkspaceError("it comes to the same as the workflow to improve on")
        if workflow.digest in self.taken:
            raise WorkspaceError(f"it was tried before: {self.taken[workflow.digest]}")
        return workflow

    def _check_names(self, text: str) -> None:
        """Before anything is looked up by them: what a package offers is loaded when its name is asked for."""
        try:
            raw = parse_toml(text, _FILE)
        except UsageError as error:
            raise WorkspaceError(str(error)) from error
        for key in ("stages", "routes"):
            named = raw.get(key)
            strange = (
                [name for name in named if name not in self.allowed_stages] if isinstance(named, list | dict) else []
            )
            if strange:
                raise WorkspaceError(
                    f"{key}: {strange[0]!r} may not stand here; these may: {', '.join(self.allowed_stages)}"
                )


@dataclass(frozen=True, kw_only=True)
class Drafter:
    """Has workflows written, and screens what was written.

    Attributes:
        designer: Who writes.
        guard: Digests of the tasks of every split.
    """

    designer: WorkflowWriter
    guard: LeakGuard = field(default_factory=LeakGuard)

    def draft_workflow(self, brief: WorkflowBrief, room: DraftSpace, *, seed: int) -> ValidDraft | None:
        """A workflow that passes the check; None where none came, also after faults were told."""
        for mend in range(MENDS + 1):
            design = self.designer.design(brief, seed=seed + mend)
            if not design.workflow.strip():
                return None
            try:
                workflow = room.read(design.workflow)
                leak = self.guard.leak_in(workflow.render())
                if not leak:
                    may_say = not (unsafe_reason(design.why) or self.guard.leak_in(design.why))
                    return ValidDraft(workflow=workflow, why=design.why if may_say else "")
                fault = leak
            except WorkspaceError as error:
                fault = str(error)
            brief = replace(brief, faults=(*brief.faults, (design.workflow, fault[:_FAULT])))
        return None
