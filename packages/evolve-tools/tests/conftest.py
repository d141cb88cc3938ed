"""What tests of the command line have."""

from __future__ import annotations

from tests.cli.conftest import cli, command_tree, empty_workspace, made

__all__ = ["cli", "command_tree", "empty_workspace", "made"]
