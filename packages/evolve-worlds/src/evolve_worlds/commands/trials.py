"""``evolve lab trials``: does a policy without a model get better in a world, trial by trial?"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from evolve.cli import options, pages
from evolve.cli import options as overrides
from evolve.cli.render.output import (
    count_of,
    emit,
    emit_json,
    escape_control_characters,
    flush,
    print_note,
    report_written_file,
    table,
)
from evolve.cli.run import print_created
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import Event
    from evolve_worlds.trials import Playing, TrialsReport

app = pages.App()

World = Annotated[str, typer.Argument(metavar="WORLD", help="Name of a world, from evolve lab worlds list.")]
Tasks = Annotated[
    list[str] | None,
    typer.Option("--task", metavar="TASK", help="A task of the world; may be given several times. Default: its first."),
]
Setting = Annotated[
    str,
    typer.Option(
        "--setting",
        metavar="SETTING",
        help="What is remembered: adapt (earlier trials of the variation), gen-env (practice on other variations,"
        " one trial), gen-task (practice on other tasks, one trial), gen-adapt (as gen-env, then on as adapt).",
    ),
]
Variations = Annotated[
    str,
    typer.Option(
        "--variations", metavar="WHICH", help="How many, or which ones: 6, or 3,9,12. From six on there are intervals."
    ),
]
Split = Annotated[str, typer.Option("--split", metavar="SPLIT", help="train, dev or test.")]
Trials = Annotated[int, typer.Option("--trials", metavar="NUMBER", min=1, help="Trials of each variation.")]
Practice = Annotated[
    int, typer.Option("--practice", metavar="NUMBER", min=1, help="Train variations to practise on before.")
]
PracticeTasks = Annotated[
    list[str] | None,
    typer.Option("--practice-task", metavar="TASK", help="For gen-task: another task to practise on."),
]
Curve = Annotated[str | None, typer.Option("--curve", metavar="FILE", help="Write the curves to this SVG file.")]

_TOLD = 8
"""Insights that are printed; the rest are in the memory."""

Set = Annotated[
    list[str] | None,
    overrides.set_option(
        "moves=N (most moves of a trial)",
        "practice_trials=N (trials of each practice variation)",
    ),
]


@app.page(
    "trials",
    "evolve lab trials minigrid --task UnlockLocal --setting adapt --trials 12 --curve curve.svg",
    "evolve lab trials scienceworld --task measure-melting-point-known-substance --setting gen-adapt",
)
def trials_command(
    ctx: typer.Context,
    world: World,
    task: Tasks = None,
    setting: Setting = "adapt",
    variations: Variations = "6",
    split: Split = "dev",
    trials: Trials = 12,
    practice: Practice = 3,
    practice_task: PracticeTasks = None,
    curve: Curve = None,
    budget: options.Budget = None,
    set_: Set = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Play anew what is kept from before.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Play trials in a world and learn from each. You see whether the later trials get better.

    You need no model. With encoder = "minilm" in evolve.toml evolve first tries the things whose names are closest
    to the goal. The workspace keeps each trial, so the same command goes on with more trials, variations or tasks,
    and after an interruption. Test variations leave no insights.
    """
    import evolve
    from evolve_worlds.trials import TrialsRequest

    bounds = options.start_budget(ctx, budget)  # a wrong option is told before anything is made
    chosen = overrides.parse_overrides(set_, "moves", "practice_trials")
    request = TrialsRequest(
        world=world,
        tasks=tuple(task or ()),
        setting=cast(Any, setting),
        variations=_which(variations),
        split=cast(Any, split),
        trials=trials,
        practice=practice,
        practice_tasks=tuple(practice_task or ()),
        practice_trials=chosen.positive_number("practice_trials", 6),
        moves=chosen.positive_number("moves", 100),
        fresh=fresh,
    )
    with report_written_file(curve), evolve.open(workspace, events=_View(), settings=chosen.settings) as opened:
        print_created(opened)
        if split == "test":
            print_note("test variations are there to report: nothing that they show is kept as evidence")
        play: Playing = getattr(opened, "trials")  # noqa: B009 (a part that a package adds, unknown to type checkers)
        report = play(replace(request, seed=opened.settings.seed), budget=bounds, curve=curve)
    emit_json(report.to_json()) if as_json else _show(report)
    flush()


class _View:
    """Tells of each trial in a line."""

    def emit(self, event: Event) -> None:
        told = event.data
        if event.kind == "warning":
            print_note(str(told["text"]))
        elif event.kind == "trial":
            end = ", then lost" if told["lost"] else ""
            when = "practice, " if told["practice"] else ""
            text = (
                f"{when}{told['task']} {told['variation']}, trial {told['trial'] + 1}: score {told['score']:.2f}{end}"
            )
            print_note(
                escape_control_characters(
                    f"{text}, {count_of(told['steps'], 'step')}{', kept from before' if told['kept'] else ''}"
                )
            )


def _which(text: str) -> int | tuple[int, ...]:
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--variations: no number in {text!r}", hint="--variations 5, or --variations 3,9") from None
    return found if "," in text else found[0]


def _show(report: TrialsReport) -> None:
    likened = f", names likened by {report.encoder}" if report.encoder else ""
    emit(f"{report.world}, {report.request.setting}: {count_of(len(report.variations), 'variation')}{likened}")
    rows = [
        (
            number,
            f"{one.value:.2f}",
            "-" if one.low is None else f"{one.low:.2f} to {one.high:.2f}",
            f"{moves.value:.0f}",
            lost,
            one.n,
        )
        for number, (one, moves, lost) in enumerate(zip(report.curve, report.moves, report.lost, strict=True), 1)
    ]
    if rows:
        emit(table(("trial", "mean score", "95 % interval", "moves", "lost", "variations"), rows))
    practice = f", {report.practice_steps:,} in practice before" if report.practice_steps else ""
    emit(f"{count_of(report.steps, 'step')} of the world, replays included{practice}")
    if report.predicted is not None:
        emit(f"of {report.predicted:.0%} of the moves it was foreseen whether they change something")
    for text in report.sentences[:_TOLD]:
        emit(escape_control_characters(text))
    if len(report.sentences) > _TOLD:
        about = report.trials[0].task if len({one.task for one in report.trials}) == 1 else report.request.world
        emit(
            escape_control_characters(
                f"and {len(report.sentences) - _TOLD} more: evolve memory list --about {shlex.quote(about)}"
            )
        )
    if report.finish_reason == "budget":
        print_note("the budget ended before all was played; the same command goes on")
