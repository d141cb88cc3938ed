"""Finds values inside a longer one: in addresses, headers, JSON, pairs and lists."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

# Not digits and a slash behind the colon: that is a port.
_PASSWORD_IN_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/:@]*:(?!\d{1,5}/)([^\s\"'<>]+)@", re.IGNORECASE)
_SHORTEST = 4
_NEXT_ADDRESS = re.compile(r"[,;|](?=[a-z][a-z0-9+.-]*://)", re.IGNORECASE)
_USER_IN_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://([^\s/:@]{8,})(?::[^\s/@]*)?@", re.IGNORECASE)
_PATH_OF_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/]+(/[^\s?#\"']+)", re.IGNORECASE)
_IN_PAIRS = re.compile(r"(\w*(?:pass(?:word|wd)?|pwd|secret|token|key|sig))\s*=\s*([^;&\s\"']{6,})", re.IGNORECASE)
_HEADER = re.compile(r"(?:^|[:=\s])(?:bearer|basic|token|apikey|digest)\s+([^\s,\"']{6,})", re.IGNORECASE)
_LOGIN = re.compile(r"[^\s:/@{}\"']{2,64}:([^\s]{6,})\Z")
_LOGIN_NAME = re.compile(r"(?:AUTH|CREDS?|CREDENTIALS?|LOGIN|USERPWD)$", re.IGNORECASE)
# What services put into their addresses as a key is longer than the words of a path.
_LONG_ENOUGH = 16
_HEX = re.compile(r"[0-9a-fA-F-]+\Z")
# Values of variables are nested less; hostile JSON must not exhaust the stack.
_DEEPEST = 8


@dataclass(frozen=True, kw_only=True)
class NestedValue:
    """A value inside another.

    Attributes:
        value: The text.
        name: What it is called there, or the name of the whole.
        sure: It is secret by its place; else its name and its look decide.
    """

    value: str
    name: str
    sure: bool = False


def inner_values(name: str, text: str, *, secret: bool) -> Iterator[NestedValue]:
    """What stands inside a value that may be secret by itself.

    Args:
        secret: The name of the whole is that of a secret.
    """
    # A variable may list several addresses, as those of a cluster.
    for address in _NEXT_ADDRESS.split(text):
        yield from _in_address(name, address, secret=secret)
    for match in _IN_PAIRS.finditer(text):
        yield NestedValue(value=match[2], name=match[1], sure=True)
    for match in _HEADER.finditer(text):
        yield NestedValue(value=match[1], name=name, sure=True)
        yield from _in_basic_auth(name, match[1])
    login = _LOGIN.match(text) if secret and _LOGIN_NAME.search(name) and "://" not in text else None
    if login is not None:
        yield NestedValue(value=login[1], name=name, sure=True)
    if text[:1] in "{[" and text:
        yield from _in_json(name, text)
    elif secret and re.search(r"[,;]", text) and "://" not in text:
        for part in re.split(r"\s*[,;]\s*", text):
            if len(part) >= _LONG_ENOUGH // 2:
                yield NestedValue(value=part, name=name, sure=True)


def _in_address(name: str, text: str, *, secret: bool) -> Iterator[NestedValue]:
    for match in _PASSWORD_IN_ADDRESS.finditer(text):
        parts = match[1].split("@")  # a password may hold the signs that end it, so each of them may be its end
        for end in range(1, len(parts) + 1):
            whole = "@".join(parts[:end])
            for password in dict.fromkeys((whole, unquote(whole))):
                if len(password) >= _SHORTEST:
                    yield NestedValue(value=password, name=name, sure=True)
    for match in _USER_IN_ADDRESS.finditer(text):
        yield NestedValue(value=unquote(match[1]), name="")
    for match in _PATH_OF_ADDRESS.finditer(text):
        for step in match[1].split("/"):
            # Of a webhook the path is the secret; a digest in hexadecimal alone is none.
            if len(step) >= _LONG_ENOUGH and "." not in step and (secret or not _HEX.match(step)):
                yield NestedValue(value=step, name="")


def _in_basic_auth(name: str, coded: str) -> Iterator[NestedValue]:
    try:
        login = base64.b64decode(coded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return
    if ":" in login:
        yield NestedValue(value=login.partition(":")[2], name=name, sure=True)


def _in_json(name: str, text: str) -> Iterator[NestedValue]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from _texts(name, value, 0)


def _texts(name: str, value: Any, depth: int) -> Iterator[NestedValue]:
    if isinstance(value, str):
        yield NestedValue(value=value, name=name)
    elif depth < _DEEPEST and isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(key, item, depth + 1)
    elif depth < _DEEPEST and isinstance(value, list):
        for item in value:
            yield from _texts(name, item, depth + 1)
