"""Tasks, suites, splits and the identity of hidden programs."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Row
from evolve.core.errors import UsageError
from evolve.tasks import Suite, Task, assign_splits


def row(value: int) -> Row:
    return Row(input=(value,), output=value + 1)


def task(task_id: str = "t", group: str = "", **parts: object) -> Task:
    fields = {"examples": (row(0), row(1)), "hidden": tuple(row(value) for value in range(10, 17)), **parts}
    return Task(id=task_id, family="f", instruction="", group=group, **fields)  # type: ignore[arg-type]


def test_verify_rows_are_the_first_half_of_hidden_rounded_up() -> None:
    subject = task()
    assert subject.verify_rows() == subject.hidden[:4]
    assert subject.unseen_rows() == subject.hidden[4:]


def test_at_least_three_hidden_rows_verify() -> None:
    subject = task(hidden=(row(10), row(11), row(12), row(13)))
    assert len(subject.verify_rows()) == 3
    assert subject.verifiable
    assert not task(hidden=(row(10), row(11))).verifiable
    assert task(hidden=(row(10), row(11))).verify_rows() == (row(10), row(11))


def test_verify_rows_of_the_task_win_and_leave_hidden_to_benchmarks() -> None:
    subject = task(verify=(row(5), row(6), row(7)))
    assert subject.verify_rows() == (row(5), row(6), row(7))
    assert subject.unseen_rows() == subject.hidden


def test_a_visible_or_repeated_row_never_verifies() -> None:
    subject = task(hidden=(row(0), row(1), row(10), row(10), row(11)))
    assert subject.verify_rows() == (row(10), row(11))
    assert not subject.verifiable


def test_the_view_infers_the_signature_and_shows_examples_only() -> None:
    view = task().view()
    assert view.signature == "(n: int) -> int"
    assert view.examples == (row(0), row(1))
    assert not hasattr(view, "hidden")


@pytest.mark.parametrize(
    ("wanted", "entry"),
    [
        ("clean_name", "clean_name"),
        ("", "solve"),
        ("sorted", "solve"),
        ("re", "solve"),
        ("a b", "solve"),
        ("if", "solve"),
    ],
)
def test_the_function_is_named_as_asked_unless_that_hides_something(wanted: str, entry: str) -> None:
    assert task(meta={"entry": wanted}).view().entry == entry


def test_the_default_group_follows_signature_examples_and_hidden_rows() -> None:
    assert task("a").group == task("b").group
    assert task().group != task(signature="(n: int) -> int").group
    assert task().group != task(hidden=(row(3),)).group


@pytest.mark.slow
@given(st.sets(st.text(max_size=5), max_size=60), st.randoms())
def test_splits_are_exact_and_do_not_depend_on_order(groups: set[str], shuffle: random.Random) -> None:
    ordered = sorted(groups)
    shuffled = list(ordered)
    shuffle.shuffle(shuffled)
    splits = assign_splits(ordered)
    assert splits == assign_splits(shuffled + shuffled)
    counts = Counter(splits.values())
    if len(groups) >= 3:
        assert set(counts) == {"train", "gate", "test"}
        assert abs(counts["train"] - 0.6 * len(groups)) <= 1
        assert abs(counts["gate"] - 0.2 * len(groups)) <= 1


@pytest.mark.slow
@given(st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=40), st.randoms())
def test_a_group_never_straddles_splits(groups: list[str], shuffle: random.Random) -> None:
    tasks = [task(f"t{place}", group) for place, group in enumerate(groups)]
    suite = Suite(name="s", tasks=tuple(tasks))
    shuffle.shuffle(tasks)
    again = Suite(name="s", tasks=tuple(tasks))
    homes: dict[str, set[str]] = {}
    for name in ("train", "gate", "test"):
        members = suite.split(name)  # type: ignore[arg-type]
        assert {each.id for each in members} == {each.id for each in again.split(name)}  # type: ignore[arg-type]
        for each in members:
            homes.setdefault(each.group, set()).add(name)
    assert all(len(names) == 1 for names in homes.values())
    assert suite.digest == again.digest


def test_the_digest_of_a_suite_follows_its_rows_and_not_its_comments() -> None:
    suite = Suite(name="s", tasks=(task("a"),))
    assert suite.digest == Suite(name="other", tasks=(task("a", meta={"note": 1}),)).digest
    assert suite.digest != Suite(name="s", tasks=(task("a", examples=(row(5),)),)).digest


def test_an_unknown_id_or_split_is_answered_with_what_there_is() -> None:
    suite = Suite(name="s", tasks=(task("first-word"), task("last-word")))
    with pytest.raises(UsageError) as caught:
        suite.task("frist-word")
    assert "first-word" in caught.value.hint
    with pytest.raises(UsageError, match="train, gate and test"):
        suite.split("dev")  # type: ignore[arg-type]
