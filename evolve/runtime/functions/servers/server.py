"""How a server of functions is started or reached: everything that a person sees before they approve it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any, Protocol, runtime_checkable
from urllib.parse import urlsplit

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.extensions import find
from evolve.core.files import canonical_json, digest
from evolve.core.redaction import KnownSecret, known_secrets
from evolve.runtime.functions.function import Effect

_NAME = re.compile(r"[a-z][a-z0-9]{0,19}\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_HEADER = re.compile(r"[A-Za-z0-9-]+\Z")
_AT_HOME = ("localhost", "127.0.0.1", "::1")
_MCP = "mcp"
"""The kind that is meant where none is said, and was before there were others: it counts in no digest."""

_SHORTEST_SECRET = 8
"""Characters; shorter values stand in answers by chance."""
_CREDENTIAL = re.compile("auth|cookie|credential|key|pass|secret|session|signature|token", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9-]*\s+\S")


@dataclass(frozen=True, kw_only=True)
class ServerSetting:
    """One text that servers of a kind have besides what every server has.

    Attributes:
        choices: What it may be, the default first; empty where it may be anything, and is empty by default.
        is_path: Whether it is a file or folder, by its whole path.
    """

    choices: tuple[str, ...] = ()
    is_path: bool = False

    @property
    def default(self) -> str:
        """What is meant where nothing is said."""
        return self.choices[0] if self.choices else ""

    def check(self, name: str, text: str) -> None:
        """Refuses what cannot be said of it.

        Raises:
            UsageError: Naming the setting, or what would be possible.
        """
        if self.choices and text not in self.choices:
            raise UsageError(f"{name} is {text[:80]!r}", hint=f"one of {', '.join(self.choices)}")
        if self.is_path and text and not _is_plain(text):
            raise UsageError(f"{text[:200]!r} is not a whole path")


@runtime_checkable
class ServerDescription(Protocol):
    """How servers of one kind are described."""

    @property
    def settings(self) -> Mapping[str, ServerSetting]:
        """What may be said of one besides, by names that no field of :class:`Server` has."""
        ...

    def check(self, server: Server) -> None:
        """Looks at a server that is sound as such.

        Raises:
            UsageError: None of this kind can be so; what goes on from its name.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Server:
    """One server. It is started here, in the sandbox, or reached at an address, or as its kind says.

    Attributes:
        name: Stands before each of its functions, so it has no ``_``: where a name ends and a function begins is plain.
        kind: The name of a :class:`~evolve.runtime.functions.servers.ServerKind`. One that nobody offers here is
            described all the same, unchecked, and is not started.
        command: The program, by its whole path, and its arguments.
        url: Where it is, instead; no other host is ever asked.
        variables: The environment of the program. A value ``$NAME`` is that of the person's variable at the start, so
            that no secret is kept or shown.
        headers: Sent with every request, with values of the same form.
        readable, writable: Folders and files that the program sees, by whole paths without links.
        network: Whether the program reaches the network.
        settings: What its kind lets be said besides, without what is so by default.

    Raises:
        UsageError: It cannot be started or reached so.
    """

    name: str
    kind: str = _MCP
    command: tuple[str, ...] = ()
    url: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    network: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise UsageError(
                f"{self.name[:80]!r} cannot be the name of a server", hint="up to 20 lowercase letters and digits"
            )
        if self.command and self.url:
            raise UsageError(f"server {self.name}: give either a command or a URL", hint="evolve tools add --help")
        if self.url:
            self._check_address()
        elif self.command:
            self._check_program()
        elif any(getattr(self, part) for part in ("variables", "headers", "readable", "writable", "network")):
            raise UsageError(f"server {self.name}: give either a command or a URL", hint="evolve tools add --help")
        self._check_kind()
        said = (*self.variables.values(), *self.headers.values(), *self.readable, *self.writable)
        texts = (*self.settings.values(), *self.command, *said)
        if bad := next((text for text in texts if not text.isprintable()), None):
            raise UsageError(f"server {self.name}: {bad[:80]!r} holds a control character")

    def _check_kind(self) -> None:
        kind: ServerDescription | None = find("functions", self.kind, ServerDescription)
        known = self.settings.keys() if kind is None else kind.settings.keys()
        if unknown := sorted(self.settings.keys() - (known - _EVERY)):
            hint = f"it has {', '.join(known)}" if known else "it has none"
            raise UsageError(f"server {self.name}: {self.kind} has no setting {unknown[0][:80]!r}", hint=hint)
        if kind is None:
            return
        said = {key: self.settings.get(key) or setting.default for key, setting in kind.settings.items()}
        try:
            for key, setting in kind.settings.items():
                setting.check(key, said[key])
            others = {key: text for key, text in said.items() if text != kind.settings[key].default}
            object.__setattr__(self, "settings", others)
            kind.check(self)
        except UsageError as error:
            raise UsageError(f"server {self.name}: {error}", hint=error.hint) from error

    def _check_program(self) -> None:
        if not os.path.isabs(self.command[0]):
            raise UsageError(
                f"server {self.name}: {self.command[0]!r} is not a whole path", hint="such as /usr/bin/npx"
            )
        if bad := next((name for name in self.variables if not _VARIABLE.match(name)), None):
            raise UsageError(f"server {self.name}: {bad[:80]!r} cannot be the name of a variable")
        if bad := next((path for path in (*self.readable, *self.writable) if not _is_plain(path)), None):
            raise UsageError(f"server {self.name}: {bad[:200]!r} is not a whole path without links, or the root")
        if self.headers:
            raise UsageError(f"server {self.name}: only a server with a URL is sent headers")

    def _check_address(self) -> None:
        try:
            parts = urlsplit(self.url)
            sound = bool(parts.hostname) and parts.port != 0 and not (parts.username or parts.password)
        except ValueError:
            sound = False
        if not sound or parts.scheme not in ("http", "https") or parts.fragment:
            raise UsageError(f"server {self.name}: {self.url[:200]!r} is not an address", hint="https://HOST/PATH")
        if parts.scheme == "http" and parts.hostname not in _AT_HOME:
            raise UsageError(f"server {self.name}: {self.url[:200]} is not encrypted", hint="use https://")
        if bad := next((name for name in self.headers if not _HEADER.match(name)), None):
            raise UsageError(f"server {self.name}: {bad[:80]!r} cannot be the name of a header")
        if self.variables or self.readable or self.writable or self.network:
            raise UsageError(f"server {self.name}: folders, variables and network are for a server with a command")

    @property
    def effects(self) -> frozenset[Effect]:
        """What is certain of its calls, whatever is said of them: arguments go to it, and it is elsewhere."""
        return frozenset({"sends"} if self.url or self.network else ())

    @cached_property
    def digest(self) -> str:
        """Changes with anything that was approved."""
        return digest(canonical_json(self._flat()))

    def to_json(self) -> dict[str, Any]:
        """As settings and approvals write it, without what is not set."""
        return {name: value for name, value in self._flat().items() if value and name != "name"}

    def _flat(self) -> dict[str, Any]:
        told = asdict(self)
        told |= told.pop("settings")
        return {name: value for name, value in told.items() if (name, value) != ("kind", _MCP)}


