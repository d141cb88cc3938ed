"""An OpenAPI file as read: bounded, without aliases, and with references to itself alone."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from evolve.core.episodes import Json
from evolve.runtime.functions import CallFailed

_LARGEST = 32 << 20
_MOST_HOPS = 20
_DEEPEST = 200
_MOST_STEPS = 2_000_000
"""What is looked at in one file: a part that is referred to counts each time, so a small file can describe much."""


class Unusable(Exception):
    """Why an operation cannot be called, in a phrase."""


class Document:
    """One file.

    Args:
        file: JSON or, by its ending, YAML.

    Raises:
        CallFailed: It cannot be read, or is no OpenAPI file of version 3.
    """

    def __init__(self, file: Path) -> None:
        root = _read(file)
        if not isinstance(root, dict) or not str(root.get("openapi", "")).startswith("3."):
            raise CallFailed(f"{file.name} is no OpenAPI file of version 3")
        self._root: dict[str, Any] = root
        self._steps = 0

    @property
    def paths(self) -> Mapping[str, Any]:
        """What it says of each path; an empty one where it says nothing that can be understood."""
        paths = self._root.get("paths")
        return paths if isinstance(paths, dict) else {}

    def pay(self, steps: int) -> None:
        """Counts what is looked at.

        Raises:
            Unusable: It is too much for one file.
        """
        self._steps += steps
        if self._steps > _MOST_STEPS:
            raise Unusable("the file describes more than is looked at")

    def at(self, reference: object) -> Any:
        """What a reference such as ``#/components/schemas/Pet`` leads to.

        Raises:
            Unusable: It leads out of the file, or nowhere.
        """
        if not isinstance(reference, str) or not reference.startswith("#/"):
            raise Unusable("it refers to what is not in the file")
        place: Any = self._root
        for part in reference[2:].split("/"):
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(place, dict) and key in place:
                place = place[key]
            elif isinstance(place, list) and key.isdecimal() and len(key) < 10 and int(key) < len(place):
                place = place[int(key)]
            else:
                raise Unusable("it refers to what is not there")
        return place

    def followed(self, value: Any) -> dict[str, Any]:
        """An object, or the one that it refers to.

        Raises:
            Unusable: References go round, lead nowhere, or to something else.
        """
        for _ in range(_MOST_HOPS):
            self.pay(1)
            if not isinstance(value, dict):
                raise Unusable("a part of its description is no object")
            if "$ref" not in value:
                return value
            value = self.at(value["$ref"])
        raise Unusable("it refers in a circle")


def _read(file: Path) -> Json:
    try:
        # a pipe would keep the reader waiting
        with open(file, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise CallFailed(f"{file.name} cannot be read: it is no file")
            content = stream.read(_LARGEST + 1)
    except OSError as error:
        raise CallFailed(f"{file.name} cannot be read: {error.strerror}") from error
    if len(content) > _LARGEST:
        raise CallFailed(f"{file.name} is larger than {_LARGEST >> 20} MiB")
    try:
        if file.suffix in (".yaml", ".yml"):
            return _of_yaml(content)
        value: Json = json.loads(content)
        return value
    except (ValueError, RecursionError) as error:
        raise CallFailed(f"{file.name} is neither JSON nor YAML") from error


def _of_yaml(content: bytes) -> Json:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_events(yaml.parse(content, Loader=loader))
        value: Json = json.loads(json.dumps(yaml.load(content, Loader=loader), default=str))
    except (yaml.YAMLError, TypeError) as error:
        raise ValueError("no YAML") from error
    return value


def _check_events(events: Iterable[Any]) -> None:
    """Refuses what harms whoever builds values of it: a few aliases describe more than any memory holds, and the
    library goes as deep as the text does, and over the end of the stack."""
    depth = 0
    for event in events:
        kind = type(event).__name__
        depth += kind in ("MappingStartEvent", "SequenceStartEvent")
        depth -= kind in ("MappingEndEvent", "SequenceEndEvent")
        if kind == "AliasEvent" or depth > _DEEPEST:
            raise ValueError("aliases, or too deep")
