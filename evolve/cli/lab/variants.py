"""``evolve lab variants``: everything that was tried, which of it acts, and how to go back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.render.output import count_of, emit, emit_json, flush, print_note, shorten_line, singular_form, table
from evolve.cli.render.views import LoopView

if TYPE_CHECKING:
    from evolve.workspace import AblationReport, ConfidenceInterval, ItemCredit


app = pages.App(
    "See every version of the agent that was tried, and choose which one acts.",
    *("evolve lab variants list", "evolve lab variants rollback"),
)

Name = Annotated[str, typer.Argument(metavar="VARIANT", help="Digest or its beginning, active, or unlearned.")]


@app.page("list", "evolve lab variants list", "evolve lab variants list --json")
def list_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List every variant that was ever tried."""
    with evolve.open(workspace, read_only=True) as opened:
        rows = opened.variants.list()
        active = opened.variants.active
    if as_json:
        from dataclasses import asdict

        emit_json({"active": active, "variants": [asdict(row) for row in rows]})
        return
    cells = [
        (
            "*" if row.active else "",
            *(row.digest[:12], row.parent[:12], row.solved, row.tasks, row.tokens or row.candidates),
            *(row.verdict, shorten_line(row.origin, 60)),
        )
        for row in rows
    ]
    spent = "tokens" if any(row.tokens for row in rows) else "candidates"
    header = ("", "variant", "parent", "solved", "tasks", spent, "gate", "from")
    emit(table(header, cells, spare=(spent, "parent")) or "no variant yet")
    emit(f"active: {active[:12]}")


@app.page("show", "evolve lab variants show", "evolve lab variants show 27de021c")
def show_command(name: Name = "active", workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Show one variant: what it is made of, what the gate said, what was predicted and what came of it."""
    from evolve.cli.lab.optimize import show_change
    from evolve.workspace import AblationReport, AcceptedVariant

    with evolve.open(workspace, read_only=True) as opened:
        variant = opened.variants.show(name)
        measured = opened.variants.measured(name)
    if as_json:
        return emit_json(variant)
    emit(f"variant {variant['digest'][:16]}{' (active)' if variant['active'] else ''}")
    emit(f"from {variant['origin']}")
    emit(f"lineage: {' <- '.join(digest[:12] for digest in variant['lineage'])} <- unlearned")
    emit(f"guide: {'yes' if variant['guide'] else 'no'}; skills: {len(variant['skills'])}")
    emit(f"prompts: {', '.join(name for name, _ in variant['prompts']) or 'as in the workspace'}")
    emit(f"workflow: {'its own' if variant['workflow'] else 'as in the workspace'}")
    emit(f"tried on {count_of(variant['tasks'], 'task')}, {variant['solved']} solved and verified")
    for decision in variant["decisions"]:
        emit(f"gate, run {decision['run']}: {decision['verdict']}; {singular_form(decision['reason'])}")
    for measure in measured:
        if isinstance(measure, AcceptedVariant):
            show_change(measure)
        elif isinstance(measure, AblationReport):
            show_ablation(measure)
        else:
            emit(f"{measure['kind']}: {measure['verdict']}; {measure['reason']}")
    emit(f"transferable: {', '.join(variant['transferable']) or 'not shown on another suite or model'}")
    for override in variant["overrides"]:
        emit(f"override by {override['person']}: {override['reason']}")


@app.page("diff", "evolve lab variants diff", "evolve lab variants diff 27de021c unlearned")
def diff_command(
    name: Name = "active",
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Compare with this one, else with its parent.")] = "",
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what a variant changes."""
    with evolve.open(workspace, read_only=True) as opened:
        text = opened.variants.diff(name, other)
    emit_json({"diff": text}) if as_json else emit(text or "no difference", exact=True)


@app.page("tree", "evolve lab variants tree", "evolve lab variants tree --json")
def tree_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Draw which variant was made from which."""
    with evolve.open(workspace, read_only=True) as opened:
        text = opened.variants.tree()
    emit_json({"tree": text.splitlines()}) if as_json else emit(text, whole=True)


@app.page(
    "promote",
    'evolve lab variants promote 27de021c --reason "answers are shorter"',
    'evolve lab variants promote 27de021c --reason "shorter" --by Ada',
)
def promote_command(
    name: Annotated[str, typer.Argument(metavar="VARIANT", help="Digest or its beginning.")],
    reason: Annotated[
        str,
        typer.Option("--reason", metavar="TEXT", help="Why it should act although the gate did not say so."),
    ] = "",
    person: Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides; by default you.")] = "",
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a variant the active one. Past the gate this is an override, which is logged with its reason."""
    with evolve.open(workspace) as opened:
        promotion = opened.variants.promote(name, reason=reason, person=person)
    _show_activation(promotion, as_json)


@app.page("rollback", "evolve lab variants rollback", "evolve lab variants rollback --json")
def rollback_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Go back to what was active before the last promotion."""
    with evolve.open(workspace) as opened:
        promotion = opened.variants.rollback()
        files = opened.variants.left_behind(promotion.before)
    _show_activation(promotion, as_json)
    for file in files:
        print_note(
            f"{file} still says what {promotion.before[:12]} said, and goes on to act; take back what `write` put there"
        )


@app.page(
    "transfer",
    "evolve lab variants transfer active strings --budget 1h",
    "evolve lab variants transfer 27de021c lists --model gpt-5-mini",
)
def transfer_command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="VARIANT", help="Digest, its beginning, or active.")],
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="Another task file or folder, or suite.")],
    budget: options.Budget = None,
    model: options.Model = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Try a variant against its parent on another suite, or with another model. Promotes nothing."""
    bounds = options.start_budget(ctx, budget)  # a wrong option is told before anything is made
    view = LoopView()
    with view, evolve.open(workspace, model=model, events=view) as opened, opened.delivering():
        outcome = opened.variants.transfer(name, suite, budget=bounds)
        view.stop()
        if as_json:
            emit_json(dict(outcome))
        else:
            emit(f"on {outcome['on']}: {outcome['verdict']}; {singular_form(outcome['reason'])}")
        flush()


@app.page("ablate", "evolve lab variants ablate", "evolve lab variants ablate active --items skills --budget 1h")
def ablate_command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="VARIANT", help="Digest, its beginning, or active.")] = "active",
    suite: Annotated[
        str, typer.Option("--suite", metavar="SUITE", help="Tasks to try on. Default: where it was judged.")
    ] = "",
    items: Annotated[
        str,
        typer.Option(
            "--items",
            metavar="KINDS",
            help="Some of guide, skills, insights, prompts and workflow, with commas. Default: all.",
        ),
    ] = "",
    propose: Annotated[bool, typer.Option("--propose", help="Put removing what hurts before the gate.")] = False,
    seed: options.Seed = 0,
    budget: options.Budget = None,
    model: options.Model = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Find out what each part of a variant does, by trying the variant with and without it.

    It tries on train tasks and decides nothing. Interrupted, the same command continues where it stopped.
    """
    from evolve.workspace import AblationRequest

    bounds = options.start_budget(ctx, budget)  # a wrong option is told before anything is made
    kinds = [kind.strip() for kind in items.split(",") if kind.strip()]
    request = AblationRequest(variant=name, suite=suite, items=kinds, seed=seed, propose=propose)
    view = LoopView()
    with view, evolve.open(workspace, model=model, events=view) as opened, opened.delivering():
        report = opened.variants.ablate(request, budget=bounds)
        view.stop()
        emit_json({**report.to_json(), **opened.sandbox_mark}) if as_json else show_ablation(report)
        flush()


@app.page("write", "evolve lab variants write", "evolve lab variants write 27de021c --force")
def write_command(
    name: Name = "active",
    force: Annotated[bool, typer.Option("--force", help="Replace files that were edited.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Put a variant's prompts and workflow into prompts/, where they can be reviewed and committed."""
    with evolve.open(workspace) as opened:
        files = [str(path) for path in opened.variants.write(name, force=force)]
    if as_json:
        return emit_json({"files": files})
    for file in files:
        emit(f"wrote {file}")
    print_note("review with: git diff prompts")


