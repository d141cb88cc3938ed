"""The operations of an OpenAPI file: what each takes, and where in the request each of its parameters goes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, cast

from evolve.core.episodes import Json
from evolve.core.files import canonical_json
from evolve.runtime.functions import UNKNOWN, Effect, is_name
from evolve.runtime.functions.servers import ListedTool
from evolve_tools.openapi.document import Document, Unusable
from evolve_tools.openapi.schemas import Schemas

SAFE = frozenset(("GET", "HEAD"))
"""Methods that change nothing where a service keeps to HTTP (RFC 9110, 9.2.1)."""

PLACE = re.compile(r"\{([^{}/]+)\}")
_METHODS = ("get", "head", "put", "post", "delete", "patch")
_PATH = re.compile(r"/[\x21-\x7e]*\Z")
_NO_PATH = re.compile(r"[?#\\]|%(?![0-9A-Fa-f]{2})")
_HEADER = re.compile(r"[A-Za-z0-9_-]{1,80}\Z")
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json\s*(?:;.*)?\Z", re.ASCII)
_OTHER_SIGNS = re.compile(r"[^A-Za-z0-9]+")
_LONGEST_TEXT = 3000
_OWN_HEADERS = frozenset(
    {
        *(
            "accept",
            "accept-encoding",
            "authorization",
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
        ),
        *(
            "cookie",
            "expect",
            "forwarded",
            "host",
            "keep-alive",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "via",
        ),
        *("x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url"),
    }
)
"""What is not a parameter's to set, whatever the file says; of three of them OpenAPI says so itself."""

In = Literal["path", "query", "header"]


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter outside of the body.

    Attributes:
        key: As code calls it.
        name: As the service does.
        explode: Several values are several parameters, instead of one with commas.
    """

    key: str
    name: str
    place: In
    required: bool
    explode: bool


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation.

    Attributes:
        path: With ``{name}`` where parameters of the path go.
        body: As code calls what is sent as JSON; "" where nothing is.
        media: The type that it is sent as.
    """

    method: str
    path: str
    parameters: tuple[Parameter, ...]
    body: str = ""
    media: str = ""

    @property
    def told(self) -> str:
        """All that decides what a request looks like. It is pinned with the function, so that no edit goes unseen."""
        parts = [[one.key, one.name, one.place, one.explode] for one in self.parameters]
        return canonical_json([self.method, self.path, parts, self.body, self.media])


def operations(document: Document, headers: Mapping[str, str]) -> Iterator[tuple[ListedTool, Operation | None]]:
    """Every operation in the order of the file; None beside one that cannot be called, as beside a path that cannot be
    followed.

    Args:
        headers: What is sent with every request, which no parameter changes.
    """
    schemas, kept = Schemas(document), frozenset(map(_folded, headers))
    for path, item in document.paths.items():
        try:
            around = document.followed(item)
        except Unusable as unusable:
            nothing: dict[str, Json] = {"type": "object", "properties": {}}
            yield ListedTool(name=path, description="", parameters=nothing, why=str(unusable)), None
            continue
        for method in _METHODS:
            if method in around:
                yield _Reading(document, schemas, kept).read(path, method, around)


