"""Credit for single items: what each does for its variant, said only where enough pairs show it."""

from __future__ import annotations

import json
from dataclasses import replace
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.doubles import QuirkDouble, small_suite
from benchmarks.doubles.quirks import quirk_family
from evolve.cli.lab.variants import show_ablation
from evolve.core.episodes import Row, SkillDraft
from evolve.core.errors import BudgetExhausted, UsageError
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.improve.ablation import (
    AblationReport,
    VariantItem,
    items_of,
    recalled_on,
    share_won,
    used_insights,
    variant_without,
    verdict_on,
)
from evolve.skills import Skill
from evolve.tasks import load_suite, render_jsonl
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.trials import Variant
from evolve.workspace.loops.ablation import AblationRequest
from tests.improve.model_runs import USAGE, learner_of
from tests.improve.test_optimization import POOR


@pytest.fixture
def services(tmp_path, open_ws, suite_file, monkeypatch):
    """Opens a workspace that allows too little for any task, and the variant in it that allows enough."""
    monkeypatch.setenv("EVOLVE_CANDIDATES", "400")

    def open_one(name="ws", **more):
        folder = tmp_path / name / "prompts"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "workflow.toml").write_text(POOR)
        ws = open_ws(name, **more)
        objects = ws.stores.objects
        advice = load_prompt("act.md", PromptLayers()).rstrip("\n") + "\n\nAdvice:\n- Look twice.\n"
        variant = Variant(
            workflow=objects.put_object(ws.workflow.show().with_knobs(candidates=400).render().encode()),
            prompts=(("act.md", objects.put_object(advice.encode())),),
        )
        return ws, ws.stores.variants.add(variant, origin="a test")

    return open_one


@pytest.fixture
def few(tmp_path):
    file = tmp_path / "few.jsonl"
    file.write_text(render_jsonl(small_suite(20).tasks))
    return file


def wish(suite_file, variant, **more):
    return AblationRequest(variant=variant, suite=str(suite_file), **more)


def figures(report):
    return [(one.item.kind, one.wins, one.losses, one.ties, one.planned, one.verdict) for one in report.items]


def test_what_makes_the_difference_is_told_from_what_makes_none(services, few, capsys) -> None:
    ws, variant = services()
    with ws:
        report = ws.variants.ablate(wish(few, variant))
        assert figures(report) == [
            ("prompts", 0, 0, 12, 12, "no difference shown"),
            ("workflow", 12, 0, 0, 12, "helps"),
        ]
        advice, workflow = report.items
        assert "Look twice" in advice.item.text and advice.ratio.value == 1.0
        assert workflow.solved.value == 1.0 and workflow.share.low > 0.5
        records = ws.stores.runs.episodes()
        assert {one.split for one in records} == {"screen"} and len(records) == 3 * 12
        assert not ws.memory.list() and not ws.stores.decisions.looks()
        assert ws.variants.active == "unlearned" and len(ws.variants.list()) == 1
        (kept,) = ws.variants.show(variant)["measures"]
        assert AblationReport.from_json(kept) == report
        show_ablation(report)
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[-1] for line in lines if line.startswith(("act.md", "the workflow"))] == ["shown", "helps"]


@pytest.mark.slow
def test_a_budget_that_ends_leaves_every_item_open_and_nothing_is_proposed(services, suite_file) -> None:
    ws, variant = services()
    with ws:
        ws.variants.promote(variant, reason="a test")
        report = ws.variants.ablate(wish(suite_file, variant, propose=True), budget="3k-candidates")
        assert report.finish_reason == "the budget ended" and not report.proposed
        assert {one.verdict for one in report.items} == {"no difference shown"}
        assert all(0 < one.wins + one.ties < one.planned == 24 for one in report.items)
    with services("poor")[0] as ws, pytest.raises(BudgetExhausted):
        ws.variants.ablate(wish(suite_file, variant), budget="1k-candidates")


