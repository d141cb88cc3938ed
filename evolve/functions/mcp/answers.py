"""What a server answered, as a value; the types of the protocol stay behind this and the connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evolve.episodes import Json
from evolve.functions.function import CallFailed
from evolve.functions.servers.bounds import in_short
from evolve.functions.servers.offers import Listed

if TYPE_CHECKING:
    from mcp.types import CallToolResult, InputRequiredResult, Tool

_HINTS = ("read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint")


def value_of(name: str, result: CallToolResult | InputRequiredResult) -> Json:
    """The value of a call: structured content where there is some, else the text.

    Raises:
        CallFailed: The tool says that it failed, asks for something in turn, or gave what is neither.
    """
    from mcp.types import CallToolResult, TextContent

    if not isinstance(result, CallToolResult):
        wanted = ", ".join(sorted({_asked_for(request) for request in (result.input_requests or {}).values()}))
        raise CallFailed(f"{name} asks for {wanted or 'another round'}, and is given none", doubtful=True)
    texts = [part.text for part in result.content if isinstance(part, TextContent)]
    if result.is_error:
        raise CallFailed(f"{name}: {in_short(' '.join(texts)) or 'it failed'}")
    if "structured_content" in result.model_fields_set and result.structured_content is not None:
        value: Json = result.structured_content
        return value
    others = sorted({part.type for part in result.content if not isinstance(part, TextContent)})
    if others:
        raise CallFailed(f"{name} was done and gave {', '.join(others)}, of which code gets nothing")
    return "\n".join(texts)


def listed_of(tools: Sequence[Tool]) -> Sequence[Listed]:
    """Tools as values."""
    return [
        Listed(
            name=tool.name,
            description=tool.description or "",
            parameters={"properties": {}, **tool.input_schema},
            hints=_hints(tool),
            returns=tool.output_schema or {},
        )
        for tool in tools
    ]


def _hints(tool: Tool) -> Mapping[str, bool]:
    said = {name: getattr(tool.annotations, name, None) for name in _HINTS}
    return {name.removesuffix("_hint"): bool(value) for name, value in said.items() if value is not None}


def _asked_for(request: object) -> str:
    method = str(getattr(request, "method", ""))
    return {"sampling/createMessage": "a model's reply", "roots/list": "folders"}.get(method, "a person's input")
