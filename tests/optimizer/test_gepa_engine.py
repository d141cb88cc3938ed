"""gepa searches, the gate accepts, and whatever fails ends the search."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import pytest

from benchmarks.doubles.line import Desk, LineDouble, desk_prompts, desk_tasks
from benchmarks.doubles.line_rewriter import LineRewriter
from benchmarks.doubles.line_rules import line_rules
from benchmarks.doubles.line_trials import DeskTrials
from evolve.agent.workflow import Workflow
from evolve.core.errors import EndpointProblem, UsageError
from evolve.core.files import canonical_json
from evolve.core.schema import OPTIMIZER
from evolve.core.store import Database, ObjectStore
from evolve.improve.optimizer.counterfactual import EditSearch
from evolve.improve.optimizer.engine import Candidate, EngineSettings, SearchEnded
from evolve.improve.optimizer.gepa_engine import VERSION, GepaEngine, load_gepa
from evolve.improve.optimizer.leakage import guard_of
from evolve.policies.language import LanguageRewriter
from evolve.policies.language.prompt_items import item_id, parse_prompt
from evolve.trials.variants import VariantRepository


def made(texts, *, seed=0, rewriter=None, replay=True, gate=60, items=None, most=None, proposals=4):
    desk = Desk(model=LineDouble())
    train = desk_tasks(24, seed)
    by_id = {task.id: task for task in train}
    start = Candidate(workflow=Workflow(), prompts=tuple(texts.items()))
    trials = DeskTrials(
        desk=desk, train=train, gate=desk_tasks(gate, seed, prefix="gate"), incumbent=start, seed=seed, most=most
    )
    editor = EditSearch(
        rewriter=rewriter or LanguageRewriter(models=LineRewriter()),
        tasks={task.id: canonical_json(task.examples[0].input[0]) for task in train},
        guard=guard_of([*train, *trials.gate], common=list(texts.values())),
    )
    again = (lambda record, changed, at: desk.again(record, changed, by_id[record.task], at.prompt)) if replay else None
    settings = EngineSettings(seed=seed, proposals=proposals)
    return GepaEngine(editor=editor, replay=again, items=items, settings=settings), trials, start


def without(name: str):
    """The desk's prompts with one rule missing, and the rule."""
    rule = next(one for one in line_rules() if one.name == name)
    return desk_prompts([one for one in line_rules() if one.name != name]), rule


def test_a_missing_rule_is_put_back_by_one_accepted_edit(tmp_path: Path) -> None:
    texts, rule = without("discount")
    with Database(tmp_path / "memory.db", OPTIMIZER) as db:
        items = VariantRepository(db, ObjectStore(tmp_path / "objects"))
        engine, trials, start = made(texts, items=items)
        assert engine.search(trials, start)
        (last, judgement), *_ = [pair for pair in trials.judgements if pair[1].accepted]
        changed = [name for name, text in last.prompts if text != texts[name]]
        assert changed == ["price.md"] and last.parents == (start.digest,) and last.why
        assert trials.incumbent is last and judgement.variant == last.digest and trials.pairs > 0
        before, after = parse_prompt(texts["price.md"]), parse_prompt(last.prompt_texts["price.md"])
        assert after.fixed_text == before.fixed_text and after.items[: len(before.items)] == before.items
        assert rule.told_in(after.items[-1].text)
        assert items.item_utilities()[after.items[-1].id].withheld_episodes > 0
        assert item_id("unknown") not in items.item_utilities()


@pytest.mark.slow
def test_the_same_answers_lead_to_the_same_search() -> None:
    runs = []
    for _ in range(2):
        engine, trials, start = made(without("discount")[0])
        reason = engine.search(trials, start)
        runs.append((reason, [candidate.digest for candidate, _ in trials.judgements], trials.screened))
    assert runs[0] == runs[1]


@pytest.mark.slow
def test_without_replay_edits_are_tried_on_whole_episodes() -> None:
    texts, rule = without("discount")
    engine, trials, start = made(texts, replay=False, proposals=12)
    engine.search(trials, start)
    assert rule.told_in(trials.incumbent.texts["price.md"])


