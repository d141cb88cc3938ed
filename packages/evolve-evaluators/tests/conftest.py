"""What the tests of evolve have as well."""

from __future__ import annotations

from tests.cli.conftest import cli, command_tree, empty_workspace, made
from tests.environments.conftest import sandbox
from tests.improve.conftest import open_ws
from tests.memory.conftest import store

__all__ = ["cli", "command_tree", "empty_workspace", "made", "open_ws", "sandbox", "store"]
