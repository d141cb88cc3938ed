"""Worlds by name: those of evolve, and those that installed packages offer."""

from __future__ import annotations

from typing import Any

from evolve.errors import UsageError
from evolve.extensions import BUILT_IN, find, installed, names, refused
from evolve.worlds.guarded import Guard, GuardedWorld
from evolve.worlds.world import World


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
    make = find("worlds", plain)
    if make is None:
        raise UsageError(f"no world {plain!r}", hint=", ".join(names("worlds")))
    if plain in BUILT_IN["worlds"]:
        return _made(make, plain, colon, setting)
    package = installed("worlds").get(plain, "")
    hint = f"mend or uninstall {package or 'the package'}; evolve worlds check {name} tries it"
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
        raise refused("worlds", plain, f"makes {type(world).__name__}, which is no world")
    return world
