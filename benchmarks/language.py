"""Does a language policy learn, and does it keep its promises? Measured on models that act by their prompt alone.

The doubles solve a task at their first answer only if the prompt holds one fact, which some insight or skill must have
brought there; so the curve shows what was learned and nothing else. A task counts as solved when the answer that was
handed in is right, however many were tried on its examples before; *right at once* is the first of them. Faults and
budgets are tried on the same doubles without a network. With ``--peer PYTHON``, an interpreter that has smolagents, its
CodeAgent gets the same tasks and the same double. Nothing here says how good any real model is.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.doubles import QuirkDouble, quirk_tasks
from benchmarks.record import UNSEEDED, Outcome, Target, common_options, progress, publish
from evolve.agent import Agent, AgentServices
from evolve.agent.workflow import Workflow
from evolve.core.episodes import EpisodeRecord, Limits, Row
from evolve.core.errors import EndpointProblem
from evolve.core.paths import WorkspacePaths
from evolve.core.settings import load_settings
from evolve.policies.language import EpisodeMeter, LanguagePolicy, LanguageSettings
from evolve.runtime.models import ExchangeFailure, ModelSetup, open_models
from evolve.tasks import Task
from evolve.testing import LocalWire, TrustingSandbox
from evolve.testing.endpoint_faults import bad_contents, chat_completion_body

MODEL = "http://localhost:1/v1#double"
TASKS = 30
LAST = 10
TURNS = 200
Answer = Callable[[Mapping[str, Any]], Any]


def counted(answer: Callable[[Mapping[str, Any]], str]) -> Answer:
    """The answers with a usage of about four characters a token."""

    def reply(body: Mapping[str, Any]) -> Any:
        text = answer(body)
        prompt, said = prompt_tokens(body), max(1, len(text) // 4)
        usage = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
        return chat_completion_body(text, usage=usage)

    return reply


def prompt_tokens(body: Mapping[str, Any]) -> int:
    """About how many tokens a prompt has."""
    return sum(len(str(message["content"])) for message in body["messages"]) // 4


def curve_rows(*, memory: bool, skills: bool, tasks: int) -> Iterator[dict[str, Any]]:
    """One arm: the tasks one after the other in one workspace, what is switched off forgotten after each."""
    import evolve
    from evolve.workspace.language import LanguageLearner

    arm = f"memory {'on' if memory else 'off'}, skills {'on' if skills else 'off'}"
    with tempfile.TemporaryDirectory() as folder:
        paths = WorkspacePaths(Path(folder))
        wire = LocalWire(counted(QuirkDouble(quirk_tasks(TASKS)).answer))
        learner = LanguageLearner(paths=paths, settings=load_settings(paths.root), model=MODEL, wire=lambda _: wire)
        with evolve.open(folder, policy=learner, settings=UNSEEDED) as workspace:
            for place, job in enumerate(quirk_tasks(tasks), 1):
                result = workspace.run(job.task)
                record = workspace.stores.runs.episode(result.episode_id)
                yield {
                    "measure": "curve",
                    "arm": arm,
                    "place": place,
                    "task": job.task.id,
                    "family": job.quirk.name,
                    "first": first_answer_right(record),
                    "solved": record.solved,
                    "tokens": record.cost.tokens,
                    "calls": record.cost.calls,
                    "steps": len(record.steps),
                }
                if not memory:
                    workspace.memory.forget(everything=True)
                if not skills:
                    for skill in workspace.skills.list(("admitted", "trusted")):
                        workspace.skills.retire(skill.name)


def first_answer_right(record: EpisodeRecord) -> bool:
    """Whether the first answer was verified."""
    judged = record.steps[0].judgement if record.steps else None
    return judged is not None and judged.verified


class Clock:
    """A clock on which nobody waits: it goes on by what was slept."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Passes at once."""
        self.now += seconds


def agent_of(
    answer: Answer, steps: int = 6, folder: Path | None = None, clock: Clock | None = None, **settings: bool
) -> Agent:
    """An agent in this process whose model is a function, and whose sandbox trusts the doubles' code."""
    meter = EpisodeMeter()
    time_of = clock or Clock()
    setup = ModelSetup(
        model=MODEL,
        environ={},
        meter=meter,
        wire=lambda _: LocalWire(answer),
        clock=time_of,
        sleep=time_of.sleep,
    )
    policy = LanguagePolicy(models=open_models(setup), meter=meter, settings=LanguageSettings(**settings))
    around = AgentServices(policy=policy, sandbox=TrustingSandbox(), run="r", checkpoints=folder)
    return Agent(around, Workflow().with_knobs(steps=steps))


