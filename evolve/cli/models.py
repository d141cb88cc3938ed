"""``evolve models``: language models and what their endpoints can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import options, pages
from evolve.cli.output import emit, emit_json, note, table

if TYPE_CHECKING:
    from evolve.models import ModelSetup, Probed
    from evolve.paths import WorkspacePaths
    from evolve.settings import Settings

app = pages.App(
    "Choose a language model, and see what its endpoint can do.",
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
        _refuse_lost_options(ctx)
        return
    _, settings = _place(workspace)
    named = {"default": settings.model, **settings.role_models}
    chosen = {role: text for role, text in named.items() if text}
    if as_json:
        emit_json({"policies": ["search", "language"], "models": chosen})
        return
    emit(_SEARCH)
    emit(table(("role", "model"), list(chosen.items())) or "no language model is chosen: evolve models default NAME")
    note(_WHO)


@app.page("list", "evolve models list http://localhost:8080/v1")
def list_command(model: Name = None, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List the models that an endpoint offers, with their prices where they are known."""
    from evolve.errors import UsageError
    from evolve.models import Endpoint, OpenAIWire, Prices, offered_models, parse_model
    from evolve.workspace.model_setup import model_setup

    paths, settings = _place(workspace)
    text = model or settings.model.split(",")[0] or "any"
    try:
        asked = parse_model(text, base_url=settings.base_url)
    except UsageError:
        asked = parse_model(f"{text}#any", base_url=settings.base_url)  # an address alone is enough for a list
    prices = Prices(model_setup(paths, settings).prices)
    wire = OpenAIWire(asked)
    try:
        names = offered_models(asked, wire)
    finally:
        wire.close()
    rows = [(name, prices.of(Endpoint(base_url=asked.base_url, model=name))) for name in names]
    if as_json:
        found = [{"model": n, "input": p and p.input, "output": p and p.output} for n, p in rows]
        emit_json({"base_url": asked.base_url, "models": found})
        return
    note(f"models at {asked.base_url}; dollars for a million tokens")
    cells = [(n, f"{p.input:g}" if p else "unknown", f"{p.output:g}" if p else "unknown") for n, p in rows]
    emit(table(("model", "input", "output"), cells) or "it lists none")


@app.page("check", "evolve models check gpt-5-mini")
def check_command(
    model: Name = None,
    record: options.Record = None,
    replay: options.Replay = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Find out what a model's endpoint can do, by asking it a few small things, and remember it."""
    from evolve.models import EndpointModel, Recording, open_models, probe
    from evolve.workspace.model_setup import model_setup, recorded

    paths, settings = _place(workspace)
    asked = recorded(model, record, replay)
    setup = model_setup(paths, settings, model=model, recording=asked if isinstance(asked, Recording) else None)
    found = []
    for name in dict.fromkeys(_named(setup)):
        with open_models(_single(setup, name)) as opened:
            chosen = opened.of("act")
            if isinstance(chosen, EndpointModel):
                found.append(probe(chosen.endpoint, chosen.services))
    if as_json:
        emit_json([_probed(one) for one in found])
        return
    for one in found:
        _show(one)


@app.page("judge", "evolve models judge gpt-5-mini --suite strings")
def judge_command(
    model: Name = None,
    suite: Annotated[
        str, typer.Option("--suite", metavar="SUITE", help="Where answers of known worth come from.")
    ] = "strings",
    count: Annotated[
        int, typer.Option("--count", metavar="NUMBER", min=1, help="Sound answers, and as many wrong ones.")
    ] = 40,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure how well a model judges answers. Only a judge that was measured and is good enough counts."""
    import evolve
    from evolve.cli import judges

    with evolve.open(workspace, model=model) as opened:
        found = opened.judges.check(suite, count)
    if as_json:
        emit_json(judges.as_json(found))
    else:
        judges.show(found)
    raise typer.Exit(0 if found.standing == "measured" else 1)


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
    """Choose the workspace's model, or show the chosen one."""
    from evolve.workspace.model_setup import set_default_model

    paths, settings = _place(workspace, make=model is not None)
    if model is not None:
        file = set_default_model(paths, model.strip())
        note(f"wrote it to {file}")
    chosen = settings.model if model is None else model.strip()
    if as_json:
        emit_json({"model": chosen})
    else:
        emit(chosen or "no language model is chosen")


def _refuse_lost_options(ctx: typer.Context) -> None:
    """An option between ``models`` and the command after it would be lost."""
    from evolve.errors import UsageError

    for name, shown in (("workspace", "-w"), ("as_json", "--json")):
        source = ctx.get_parameter_source(name)
        in_front = options.typed_before(ctx) if name == "workspace" else None
        if source is not None and source.name == "COMMANDLINE" and in_front is None:
            raise UsageError(f"{shown} must come after {ctx.invoked_subcommand!r} or before 'models'")


def _place(workspace: str | None, *, make: bool = False) -> tuple[WorkspacePaths, Settings]:
    from evolve.paths import WorkspacePaths, find_workspace, user_workspace
    from evolve.settings import load_settings
    from evolve.workspace.opening import locate

    paths = locate(workspace).paths if make else WorkspacePaths(find_workspace(workspace) or user_workspace())
    return paths, load_settings(paths.root)


def _named(setup: ModelSetup) -> list[str]:
    texts = [setup.model, *setup.roles.values()]
    return [name.strip() for text in texts for name in text.split(",") if name.strip()] or [""]


def _single(setup: ModelSetup, name: str) -> ModelSetup:
    from dataclasses import replace

    return replace(setup, model=name, roles={})


def _probed(one: Probed) -> dict[str, Any]:
    known = one.abilities
    return {
        "model": one.endpoint.name,
        "api": known.api,
        "responses": one.responses,
        "rungs": dict(known.rungs),
        "streams": known.streams,
        "without": list(known.without),
        "tokens": one.usage.tokens,
        "money": one.usage.money if one.usage.priced else None,
    }


def _show(one: Probed) -> None:
    known = one.abilities
    emit(f"{one.endpoint.name}: works")
    rows = [
        *((f"structure by {rung}", works) for rung, works in known.rungs.items()),
        ("streaming", bool(known.streams)),
        ("Responses API", one.responses),
    ]
    emit(table(("ability", "works"), rows))
    if known.without:
        emit(f"refuses {', '.join(known.without)}; they are left out")
    money = f", ${one.usage.money:.4f}" if one.usage.priced else ", price unknown"
    note(f"asked with {one.usage.tokens:,} tokens{money}")