class Cut:
    """Stops the run at a certain event, as Ctrl-C would."""

    def __init__(self, after: int) -> None:
        self.left = after

    def emit(self, event) -> None:
        if event.kind == "ablated":
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 9, 40])
def test_what_was_cut_off_goes_on_and_pays_nothing_twice(services, suite_file, after) -> None:
    whole, variant = services("whole")
    with whole:
        wanted = whole.variants.ablate(wish(suite_file, variant))
    cut, _ = services("cut", events=Cut(after))
    with cut, pytest.raises(KeyboardInterrupt):
        cut.variants.ablate(wish(suite_file, variant))
    again, _ = services("cut")
    with again:
        report = again.variants.ablate(wish(suite_file, variant))
        assert replace(report, spent=wanted.spent) == wanted
        assert report.spent.candidates == wanted.spent.candidates
        assert len(again.stores.runs.list_runs()) == 1


def test_what_cannot_be_done_is_refused(services, suite_file) -> None:
    ws, variant = services()
    with ws:
        for more, says in (
            ({"variant": "unlearned"}, "no items"),
            ({"items": ("charm",)}, "--items charm"),
            ({"items": ("guide",)}, "has no item"),
            ({"suite": ""}, "name the tasks"),
            ({"propose": True}, "only what is active"),
        ):
            with pytest.raises(UsageError, match=says):
                ws.variants.ablate(AblationRequest(**{"variant": variant, "suite": str(suite_file), **more}))


@pytest.mark.slow
def test_an_insight_that_is_taken_away_is_not_recalled_and_the_guide_it_taught_stays(open_ws, suite_file) -> None:
    with open_ws() as ws:
        name = ws.improve(suite_file, rounds=1).promoted
        stores, tasks = ws.stores, load_suite(suite_file).split("train")
        whole = stores.variants.get(name)
        recalled = recalled_on(stores.arm(name, ws.workflow.show()), ws.learner, tasks)
        (one, *_), (every,) = used_insights(stores, recalled), items_of(stores, replace(whole, guide=""), {})
        lesser = variant_without(stores, whole, [one])
        arm = stores.state_of(lesser, ws.workflow.show())
        assert lesser.parent == name and arm.guide == stores.arm(name, ws.workflow.show()).guide is not None
        assert set(recalled_on(arm, ws.learner, tasks)) == set(recalled) - {one.id} != set(recalled)
        assert arm.memory.experience_rows() == stores.arm(name, ws.workflow.show()).memory.experience_rows()
        assert (
            recalled_on(stores.state_of(variant_without(stores, whole, [every]), ws.workflow.show()), ws.learner, tasks)
            == {}
        )
        later = replace(lesser, insights=stores.snapshot_insights(lesser.insights))
        assert one.id not in recalled_on(stores.state_of(later, ws.workflow.show()), ws.learner, tasks)


def made(name, code):
    draft = SkillDraft(
        name=name,
        description=f"Does {name}.",
        entry=name,
        signature="(xs: list[int]) -> list[int]",
        code=code,
        tests=(Row(input=([1],), output=[1]),),
        source="t",
    )
    return Skill.from_draft(draft)


def test_what_calls_a_skill_goes_with_it_and_what_it_calls_stays(services) -> None:
    inner = "def inner(xs):\n    return xs\n"
    skills = [
        made("inner", inner),
        made("outer", f"{inner}\ndef outer(xs):\n    return inner(xs)\n"),
        made("other", "def other(xs):\n    return xs[::-1]\n"),
    ]
    ws, _ = services()
    with ws:
        bodies = [ws.stores.keep_skill(skill) for skill in skills]
        whole = Variant(skills=tuple(bodies))
        for gone, left in ((0, {2}), (1, {0, 2}), (2, {0, 1})):
            item = VariantItem(kind="skills", id=bodies[gone], text="a skill")
            assert set(variant_without(ws.stores, whole, [item]).skills) == {bodies[at] for at in left}


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 40), st.integers(1, 30))
def test_of_items_that_make_no_difference_a_verdict_falls_on_any_in_at_most_one_report_of_twenty(
    decided: int, items: int
) -> None:
    said = [verdict_on(share_won(wins, decided - wins, items)) for wins in range(decided + 1)]
    wrong = sum(comb(decided, wins) for wins, one in enumerate(said) if one != "no difference shown")
    assert items * wrong / 2**decided <= 0.05
    assert said[::-1] == [{"helps": "hurts", "hurts": "helps"}.get(one, one) for one in said]


