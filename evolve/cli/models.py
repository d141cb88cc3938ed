"""``evolve models``: language models and what their endpoints can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import options, pages
from evolve.cli.render.output import emit, emit_json, print_note, table
from evolve.core.errors import EndpointProblem, UsageError

if TYPE_CHECKING:
    from evolve.workspace import ProbeReport

app = pages.App(
    "Choose a language model, and test its endpoint.",
    *("evolve models", "evolve models default gpt-5-mini"),
    no_args_is_help=False,
)

_SEARCH = "the embedded program search, which needs no key and no download"
_WHO = "run and improve use the model that --model names, else the chosen one, else the search"

Name = Annotated[
    str | None,
    typer.Argument(metavar="MODEL", help="NAME, openai:NAME or http://host/v1#NAME.", show_default=False),
]


@app.callback(invoke_without_command=True)
def models_command(ctx: typer.Context, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Say what decides in a task: the search, or which language model."""
    if ctx.invoked_subcommand is not None:
        # Options between ``models`` and the command after it are refused, since typer would drop them.
        for name, shown in (("workspace", "-w"), ("as_json", "--json")):
            source = ctx.get_parameter_source(name)
            in_front = options.typed_before(ctx) if name == "workspace" else None
            if source is not None and source.name == "COMMANDLINE" and in_front is None:
                raise UsageError(f"{shown} must come after {ctx.invoked_subcommand!r} or before 'models'")
        return
    from evolve.workspace import models

    chosen = models(workspace).chosen()
    if as_json:
        return emit_json({"policies": ["search", "language"], "models": chosen})
    emit(_SEARCH)
    emit(table(("role", "model"), list(chosen.items())) or "no language model is chosen: evolve models default NAME")
    print_note(_WHO)


@app.page("list", "evolve models list http://localhost:8080/v1", "evolve models list")
def list_command(model: Name = None, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List the models of an endpoint, with their known prices."""
    from evolve.workspace import models

    try:
        listing = models(workspace).list(model)
    except EndpointProblem as problem:
        if as_json:  # whoever reads JSON finds out in the same place; the code says that it failed
            emit_json({"models": [], "problem": str(problem)})
        raise
    if as_json:
        return emit_json(listing)
    print_note(f"models at {listing.base_url}; dollars for a million tokens")
    cells = [(entry.model, _dollars(entry.input), _dollars(entry.output)) for entry in listing.models]
    emit(table(("model", "input", "output"), cells) or "it lists none")


@app.page("check", "evolve models check gpt-5-mini", "evolve models check http://localhost:8080/v1#qwen")
def check_command(
    model: Name = None,
    record: options.Record = None,
    replay: options.Replay = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Test the endpoint of a model with a few small questions. evolve remembers the result."""
    from evolve.workspace import model_or_recording, models

    probes = models(workspace).check(model_or_recording(model, record, replay))
    if as_json:
        return emit_json([_probed(probe) for probe in probes])
    for probe in probes:
        abilities = probe.abilities
        emit(f"{probe.endpoint.name}: works")
        rows = [
            *((f"structure by {rung}", works) for rung, works in abilities.rungs.items()),
            ("streaming", bool(abilities.streams)),
            ("Responses API", probe.responses),
        ]
        emit(table(("ability", "works"), rows))
        if abilities.draws > 1:
            emit(f"repeats a wrong answer when it is told; evolve asks anew instead, up to {abilities.draws} times")
        if abilities.without:
            emit(f"refuses {', '.join(abilities.without)}; they are left out")
        money = f", ${probe.usage.money:.4f}" if probe.usage.priced else ", price unknown"
        speed = "" if abilities.speed is None else f"; about {abilities.speed:,.0f} tokens a second"
        print_note(f"asked with {probe.usage.tokens:,} tokens{money}{speed}")


@app.page("default", "evolve models default", "evolve models default http://localhost:8080/v1#qwen")
def default_command(
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL",
            help='A model, several from cheap to dear with commas, or "" for none.',
            show_default=False,
        ),
    ] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Choose the model of this workspace, or show your choice."""
    from evolve.workspace import models

    workspace_models = models(workspace)
    if model is not None:
        print_note(f"wrote it to {workspace_models.default(model)}")
    chosen = workspace_models.chosen().get("default", "") if model is None else model.strip()
    emit_json({"model": chosen}) if as_json else emit(chosen or "no language model is chosen")


def _dollars(price: float | None) -> str:
    return "unknown" if price is None else f"{price:g}"


def _probed(probe: ProbeReport) -> dict[str, Any]:
    abilities = probe.abilities
    return {
        "model": probe.endpoint.name,
        "api": abilities.api,
        "responses": probe.responses,
        "rungs": dict(abilities.rungs),
        "streams": abilities.streams,
        "without": list(abilities.without),
        "draws": abilities.draws,
        "tokens_per_second": abilities.speed,
        "tokens": probe.usage.tokens,
        "money": probe.usage.money if probe.usage.priced else None,
    }
