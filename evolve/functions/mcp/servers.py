"""How a server of functions is started or reached: everything that a person sees before they approve it.

Besides MCP servers these are programs with a stated command line, and services that an OpenAPI file describes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any, Literal
from urllib.parse import urlsplit

from evolve.errors import UsageError, WorkspaceError
from evolve.files import canonical_json, digest
from evolve.functions.command_line import CommandLine
from evolve.functions.function import Effect
from evolve.redaction import KnownSecret, known_secrets

_NAME = re.compile(r"[a-z][a-z0-9]{0,19}\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_HEADER = re.compile(r"[A-Za-z0-9-]+\Z")
_AT_HOME = ("localhost", "127.0.0.1", "::1")
_LATER: Mapping[str, object] = {"kind": "mcp", "file": "", "output": "text", "about": ""}
"""Fields that count in a digest only where they are set: what was approved before there were any still holds."""

_SHORTEST_SECRET = 8
"""Characters; shorter values stand in answers by chance."""
_CREDENTIAL = re.compile("auth|cookie|credential|key|pass|secret|session|signature|token", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9-]*\s+\S")

Kind = Literal["mcp", "program", "openapi"]
"""It speaks the protocol; it is run once for each call; a file describes its HTTP requests."""

Output = Literal["text", "json", "jsonl"]


@dataclass(frozen=True, kw_only=True)
class Server:
    """One server. Either it is started here, in the sandbox, or it is reached at an address.

    Attributes:
        name: Stands before each of its functions, so it has no ``_``: where a name ends and a function begins is plain.
        kind: A program is no server of its own, and an OpenAPI service has a URL.
        command: The program, by its whole path, and its arguments. Of the kind ``program`` a
            :class:`~evolve.functions.command_line.CommandLine`.
        url: Where it is, instead; no other host is ever asked. Of an OpenAPI service what its paths come after.
        variables: The environment of the program. A value ``$NAME`` is that of the person's variable at the start, so
            that no secret is kept or shown.
        headers: Sent with every request, with values of the same form.
        readable, writable: Folders and files that the program sees, by whole paths without links.
        network: Whether the program reaches the network.
        file: The OpenAPI file, by its whole path. What is pinned is each request that it describes, so an edit of it
            makes other functions.
        output: What a program gives: a text, a value in JSON, or one in each line.
        about: What a program is for, in the person's words.

    Raises:
        UsageError: It cannot be started or reached so.
    """

    name: str
    kind: Kind = "mcp"
    command: tuple[str, ...] = ()
    url: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    network: bool = False
    file: str = ""
    output: Output = "text"
    about: str = ""

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise UsageError(
                f"{self.name[:80]!r} cannot be the name of a server", hint="up to 20 lowercase letters and digits"
            )
        if bool(self.command) == bool(self.url):
            raise UsageError(f"server {self.name}: give either a command or a URL", hint="evolve tools add --help")
        self._check_kind()
        self._check_address() if self.url else self._check_program()
        said = (*self.variables.values(), *self.headers.values(), *self.readable, *self.writable)
        texts = (self.file, self.about, *self.command, *said)
        if bad := next((text for text in texts if not text.isprintable()), None):
            raise UsageError(f"server {self.name}: {bad[:80]!r} holds a control character")

    def _check_kind(self) -> None:
        described = self.kind == "openapi"
        if described != bool(self.file) or (described and not self.url) or (self.kind == "program" and self.url):
            raise UsageError(
                f"server {self.name}: a program has a command, an OpenAPI service a file and a URL",
                hint="evolve tools add --help",
            )
        if described and "?" in self.url:
            raise UsageError(f"server {self.name}: {self.url[:200]!r} has a query", hint="give what paths come after")
        if self.file and not _is_plain(self.file):
            raise UsageError(f"server {self.name}: {self.file[:200]!r} is not a whole path")
        if self.kind == "program":
            try:
                CommandLine(self.command)
            except UsageError as error:
                raise UsageError(f"server {self.name}: {error}", hint=error.hint) from error
        elif self.about or self.output != "text":
            raise UsageError(f"server {self.name}: what it is for and gives is said of a program alone")

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
    def values(self) -> Sequence[str]:
        """Names of the places in its command that a call fills."""
        return CommandLine(self.command).names if self.kind == "program" else ()

    @property
    def effects(self) -> frozenset[Effect]:
        """What is certain of its calls, whatever is said of them: arguments go to it, and it is elsewhere."""
        return frozenset({"sends"} if self.url or self.network else ())

    @cached_property
    def digest(self) -> str:
        """Changes with anything that was approved."""
        told = asdict(self).items()
        return digest(canonical_json({name: value for name, value in told if _LATER.get(name) != value}))

    def to_json(self) -> dict[str, Any]:
        """As settings and approvals write it, without what is not set."""
        told = {name: value for name, value in asdict(self).items() if value and name != "name"}
        return {name: value for name, value in told.items() if _LATER.get(name) != value}


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
    known = {item.name for item in fields(Server)} - {"name"}
    if unknown := sorted(table.keys() - known):
        raise WorkspaceError(
            f"{place}: server {name}: unknown key {unknown[0]!r}; known are {', '.join(sorted(known))}"
        )
    try:
        return TypeAdapter(Server).validate_python({**table, "name": name})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise WorkspaceError(f"{place}: server {name}: {key}: {first['msg']}") from error
    except UsageError as error:
        raise WorkspaceError(f"{place}: {error}", hint=error.hint) from error


def resolved(values: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
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


def handed_over(server: Server, environ: Mapping[str, str]) -> tuple[KnownSecret, ...]:
    """What a server is given and could repeat: the person's own values by ``$NAME``, and credentials in headers."""
    named = {value[1:] for value in (*server.variables.values(), *server.headers.values()) if value.startswith("$")}
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
