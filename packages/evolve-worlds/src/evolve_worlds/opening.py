"""Worlds by name: those of this package, and those that other packages offer."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module, metadata
from typing import Any

from evolve.core.errors import SetupProblem, UsageError
from evolve.core.extensions import extension_error, find, installed_extensions
from evolve.core.progress import report_activity
from evolve_worlds.guarded import Guard, GuardedWorld
from evolve_worlds.world import World

OWN: Mapping[str, str] = {
    "scienceworld": "evolve_worlds.scienceworld:ScienceWorld",
    "textworld": "evolve_worlds.textworld:TextWorld",
    "minigrid": "evolve_worlds.minigrid:MiniGrid",
    "gymnasium": "evolve_worlds.gymnasium:ToyText",
}
"""The worlds of this package, as ``module:name``; those of others stand in their metadata."""

_LONGEST = 1000  # letters of a move; what people type and policies choose is far shorter


def loaded(module: str, *, extra: str) -> Any:
    """A module of a package that is an extra of this one.

    Raises:
        EnvironmentProblem: It is not installed; the hint is the command that installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise SetupProblem(
            f"the package {extra} is not installed",
            hint=f"pip install './packages/evolve-worlds[{extra}]' in the folder of evolve",
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


def offered() -> Mapping[str, str]:
    """The worlds of other packages, each with the package; none takes the place of one of this package."""
    return {name: package for name, package in installed_extensions("worlds").items() if name not in OWN}


@report_activity("load", "the world")
def open_world(name: str, *, bounded: bool = True) -> World:
    """Makes a world; nothing is started before its first trial. One that a package offers is held to the protocol.

    Args:
        name: As it is listed. What stands behind a colon is its setting, such as the simplifications of
            ``scienceworld:openDoors,teleportAction``.
        bounded: Scores of a package's world outside of 0 to 1 are faults.

    Raises:
        UsageError: There is no such world or setting.
        EnvironmentProblem: The package that it comes in is missing, or is not a world.
    """
    plain, colon, setting = name.partition(":")
    if plain in OWN:
        module, _, attribute = OWN[plain].partition(":")
        return _made(getattr(import_module(module), attribute), plain, colon, setting)
    make, package = find("worlds", plain), offered().get(plain, "")
    if make is None:
        raise UsageError(f"no world {plain!r}", hint=", ".join((*OWN, *offered())))
    hint = f"mend or uninstall {package or 'the package'}; evolve lab worlds check {name} tries it"
    guard = Guard(name=name, by=f"{plain} (worlds) of the package {package}", hint=hint, bounded=bounded)
    with guard.calling():
        return GuardedWorld(_made(make, plain, colon, setting), guard)


def _made(make: Any, plain: str, colon: str, setting: str) -> World:
    try:
        world = make(setting) if colon else make()
    except TypeError as error:
        if colon:
            raise UsageError(f"{plain} takes no setting", hint=plain) from error
        raise
    if not isinstance(world, World):
        raise extension_error("worlds", plain, f"makes {type(world).__name__}, which is no world")
    return world
