"""The order of an episode's stages as data: typed stages, routes, conditions and knobs.

A workflow that passes the check always compiles and always ends; :func:`visit_bounds` says after how many stages.
"""

from evolve.lazy import TYPE_CHECKING, attach

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
        UNATTENDED,
        StageKind,
        kind_of,
        places_of,
        skill_of,
    )
else:
    __getattr__, __dir__ = attach(__name__)
