"""The command line, as its own tests run it."""

from __future__ import annotations

from tests.cli.conftest import cli, command_tree, empty_workspace, made, start_cli

__all__ = ["cli", "command_tree", "empty_workspace", "made", "start_cli"]
