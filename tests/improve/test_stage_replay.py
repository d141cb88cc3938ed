"""One stage of a failed episode is asked again under a changed prompt; what came before it is not asked again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.doubles.quirks import quirk_family
from evolve.agent import EpisodePrefix
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Action, Cost, EnvironmentState, EpisodeRecord, Observation, Plan, Step
from evolve.core.ledger import parse_budget
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.improve.optimizer.credit import Divergence, find_divergences
from evolve.improve.optimizer.engine import Candidate, SearchEnded
from evolve.improve.screening import SessionTrials
from evolve.improve.session import LoopPlan, split_budget
from evolve.improve.stage_replay import StageRerun, beginning_of, has_same_beginning
from evolve.policies.language import LanguageSettings
from evolve.tasks import load_suite
from evolve.testing import question_of
from evolve.testing.doubles import prompt_of
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.trials import UNLEARNED
from evolve.trials.gate import is_verified
from evolve.workspace.loops.improving import LoopWork, loop_limits, tasks_worked_on
from evolve.workspace.loops.optimizing import OptimizerRequest, texts_in_force
from evolve.workspace.opening import utc_now
from tests.doubles.advice import WRONG_ADVICE, AdvisedDouble
from tests.improve.model_runs import Stopped, learner_of, suite_of

JOBS = quirk_family("dates", 70)
RIGHT = JOBS[0].quirk.sentence


@pytest.fixture
def suite(tmp_path: Path) -> str:
    return suite_of(JOBS, tmp_path)


@pytest.fixture
def services(tmp_path: Path, open_ws):
    """Opens a workspace whose ``act.md`` says the opposite of what is right; tells what its model was asked."""
    prompts = tmp_path / "ws" / "prompts"
    prompts.mkdir(parents=True)
    advice = f"\nAdvice:\n- {WRONG_ADVICE['dates']}\n"
    (prompts / "act.md").write_text(load_prompt("act.md", PromptLayers()) + advice)
    double, asked = AdvisedDouble(JOBS), []

    def open_one(*, stop_at: int = 0):
        def answer(body):
            if stop_at and len(asked) + 1 == stop_at:
                raise Stopped
            asked.append((question_of(body), str(body["messages"]), body.get("seed")))
            reply = double.answer(body)
            size = {"prompt_tokens": len(prompt_of(body)) // 4, "completion_tokens": len(reply) // 4}
            return chat_completion_body(reply, usage={**size, "total_tokens": sum(size.values())})

        return open_ws(learner=learner_of(tmp_path / "ws", answer, language=LanguageSettings(plans=True)))

    return open_one, asked


class Run:
    """An open run with one failed episode of its start."""

    def __init__(self, workspace, name: str, budget: str = "5M-tokens") -> None:
        bound = parse_budget([budget])
        plan = LoopPlan(rounds=1, limits=loop_limits(workspace._services, bound, load_suite(name), bounded=False))
        run = workspace.stores.runs.begin("optimize", "key", {"suite": name}, started=utc_now())
        self._opened = tasks_worked_on(
            workspace._services, run, LoopWork(suite=load_suite(name), plan=plan, budget=bound)
        )
        self.texts = texts_in_force(workspace._services)

    def __enter__(self):
        self.session = self._opened.__enter__()
        start = Candidate(workflow=self.session.workflow, prompts=tuple(self.texts.items()))
        parts = split_budget(self.session)
        trials = SessionTrials(parts, start, UNLEARNED)
        (trial,) = trials.screen(start, [trials.tasks[0].id])
        self.failed, self.replay = trial.record, StageRerun(session=parts.search)
        return self

    def __exit__(self, *ending):
        return self._opened.__exit__(*ending)

    @property
    def mended(self) -> dict[str, str]:
        return {**self.texts, "act.md": self.texts["act.md"].replace(WRONG_ADVICE["dates"], RIGHT)}


def test_what_came_before_the_blamed_stage_is_taken_from_the_record(services, suite) -> None:
    open_one, asked = services
    with open_one() as ws, Run(ws, suite) as run:
        assert not run.failed.solved and len(run.failed.steps) == 6
        (blamed, *_) = find_divergences(run.failed)
        assert (blamed.prompt, blamed.output) == ("act.md", "step:1")
        for output, before in (("step:1", 0), ("step:2", 1)):
            since = len(asked)
            again = run.replay(run.failed, run.mended, Divergence(**{**vars(blamed), "output": output}))
            assert Counter(name for name, *_ in asked[since:]) == {"action": 1}, "nothing else is asked again"
            assert is_verified(again) and len(again.steps) == before + 1
            assert [step.action.code for step in again.steps[:before]] == [run.failed.steps[0].action.code][:before]
            assert again.cost.calls == 1 and 0 < again.cost.tokens < run.failed.cost.tokens
            assert "Goal: " in asked[-1][1], "the plan of the record stands in the question"
            assert (
                again.variant.startswith("replay:")
                and again.split == "screen"
                and again.episode != run.failed.episode
                and again.seed == run.failed.seed
            )
            assert ws.stores.runs.episode(again.episode) == again
        assert not ws.stores.memory.experience_rows(), "nothing is learned from a replay"


@pytest.mark.slow
def test_a_change_that_helps_nothing_turns_no_failure_around(services, suite) -> None:
    open_one, _ = services
    with open_one() as ws, Run(ws, suite) as run:
        (blamed, *_) = find_divergences(run.failed)
        again = run.replay(run.failed, {**run.texts, "act.md": run.texts["act.md"] + "- Take care.\n"}, blamed)
        assert again is not None and not again.solved


@pytest.mark.slow
def test_a_plan_is_asked_for_anew_where_it_is_to_blame(services, suite) -> None:
    open_one, asked = services
    with open_one() as ws, Run(ws, suite) as run:
        since = len(asked)
        plan = Divergence(task=run.failed.task, prompt="plan.md", given=(), said="", output="plan")
        run.replay(run.failed, run.mended, plan)
        assert Counter(name for name, *_ in asked[since:]) == {"plan": 1, "action": 1}


@pytest.mark.slow
def test_what_cannot_be_said_again_is_not_tried(services, suite) -> None:
    open_one, asked = services
    with open_one() as ws, Run(ws, suite) as run:
        since = len(asked)
        insight = Divergence(task=run.failed.task, prompt="reflect.md", given=(), said="", output="i-1")
        assert run.replay(run.failed, run.mended, insight) is None
        assert len(asked) == since


@pytest.mark.slow
def test_a_replay_is_paid_once_however_often_it_is_asked_for(services, suite) -> None:
    open_one, asked = services
    with open_one() as ws, Run(ws, suite) as run:
        (blamed, *_) = find_divergences(run.failed)
        first = run.replay(run.failed, run.mended, blamed)
    begun = len(asked)
    with open_one() as ws, Run(ws, suite) as run:
        spent = run.session.ledger.spent.tokens
        assert run.replay(run.failed, run.mended, blamed) == first
        assert len(asked) == begun and run.session.ledger.spent.tokens == spent > 0


@pytest.mark.slow
def test_a_replay_that_was_cut_off_is_made_again_and_kept_once(services, suite) -> None:
    open_one, asked = services
    with open_one(stop_at=5) as ws, pytest.raises(Stopped), Run(ws, suite) as run:
        (blamed, *_) = find_divergences(run.failed)
        run.replay(run.failed, run.mended, blamed)
    assert len(asked) == 4, "the failed episode was paid for, the replay not"
    with open_one() as ws, Run(ws, suite) as run:
        again = run.replay(run.failed, run.mended, blamed)
        assert again is not None and again.solved and len(asked) == 5
        assert len(list(ws.stores.runs.episodes())) == 2


def test_what_other_stages_asked_for_cannot_be_said_again() -> None:
    action = Action(kind="code", code="x", plan=Plan(goal="g"))
    step = Step(number=1, action=replace(action, cost=Cost(tokens=9)))
    names = dict.fromkeys(("episode", "run", "task", "suite", "group", "split", "variant", "answer"), "")
    steps = (step, replace(step, number=2))
    record = EpisodeRecord(**names, seed=0, status="refused", verified=False, steps=steps, cost=Cost(tokens=18))
    plain = Workflow()
    found = beginning_of(record, "step:2", plain)
    assert found is not None and found.plan == Plan(goal="g")
    assert found.actions == (action,), "what is said again costs nothing"
    assert beginning_of(record, "plan", plain) == EpisodePrefix()
    asks_more = replace(plain, stages=(*plain.stages[:3], "best_of_n", *plain.stages[3:]))
    assert beginning_of(record, "step:2", asks_more) is None
    assert beginning_of(record, "step:2", replace(plain, knobs=replace(plain.knobs, branches=2))) is None
    assert beginning_of(record, "i-1", plain) is None
    unplanned = replace(record, steps=(replace(step, action=Action(kind="finish")),))
    assert beginning_of(unplanned, "step:1", plain) is None


def test_a_beginning_is_the_same_where_its_actions_gave_the_same() -> None:
    def episode(*seen: Observation) -> EpisodeRecord:
        steps = [
            Step(number=at, action=Action(kind="code", code="x"), observation=one) for at, one in enumerate(seen, 1)
        ]
        names = dict.fromkeys(("episode", "run", "task", "suite", "group", "split", "variant", "answer"), "")
        return EpisodeRecord(**names, seed=0, status="refused", verified=False, steps=tuple(steps), cost=Cost())

    seven, eight = Observation(ok=False, outputs=(7,)), Observation(ok=False, outputs=(8,))
    assert has_same_beginning(episode(seven, seven), episode(seven, eight), 1)
    assert not has_same_beginning(episode(seven, seven), episode(eight, seven), 1)
    assert not has_same_beginning(episode(seven, seven), episode(seven), 1), "it ended before what is asked again"
    state = EnvironmentState(snapshot="s", score=0.5, check="0.12s")
    slow = Observation(ok=False, error="1 failed in 0.12s", state=state)
    fast = replace(slow, error="1 failed in 0.01s", state=replace(state, check="0.01s"))
    other = replace(slow, state=replace(state, snapshot="t"))
    assert has_same_beginning(episode(slow, seven), episode(fast, seven), 1), "the folder is in the same state"
    assert not has_same_beginning(episode(slow, seven), episode(other, seven), 1)


@pytest.mark.slow
def test_without_budget_for_a_replay_the_search_ends(services, suite) -> None:
    open_one, _ = services
    with open_one() as ws, Run(ws, suite, budget="200k-tokens") as run:
        (blamed, *_) = find_divergences(run.failed)
        with pytest.raises(SearchEnded):
            for number in range(20):
                texts = {**run.texts, "act.md": run.texts["act.md"] + f"- Take care {number}.\n"}
                run.replay(run.failed, texts, blamed)


def searched(ws, suite: str):
    """A whole search, what trying edits cost beyond the trials of the start, and what was proposed and accepted."""
    request = OptimizerRequest(suite=suite, only="prompts", proposals=4)
    report = ws.optimize(request, budget="50M-tokens")
    screened = [one for one in ws.stores.runs.episodes() if one.split == "screen" and one.variant != UNLEARNED]
    tried = sum(one.cost.tokens for one in screened)
    rewrites = ws.stores.db.query("SELECT COUNT(*) AS n FROM loop_steps WHERE name LIKE 'rewrite:%'")[0]["n"]
    return report, tried, rewrites, dict(ws.stores.active_state(ws.workflow.show()).prompts)


@pytest.mark.slow
def test_the_same_edit_is_found_with_fewer_tokens_than_on_whole_episodes(
    services, suite, monkeypatch, tmp_path: Path
) -> None:
    open_one, _ = services
    with open_one() as ws:
        report, tokens, rewrites, prompts = searched(ws, suite)
    (tmp_path / "ws" / "memory_store").rename(tmp_path / "first")
    monkeypatch.setattr("evolve.workspace.loops.optimizing.StageReplay", lambda session: None)
    with open_one() as ws:
        other, more, _, same = searched(ws, suite)
    assert prompts == same and RIGHT in prompts["act.md"] and WRONG_ADVICE["dates"] not in prompts["act.md"]
    assert report.changes[0].predicted == other.changes[0].predicted
    assert rewrites >= 2, "a proposal that helps nothing came before"
    print(f"tokens for trying edits: {tokens:,} by single stages, {more:,} by whole episodes")
    assert tokens < more


@pytest.mark.slow
def test_a_search_cut_off_in_a_replay_goes_on_and_pays_nothing_twice(services, suite, tmp_path: Path) -> None:
    open_one, asked = services
    request = OptimizerRequest(suite=suite, only="prompts", proposals=4)
    with open_one() as ws:
        whole = ws.optimize(request, budget="50M-tokens")
        splits = [one.split for one in ws.stores.runs.episodes()]
    straight = len(asked)
    first_edits = next(place for place, (name, *_) in enumerate(asked) if name == "edits")
    (tmp_path / "ws" / "memory_store").rename(tmp_path / "first")
    asked.clear()
    with open_one(stop_at=first_edits + 4) as ws, pytest.raises(Stopped):
        ws.optimize(request, budget="50M-tokens")
    with open_one() as ws:
        report = ws.optimize(request, budget="50M-tokens")
        assert [one.split for one in ws.stores.runs.episodes()] == splits
    assert report.changes[0].variant == whole.changes[0].variant and report.spent.tokens == whole.spent.tokens
    # The episode that was going on when it was cut off is asked for again, and nothing else.
    assert straight <= len(asked) <= straight + 4
