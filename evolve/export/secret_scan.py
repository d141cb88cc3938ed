"""Finds credentials in text that is about to leave the workspace."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

_SHAPES = {
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY",
    "an API key": r"\bsk-[A-Za-z0-9_-]{16,}|\bAIza[0-9A-Za-z_-]{30,}|\bhf_[A-Za-z0-9]{20,}",
    "a GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}",
    "a GitLab token": r"\bglpat-[A-Za-z0-9_-]{16,}",
    "an AWS key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a Slack token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    "a web token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.",
    "a password in an address": r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]{3,}@",
    "a password": r"(?i)\b(?:password|passwd|secret|api_?key|token)\b\s*[:=]\s*[\"'][^\"'\s]{8,}[\"']",
}
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_SHORTEST = 8


def known_secrets(environment: Mapping[str, str]) -> list[str]:
    """Values of variables whose names say that they are secret."""
    return [value for name, value in environment.items() if _SECRET_NAME.search(name) and len(value) >= _SHORTEST]


def find_secrets(text: str, known: Iterable[str] = ()) -> list[str]:
    """What kinds of secret the text holds; never the secrets themselves.

    Known values are found as they are, in Base64 and URL-encoded. A secret split into parts is not found.
    """
    found = [kind for kind, shape in _SHAPES.items() if re.search(shape, text)]
    for value in known:
        coded = base64.b64encode(value.encode("utf-8", "surrogateescape")).decode("ascii").rstrip("=")
        if any(form in text for form in (value, coded, quote(value, safe=""))):
            found.append("the value of a secret environment variable")
            break
    return found