@pytest.mark.slow
def test_the_gate_has_the_last_word() -> None:
    texts, _ = without("discount")
    engine, trials, start = made(texts, gate=4)
    engine.search(trials, start)
    assert trials.judgements and trials.incumbent is start


class Listens:
    """The rewriter of the desk, and what it was told of edits that came to nothing."""

    def __init__(self) -> None:
        self.rewriter, self.told = LanguageRewriter(models=LineRewriter()), []

    def propose(self, items, traces, *, seed=0, about="", tried=()):
        self.told += tried
        return self.rewriter.propose(items, traces, seed=seed, about=about)


@pytest.mark.slow
def test_what_trials_or_the_gate_refused_is_told_to_the_rewriter() -> None:
    listens = Listens()
    engine, trials, start = made(without("discount")[0], gate=4, replay=False, rewriter=listens, proposals=12)
    engine.search(trials, start)
    assert any("refused by the gate)" in line for line in listens.told)
    assert any(" tasks right instead of " in line for line in listens.told)


def test_a_search_ends_where_nothing_fails() -> None:
    engine, trials, start = made(desk_prompts())
    trials.desk = Desk(model=LineDouble(slip=0.0))
    assert engine.search(trials, start) == "no task fails that could be learned from"
    assert trials.judgements == []


class Failing:
    def __init__(self, error: Exception) -> None:
        self.error, self.asked = error, 0

    def propose(self, items, traces, *, seed=0, about="", tried=()):
        self.asked += 1
        raise self.error


@pytest.mark.parametrize("error", [EndpointProblem("no answer"), RuntimeError("a bug"), SearchEnded("spent")])
def test_what_fails_in_a_proposal_ends_the_search_at_once(error: Exception) -> None:
    rewriter = Failing(error)
    engine, trials, start = made(without("discount")[0], rewriter=rewriter)
    with pytest.raises(type(error), match=str(error)):
        engine.search(trials, start)
    assert rewriter.asked == 1, "nothing is tried a second time behind the loop's back"


def test_the_end_of_the_budget_passes_through() -> None:
    engine, trials, start = made(without("discount")[0], most=26)
    with pytest.raises(SearchEnded):
        engine.search(trials, start)


def test_without_prompts_or_without_the_package_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, trials, start = made(without("discount")[0])
    with pytest.raises(UsageError, match="no prompts"):
        engine.search(trials, Candidate(workflow=Workflow()))
    monkeypatch.setitem(sys.modules, "gepa", None)
    with pytest.raises(UsageError) as told:
        engine.search(trials, start)
    assert told.value.hint == "pip install '.[gepa]' in the folder of evolve"


def test_gepa_has_the_calls_that_are_relied_on() -> None:
    """The contract with the pinned version: what it takes, and what it hands to our side."""
    from gepa.core.adapter import EvaluationBatch
    from gepa.proposer.base import CandidateProposal, SubsampleEvaluation
    from gepa.strategies.acceptance import AcceptanceCriterion
    from gepa.strategies.batch_sampler import BatchSampler

    gepa = load_gepa()
    assert VERSION == "0.1.4"
    taken = inspect.signature(gepa.optimize).parameters
    used = (
        "seed_candidate trainset valset adapter candidate_selection_strategy module_selector batch_sampler"
        " acceptance_criterion stop_callbacks skip_perfect_score logger seed raise_on_exception"
    )
    assert set(used.split()) <= set(taken)
    assert taken["use_merge"].default is False and taken["raise_on_exception"].default is True
    assert taken["run_dir"].default is None, "nothing is pickled"
    assert list(inspect.signature(AcceptanceCriterion.should_accept).parameters) == ["self", "proposal", "state"]
    assert list(inspect.signature(BatchSampler.next_minibatch_ids).parameters) == ["self", "loader", "state"]
    assert {"candidate", "subsample_scores_before", "subsample_scores_after", "eval_after"} <= set(
        CandidateProposal.__dataclass_fields__
    )
    assert "trajectories" in SubsampleEvaluation.__dataclass_fields__
    assert {"outputs", "scores", "trajectories"} <= set(EvaluationBatch.__dataclass_fields__)
