"""A workflow as a value: read from TOML, checked, identified by its digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from evolve.agent.workflow.checks import check_knobs, check_order, check_reachable
from evolve.agent.workflow.knobs import BY_HAND, Knobs, used_knobs
from evolve.agent.workflow.stages import MAIN_STAGES, OUTCOME, stage_kind
from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import canonical_json, digest, parse_toml

Condition = Literal["always", "again", "stop", "doubtful", "agree"]


@dataclass(frozen=True, kw_only=True)
class Edge:
    """One way from a stage to the next.

    Attributes:
        condition: ``again`` when the last action did not succeed and limits allow another, ``stop`` when it did or
            they do not; ``doubtful`` when the stage found a reason against the answer, ``agree`` when it found none;
            ``always`` where there is no choice.
    """

    source: str
    target: str
    condition: Condition = "always"


@dataclass(frozen=True, kw_only=True)
class Workflow:
    """A checked order of stages.

    One that passes the check always compiles and always ends: every way back leads to ``act`` or before it and is
    taken only while fewer than ``steps`` actions were chosen.

    Attributes:
        stages: The stages in use, in order; the first is the start, the last is ``commit``.
        routes: Per routed stage its target for each of its conditions.
        knobs: The numbers.
    """

    stages: tuple[str, ...] = MAIN_STAGES
    routes: Mapping[str, Mapping[str, str]] = field(
        default_factory=lambda: {"judge": {"again": "act", "stop": "reflect"}}
    )
    knobs: Knobs = field(default_factory=Knobs)

    def __post_init__(self) -> None:
        check_order(self.stages, self.routes)
        check_reachable(self.stages, [(edge.source, edge.target) for edge in self.edges])
        check_knobs(self.knobs, self.stages)

    @property
    def start(self) -> str:
        """The first stage."""
        return self.stages[0]

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Every edge, in stage order; the last stage has none."""
        edges: list[Edge] = []
        for stage, following in zip(self.stages, self.stages[1:], strict=False):
            if stage in self.routes:
                for condition in conditions_of(stage):
                    target = self.routes[stage][condition]
                    edges.append(Edge(source=stage, target=target, condition=condition))
            else:
                edges.append(Edge(source=stage, target=following))
        return tuple(edges)

    @property
    def digest(self) -> str:
        """SHA-256 of the content; comments, key order and layout of the file do not count."""
        return digest(canonical_json(self.as_json()))

    def as_json(self) -> dict[str, Any]:
        """The workflow as one JSON object, the form its digest is taken from."""
        routes = {stage: dict(targets) for stage, targets in self.routes.items()}
        return {"stages": list(self.stages), "routes": routes, "knobs": self.effective_knobs()}

    def effective_knobs(self) -> dict[str, int | float]:
        """The knobs that count with these stages, by name."""
        by_hand = [name for name in BY_HAND if getattr(self.knobs, name) != getattr(Knobs, name)]
        return {name: getattr(self.knobs, name) for name in (*used_knobs(self.stages), *by_hand)}

    def with_ask_stage(self) -> Workflow:
        """The same with the stage ``ask`` after ``act``, for an episode in which a person may be asked."""
        if "ask" in self.stages:
            return self
        place = self.stages.index("act") + 1
        return replace(self, stages=(*self.stages[:place], "ask", *self.stages[place:]))

    def with_room(self, steps: int, tokens: int = 0) -> Workflow:
        """The workflow with room for that many actions and tokens at least."""
        if steps <= self.knobs.steps and tokens <= self.knobs.tokens:
            return self
        return self.with_knobs(steps=max(steps, self.knobs.steps), tokens=max(tokens, self.knobs.tokens))

    def with_knobs(self, **changes: Any) -> Workflow:
        """The same stages with other numbers, checked again."""
        return replace(self, knobs=replace(self.knobs, **changes))

    def render(self) -> str:
        """TOML that :func:`parse_workflow` reads back as an equal workflow."""
        lines = ["stages = [" + ", ".join(f'"{stage}"' for stage in self.stages) + "]"]
        for stage in sorted(self.routes):
            name = stage if stage.isidentifier() else f'"{stage}"'
            targets = self.routes[stage]
            lines += [
                "",
                f"[routes.{name}]",
                *(f'{condition} = "{targets[condition]}"' for condition in conditions_of(stage)),
            ]
        lines += ["", "[knobs]", *(f"{name} = {value!r}" for name, value in self.effective_knobs().items())]
        return "\n".join(lines) + "\n"


def conditions_of(stage: str) -> tuple[Condition, ...]:
    """What a stage may decide, the way back first."""
    kind = stage_kind(stage)
    return kind.conditions if kind is not None else ()  # type: ignore[return-value]


def parse_workflow(text: str, *, file: str = "workflow.toml") -> Workflow:
    """Reads and checks a workflow.

    Args:
        text: TOML with ``stages`` and optional tables ``routes`` and ``knobs``.
        file: Its name in messages.

    Raises:
        WorkspaceError: Naming the file and the key that is wrong.
    """
    hint = "evolve lab workflow show seed prints one that works"
    try:
        raw = parse_toml(text, file)
    except UsageError as error:
        raise WorkspaceError(str(error), hint=hint) from error
    try:
        unknown = sorted(set(raw) - {"stages", "routes", "knobs"})
        if unknown:
            raise WorkspaceError(f"unknown key {unknown[0]!r}")
        return Workflow(
            stages=_stages(raw.get("stages")), routes=_routes(raw.get("routes", {})), knobs=_knobs(raw.get("knobs", {}))
        )
    except WorkspaceError as error:
        raise WorkspaceError(f"{file}: {error}", hint=error.hint or hint) from error


def _stages(raw: object) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
        raise WorkspaceError("stages: expected a list of stage names")
    return tuple(raw)


def _routes(raw: object) -> dict[str, dict[str, str]]:
    if not isinstance(raw, dict):
        raise WorkspaceError("routes: expected a table per stage")
    for stage, targets in raw.items():
        if not isinstance(targets, dict) or not all(isinstance(item, str) for item in targets.values()):
            keys = " and ".join(map(repr, conditions_of(stage) or OUTCOME))
            raise WorkspaceError(f"routes.{stage}: expected the keys {keys} with stage names")
    return raw


def _knobs(raw: object) -> Knobs:
    if not isinstance(raw, dict):
        raise WorkspaceError("knobs: expected a table")
    # ``item.type`` is a string here, as every annotation in a module that postpones their evaluation.
    known: dict[str, Any] = {item.name: item.type for item in fields(Knobs)}
    unknown = sorted(set(raw) - set(known))
    if unknown:
        raise WorkspaceError(f"knobs.{unknown[0]}: unknown; known are {', '.join(known)}")
    # 20 and 20.0 are the same number to whoever writes the file, so they get the same digest.
    # One that no float can hold stays whole, and is refused for its bounds.
    numbers: dict[str, Any] = {
        name: float(value) if known[name] == "float" and type(value) is int and abs(value) < 2**53 else value
        for name, value in raw.items()
    }
    return Knobs(**numbers)
