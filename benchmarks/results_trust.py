"""The sections of the results page about confinement, the record and language models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from statistics import median
from typing import Any

from benchmarks.agent.figures import answered_table
from benchmarks.agent.figures import table as agent_table
from benchmarks.diagnose import table as diagnose_table
from benchmarks.escalation import table as escalation_table
from benchmarks.gate_streams import table as streams_table

Rows = Sequence[Mapping[str, Any]]


PUBLISHED = "CLIN, published, another policy and other trials: 48.6 base, 52.7 gen-env, 69.5 gen-adapt"


def in_worlds(benchmark: str, rows: Rows) -> Iterator[tuple[Any, ...]]:
    """The table of a benchmark that needs the package evolve-worlds, which other tables do without."""
    table: Callable[[Rows], Iterator[tuple[Any, ...]]] = import_module(f"benchmarks.{benchmark}").table
    yield from table(rows)


def sandbox(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """What isolation costs: latency, rate of two callers, and what was let through."""
    yield ("configuration", "p50 ms", "p95 ms", "executions a second", "escapes")
    for what in dict.fromkeys(str(row["what"]) for row in rows if row["measure"] == "latency"):
        mine = [row for row in rows if row["what"] == what]
        let = [len(row["let"]) for row in mine if row["measure"] == "escapes"]
        yield (
            what,
            *(_median(row[key] for row in mine if row["measure"] == "latency") for key in ("p50_ms", "p95_ms")),
            _median(row["per_s"] for row in mine if row["measure"] == "rate"),
            sum(let) if let else "",
        )


def hostile(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """What the corpus did, per way of running code."""
    yield ("backend", "mode", "rounds", "runs", "escapes", "survivors", "unexpected", "worst overrun s")
    for backend, mode in dict.fromkeys((str(row["backend"]), str(row["mode"])) for row in rows):
        here = [row for row in rows if (row["backend"], row["mode"]) == (backend, mode)]
        ran = [row for row in here if row["action"]]
        yield (
            backend,
            mode,
            len({row["round"] for row in here}),
            len(ran),
            sum(bool(row["escaped"]) for row in ran),
            sum(row["survivors"] for row in here),
            sum(not row["expected"] for row in ran),
            f"{max(row['overrun_s'] for row in ran):.2f}",
        )


def crash(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """What kills cost, per scenario."""
    yield ("scenario", "trials", "killed", "lost", "duplicates", "not resumed", "survivors")
    trials = [row for row in rows if "scenario" in row]
    for name in dict.fromkeys(str(row["scenario"]) for row in trials):
        mine = [row for row in trials if row["scenario"] == name]
        yield (
            name,
            len(mine),
            sum(bool(row["killed"]) for row in mine),
            *(sum(row[key] for row in mine) for key in ("lost", "duplicates")),
            sum(not row["resumed"] for row in mine),
            sum(row["survivors"] for row in mine),
        )


def damage(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """What damage did, per kind."""
    yield ("damage", "trials", "harmless", "a prefix", "detected", "silent wrong reads", "values kept by a repair")
    for kind in dict.fromkeys(str(row["kind"]) for row in rows):
        mine = [row for row in rows if row["kind"] == kind]
        outcomes = (sum(row["outcome"] == name for row in mine) for name in ("harmless", "prefix", "detected"))
        kept = f"{sum(row['kept'] for row in mine) / len(mine):.4f}"
        yield (kind, len(mine), *outcomes, sum(bool(row["silent_wrong"]) for row in mine), kept)


def language(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """The learning curve, per arm."""
    yield ("arm", "tasks", "right at once", "of the last 10", "solved", "tokens per solved task", "calls")
    curve = [row for row in rows if row["measure"] == "curve"]
    for arm in dict.fromkeys(str(row["arm"]) for row in curve):
        mine = [row for row in curve if row["arm"] == arm]
        solved = [row for row in mine if row["solved"]]
        yield (
            arm,
            len(mine),
            sum(row["first"] for row in mine),
            sum(row["first"] for row in mine[-10:]),
            len(solved),
            f"{sum(row['tokens'] for row in mine) / len(solved):,.0f}" if solved else "",
            sum(row["calls"] for row in mine),
        )


TABLES: Mapping[str, Callable[[Rows], Iterator[tuple[Any, ...]]]] = {
    "sandbox": sandbox,
    "hostile": hostile,
    "crash": crash,
    "damage": damage,
    "language": language,
    "escalation": escalation_table,
    "agent": agent_table,
    "answered": answered_table,
    "gate_streams": streams_table,
    "diagnose": diagnose_table,
    "causal": partial(in_worlds, "causal"),
    "worlds": partial(in_worlds, "worlds_figures"),
}
"""Per benchmark its table, the head first."""


NOTES: Mapping[str, str] = {
    "skills": (
        "Half of the tasks of each suite are practised on, then the other half are tried once, with no guide and no"
        " insights. *None*: no skill. *Kept*: every answer that fits a task's examples is a skill. *Admitted*: what"
        " the product proposes to its gate. *Wrong*: claimed as verified, and wrong on rows that nobody had seen."
        " *Budget*: candidates of one attempt. *Candidates*: median ratio to no skill over tasks that both solve."
    ),
    "worlds": (
        "Score of a trial, 0 to 100: the last one before it was lost. Without a model; every move counts, those of"
        " replays too. Arms below ``gen-task`` play until as many moves are done as ``adapt`` did; *best of all* is the"
        f" best of all their trials. {PUBLISHED}."
    ),
    "diagnose": (
        "Every run fails for one planted reason, through the real system; the model is a double that does what it is"
        " told. First, among 3: the planted item's place by the record alone; first, tried, and a cause: after the run"
        " was had again without its suspects. Chance takes the suspects in any order; the last step blames what was"
        " done last or what that consumed. Kinds with a star were measured and not looked at while this was written. A"
        " double obeys whole sentences, and the same way every time, which no model does; with one, trials decide less"
        " often."
    ),
    "language": (
        "The double knows nothing but its prompt. Solved: the answer handed in was right, after any number of tries on"
        " the examples; its second try always heeds what the first showed, so every arm solves everything, and what was"
        " learned shows in what is right at once, and in tokens. Tokens of a task include reflection and naming skills."
        " smolagents (1.26.0, in an environment of its own) keeps nothing from task to task, and runs code inside its"
        " own process by default: it neither persists nor isolates."
    ),
    "escalation": (
        "Doubles: the cheap model is right on 60 % of tasks, the dear one on 95 %, at prices of 1 to 15; up to three"
        " answers are put to the verifier. Hard: a model that cannot do a task cannot do it at the next try either, and"
        " the dear one can do all that the cheap one can. Unsteady: every try is drawn anew. Nothing here says how"
        " right real models are; it says what the routing makes of it."
    ),
    "agent": (
        "Sixty tasks behind one endpoint with a double that sees the prompt alone; double, tasks, judge and plain"
        " loop were written without sight of our prompts and are frozen by digest. Calls and tokens are those of the"
        " endpoint's books, learning included; cached are the letters with which an earlier request of the run"
        " began. Of tasks of families both arms of evolve are given the hidden rows to refuse answers by, the others"
        " are not; nothing is learned from unseen ones. The double slips on three prompts of a hundred, drawn by the"
        " prompt; the tasks are run on three draws, each in a workspace of its own, and the counts are those of all."
        " That draws could be chosen, and that the judge ends all that a command started, came after the freeze;"
        " both digests were written anew for it. The double guesses no house rule, so what memory saves here is what"
        " knowing the rule saves, and not what a real model would gain."
    ),
    "answered": (
        "Tasks of the same set, answered by a strong model that saw the requests alone, plain loop and evolve in an"
        " order drawn by chance. It answered both, could tell two kinds of prompts apart, and met each task twice;"
        " so differences in how many were solved say little, in calls more. The short prompt of the plain loop shows"
        " no file, so it has to look first; the long one has rules that a single function does not need, which is what"
        " rows cost more. The exchanges are kept in"
        " `benchmarks/agent` and replayed by `python -m benchmarks.agent.replayed`."
    ),
    "gate_streams": (
        "Streams of tasks of the suite; where one instruction is that of all tasks it tells nothing, and they are put"
        " as rows alone. No gain, on everyday alone: searches with static prices moved by chance, run once on a pool of"
        " 140 distinct problems with at most 3,000 candidates; of every arm the two outcomes of a task were exchanged"
        " at random until it wins no more of the pool than it loses, and whenever the experience doubles another arm"
        " takes over. Small suite: the whole loop with a workspace, with these episodes in place of searches. Own"
        " tasks: the proof of evolve report, looked at after every task. The product: it begins with nothing and"
        " practises, fits, judges with its own limits; only the guide that the loop ends with, with which no pair is"
        " judged, is left out. More wins than losses is what a count without a test would have kept."
    ),
    "causal": (
        "Worlds of fourteen actions and four effects with a known causal graph: what is needed, what replaces it, what"
        " prevents, habits that go with success and mean nothing. Ten episodes for each true edge, replays and faults"
        " included; a fifth of the episodes fails, half of these without saying so, with an outcome drawn by a coin."
        " True are also the edges that follow through an effect that is needed first. The worlds on which the rules of"
        " the experimenter were chosen are others. With 24 actions and six effects .98 of the true claims are found,"
        " and .88 where what one effect needs prevents another (--worlds large, crossed). With five episodes an edge"
        " these 40 worlds give a recall of .40, with seven .85: nothing is confirmed before two problems say it. An"
        " episode has 32 actions on average. A changed world is told by a plan that fails twice, so two faulty episodes"
        " of three hide it, which happens six times in a hundred. Who acts in a changed world goes on from what is"
        " known; counted as experiments are those that speak of the effect that changed."
    ),
}
"""Per benchmark what its table does not say."""


def _median(values: Any) -> str:
    known = [value for value in values if value is not None]
    return f"{median(known):,.3g}" if known else ""
