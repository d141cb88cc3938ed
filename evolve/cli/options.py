"""Options that several commands share. Each can also be set by its ``EVOLVE_*`` variable."""

from __future__ import annotations

from typing import Annotated

import typer

Workspace = Annotated[
    str | None,
    typer.Option("-w", "--workspace", envvar="EVOLVE_WORKSPACE", help="Folder of the workspace.", show_envvar=True),
]
AsJson = Annotated[bool, typer.Option("--json", envvar="EVOLVE_JSON", help="Print the result as JSON.")]
Budget = Annotated[
    list[str] | None,
    typer.Option(
        "--budget",
        envvar="EVOLVE_BUDGET",
        help="60s, 2h, 200k-candidates, 2M-tokens or $2; may be repeated, the first bound reached stops.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", envvar="EVOLVE_SEED", min=0, help="Seed of everything drawn at random.")]
