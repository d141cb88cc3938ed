"""``evolve lab sandbox``: run code in the sandbox, and test whether the sandbox holds on this machine."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import options, pages
from evolve.cli import options as overrides
from evolve.cli.render.output import count_of, emit, emit_json, pick_attributes, print_note, suspend_live_line

if TYPE_CHECKING:
    from evolve.workspace import ActionResult

app = pages.App(
    "Run code in the sandbox, or test whether the sandbox holds.",
    *("evolve lab sandbox check", "evolve lab sandbox exec script.py"),
)


Session = Annotated[
    str | None,
    typer.Option(
        "--session",
        metavar="NAME",
        help="See the variables of earlier commands with the same name. The workspace keeps the actions of a session"
        " and replays them each time; if one gives something else than when it was recorded, the session is at"
        " fault. An action that hits a limit is not kept.",
    ),
]
Wall = Annotated[float, typer.Option("--wall", metavar="SECONDS", min=0.01, max=86_400, help="Wall seconds.")]
Memory = Annotated[int, typer.Option("--memory", metavar="MIB", min=16, max=2**20, help="Memory, MiB.")]

Set = Annotated[
    list[str] | None,
    overrides.set_option(
        "sandbox=BACKEND (auto, bubblewrap, landlock, seatbelt or none)",
        "python=DIR (a virtual environment to import from)",
        settings=False,
    ),
]


@app.page("exec", "evolve lab sandbox exec script.py", "evolve lab sandbox exec - --wall 10 < script.py")
def exec_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A Python file, or - for stdin.")],
    wall: Wall = 5.0,
    memory: Memory = 512,
    session: Session = None,
    set_: Set = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Run Python code in the sandbox. evolve shows the output, the value and each refused access.

    The value is that of the last expression, or of the variable result. The exit code is 0 if the code ran, 1 if it
    failed or hit a limit, and 3 without a sandbox.
    """
    from evolve.workspace import SandboxLimits, sandbox

    code, limits = _code(file), SandboxLimits(wall_s=wall, memory_mb=memory)
    chosen = overrides.parse_overrides(set_, "python", "sandbox", settings=False)
    box = sandbox(workspace, chosen.text("sandbox"))
    if box.unsandboxed:
        print_note("[unsandboxed] this code runs with all your rights")
    execution = box.exec(code, limits=limits, session=session, python=chosen.text("python") or None)
    result = execution.result
    if as_json:
        emit_json({**_result(result), "backend": execution.backend})
    else:
        if result.stdout:
            emit(result.stdout.removesuffix("\n"), whole=True)
        if result.stderr:
            print_note(result.stderr.removesuffix("\n"), whole=True)
        if result.has_value and result.value is not None:
            emit(f"value: {json.dumps(result.value, ensure_ascii=False)}")
        for item in result.denied:
            print_note(f"denied: {item}")
        if result.limit:
            bounds = {"wall": f" of {limits.wall_s:g} s", "memory": f" of {limits.memory_mb} MiB"}
            print_note(f"limit: {result.limit}{bounds.get(result.limit, '')}")
        elif result.error:
            print_note(f"{'fault' if result.state == 'fault' else 'error'}: {result.error}")
    raise typer.Exit({"ok": 0, "fault": 3}.get(result.state, 1))


def _code(file: str) -> str | Path:
    with suspend_live_line():
        return Path(file) if file != "-" else sys.stdin.buffer.read().decode("utf-8", "replace")


def _result(result: ActionResult) -> dict[str, Any]:
    return {
        **pick_attributes(result, "state", "limit", "value", "has_value", "error", "stdout", "stderr"),
        "denied": [pick_attributes(item, "kind", "target") for item in result.denied],
        "wall_s": round(result.wall_s, 4),
        "ended": result.ended,
    }


@app.page("check", "evolve lab sandbox check", "evolve lab sandbox check --json")
def check_command(as_json: options.AsJson = False) -> None:
    """Test whether the sandbox holds here, by probes that try what must not work.

    Every backend is tested now. Exit code 3 when none holds.
    """
    from evolve.workspace import sandbox

    results = sandbox().check()
    holding = [name for name, outcomes in results.items() if all(outcome.passed for outcome in outcomes)]
    if as_json:
        told = {name: [pick_attributes(one, "name", "passed", "detail") for one in results[name]] for name in results}
        emit_json({"chosen": holding[0] if holding else None, "backends": told})
    else:
        for name, outcomes in results.items():
            failed = [outcome for outcome in outcomes if not outcome.passed]
            chosen = "  (used here)" if holding[:1] == [name] else ""
            state = f"holds      {count_of(outcomes, 'probe')}{chosen}" if not failed else "not usable "
            emit(f"{name:<11} {state}" + "; ".join(f"{outcome.name}: {outcome.detail}" for outcome in failed))
        if not holding:
            print_note("no sandbox holds on this machine, so no code is run")
            print_note("  try: apt install bubblewrap (Linux), or run inside WSL2 (Windows)")
        if os.environ.get("EVOLVE_UNSAFE"):
            print_note("EVOLVE_UNSAFE is set: with --set sandbox=none, code runs unconfined")
    raise typer.Exit(0 if holding else 3)