class _Reading:
    """Reads one operation."""

    def __init__(self, document: Document, schemas: Schemas, kept: frozenset[str]) -> None:
        self._document, self._schemas, self._kept = document, schemas, kept
        self._properties: dict[str, Any] = {}
        self._required: list[str] = []

    def read(self, path: str, method: str, around: Mapping[str, Any]) -> tuple[ListedTool, Operation | None]:
        told = around[method] if isinstance(around[method], dict) else {}
        name = told.get("operationId")
        if not isinstance(name, str) or not name:
            name = f"{method}{_OTHER_SIGNS.sub('_', path)}".rstrip("_")
        lead = f"{method.upper()} {path}"
        words = [told.get("summary"), told.get("description")]
        text = "\n".join([lead[:_LONGEST_TEXT], *(word[:_LONGEST_TEXT] for word in words if isinstance(word, str))])
        effects = frozenset[Effect](("reads", "sends")) if method.upper() in SAFE else UNKNOWN
        why, operation, schema = "", None, cast("dict[str, Json]", {"type": "object", "properties": {}})
        try:
            operation = self._operation(path, method, around)
            schema = self._schemas.object_of(self._properties, self._required)
            schema["$comment"] = operation.told
        except Unusable as unusable:
            why, operation = str(unusable), None
        listed = ListedTool(name=name, description=text, parameters=schema, effects=effects, why=why)
        return listed, operation

    def _operation(self, path: str, method: str, around: Mapping[str, Any]) -> Operation:
        if not _PATH.match(path) or _NO_PATH.search(path) or {".", ".."} & set(path.split("/")):
            raise Unusable("its path is none")
        told = self._document.followed(around[method])
        parameters = tuple(filter(None, map(self._parameter, self._described(around, told))))
        places = PLACE.findall(path)
        if sorted(places) != sorted(one.name for one in parameters if one.place == "path"):
            raise Unusable("the parameters of its path are not those that are described")
        body, media = self._body(told) if "requestBody" in told and method.upper() not in SAFE else ("", "")
        return Operation(method=method.upper(), path=path, parameters=parameters, body=body, media=media)

    def _described(self, around: Mapping[str, Any], told: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What is said of parameters; what the operation says goes before what its path says."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for listed in (around.get("parameters", ()), told.get("parameters", ())):
            if not isinstance(listed, (list, tuple)):
                raise Unusable("its parameters are no list")
            for one in listed:
                parameter = self._document.followed(one)
                found[str(parameter.get("in")), str(parameter.get("name"))] = parameter
        return list(found.values())

    def _parameter(self, told: Mapping[str, Any]) -> Parameter | None:
        """How it is sent; None where it is left out."""
        name, place, required = str(told.get("name", "")), told.get("in"), told.get("required") is True
        header = _folded(name)
        if place == "header" and (header in _OWN_HEADERS | self._kept or header.startswith(("proxy-", "x-forwarded-"))):
            return None
        style = told.get("style", "form" if place == "query" else "simple")
        if place not in ("path", "query", "header") or "schema" not in told or style not in ("form", "simple"):
            if required:
                raise Unusable(f"it needs {name[:80]!r}, which is sent in a way that is not supported")
            return None
        if not name.isprintable() or (place == "header" and not _HEADER.match(name)):
            raise Unusable(f"{name[:80]!r} cannot be the name of a {place} parameter")
        key = self._key(name)
        self._properties[key] = self._said(told)
        self._required += [key] if required or place == "path" else []
        explode = told.get("explode", style == "form") is True
        return Parameter(key=key, name=name, place=cast(In, place), required=required, explode=explode)

    def _said(self, told: Mapping[str, Any]) -> Any:
        """Its schema, with what the parameter itself says that it is."""
        schema, text = told["schema"], told.get("description")
        if not isinstance(schema, dict) or not isinstance(text, str) or "description" in schema:
            return schema
        return {**schema, "description": text}

    def _body(self, told: Mapping[str, Any]) -> tuple[str, str]:
        body = self._document.followed(told["requestBody"])
        content = body.get("content")
        types = content if isinstance(content, dict) else {}
        media = next((name for name in types if _JSON.match(name) and name.isprintable()), None)
        if media is None:
            if body.get("required") is True:
                raise Unusable("it is sent what is no JSON")
            return "", ""
        described = types[media]
        key = self._key("body")
        self._properties[key] = described.get("schema", {}) if isinstance(described, dict) else {}
        self._required += [key] if body.get("required") is True else []
        return key, media

    def _key(self, name: str) -> str:
        """A name that code can say, which no other parameter of the operation has."""
        plain = _OTHER_SIGNS.sub("_", name).strip("_")[:60]
        tries = (plain, f"{plain}_", f"p_{plain}", *(f"{plain or 'p'}_{number}" for number in range(2, 10)))
        rest = (f"p_{number}" for number in count(2))
        taken = self._properties
        return next(one for several in (tries, rest) for one in several if is_name(one) and one not in taken)


def _folded(header: str) -> str:
    """What a service may take a header for: CGI and WSGI make one variable of ``X-Key`` and ``x_key``."""
    return header.lower().replace("_", "-")
