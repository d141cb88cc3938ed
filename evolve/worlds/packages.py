"""The packages that worlds come in: loaded when one is asked for, and named where they are missing."""

from __future__ import annotations

from importlib import import_module, metadata
from typing import Any

from evolve.errors import EnvironmentProblem

_LONGEST = 1000  # letters of a move; what people type and policies choose is far shorter


def loaded(module: str, *, extra: str) -> Any:
    """A module of a package that is an extra of evolve.

    Raises:
        EnvironmentProblem: It is not installed; the hint is the command that installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise EnvironmentProblem(
            f"the package {extra} is not installed", hint=f"pip install '.[{extra}]' in the folder of evolve"
        ) from error


def installed_version(package: str) -> str:
    """Its version; "" where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def one_line(move: str) -> str:
    """What a policy or person typed, as one line of bounded length that any program can read."""
    plain = "".join(sign if sign.isprintable() else " " for sign in move[:_LONGEST])
    return " ".join(plain.split())
