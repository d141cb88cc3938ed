"""``--set KEY=VALUE``: another setting for one command, or a detail of it that has no option of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from evolve.core.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Overrides:
    """What a person typed after ``--set``.

    Attributes:
        settings: Settings of the workspace that another value holds for, as text.
        details: What only this command knows; no file and no variable can say it.
    """

    settings: Mapping[str, str]
    details: Mapping[str, tuple[str, ...]]

    @property
    def unsandboxed(self) -> bool:
        """Whether code shall run unconfined."""
        return self.settings.get("sandbox") == "none"

    def all(self, key: str) -> list[str] | None:
        """Every value of a detail, or None."""
        return list(self.details[key]) if key in self.details else None

    def text(self, key: str) -> str | None:
        """The last value of a detail, or None."""
        return self.details[key][-1] if key in self.details else None

    def choice(self, key: str, *words: str) -> str:
        """The last value of a detail, which is one of these words; the first of them where none was given.

        Raises:
            UsageError: It is none of them.
        """
        value = self.text(key) or words[0]
        if value not in words:
            raise UsageError(f"--set {key}={value}: not a value", hint=f"{key} is one of {', '.join(words)}")
        return value

    def number(self, key: str, default: int) -> int:
        """A detail that counts something, at least one.

        Raises:
            UsageError: It is no such number.
        """
        value = self.text(key)
        if value is None:
            return default
        if not (value.isascii() and value.isdecimal() and len(value) < _DIGITS and int(value) > 0):
            raise UsageError(f"--set {key}={value}: not a value", hint=f"{key} is a whole number from 1 on")
        return int(value)


def option(*details: str, settings: bool = True) -> Any:
    """The option ``--set``.

    Args:
        details: Keys of this command with what they mean, for its page.
        settings: Settings can be overridden too.
    """
    first = "Use another setting for this command, such as learn=off or sandbox=landlock. " if settings else ""
    also = f"{'Here also' if settings else 'Keys'}: {', '.join(details)}. " if details else ""
    text = f"{first}{also}You may repeat this."
    return typer.Option("--set", metavar="KEY=VALUE", help=text)


Set = Annotated[list[str] | None, option()]


_DIGITS = 10
"""No number that counts anything here has as many."""


def overrides(typed: Sequence[str] | None, *details: str, settings: bool = True) -> Overrides:
    """Reads what was typed after ``--set``.

    Args:
        details: Keys that this command has beside the settings.
        settings: Settings can be overridden too.

    Raises:
        UsageError: There is no such key here.
    """
    from evolve.workspace import setting_names

    names = setting_names() if settings and typed else ()
    chosen: dict[str, str] = {}
    told: dict[str, tuple[str, ...]] = {}
    for text in typed or ():
        key, sign, value = text.partition("=")
        if not sign or key not in (*details, *names):
            raise UsageError(f"--set {text}: no KEY=VALUE for this command", hint=_hint(key, details, names))
        if key in details:
            told[key] = (*told.get(key, ()), value)
        else:
            chosen[key] = value
    return Overrides(settings=chosen, details=told)


def _hint(key: str, details: Sequence[str], names: Sequence[str]) -> str:
    return "name the model with --model" if key == "model" else f"keys are {', '.join((*details, *names))}"
