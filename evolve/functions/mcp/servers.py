"""How an MCP server is started or reached: everything that a person sees before they approve it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from evolve.errors import UsageError, WorkspaceError
from evolve.files import canonical_json, digest

_NAME = re.compile(r"[a-z][a-z0-9]{0,19}\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_HEADER = re.compile(r"[A-Za-z0-9-]+\Z")
_AT_HOME = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, kw_only=True)
class Server:
    """One server. Either it is started here, in the sandbox, or it is reached at an address.

    Attributes:
        name: Stands before each of its functions, so it has no ``_``: where a name ends and a function begins is plain.
        command: The program, by its whole path, and its arguments.
        url: Where it is, instead; no other host is ever asked.
        variables: The environment of the program. A value ``$NAME`` is that of the person's variable at the start, so
            that no secret is kept or shown.
        headers: Sent with every request, with values of the same form.
        readable, writable: Folders and files that the program sees, by whole paths without links.
        network: Whether the program reaches the network.

    Raises:
        UsageError: It cannot be started or reached so.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    network: bool = False

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise UsageError(
                f"{self.name[:80]!r} cannot be the name of a server", hint="up to 20 lowercase letters and digits"
            )
        if bool(self.command) == bool(self.url):
            raise UsageError(f"server {self.name}: give either a command or a URL", hint="evolve tools add --help")
        self._check_address() if self.url else self._check_program()
        texts = (*self.command, *self.variables.values(), *self.headers.values(), *self.readable, *self.writable)
        if bad := next((text for text in texts if not text.isprintable()), None):
            raise UsageError(f"server {self.name}: {bad[:80]!r} holds a control character")

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

    @cached_property
    def digest(self) -> str:
        """Changes with anything that was approved."""
        return digest(canonical_json(asdict(self)))

    def to_json(self) -> dict[str, Any]:
        """As settings and approvals write it, without what is not set."""
        return {name: value for name, value in asdict(self).items() if value and name != "name"}


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


def _is_plain(path: str) -> bool:
    return os.path.isabs(path) and os.path.normpath(path) == path and path != "/"
