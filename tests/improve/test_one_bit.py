"""What an engine learns of the gate's tasks: one bit per proposal, and nothing from its budget."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import pytest

from evolve.core.events import read_events
from evolve.improve.optimizer.engine import Candidate, CandidateJudgement, EngineKind, EngineParts, EngineTrials
from evolve.workspace.loops.optimizing import OptimizerRequest
from tests.improve.test_optimization import POOR
from tests.offering import offering

BUDGET = "300k-candidates"


@dataclass
class Nosy:
    """An engine that has these numbers of candidates judged and keeps all that it is handed."""

    numbers: tuple[int, ...] = (400,)
    name: str = "nosy"
    seen: list[Any] = field(default_factory=list)
    lefts: list[Any] = field(default_factory=list)

    def search(self, trials, start):
        ids = [view.id for view in trials.tasks][:4]
        self.seen += [trials, start]
        for number in self.numbers:
            found = trials.incumbent.workflow.with_knobs(candidates=number)
            child = Candidate(workflow=found, parents=(start.digest,), operator="turn", why="turns one knob")
            self.seen.append(trials.screen(child, ids))
            before = trials.remaining()
            self.seen.append(trials.judge(child, trials.incumbent))
            self.lefts.append((before, trials.remaining()))
            self.seen.append(trials.remaining())
        return "every number was tried"


NOSY: list[Nosy] = []


def made(parts: EngineParts) -> Nosy:
    NOSY[0].seen.append(parts)
    return NOSY[0]


KIND = EngineKind(name="nosy", changes=frozenset({"workflow", "knobs"}), make=made)


@pytest.fixture
def searched(tmp_path, suite_file, open_ws):
    """Runs the engine on numbers of candidates; gives it with the open workspace."""
    folder = tmp_path / "ws" / "prompts"
    folder.mkdir(parents=True)
    (folder / "workflow.toml").write_text(POOR)

    def run(*numbers, name="ws", budget=BUDGET):
        NOSY[:] = [Nosy(numbers)]
        with offering(tmp_path, "engines", "nosy", f"{__name__}:KIND"), open_ws(name) as ws:
            ws.optimize(OptimizerRequest(suite=str(suite_file), engine="nosy"), budget=budget)
            records, decisions = ws.stores.runs.episodes(), ws.stores.decisions.list_verdicts()
        return NOSY[0], records, decisions, tmp_path / name / "memory_store" / "runs"

    return run


def values(thing: Any, known: set[int]) -> Iterator[Any]:
    """Everything that can be read without an underscore and without asking for more: fields, properties, parts."""
    if id(thing) in known or (callable(thing) and not is_dataclass(thing)):
        return
    known.add(id(thing))
    yield thing
    if isinstance(thing, dict):
        parts = [*thing, *thing.values()]
    elif isinstance(thing, list | tuple | set | frozenset):
        parts = list(thing)
    elif is_dataclass(thing):
        parts = [getattr(thing, one.name) for one in fields(thing)]
    elif type(thing).__module__.startswith("evolve"):
        parts = [getattr(thing, name) for name in dir(thing) if not name.startswith("_")]
    else:
        parts = []
    for part in parts:
        yield from values(part, known)


def test_a_judgement_is_one_bit() -> None:
    assert {one.name for one in fields(CandidateJudgement)} == {"accepted", "variant"}
    asked = {name for name in vars(EngineTrials) if not name.startswith("_")}
    assert asked == {"tasks", "incumbent", "screen", "judge", "remaining"}


@pytest.mark.slow
def test_nothing_that_an_engine_is_handed_tells_of_a_gate_task(searched) -> None:
    nosy, records, decisions, runs = searched(400, 101)
    gated = [record for record in records if record.split == "gate"]
    assert gated and len(decisions) == 2
    found = list(values(nosy.seen, set()))
    texts = {one for one in found if isinstance(one, str)}
    assert len(texts) > 20
    secret = {name for record in gated for name in (record.task, record.group, record.episode)}
    secret |= {decision.reason for decision in decisions}
    assert not secret & texts
    bits = [(one.accepted, bool(one.variant)) for one in found if isinstance(one, CandidateJudgement)]
    assert bits == [(True, True), (False, False)]
    for log in runs.rglob("events.jsonl*"):
        said = [json.dumps(dict(event.data)) for event in read_events(log)]
        assert said and not [line for line in said for word in ("wins", "losses", *secret) if word in line]


@pytest.mark.slow
def test_what_a_judgement_took_does_not_show_in_an_engines_budget(searched) -> None:
    nosy, records, *_ = searched(101, 400)
    spent = {}
    for record in records:
        spent[record.split] = spent.get(record.split, 0) + record.cost.candidates
    assert spent["gate"] > 1000
    for before, after in nosy.lefts:
        assert (before.episodes, before.share, before.pairs) == (after.episodes, after.share, after.pairs)
        assert after.judgements == before.judgements - 1 and after.episodes is not None


@pytest.mark.slow
def test_the_number_of_judgements_is_fixed_before_the_search(searched) -> None:
    nosy, _, decisions, _ = searched(*range(101, 400), budget="60k-candidates")
    assert len(decisions) == nosy.lefts[0][0].judgements < 299
    assert nosy.lefts[-1][1].judgements == 0
