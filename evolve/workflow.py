"""The order of an episode's stages as data: read from TOML, checked, identified by digest.

A workflow that passes the check always compiles and always terminates: every way back passes a route
named ``again``, and the number of action cycles is bounded by the knob ``steps``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from evolve.errors import WorkspaceError
from evolve.files import canonical_json, digest

STAGES = ("recall", "plan", "act", "ask", "observe", "judge", "reflect", "distill", "commit")
"""Every stage there is, in the only order they may stand in."""

UNATTENDED = tuple(stage for stage in STAGES if stage != "ask")
"""The stages of an episode that nobody follows; the default."""

MANDATORY = frozenset({"plan", "act", "observe", "judge", "commit"})
ROUTED = frozenset({"observe", "judge"})
"""Stages after which an episode can turn back or leave early."""

Condition = Literal["always", "again", "stop"]


@dataclass(frozen=True, kw_only=True)
class Edge:
    """One way from a stage to the next.

    Attributes:
        condition: ``again`` when the last action did not succeed and limits allow another,
            ``stop`` when it did or they do not, ``always`` where there is no choice.
    """

    source: str
    target: str
    condition: Condition = "always"


@dataclass(frozen=True, kw_only=True)
class Knobs:
    """Numbers that a workflow proposal may turn; each has bounds in :data:`KNOB_BOUNDS`."""

    steps: int = 6
    """Most action cycles of one episode."""
    submissions: int = 3
    """Most answers put to the verifier on ``train`` tasks; elsewhere it is always one."""
    candidates: int = 50_000
    """Most expressions of one episode."""
    seconds: float = 20.0
    """Most CPU seconds the policy may use in one episode."""
    samples: int = 1
    """Answers that a model gives to one question; the best by the examples, else by agreement, is the step's."""
    tokens: int = 100_000
    """Most tokens of language models in one episode."""
    recall_k: int = 24
    """Items recalled at the start."""
    branches: int = 1
    """Most actions tried from one state of a folder before the search takes another; 1 never goes back."""
    withhold: float = 0.1
    """Share of recalled items left out at random, so that their use can be measured."""


KNOB_BOUNDS: Mapping[str, tuple[float, float]] = {
    "steps": (1, 200),
    "submissions": (1, 3),
    "candidates": (1, 100_000_000),
    "seconds": (0.1, 86_400.0),
    "samples": (1, 16),
    "tokens": (1_000, 100_000_000),
    "recall_k": (0, 100),
    "branches": (1, 16),
    "withhold": (0.0, 0.5),
}


@dataclass(frozen=True, kw_only=True)
class Workflow:
    """A checked order of stages.

    Attributes:
        stages: The stages in use, in order; the first is the start, the last is ``commit``.
        routes: Per routed stage its targets for ``again`` and ``stop``.
        knobs: The numbers.
    """

    stages: tuple[str, ...] = UNATTENDED
    routes: Mapping[str, Mapping[str, str]] = field(
        default_factory=lambda: {"judge": {"again": "act", "stop": "reflect"}}
    )
    knobs: Knobs = field(default_factory=Knobs)

    def __post_init__(self) -> None:
        validate(self)

    @property
    def start(self) -> str:
        """The first stage."""
        return self.stages[0]

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Every edge, in stage order; the last stage has none."""
        found: list[Edge] = []
        for stage, following in zip(self.stages, self.stages[1:], strict=False):
            if stage in self.routes:
                targets = self.routes[stage]
                found.append(Edge(source=stage, target=targets["again"], condition="again"))
                found.append(Edge(source=stage, target=targets["stop"], condition="stop"))
            else:
                found.append(Edge(source=stage, target=following))
        return tuple(found)

    @property
    def digest(self) -> str:
        """SHA-256 of the content; comments, key order and layout of the file do not count."""
        return digest(canonical_json(self.as_json()))

    def as_json(self) -> dict[str, Any]:
        """The workflow as one JSON object, the form its digest is taken from."""
        routes = {stage: dict(targets) for stage, targets in self.routes.items()}
        return {"stages": list(self.stages), "routes": routes, "knobs": asdict(self.knobs)}

    def attended(self) -> Workflow:
        """The same with the stage ``ask`` after ``act``, for an episode in which a person may be asked."""
        if "ask" in self.stages:
            return self
        return replace(self, stages=tuple(stage for stage in STAGES if stage in (*self.stages, "ask")))

    def with_knobs(self, **changes: Any) -> Workflow:
        """The same stages with other numbers, checked again."""
        return replace(self, knobs=replace(self.knobs, **changes))

    def render(self) -> str:
        """TOML that :func:`parse_workflow` reads back as an equal workflow."""
        lines = ["stages = [" + ", ".join(f'"{stage}"' for stage in self.stages) + "]"]
        for stage in sorted(self.routes):
            targets = self.routes[stage]
            lines += ["", f"[routes.{stage}]", f'again = "{targets["again"]}"', f'stop = "{targets["stop"]}"']
        lines += ["", "[knobs]", *(f"{name} = {value!r}" for name, value in asdict(self.knobs).items())]
        return "\n".join(lines) + "\n"


def parse_workflow(text: str, *, file: str = "workflow.toml") -> Workflow:
    """Reads and checks a workflow.

    Args:
        text: TOML with ``stages`` and optional tables ``routes`` and ``knobs``.
        file: Its name in messages.

    Raises:
        WorkspaceError: Naming the file and the key that is wrong.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WorkspaceError(f"{file}: not valid TOML: {error}") from error
    try:
        unknown = sorted(set(raw) - {"stages", "routes", "knobs"})
        if unknown:
            raise WorkspaceError(f"unknown key {unknown[0]!r}")
        return Workflow(
            stages=_stages(raw.get("stages")), routes=_routes(raw.get("routes", {})), knobs=_knobs(raw.get("knobs", {}))
        )
    except WorkspaceError as error:
        raise WorkspaceError(f"{file}: {error}") from error


