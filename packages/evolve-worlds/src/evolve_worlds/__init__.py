"""Worlds: environments that others wrote, in which something is to be reached by moves.

A world is told in words and played move by move. What it offers is in the protocol (:mod:`evolve_worlds.world`); each
package that has worlds is one adapter beside it.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve_worlds.checking import Checked, check_world
    from evolve_worlds.opening import open_world
    from evolve_worlds.questions import choices
    from evolve_worlds.world import (
        Described,
        Move,
        Scene,
        Split,
        Stateful,
        Trial,
        World,
        WorldFault,
        identity,
        is_tellable,
    )
else:
    __getattr__, __dir__ = attach(__name__)