_EVERY = frozenset(item.name for item in fields(Server)) - {"settings"}
"""What every server has, so no kind has a setting of that name."""


def server_of(name: str, table: object, place: str) -> Server:
    """The server that a table of a file describes.

    Args:
        place: The file, for the message.

    Raises:
        WorkspaceError: Naming the key that is wrong.
    """
    from pydantic import TypeAdapter, ValidationError

    if not isinstance(table, dict):
        raise WorkspaceError(f"{place}: server {name}: expected a table")
    kind: ServerDescription | None = find("functions", str(table.get("kind", _MCP)), ServerDescription)
    known = _EVERY - {"name"} | set(table if kind is None else kind.settings)
    if unknown := sorted(table.keys() - known):
        raise WorkspaceError(
            f"{place}: server {name}: unknown key {unknown[0]!r}; known are {', '.join(sorted(known))}"
        )
    every = {key: table[key] for key in table.keys() & _EVERY}
    own = {key: table[key] for key in table.keys() - _EVERY}
    try:
        return TypeAdapter(Server).validate_python({**every, "name": name, "settings": own})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"])).removeprefix("settings.")
        raise WorkspaceError(f"{place}: server {name}: {key}: {first['msg']}") from error
    except UsageError as error:
        raise WorkspaceError(f"{place}: {error}", hint=error.hint) from error


def resolve_variables(values: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Variables or headers with the person's own values in place of ``$NAME``.

    Raises:
        UsageError: One of theirs is not set.
    """
    found = {}
    for name, value in values.items():
        if value.startswith("$") and _VARIABLE.match(value[1:]):
            if value[1:] not in environ:
                raise UsageError(f"the variable {value[1:]} is not set", hint=f"export {value[1:]}=...")
            value = environ[value[1:]]
        found[name] = value
    return found


def server_environment(server: Server, environ: Mapping[str, str]) -> tuple[KnownSecret, ...]:
    """What a server is given and could repeat: the person's own values by ``$NAME``, and credentials in headers."""
    given_to = (server.variables, server.headers, server.settings)
    named = {value[1:] for part in given_to for value in part.values() if value.startswith("$")}
    given = {environ[name]: f"the variable {name}" for name in sorted(named) if name in environ}
    given |= {value: f"the header {name}" for name, value in server.headers.items() if _is_credential(name, value)}
    # A header holds a scheme, such as Bearer, before what is secret.
    parts = {value.partition(" ")[2].strip(): source for value, source in given.items() if _SCHEME.match(value)}
    return tuple(
        KnownSecret(source=source, value=value, sent=True)
        for value, source in (given | parts).items()
        if len(value) >= _SHORTEST_SECRET
    )


def _is_credential(header: str, value: str) -> bool:
    return not value.startswith("$") and (bool(_CREDENTIAL.search(header)) or bool(known_secrets({header: value})))


def _is_plain(path: str) -> bool:
    return os.path.isabs(path) and os.path.normpath(path) == path and path != "/"
