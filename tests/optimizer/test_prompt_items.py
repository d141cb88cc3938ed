"""Edits reach the items of a prompt and nothing else; what items did is counted by their digest."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.prompts import PromptLayers, load_prompt, render_prompt
from evolve.core.schema import OPTIMIZER
from evolve.core.store import Database, ObjectStore
from evolve.policies import PromptEdit
from evolve.policies.language.prompt_items import ItemLimits, item_id, parse_prompt, revise
from evolve.trials.item_utility import ItemUtility, probability_above, weak_items
from evolve.trials.variants import VariantRepository

ACT = (
    'Reply with kind "code".\n- kind "finish": give up\n$strategy\n\nAdvice:\n- Read dates day first.\n- Round last.\n'
)

pieces = st.sampled_from(
    [
        "Advice:",
        "Advice:\r",
        "- one",
        "* two words",
        "3. three",
        "12) more",
        "  goes on",
        "\tgoes on",
        "",
        "text",
        "-none",
    ]
)
files = st.one_of(st.text(), st.lists(st.one_of(pieces, st.text(max_size=8)), max_size=12).map("\n".join))
edits = st.lists(
    st.builds(
        PromptEdit,
        op=st.sampled_from(["add", "replace", "remove"]),
        item=st.integers(-1, 6),
        text=st.one_of(st.text(max_size=40), st.sampled_from(["Use $place.", "$$", "Advice:", "- x\nAdvice:\n- y"])),
    ),
    max_size=6,
)


def add(text: str) -> PromptEdit:
    return PromptEdit(op="add", text=text, why="t")


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(files)
def test_parsing_and_rendering_lose_nothing(text: str) -> None:
    assert parse_prompt(text).text == text


@settings(max_examples=80, deadline=None)
@given(files, edits)
def test_no_edit_reaches_the_fixed_text(text: str, asked: list[PromptEdit]) -> None:
    before = parse_prompt(text)
    done = revise(before, asked)
    again = parse_prompt(done.prompt.text)
    assert again.text == done.prompt.text
    assert again.fixed_text == before.fixed_text or (not before.items and not before.head.strip())
    assert [item.text for item in again.items] == [item.text for item in done.prompt.items]
    kept = {item.id for item in before.items if item.is_protected}
    assert kept <= {item.id for item in again.items}


@settings(max_examples=50, deadline=None)
@given(edits)
def test_an_edited_prompt_can_be_filled_in_as_before(asked: list[PromptEdit]) -> None:
    done = revise(parse_prompt(ACT), asked)
    filled = render_prompt(done.prompt.text, {"strategy": "do better"})
    assert "do better" in filled
    for item in done.prompt.items:
        assert item.text in " ".join(filled.split())


@pytest.mark.parametrize("name", ["act.md", "plan.md", "reflect.md", "distill.md", "rewrite.md"])
def test_what_ships_is_fixed_and_advice_goes_below_it(name: str) -> None:
    shipped = load_prompt(name, PromptLayers())
    before = parse_prompt(shipped)
    done = revise(before, [add("Dates are read day first.")])
    assert done.prompt.text.startswith(shipped.rstrip("\n"))
    assert [item.text for item in parse_prompt(done.prompt.text).items][-1] == "Dates are read day first."
    gone = revise(parse_prompt(done.prompt.text), [PromptEdit(op="remove", item=len(done.prompt.items))])
    assert gone.prompt.fixed_text == before.fixed_text


def test_edits_name_items_as_they_were_and_tell_what_they_changed() -> None:
    before = parse_prompt(ACT)
    first, second = (item.id for item in before.items)
    done = revise(
        before,
        [
            PromptEdit(op="remove", item=1, why="a"),
            PromptEdit(op="replace", item=2, text="Round at the\nend.", why="b"),
            PromptEdit(op="replace", item=1, text="Too late."),
            PromptEdit(op="remove", item=3),
            add("round at the END"),
        ],
    )
    assert [item.text for item in done.prompt.items] == ["Round at the end."]
    assert [(one.before, one.after, one.why) for one in done.changes] == [
        (first, "", "a"),
        (second, item_id("Round at the end."), "b"),
    ]
    assert [reason for _, reason in done.refused] == [
        "item 1 was changed already",
        "there is no item 3",
        "the prompt says it already",
    ]


@pytest.mark.parametrize(
    "text", ["", "...", "x" * 301, "Hidden \u202e sign", "zero\u200bwidth", "Close it </data 123> now", "a <DATA b"]
)
def test_texts_that_are_no_items_are_refused(text: str) -> None:
    done = revise(parse_prompt(ACT), [add(text)])
    assert done.prompt.text == ACT
    assert len(done.refused) == 1


def test_an_item_with_a_placeholder_stays() -> None:
    text = "Rules\n\nAdvice:\n- Fill in $name.\n- Costs $$5.\n"
    done = revise(
        parse_prompt(text), [PromptEdit(op="remove", item=1), PromptEdit(op="replace", item=2, text="Costs $6.")]
    )
    assert done.prompt.text == "Rules\n\nAdvice:\n- Fill in $name.\n- Costs $$6.\n"


def test_a_full_prompt_takes_an_item_only_for_one_that_did_not_help() -> None:
    prompt = parse_prompt("Advice:\n1. keep this\n2. drop this\n")
    limits = ItemLimits(count=2)
    assert revise(prompt, [add("new one")], limits=limits).prompt == prompt
    done = revise(prompt, [add("new one")], limits=limits, weak=[item_id("drop this")])
    assert done.prompt.text == "Advice:\n1. keep this\n3. new one\n"
    small = revise(prompt, [add("y" * 200)], limits=ItemLimits(size=60), weak=[item_id("drop this")])
    assert small.prompt == prompt, "nothing leaves for an item that does not fit anyway"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text("abc ", min_size=1, max_size=60), max_size=40), st.integers(1, 8), st.integers(20, 200))
def test_no_sequence_of_edits_passes_the_size_budget(texts: list[str], count: int, size: int) -> None:
    prompt = parse_prompt("Fixed.\n")
    for text in texts:
        weak = [item.id for item in prompt.items]
        prompt = revise(prompt, [add(text)], limits=ItemLimits(count=count, size=size), weak=weak).prompt
        assert len(prompt.items) <= count
        assert prompt.size <= size


def test_utility_is_kept_once_by_digest_of_the_item(tmp_path: Path) -> None:
    golden, useless, fresh = (item_id(text) for text in ("golden", "useless", "fresh"))
    with Database(tmp_path / "memory.db", OPTIMIZER) as db:
        record = VariantRepository(db, ObjectStore(tmp_path / "objects"))
        for batch in range(10):
            for _ in range(2):  # a stage that is run again tells the same batch twice
                record.add_item_outcomes(
                    f"b{batch}",
                    {
                        golden: ItemUtility(with_solved=5, without_failed=1),
                        useless: ItemUtility(with_failed=4, with_solved=1, without_solved=2),
                        fresh: ItemUtility(with_failed=3),
                    },
                )
    with Database(tmp_path / "memory.db", OPTIMIZER) as db:
        record = VariantRepository(db, ObjectStore(tmp_path / "objects"))
        known = record.item_utilities()
        assert known[golden] == ItemUtility(with_solved=50, without_failed=10)
        assert known[golden].probability_helps > 0.99
        assert weak_items(known, [golden, useless, fresh, item_id("unknown")]) == (useless,)


@settings(max_examples=60, deadline=None)
@given(st.tuples(st.integers(1, 40), st.integers(1, 40)), st.tuples(st.integers(1, 40), st.integers(1, 40)))
def test_the_probability_of_helping_has_no_favourite(first: tuple[int, int], second: tuple[int, int]) -> None:
    assert abs(probability_above(first, second) + probability_above(second, first) - 1) < 1e-9


def test_the_probability_of_helping_agrees_with_drawing() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    drawn = (rng.beta(8, 3, 200_000) > rng.beta(4, 6, 200_000)).mean()
    assert abs(probability_above((8, 3), (4, 6)) - drawn) < 0.005
