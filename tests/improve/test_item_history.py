"""What is told of one skill or insight: counted from the record each time, and no more than the record holds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import PROBE, Claim, EpisodeRecord, Evidence, Row, Scope, SkillDraft
from evolve.core.ledger import Spent
from evolve.improve.ablation import AblationReport, ItemCredit, VariantItem
from evolve.improve.history import ItemHistory
from evolve.policies.search.known_functions import tree_of
from evolve.policies.search.programs.terms import Apply, Input
from evolve.policies.search.programs.types import STR
from evolve.skills import AdmissionVerdict, Skill
from evolve.trials import Variant
from evolve.trials.gate import ConfidenceInterval
from evolve.trials.item_utility import ItemUtility

TEXTS, NUMBERS = "(str) -> str", "(int) -> int"
DRAFT = SkillDraft(
    name="loud-name",
    description="Give the loud name.",
    entry="loud_name",
    signature="(text: str) -> str",
    code="def loud_name(text: str) -> str:\n    return text.strip().upper()\n",
    tests=(Row(input=(" Ab ",), output="AB"),),
    tree=tree_of(Apply("upper", (Apply("strip", (Input(0),)),)), (STR,), STR),
    source="names-1",
)
SKILL = Skill.from_draft(DRAFT)


def solved(task: str, family: str = TEXTS, cause: str = "operation:strip", **more: object) -> EpisodeRecord:
    """An episode that solved a task and says what that needed."""
    claim = Claim(
        cause=cause,
        relation="necessary",
        effect="solved",
        scope=Scope(environment="programs", family=family),
        evidence=(Evidence(task=task, group=task, kind="intervention", direction=1, features=(1.0,)),),
        text=f"{cause} is necessary",
    )
    record = EpisodeRecord(
        episode=f"episode-{task}-{cause}",
        run="r1",
        task=task,
        suite="",
        group=task,
        split="own",
        variant="unlearned",
        seed=0,
        status="solved",
        verified=True,
        claims=(claim,),
    )
    return replace(record, **more)


@pytest.fixture
def ws(open_ws):
    with open_ws() as opened:
        for task, family in (("names-0", TEXTS), ("names-1", TEXTS)):
            opened.stores.commit(solved(task, family), instruction="a name")
        opened.stores.skills.add(SKILL, AdmissionVerdict(digest=SKILL.digest, admitted=True))
        yield opened


def history(ws, skill: Skill = SKILL) -> ItemHistory:
    return ws.skills.histories([ws.skills.show(skill.digest)])[skill.digest]


def keep_ablation(ws, kind: str, item: str, counts: tuple[int, int, int], *, run: str = "r9", suite: str = "s") -> None:
    """Keeps what an ablation of a variant found."""
    variant = ws.stores.variants.add(Variant(skills=(ws.stores.keep_skill(SKILL),)))
    wins, losses, ties = counts
    credit = ItemCredit(
        item=VariantItem(kind=kind, id=item, text="an item"),
        wins=wins,
        losses=losses,
        ties=ties,
        planned=sum(counts),
        share=ConfidenceInterval(value=None, low=None, high=None, n=0),
        verdict="no difference shown",
    )
    report = AblationReport(
        run=run,
        suite=suite,
        suite_digest=suite,
        variant=variant,
        seed=0,
        finish_reason="every pair was run",
        items=(credit,),
        spent=Spent(),
        proposed={},
    )
    ws.stores.variants.add_measure(variant, run=run, kind=f"ablation on {suite}", body=report.to_json())


def test_a_skill_is_told_by_the_tasks_that_used_it_and_those_that_it_helped(ws) -> None:
    assert history(ws) == ItemHistory(helped=0) and history(ws).text == ""
    use = {"consumed": (f"skill:{SKILL.digest}",)}
    for number, more in enumerate((use, {}, use, {"split": "gate", **use}, {"verified": False, **use}), 2):
        ws.stores.commit(solved(f"names-{number}", **more), instruction="a name")
    ws.stores.commit(solved("sums-1", NUMBERS), instruction="a sum")
    ws.stores.commit(solved("names-1", episode="again", **use), instruction="a name")
    # Neither a gate's task, nor another kind, nor its own; the one whose answer nothing verified is no help.
    assert (history(ws).used, history(ws).helped, history(ws).of) == (3, 2, 4)
    assert history(ws).text == "used in 3 tasks, helped in 2"


def test_the_same_file_name_with_other_rows_is_another_task_of_a_person(ws) -> None:
    use = {"consumed": (f"skill:{SKILL.digest}",), "split": "own"}
    for number, group in enumerate(("names-1", "april", "april", "may")):
        ws.stores.commit(solved("names-1", episode=f"e{number}", group=group, **use), instruction="a name")
    assert (history(ws).used, history(ws).helped) == (2, 2)
    assert len(ws.skills.show(SKILL.digest).tasks) == 2


def test_what_a_check_accepted_in_a_folder_is_told_as_help_and_earns_no_trust(ws) -> None:
    use = {"consumed": (f"skill:{SKILL.digest}",), "verified": False, "checked": True}
    for number in range(3):
        ws.stores.commit(solved(f"folder-{number}", **use), instruction="a folder")
    assert (history(ws).used, history(ws).helped) == (3, 3)
    assert ws.skills.show(SKILL.digest).status == "admitted"


def test_trials_with_and_without_it_are_counted_once_however_often_they_are_repeated(ws) -> None:
    body = ws.stores.keep_skill(SKILL)
    keep_ablation(ws, "skills", body, (8, 1, 3))
    keep_ablation(ws, "skills", body, (7, 1, 4), run="r10")
    keep_ablation(ws, "skills", body, (0, 0, 5), run="r11", suite="other")
    keep_ablation(ws, "skills", "0" * 64, (9, 0, 0), run="r12", suite="third")  # a body that is gone
    assert history(ws).text == "made a difference in 8 of 17 trials (7 better, 1 worse)"


def test_an_insight_is_told_by_where_it_was_recalled_and_by_every_kind_of_trial(ws) -> None:
    ws.stores.commit(solved("dates-1", cause="fact:day first"), instruction="a date")
    fact = next(one for one in ws.memory.list() if one.cause.startswith("fact:"))
    operation = next(one for one in ws.memory.list() if one.cause.startswith("operation:"))
    for number, used in enumerate((True, False, True, True)):
        seen = {"recalled": (fact.id, operation.id), "consumed": (fact.id, operation.id) if used else ()}
        split = PROBE if number == 3 else "own"
        ws.stores.commit(solved(f"dates-{number + 2}", split=split, claims=(), **seen), instruction="a date")
    keep_ablation(ws, "insights", fact.id, (1, 2, 3))
    journal = ws.stores.runs.journal("r5")
    journal.finish("insights:1:0:plan", {"insight": fact.id, "tasks": ["dates-2"]})
    journal.finish("insights:1:0", {"insight": fact.id, "pairs": 4, "agree": 2, "disagree": 0})
    journal.finish("insights:1:1", {})
    ws.stores.variants.add_item_outcomes("b1", {fact.id: ItemUtility(with_solved=3, with_failed=1, without_failed=2)})
    ws.stores.variants.add_item_outcomes("b2", {fact.id: ItemUtility(without_solved=1)})
    told = ws.memory.histories(ws.memory.list())
    assert told[fact.id].text == (
        "used in 2 of 3 such tasks, made a difference in 5 of 10 trials (3 better, 2 worse),"
        " where chance decided, solved 3 of 4 with it and 1 of 3 without"
    )
    assert told[operation.id].text == ""  # a search recalls none today; what earlier ones did moved prices


@given(*[st.integers(0, 50)] * 5)
def test_the_words_say_the_counts_and_nothing_else(more: int, used: int, better: int, worse: int, same: int) -> None:
    one = ItemHistory(used=used, of=used + more).with_trials(better + worse + same, better, worse)
    numbers = [int(word) for word in one.text.replace("(", "").replace(",", "").split() if word.isdigit()]
    wanted = [used, used + more] if used + more else []
    if one.trials:
        wanted += [better + worse, one.trials, *(count for count in (better, worse) if count)]
    assert numbers == wanted
