"""Finds out which endpoint and model a text such as ``gpt-5-mini`` or ``http://localhost:8080/v1#qwen`` means."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from evolve.core.errors import UsageError
from evolve.core.redaction import known_secrets
from evolve.core.settings import is_address

OPENAI = "https://api.openai.com/v1"
_HOW_TO_NAME = "write a model's name, openai:NAME, or http://host/v1#NAME"
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A model behind an address.

    Attributes:
        base_url: Without a slash at the end.
        model: The name the endpoint knows it by.
        key: The API key, or "" where none is set; shown nowhere.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """The text that :func:`parse_model` reads back: the bare name for OpenAI's own endpoint."""
        return self.model if self.base_url == OPENAI else f"{self.base_url}#{self.model}"

    @property
    def on_this_machine(self) -> bool:
        """Whether it costs no money, because it runs here."""
        return (urlsplit(self.base_url).hostname or "") in _LOCAL_HOSTS


def parse_model(text: str, environ: Mapping[str, str] | None = None, *, base_url: str = "") -> Endpoint:
    """The endpoint a person named.

    A bare name goes to ``base_url``, else to ``OPENAI_BASE_URL``, else to OpenAI; ``openai:NAME`` goes to
    ``OPENAI_BASE_URL`` or OpenAI. The key for the last two is ``OPENAI_API_KEY``, and no other address ever gets it.
    Elsewhere, and where it is not set, the key is ``EVOLVE_API_KEY``.

    Raises:
        UsageError: For a text of another form.
    """
    variables = os.environ if environ is None else environ
    default_url = variables.get("OPENAI_BASE_URL", "").strip() or OPENAI
    spec = text.strip()
    if spec.startswith(("http://", "https://")):
        address, _, model = spec.partition("#")
    elif "://" in spec:
        raise UsageError(f"--model {text!r}: only http:// and https:// addresses can be asked", hint=_HOW_TO_NAME)
    elif spec.startswith("openai:"):
        address, model = default_url, spec.removeprefix("openai:")
    else:
        address, model = base_url.strip() or default_url, spec
    address = _checked(address.rstrip("/"), text)
    if not model or not model.isprintable() or any(sign.isspace() for sign in model):
        raise UsageError(f"--model {text!r}: no model is named", hint=_HOW_TO_NAME)
    # Any other address would hand the key to whoever runs it.
    to_openai = address in (OPENAI, default_url.rstrip("/")) and bool(variables.get("OPENAI_API_KEY", "").strip())
    name = "OPENAI_API_KEY" if to_openai else "EVOLVE_API_KEY"
    key = variables.get(name, "").strip()
    # No header can carry such a key; said here, it does not look like trouble of the endpoint.
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise UsageError(f"{name} holds a character that no key has, such as a space, a quote or a line break")
    return Endpoint(base_url=address, model=model, key=key)


def _checked(address: str, text: str) -> str:
    if not is_address(address):
        raise UsageError(f"--model {text!r}: {address!r} is not an address", hint=_HOW_TO_NAME)
    parts = urlsplit(address)
    # Addresses are shown and recorded, and so would be what stands in them.
    if parts.username or parts.password or known_secrets(dict(parse_qsl(parts.query))):
        raise UsageError("--model: an address must not hold a password or a key", hint="set EVOLVE_API_KEY instead")
    return address