def _show_activation(promotion: Any, as_json: bool) -> None:
    if as_json:
        emit_json({"active": promotion.variant, "before": promotion.before, "grounds": promotion.grounds})
    else:
        emit(f"active: {promotion.variant[:12]}, before {promotion.before[:12]} ({promotion.grounds})")


_HEADER = ("item", "pairs", "won", "lost", "tied", "share won with it", "solved with - without", "cost ratio", "")


def show_ablation(report: AblationReport) -> None:
    """Prints a report for people."""
    emit(f"items of {report.variant[:12]} on train tasks of {report.suite}, seed {report.seed}: {report.finish_reason}")
    emit(table(_HEADER, [_cells(credit) for credit in report.items], spare=("cost ratio", "pairs")))
    emit("the bounds of the share hold for all items at once, at 95 %; nothing is decided here")
    if report.proposed:
        emit(f"proposed without {'; '.join(report.proposed['without'])}")
        emit(f"  gate: {report.proposed['verdict']}; {report.proposed['reason']}")
    elif any(credit.verdict == "hurts" for credit in report.items):
        emit(f"evolve lab variants ablate {report.variant[:12]} --propose puts removing what hurts before the gate")


def _cells(credit: ItemCredit) -> tuple[object, ...]:
    pairs = credit.wins + credit.losses + credit.ties
    return (
        shorten_line(credit.item.text, 48),
        f"{pairs}/{credit.planned}",
        *(credit.wins, credit.losses, credit.ties),
        _figure(credit.share, "{:.2f}"),
        _figure(credit.solved, "{:+.2f}"),
        _figure(credit.ratio, "{:.2f}"),
        credit.verdict,
    )


def _figure(interval: ConfidenceInterval, form: str) -> str:
    if interval.value is None or interval.low is None or interval.high is None:
        return "-"
    return f"{form} ({form} to {form})".format(interval.value, interval.low, interval.high)