def validate(workflow: Workflow) -> None:
    """Checks that the workflow can be compiled, ends in ``commit`` and terminates.

    Raises:
        WorkspaceError: Naming the stage, route or knob that is wrong.
    """
    _check_stages(workflow.stages)
    for stage, targets in workflow.routes.items():
        _check_route(workflow.stages, stage, targets)
    _check_reachable(workflow)
    _check_knobs(workflow.knobs)


def _check_stages(stages: tuple[str, ...]) -> None:
    unknown = [stage for stage in stages if stage not in STAGES]
    if unknown:
        raise WorkspaceError(f"stages: unknown stage {unknown[0]!r}; known are {', '.join(STAGES)}")
    missing = [stage for stage in STAGES if stage in MANDATORY and stage not in stages]
    if missing:
        raise WorkspaceError(f"stages: {missing[0]!r} is missing")
    if list(stages) != [stage for stage in STAGES if stage in stages]:
        raise WorkspaceError(f"stages: the order must be {', '.join(STAGES)}, each at most once")


def _check_route(stages: tuple[str, ...], stage: str, targets: Mapping[str, str]) -> None:
    if stage not in ROUTED:
        raise WorkspaceError(f"routes.{stage}: only {', '.join(sorted(ROUTED))} can be routed")
    if set(targets) != {"again", "stop"}:
        raise WorkspaceError(f"routes.{stage}: needs exactly the keys 'again' and 'stop'")
    for condition, target in targets.items():
        if target not in stages:
            raise WorkspaceError(f"routes.{stage}.{condition}: {target!r} is not one of the stages")
    position = stages.index(stage)
    # A new cycle starts where an action is chosen: a way back to a later stage would repeat one for nothing.
    if stages.index(targets["again"]) > stages.index("act"):
        raise WorkspaceError(f"routes.{stage}.again: must lead back to 'act' or an earlier stage")
    if stages.index(targets["stop"]) <= position:
        raise WorkspaceError(f"routes.{stage}.stop: must lead forward")


def _check_reachable(workflow: Workflow) -> None:
    reached = {workflow.start}
    for stage in workflow.stages:  # forward edges only lead to later stages, so one pass is enough
        if stage in reached:
            reached.update(edge.target for edge in workflow.edges if edge.source == stage)
    lost = [stage for stage in workflow.stages if stage not in reached]
    if lost:
        raise WorkspaceError(f"stages: {lost[0]!r} is never reached")


def _check_knobs(knobs: Knobs) -> None:
    for item in fields(knobs):
        value, (low, high) = getattr(knobs, item.name), KNOB_BOUNDS[item.name]
        whole = isinstance(low, int)
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            raise WorkspaceError(
                f"knobs.{item.name}: expected {'a whole number' if whole else 'a number'}, got {value!r}"
            )
        if not low <= value <= high:
            raise WorkspaceError(f"knobs.{item.name}: {value!r} is not between {low} and {high}")


def _stages(raw: object) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
        raise WorkspaceError("stages: expected a list of stage names")
    return tuple(raw)


def _routes(raw: object) -> dict[str, dict[str, str]]:
    if not isinstance(raw, dict):
        raise WorkspaceError("routes: expected a table per stage")
    for stage, targets in raw.items():
        if not isinstance(targets, dict) or not all(isinstance(item, str) for item in targets.values()):
            raise WorkspaceError(f"routes.{stage}: expected the keys 'again' and 'stop' with stage names")
    return raw


def _knobs(raw: object) -> Knobs:
    if not isinstance(raw, dict):
        raise WorkspaceError("knobs: expected a table")
    known: dict[str, Any] = {item.name: item.type for item in fields(Knobs)}
    unknown = sorted(set(raw) - set(known))
    if unknown:
        raise WorkspaceError(f"knobs.{unknown[0]}: unknown; known are {', '.join(known)}")
    # 20 and 20.0 are the same number to whoever writes the file, so they get the same digest.
    given: dict[str, Any] = {
        name: float(value) if known[name] == "float" and type(value) is int else value for name, value in raw.items()
    }
    return Knobs(**given)