def fault_rows() -> Iterator[dict[str, Any]]:
    """Each fault at each call of an episode: it must end as without, with nothing learned from the fault."""
    faults: dict[str, Any] = {f"text: {kind}": text for kind, text in bad_contents().items()}
    faults |= {
        f"status {status}": ExchangeFailure(kind="server" if status >= 500 else "auth", text="no", status=status)
        for status in (401, 500, 502, 503)
    }
    faults |= {f"lost {n} times": [ExchangeFailure(kind="timeout", text="silence", billed=True)] * n for n in (1, 3, 9)}
    faults["refusal"] = chat_completion_body(None, message={"refusal": "I will not."})
    job = quirk_tasks(1)[0]
    right = agent_of(QuirkDouble().answer).run_episode(job.task, variant="unlearned", split="train")
    for name, fault in faults.items():
        for at in range(1, right.cost.calls + 1):
            yield {"measure": "fault", "fault": name, "at": at, **_faulted(job.task, fault, at, right)}


def _faulted(task: Task, fault: Any, at: int, right: EpisodeRecord) -> dict[str, Any]:
    double, calls = QuirkDouble(), 0
    waiting = list(fault) if isinstance(fault, list) else [fault]

    def answer(body: Mapping[str, Any]) -> Any:
        nonlocal calls
        calls += 1
        return waiting.pop() if calls >= at and waiting else double.answer(body)

    pauses, clock = 0, Clock()
    with tempfile.TemporaryDirectory() as folder:
        agent = agent_of(answer, folder=Path(folder), clock=clock)
        while pauses < 20:
            try:
                record = agent.run_episode(task, variant="unlearned", split="train")
                break
            except EndpointProblem:
                pauses += 1
                clock.sleep(3_600.0)  # a person comes back later and gives the same command
        else:
            return {"survived": False, "pauses": pauses, "learned_wrong": 0}
    known = {claim.cause for claim in right.claims}
    wrong = sum(claim.cause not in known or claim.evidence[0].direction < 0 for claim in record.claims)
    return {"survived": record.verified, "pauses": pauses, "learned_wrong": wrong}


def budget_rows(runs: int) -> Iterator[dict[str, Any]]:
    """Episodes with random bounds and replies of random length."""
    jobs = quirk_tasks(TASKS)
    double = QuirkDouble(jobs)
    for seed in range(runs):
        rng = random.Random(seed)

        def answer(body: Mapping[str, Any], rng: random.Random = rng) -> Any:
            said = rng.randint(1, int(body.get("max_tokens") or body.get("max_completion_tokens") or 100))
            prompt = rng.randint(1, 4 * prompt_tokens(body))
            usage = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
            return chat_completion_body(double.answer(body), usage=usage)

        limits = Limits(
            candidates=None,
            seconds=None,
            tokens=rng.randint(1_000, 60_000),
            calls=rng.choice((None, rng.randint(1, 8))),
        )
        job = rng.choice(jobs)
        record = agent_of(answer).run_episode(job.task, variant="unlearned", split="train", limits=limits)
        over = record.cost.tokens > (limits.tokens or 0) or (
            limits.calls is not None and record.cost.calls > limits.calls
        )
        yield {
            "measure": "budget",
            "seed": seed,
            "tokens": limits.tokens,
            "spent": record.cost.tokens,
            "status": record.status,
            "over": over,
        }


