"""``evolve lab selftest``: does the gate keep its promise on this machine?"""

from __future__ import annotations

from typing import Annotated

import typer

from evolve.cli import options, pages
from evolve.cli.render.output import counted, emit, emit_json, note
from evolve.errors import UsageError

app = pages.App()


@app.page("selftest", "evolve lab selftest --null --loops 20", "evolve lab selftest --null")
def selftest_command(
    null: Annotated[bool, typer.Option("--null", help="Loops of proposals that change nothing.")] = False,
    loops: Annotated[int, typer.Option("--loops", metavar="NUMBER", min=1, help="How many loops.")] = 80,
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Test on this machine how often the gate accepts a change without effect.

    The exit code is 1 if that happens more often than the gate promises.
    """
    if not null:
        raise UsageError("nothing to test was named", hint="evolve lab selftest --null")
    import evolve
    from evolve.workspace import to_data

    result = evolve.selftest(loops, seed=seed, told=note)
    if as_json:
        emit_json({**to_data(result), "level": result.level, "kept": result.kept, "shown": result.shown})
    else:
        rate = result.rate
        each = f"{counted(result.proposals, 'proposal')} that change nothing, {counted(result.groups, 'group')} each"
        emit(f"{counted(result.loops, 'loop')} of {each}")
        emit(f"loops with a false accept: {result.accepted}, share {rate.value:.3f}")
        emit(f"95 % interval {rate.low:.3f} to {rate.high:.3f}; promised: at most {result.level:g}")
        emit(f"pairs that moved the test: {result.decisive:.0f} a loop")
        claim = "the promise holds" if result.shown else "nothing contradicts the promise; more loops would show more"
        emit(claim if result.kept else "the promise does not hold")
    if not result.kept:
        raise typer.Exit(1)
