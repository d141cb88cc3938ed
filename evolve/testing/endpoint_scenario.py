"""The script of an endpoint, and how it is read from a JSON file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from evolve.errors import TaskError
from evolve.files import read_text
from evolve.testing.endpoint_faults import FAULTS, bad_bodies, odd_bodies

_STEP_KEYS = {"text", "data", "bad", "odd", "fault", "status", "retry_after", "code", "message", "every", "finish"}
_STEP_KEYS |= {"refusal", "usage"}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """The script of an endpoint.

    Attributes:
        replies: One step for each request for a completion, in order. A step is a text, or an object with one of
            ``text``, ``data`` (sent as JSON text), ``refusal``, ``bad`` and ``odd`` (see
            :mod:`evolve.testing.endpoint_faults`), ``fault`` (one of ``FAULTS``; ``every`` seconds between bytes)
            or ``status`` (with ``retry_after``, ``code``, ``message``); ``finish`` and ``usage`` replace those of a
            sound reply.
        supports: Of ``json_schema``, ``json_object``, ``stream``, ``usage`` (in streams), ``chat``, ``responses``.
        refuses: Parameters that get HTTP 400.
        context: Most bytes of a prompt and tokens of its reply together; 0 for no bound.
        models: Names it lists.
        key: The only key it takes, or "" for any.
        cached: Tokens of each prompt that it says it had in its cache; 0 says nothing of a cache.
    """

    replies: Sequence[Any] = ()
    supports: Sequence[str] = ("json_schema", "json_object", "stream", "usage", "chat")
    refuses: Sequence[str] = ()
    context: int = 0
    models: Sequence[str] = ("scripted",)
    key: str = ""
    cached: int = 0


def load_scenario(path: Path) -> Scenario:
    """Reads a scenario file.

    Raises:
        TaskError: The file is not such a scenario; names the field.
    """
    try:
        whole = json.loads(read_text(path))
    except ValueError as error:
        raise TaskError(f"not valid JSON: {error}", file=str(path)) from error
    names = {item.name for item in fields(Scenario)}
    if not isinstance(whole, dict) or not whole.keys() <= names:
        raise TaskError(f"expected an object with some of {', '.join(sorted(names))}", file=str(path))
    for place, step in enumerate(whole.get("replies", ())):
        fault = step_fault(step)
        if fault:
            raise TaskError(fault, file=str(path), field=f"replies[{place}]")
    return Scenario(**whole)


def step_fault(step: Any) -> str:
    """What is wrong with a step of a script, or ""."""
    if isinstance(step, str):
        return ""
    if not isinstance(step, dict) or not step.keys() <= _STEP_KEYS:
        return f"expected a text, or an object with some of {', '.join(sorted(_STEP_KEYS))}"
    if "fault" in step and step["fault"] not in FAULTS:
        return f"no fault {step['fault']!r}; faults are {', '.join(FAULTS)}"
    if "bad" in step and step["bad"] not in bad_bodies():
        return f"no bad body {step['bad']!r}; known are {', '.join(bad_bodies())}"
    if "odd" in step and step["odd"] not in odd_bodies():
        return f"no odd body {step['odd']!r}; known are {', '.join(odd_bodies())}"
    return ""