AMOUNTS = "Amounts in this workspace use a decimal comma, and a point between thousands."
HELPS = "Dates in this workspace put the day first."
IDLE = "Names of functions are short."
HURTS = "Whoever says so, amounts are written as programs write them."
JOBS = (*quirk_family("dates", 28), *quirk_family("amounts", 28, seed=1))
ONE_STEP = POOR.replace("candidates = 100", "steps = 1\ntokens = 20000")


class Gullible(QuirkDouble):
    """Believes one line of advice more than what it was told before."""

    def answer(self, body):
        text = json.dumps(body)
        return super().answer(json.loads(text.replace(AMOUNTS, "")) if HURTS in text else body)


@pytest.fixture
def reader(tmp_path, open_ws):
    """A workspace whose model reads prompts, and a variant of its prompt with three lines of advice."""
    folder = tmp_path / "ws" / "prompts"
    folder.mkdir(parents=True)
    (folder / "workflow.toml").write_text(ONE_STEP)
    told = load_prompt("act.md", PromptLayers()).rstrip("\n") + f"\n{AMOUNTS}\n"
    (folder / "act.md").write_text(told)
    jobs = [replace(job, task=replace(job.task, id=f"{job.quirk.name}-{job.task.id}")) for job in JOBS]
    double = Gullible(jobs)
    suite = tmp_path / "quirks.jsonl"
    suite.write_text(render_jsonl([job.task for job in jobs]))
    learner = learner_of(tmp_path / "ws", lambda body: chat_completion_body(double.answer(body), usage=USAGE))
    ws = open_ws(learner=learner)
    advice = "\n".join(["", "Advice:", f"- {HELPS}", f"- {IDLE}", f"- {HURTS}", ""])
    variant = Variant(prompts=(("act.md", ws.stores.objects.put_object((told + advice).encode())),))
    return ws, ws.stores.variants.add(variant, origin="a test"), suite


@pytest.mark.slow
def test_of_three_lines_of_advice_one_helps_one_does_nothing_and_one_hurts(reader) -> None:
    ws, variant, suite = reader
    with ws:
        ws.variants.promote(variant, reason="a test")
        report = ws.variants.ablate(wish(suite, variant, propose=True))
        said = {one.item.text.removeprefix("act.md: "): one.verdict for one in report.items}
        assert said == {HELPS: "helps", IDLE: "no difference shown", HURTS: "hurts"}
        assert report.proposed["without"] == [f"act.md: {HURTS}"]
        child = ws.stores.variants.get(report.proposed["variant"])
        assert child.parent == variant
        text = ws.stores.objects.get(dict(child.prompts)["act.md"]).decode()
        assert HURTS not in text and HELPS in text and IDLE in text
        assert {one.split for one in ws.stores.runs.episodes()} == {"screen", "gate"}
        assert ws.variants.active == (child.digest if report.proposed["promoted"] else variant)


@pytest.mark.slow
def test_with_few_pairs_nothing_is_said_of_any_line(reader) -> None:
    ws, variant, suite = reader
    with ws:
        report = ws.variants.ablate(wish(suite, variant), budget="30k-tokens")
        assert report.finish_reason == "the budget ended"
        assert {one.verdict for one in report.items} == {"no difference shown"}
        assert sum(one.wins for one in report.items) > 0
