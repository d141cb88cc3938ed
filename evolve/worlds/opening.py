"""Worlds by name: those of evolve, and those that installed packages offer."""

from __future__ import annotations

from evolve.errors import UsageError
from evolve.extensions import find, names, refused
from evolve.worlds.world import World


def open_world(name: str) -> World:
    """Makes a world; nothing is started before its first trial.

    Args:
        name: As it is listed. What stands behind a colon is its setting, such as the simplifications of
            ``scienceworld:openDoors,teleportAction``.

    Raises:
        UsageError: There is no such world or setting.
        EnvironmentProblem: The package that it comes in is missing, or is not a world.
    """
    plain, colon, setting = name.partition(":")
    make = find("worlds", plain)
    if make is None:
        raise UsageError(f"no world {plain!r}", hint=", ".join(names("worlds")))
    try:
        world = make(setting) if colon else make()
    except TypeError as error:
        if colon:
            raise UsageError(f"{plain} takes no setting", hint=plain) from error
        raise
    if not isinstance(world, World):
        raise refused("worlds", plain, f"makes {type(world).__name__}, which is no world")
    return world
