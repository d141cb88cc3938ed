"""The request of a call: its address, headers and body. No value leaves the place that its parameter has."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlencode

from evolve.core.episodes import Json
from evolve.runtime.functions import CallFailed
from evolve_tools.openapi.operations import PLACE, Operation, Parameter

_HEADER_VALUE = re.compile(r"[\x20-\x7e]*\Z")
_SEGMENTS = re.compile(r"[/\\]")
_CUT_OFF = re.compile(r"[;\0]")
"""Servers of Java take away what follows ``;`` before they look for the folder above, those of C what follows zero."""

_DECODED = 3
"""How often a server might decode a path before it looks for the folder above."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is sent."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


def request_of(operation: Operation, base: str, arguments: Mapping[str, Json]) -> Request:
    """The request of a call.

    Args:
        base: The address that the person approved; what the operation says comes after it.

    Raises:
        CallFailed: An argument would lead elsewhere, or cannot be sent where it belongs.
    """
    given = {one: arguments[one.key] for one in operation.parameters if arguments.get(one.key) is not None}
    query = [pair for one, value in given.items() if one.place == "query" for pair in _pairs(one, value)]
    headers = {one.name: _header(one, value) for one, value in given.items() if one.place == "header"}
    body = None
    if operation.body and operation.body in arguments:
        body = json.dumps(arguments[operation.body]).encode("ascii")
        headers["Content-Type"] = operation.media
    url = base.rstrip("/") + _path(operation, given)
    return Request(
        method=operation.method,
        url=f"{url}?{urlencode(query, quote_via=quote)}" if query else url,
        headers=headers,
        body=body,
    )


def _path(operation: Operation, given: Mapping[Parameter, Json]) -> str:
    texts = {one.name: (one, _joined(one, value)) for one, value in given.items() if one.place == "path"}

    def put(match: re.Match[str]) -> str:
        one, text = texts.get(match[1], (None, ""))
        if one is None or not text:
            raise CallFailed(f"{match[1][:80]} is empty, which no part of a path can be")
        return quote(text, safe="")

    path = decoded = PLACE.sub(put, operation.path)
    for _ in range(_DECODED):
        decoded = unquote(decoded)
        if {".", ".."} & {_CUT_OFF.split(part)[0].strip() for part in _SEGMENTS.split(decoded)}:
            raise CallFailed(f"{', '.join(texts)[:80]} would lead to another path")
    return path


def _pairs(parameter: Parameter, value: Json) -> list[tuple[str, str]]:
    if isinstance(value, list) and parameter.explode:
        return [(parameter.name, _text(parameter, one)) for one in value]
    return [(parameter.name, _joined(parameter, value))]


def _header(parameter: Parameter, value: Json) -> str:
    text = _joined(parameter, value)
    if not _HEADER_VALUE.match(text):
        raise CallFailed(f"{parameter.key} has signs that no header can hold")
    return text


def _joined(parameter: Parameter, value: Json) -> str:
    return ",".join(_text(parameter, one) for one in value) if isinstance(value, list) else _text(parameter, value)


def _text(parameter: Parameter, value: Json) -> str:
    if isinstance(value, (dict, list)):
        raise CallFailed(f"{parameter.key} holds an object, which only a body can")
    return value if isinstance(value, str) else json.dumps(value)
