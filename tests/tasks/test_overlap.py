"""What counts as copied: so many words in a row, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Row
from evolve.runtime.retrieval.text_overlap import word_run_digests
from evolve.tasks import Task
from evolve.tasks.problem_traits import problem_traits
from evolve.trials.gate.leakage import WORDS, copied_tasks

WORD = st.sampled_from(["ab", "cd", "ef", "день", "год"])


@given(st.lists(WORD, max_size=12), st.lists(WORD, max_size=12), st.integers(1, 6))
def test_two_texts_share_a_run_exactly_where_so_many_words_in_a_row_are_the_same(one, other, words):
    def grams(listed):
        return {tuple(listed[at : at + words]) for at in range(len(listed) - words + 1)}

    shared = word_run_digests(" ".join(one).upper(), words) & word_run_digests(",\n ".join(other), words)
    assert len(shared) == len(grams(one) & grams(other))


@given(st.text("abc ", min_size=8, max_size=40), st.integers(0, 30))
def test_a_run_of_characters_is_found_wherever_it_stands(text, at):
    piece = " ".join(text.split())[at : at + 8]
    assert len(piece) < 8 or word_run_digests(piece, 99, 8) <= word_run_digests(text, 99, 8)


@pytest.mark.parametrize("sign", ["a", "ж"])
def test_the_gate_reads_every_alphabet(sign):
    words = [sign * (number + 1) for number in range(WORDS + 2)]
    task = Task(
        id="t", family="f", instruction=" ".join(words), examples=(Row(input=(1,), output=1),), hidden=(), group="g"
    )
    enough, few = ", ".join(words[1 : WORDS + 1]).upper(), ", ".join(words[1:WORDS]).upper()
    assert [(one.text, one.task) for one in copied_tasks({"prompt": enough}, [task], [])] == [("prompt", "t")]
    assert copied_tasks({"prompt": few}, [task], []) == []
    assert copied_tasks({"prompt": enough}, [task], [task]) == []


@pytest.mark.parametrize(
    ("instruction", "shared"),
    [
        ("Find the function that gives the output for every input.", False),
        ("Write a Python function that maps each input to its output", False),
        ("Give the city of the address.", True),
        ("Reverse the list", True),
        ("从每行取城市", True),
    ],
)
def test_words_that_fit_any_task_make_no_two_tasks_one(instruction: str, shared: bool) -> None:
    tasks = [
        Task(
            id=name,
            family="f",
            instruction=instruction,
            examples=(Row(input=(number,), output=number + 1),),
            hidden=(),
            group=name,
        )
        for number, name in ((1, "a"), (2, "b"))
    ]
    one, two = map(problem_traits, tasks)
    assert bool(one & two) is shared
