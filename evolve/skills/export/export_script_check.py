"""Runs an exported script before it leaves: as a file, it must answer as its skill did when it was checked."""

from __future__ import annotations

import json

from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import Program, Sandbox, SandboxLimits
from evolve.skills import Skill
from evolve.tasks import equal

_DRIVER = """
def run(name, script, lines):
    import io, pathlib, runpy, sys

    pathlib.Path(name).write_text(script, encoding="utf-8")
    kept, out, code = (sys.argv, sys.stdin, sys.stdout), io.StringIO(), None
    sys.argv, sys.stdin, sys.stdout = [name, "--batch"], io.StringIO(lines), out
    try:
        runpy.run_path(name, run_name="__main__")
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv, sys.stdin, sys.stdout = kept
    return [code, out.getvalue()]
"""
_LIMITS = SandboxLimits(wall_s=60.0, program_s=50.0)
"""As long as a busy machine may need for what took seconds when it was judged."""


def difference(sandbox: Sandbox, skill: Skill, script: str) -> str:
    """How a script's answers differ from the rows that its skill was judged by; "" when they do not.

    Args:
        sandbox: Where it runs.
        skill: Its rows are what counts.
        script: The whole file.

    Raises:
        SandboxUnavailable: The sandbox failed, which says nothing about the script.
    """
    if not skill.rows:
        return ""
    lines = "".join(json.dumps(list(row.input)) + "\n" for row in skill.rows)
    call = [f"{skill.name}.py", script, lines]
    # all rows in one run of the file: that is how a client with --batch calls it
    result = sandbox.run_programs([Program(source=_DRIVER, entry="run")], [call], _LIMITS)
    if result.fault or result.killed or result.timed_out:
        raise SandboxUnavailable(
            f"the script of {skill.name} could not be tried: {result.fault or 'it had to be ended'}",
            hint="run the same command again; `evolve status` shows the machine",
        )
    outcome = result.programs[0].outputs[0] if result.programs[0].outputs else None
    if outcome is None or not outcome.ok:
        return "as a script it does not run"
    answers = _answers(outcome.value)
    if len(answers) != len(skill.rows):
        return f"as a script it gives {len(answers)} answers to {len(skill.rows)} rows"
    for number, (answer, row) in enumerate(zip(answers, skill.rows, strict=True), 1):
        if "output" not in answer or not equal(answer["output"], row.output):
            return f"as a script it does not give the answer of row {number}, which it gave when it was checked"
    return "" if outcome.value[0] == 0 else f"as a script it ends with {outcome.value[0]}"


def _answers(output: object) -> list[dict[str, object]]:
    """Parses the lines that a batch printed; one that is no JSON object counts as an answer that is not there."""
    text = output[1] if isinstance(output, list) and len(output) == 2 and isinstance(output[1], str) else ""
    answers = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        answers.append(value if isinstance(value, dict) else {})
    return answers
