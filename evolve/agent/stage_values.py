"""What stages of a package keep of an episode from step to step, beside what every stage sees.

In the state it is JSON text under the package and the name of the seam ``state``; so a checkpoint opens without the
package, and no other package finds it. It is checked against its class whenever it is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evolve.agent.answer_stages import change_answer, is_answer
from evolve.agent.context import EpisodeContext
from evolve.agent.state import AgentState, AgentUpdate, read_plan, read_steps
from evolve.agent.workflow import StageKind
from evolve.core.episodes import Action
from evolve.core.episodes.codec import to_json
from evolve.core.extensions import extension_error, find, installed_extensions

LONGEST = 1_000_000
"""Most characters of a value, as JSON: it is in every checkpoint of its episode."""


@dataclass(frozen=True, kw_only=True)
class _Left:
    # A key of the JSON in episodes' files, as the fields of every class given to ``outputs.compute_once`` are.
    action: Action
    value: str


def change_and_keep(state: AgentState, context: EpisodeContext, kind: StageKind) -> AgentUpdate:
    """Lets a stage change the last step's action, once, and the value that its package keeps.

    Raises:
        EnvironmentProblem: What the stage gave, or what was kept before, is something else.
    """
    steps, kept = read_steps(state), state.get("kept", {})
    if kind.work is None or not steps or not is_answer(steps[-1].action):
        return {}
    work, key = kind.work, f"{installed_extensions('stages').get(kind.name)}:{kind.keeps}"

    def compute() -> _Left:
        given = work(context, read_plan(state), steps, _read(kind.keeps, kept.get(key, "{}")))
        if not (isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], Action)):
            raise extension_error("stages", kind.name, f"gave {type(given).__name__} and no action with what it keeps")
        return _Left(action=given[0], value=_written(kind.keeps, given[1]))

    left = context.outputs.compute_once((steps[-1].number, kind.name, "left"), _Left, compute)
    return {**change_answer(state, context, kind.name, lambda *_: left.action), "kept": {**kept, key: left.value}}


def _read(name: str, text: str) -> Any:
    from pydantic import PydanticUserError, TypeAdapter, ValidationError

    form = find("state", name, type)
    if not getattr(getattr(form, "__dataclass_params__", None), "frozen", False):
        raise extension_error("state", name, "is no frozen dataclass")
    try:
        return TypeAdapter(form).validate_json(text, strict=True)
    except PydanticUserError as error:
        raise extension_error("state", name, f"has a field that is not read from JSON ({error.code})") from error
    except ValidationError as error:
        raise extension_error(
            "state", name, f"does not fit what an episode keeps ({error.errors()[0]['msg']})"
        ) from error


def _written(name: str, value: Any) -> str:
    try:
        text = to_json(value)
    except (TypeError, ValueError) as error:
        raise extension_error("state", name, f"is not JSON ({error})") from error
    if len(text) > LONGEST:
        raise extension_error("state", name, f"is too large: {len(text):,} characters as JSON, of {LONGEST:,}")
    if _read(name, text) != value:
        raise extension_error("state", name, f"is something else once it is read again than {type(value).__name__}")
    return text
