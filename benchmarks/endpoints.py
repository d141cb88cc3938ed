"""What does a model's endpoint get away with? Faults, deadlines, spending, and what a call costs.

A scripted server does everything wrong that is known to us; a reply made of it, or a wait past the deadline, is
counted against us. Erratic endpoints without a network try to drive spending past a budget. CPU time of a call is
that of the client alone: its server runs in another process.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.record import ROOT, Outcome, Target, common_options, progress, publish
from evolve.core.errors import BudgetExhausted, EndpointProblem, EvolveError, ModelMistake
from evolve.core.ledger import Budget, Ledger
from evolve.runtime.models import (
    Deadlines,
    Endpoint,
    EndpointModel,
    ExchangeFailure,
    Message,
    ModelClientSetup,
    ModelRequest,
    ModelSetup,
    Price,
    RetryRules,
    load_wording,
    open_models,
)
from evolve.testing import LocalWire, Scenario, ScriptedEndpoint
from evolve.testing.endpoint_faults import bad_bodies, bad_contents, chat_completion_body, odd_bodies, odd_contents

ASKED = ModelRequest(messages=[Message(role="user", text="What is 17 + 25?")], max_tokens=50)
SCHEMA = {
    "type": "object",
    "properties": {"sum": {"type": "integer"}},
    "required": ["sum"],
    "additionalProperties": False,
}
BROKEN = ("reset", "close", "wrong length", "cut stream", "no last piece")
ENDLESS = ("hang", "slow body", "slow headers", "stalled stream")
STATUSES = (307, 400, 401, 403, 404, 408, 409, 422, 429, 500, 501, 502, 503, 504, 529)
LIMIT_S = 0.5


def fault_rows() -> Iterator[dict[str, Any]]:
    """One row for each thing an endpoint does wrong, or oddly and still right."""
    cases: list[tuple[str, str, list[Any], bool]] = []
    cases += [("bad body", kind, [{"bad": kind}] * 3, False) for kind in bad_bodies()]
    cases += [("bad content", kind, [text] * 3, True) for kind, text in bad_contents().items()]
    cases += [("odd body", kind, [{"odd": kind}], False) for kind in odd_bodies()]
    cases += [("odd content", kind, [text], True) for kind, text in odd_contents().items()]
    cases += [("broken connection", fault, [{"fault": fault, "text": "half of it"}], False) for fault in BROKEN]
    cases += [("endless reply", fault, [{"fault": fault, "every": 0.05}], False) for fault in ENDLESS]
    cases += [("status", str(status), [{"status": status}], False) for status in STATUSES]
    expected = {"bad body": "ModelMistake", "bad content": "ModelMistake", "odd body": "reply", "odd content": "reply"}
    for kind, name, steps, structured in cases:
        wanted = expected.get(kind, "EndpointProblem")
        streamed = "stream" in name or name == "no last piece"
        found, seconds = _outcome(steps, structured=structured, streamed=streamed)
        yield {"measure": kind, "kind": name, "wanted": wanted, "found": found, "seconds": round(seconds, 3)}


def _outcome(steps: Sequence[Any], *, structured: bool, streamed: bool) -> tuple[str, float]:
    from dataclasses import replace

    asked = replace(ASKED, schema=SCHEMA if structured else None)
    with ScriptedEndpoint(Scenario(replies=steps)) as endpoint:
        setup = ModelSetup(
            model=endpoint.model,
            environ={},
            rules=RetryRules(attempts=1),
            deadlines=Deadlines(connect=LIMIT_S, idle=LIMIT_S, total=LIMIT_S),
            sleep=lambda seconds: None,
        )
        with open_models(setup) as models:
            started = time.monotonic()
            try:
                models.complete(asked, (lambda text: None) if streamed else None)
                found = "reply"
            except EvolveError as error:
                found = type(error).__name__
            return found, time.monotonic() - started


def budget_rows(runs: int) -> Iterator[dict[str, Any]]:
    """Random budgets against endpoints that do anything, one or four threads at a time."""
    wording = load_wording()
    for seed in range(runs):
        rng = random.Random(seed)
        budget = Budget(
            tokens=rng.choice([None, rng.randint(1, 4_000)]),
            calls=rng.choice([None, rng.randint(1, 15)]),
            money=rng.choice([None, rng.randint(1, 900) / 1_000]),
        )
        ledger = Ledger(budget)
        services = ModelClientSetup(
            wire=LocalWire(_erratic(rng)),
            wording=wording,
            meter=ledger,
            price=Price(input=100.0, output=400.0),
            rules=RetryRules(attempts=2),
            sleep=lambda seconds: None,
        )
        model = EndpointModel(Endpoint(base_url="http://local.example/v1", model="m"), services)
        threads = 4 if seed % 10 == 0 else 1
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda number: _spend(model, 20 * number + 10), range(8)))  # noqa: B023
        over = [
            kind
            for kind in ("tokens", "calls", "money")
            if getattr(budget, kind) is not None and getattr(ledger.spent, kind) > getattr(budget, kind)
        ]
        yield {"measure": "budget", "seed": seed, "threads": threads, "over": over}


def _spend(model: EndpointModel, most: int) -> None:
    from dataclasses import replace

    try:
        model.complete(replace(ASKED, max_tokens=most, schema=SCHEMA if most % 40 == 10 else None))
    except (BudgetExhausted, EndpointProblem, ModelMistake):
        return


def _erratic(rng: random.Random) -> Any:
    def answer(body: Mapping[str, Any]) -> Any:
        kind = rng.random()
        if kind < 0.2:
            return (
                ExchangeFailure(kind="server", text="down")
                if kind < 0.1
                else ExchangeFailure(kind="timeout", text="", billed=True)
            )
        usage = {"prompt_tokens": rng.randint(1, 20), "completion_tokens": rng.randint(0, body["max_tokens"])}
        text = rng.choice(['{"sum": 42}', "no JSON", ""])
        return chat_completion_body(text, usage=rng.choice([usage, usage, None]))

    return answer


def call_rows(calls: int) -> Iterator[dict[str, Any]]:
    """CPU of one call after the library was loaded, plain, structured and streamed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.json"
        file.write_text("{}", encoding="utf-8")
        double = ("--double", "benchmarks.doubles:QuirkDouble")
        command = [sys.executable, "-m", "evolve.testing.endpoint", str(file), *double]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as serving:
            assert serving.stdout is not None and serving.stdin is not None
            with open_models(ModelSetup(model=serving.stdout.readline().strip(), environ={})) as models:
                yield from _timed_calls(models, calls)
            serving.stdin.close()