def turn_rows(turns: int) -> Iterator[dict[str, Any]]:
    """One episode of many turns: the prompt of each, and what a turn costs this process."""
    sizes: list[int] = []

    def answer(body: Mapping[str, Any]) -> str:
        sizes.append(prompt_tokens(body))
        code = f"def double(n):\n    return n + 2\n# {len(sizes)} {'x' * 300}\n"
        said = {"thought": "", "kind": "code", "code": code, "answer": True, "text": "", "cites": [], "subgoal": 0}
        return json.dumps(said)

    rows = tuple(Row(input=(n,), output=2 * n) for n in range(3, 12))
    task = Task(
        id="double", family="n", instruction="Double it.", examples=rows[:3], hidden=rows[3:], meta={"entry": "double"}
    )
    agent = agent_of(answer, steps=turns, plans=False, reflects=False)
    started = time.process_time()
    limits = Limits(candidates=None, seconds=None)
    agent.run_episode(task, variant="unlearned", split="own", limits=limits)
    spent = (time.process_time() - started) / max(1, len(sizes))
    for turn, size in enumerate(sizes, 1):
        yield {"measure": "turn", "turn": turn, "prompt_tokens": size, "cpu_ms": round(1000 * spent, 3)}


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """The figures behind the rows."""

    def of(measure: str) -> list[Mapping[str, Any]]:
        return [row for row in rows if row["measure"] == measure]

    faults, budgets, turns = of("fault"), of("budget"), of("turn")
    sizes = [row["prompt_tokens"] for row in turns]
    half = len(sizes) // 2
    both = [row for row in of("curve") if row["arm"] == "memory on, skills on"]
    solved = [row["tokens"] for row in both if row["solved"]]
    return [
        Target(
            name=f"right at once on the last {LAST} tasks, both on less twice both off",
            op=">=",
            target=1,
            value=_gain(rows, "first"),
            n=LAST,
        ),
        Target(
            name=f"solved on the last {LAST} tasks, both on less twice both off",
            op=">=",
            target=0,
            value=_gain(rows, "solved"),
            n=LAST,
        ),
        Target(name="faults survived, share", op="==", target=1, value=_share(faults, "survived"), n=len(faults)),
        Target(
            name="facts learned from a fault",
            op="==",
            target=0,
            value=sum(row["learned_wrong"] for row in faults) if faults else None,
            n=len(faults),
        ),
        Target(
            name="budgets passed",
            op="==",
            target=0,
            value=sum(row["over"] for row in budgets) if budgets else None,
            n=len(budgets),
        ),
        Target(
            name="longest prompt, second half of the turns / first",
            op="<=",
            target=1.05,
            value=max(sizes[half:]) / max(sizes[:half]) if half else None,
            n=len(sizes),
        ),
        Target(name="CPU per turn, ms", op="<=", target=20, value=turns[0]["cpu_ms"] if turns else None, n=len(turns)),
        Target(
            name="tokens per solved task, both on",
            op="<=",
            target=10_000,
            value=sum(solved) / len(solved) if solved else None,
            n=len(solved),
        ),
    ]


def _share(rows: Sequence[Mapping[str, Any]], key: str) -> float | None:
    return sum(row[key] for row in rows) / len(rows) if rows else None


def _gain(rows: Sequence[Mapping[str, Any]], key: str) -> float | None:
    """How many of the last tasks with everything on, less twice as many with everything off."""
    on, off = (_last(rows, f"memory {state}, skills {state}", key) for state in ("on", "off"))
    return None if on is None or off is None else float(on - 2 * off)


def _last(rows: Sequence[Mapping[str, Any]], arm: str, key: str) -> int | None:
    found = [row for row in rows if row["measure"] == "curve" and row["arm"] == arm]
    return sum(row[key] for row in found[-LAST:]) if found else None


def table(outcome: Outcome) -> str:
    """The figures for people."""
    arms = dict.fromkeys(row["arm"] for row in outcome.rows if row["measure"] == "curve")
    lines = []
    for arm in arms:
        found = [row for row in outcome.rows if row["measure"] == "curve" and row["arm"] == arm]
        marks = "".join("#" if row["first"] else "." for row in found)
        tokens = sum(row["tokens"] for row in found)
        lines.append(f"{arm:24} {marks}  right at once {marks.count('#')}/{len(marks)}, {tokens:,} tokens")
    for target in outcome.targets:
        value = "not measured" if target.value is None else f"{target.value:g}"
        lines.append(f"{'met ' if target.met else 'MISS'} {target.name}: {value} ({target.op} {target.target:g})")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.language", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=1_000)
    parser.add_argument("--peer", type=Path, metavar="PYTHON", help="an interpreter that has smolagents")
    options = parser.parse_args(argv)
    runs = min(options.seeds, 100) if options.quick else options.seeds
    rows: list[dict[str, Any]] = []
    arms = [(True, True), (False, False)] if options.quick else [(m, s) for m in (True, False) for s in (True, False)]
    for memory, skills in arms:
        progress(f"curve, memory {memory}, skills {skills}")
        rows += curve_rows(memory=memory, skills=skills, tasks=TASKS)
    if options.peer is not None:
        from benchmarks.language_peer import peer_rows

        progress("smolagents")
        rows += peer_rows(options.peer, quirk_tasks(TASKS))
    progress("faults")
    rows += fault_rows()
    progress(f"{runs} budgets")
    rows += budget_rows(runs)
    progress(f"{TURNS} turns")
    rows += turn_rows(TURNS)
    outcome = Outcome(benchmark="language", seeds=runs, quick=options.quick, rows=rows, targets=targets_of(rows))
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
