"""The order of an episode's stages as data: typed stages, routes, conditions and knobs.

A workflow that passes the check always compiles and always ends; :func:`visit_bounds` says after how many stages.
"""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.workflow.difference import Difference, differences
    from evolve.workflow.drawing import mermaid, svg
    from evolve.workflow.knobs import BY_HAND, KNOB_BOUNDS, Knobs, used_knobs
    from evolve.workflow.reference import misfits, visit_bounds
    from evolve.workflow.spec import Condition, Edge, Workflow, conditions_of, parse_workflow
    from evolve.workflow.stages import (
        KINDS,
        MANDATORY,
        PLACES,
        ROUTED,
        UNATTENDED,
        StageKind,
        kind_of,
        places_of,
        skill_of,
    )
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".difference": "Difference differences",
            ".drawing": "mermaid svg",
            ".knobs": "BY_HAND KNOB_BOUNDS Knobs used_knobs",
            ".reference": "misfits visit_bounds",
            ".spec": "Condition Edge Workflow conditions_of parse_workflow",
            ".stages": "KINDS MANDATORY PLACES ROUTED UNATTENDED StageKind kind_of places_of skill_of",
        },
    )