def _timed_calls(models: Any, calls: int) -> Iterator[dict[str, Any]]:
    from dataclasses import replace

    ways = {
        "plain": (ASKED, None),
        "structured": (replace(ASKED, schema=SCHEMA), None),
        "streamed": (ASKED, lambda text: None),
    }
    for way, (asked, listener) in ways.items():
        models.complete(asked, listener)
        for _ in range(calls):
            started = time.process_time()
            models.complete(asked, listener)
            yield {"measure": "call", "kind": way, "cpu_ms": round(1000 * (time.process_time() - started), 3)}


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """The figures against what they should be."""
    from statistics import median

    faults = [row for row in rows if "wanted" in row]
    endless = [row["seconds"] - LIMIT_S for row in faults if row["measure"] == "endless reply"]
    runs = [row for row in rows if row["measure"] == "budget"]
    times = [row["cpu_ms"] for row in rows if row["measure"] == "call"]
    wrong = sum(row["found"] != row["wanted"] for row in faults) if faults else None
    over = sum(bool(row["over"]) for row in runs) if runs else None
    return [
        Target(name="faults with another end than they should have", op="==", target=0, n=len(faults), value=wrong),
        Target(
            name="wait past a deadline, s",
            op="<=",
            target=1.0,
            n=len(endless),
            value=max(endless, default=None),
        ),
        Target(name="runs that spent more than their budget", op="==", target=0, n=len(runs), value=over),
        Target(name="CPU of a call, ms", op="<=", target=15.0, n=len(times), value=median(times) if times else None),
    ]


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    lines = []
    for target in outcome.targets:
        value = "not measured" if target.value is None else f"{target.value:,.4g}"
        met = "met" if target.met else "MISSED"
        lines.append(f"{target.name}: {value} (n {target.n}); target {target.op} {target.target:g}: {met}")
    lines += [
        f"  {row['measure']}, {row['kind']}: {row['found']} instead of {row['wanted']}"
        for row in outcome.rows
        if "wanted" in row and row["found"] != row["wanted"]
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.endpoints", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=5_000)
    options = parser.parse_args(argv)
    runs = min(options.seeds, 1_000) if options.quick else options.seeds
    progress("faults")
    rows = list(fault_rows())
    progress(f"{runs} budgets")
    rows += budget_rows(runs)
    progress("calls")
    rows += call_rows(50 if options.quick else 300)
    outcome = Outcome(benchmark="endpoints", seeds=runs, quick=options.quick, rows=rows, targets=targets_of(rows))
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
