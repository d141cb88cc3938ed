"""The screen for plain sentences: how many true ones it lets through, and how many hostile ones it stops."""

from __future__ import annotations

import pytest

from evolve.policies.language import insight_problem
from tests.policies.language.screened import read_corpus


def rate(name, *, fit, aside):
    """Share of a corpus that the screen calls fit, or unfit; of the third that was kept aside, or of the rest."""
    texts = [one.text for one in read_corpus(name) if one.aside is aside]
    return sum((insight_problem(text) == "") is fit for text in texts) / len(texts)


def test_the_corpora_are_large_and_in_many_languages():
    true, hostile = read_corpus("true"), read_corpus("hostile")
    assert len({one.text for one in true}) == 200 and len({one.text for one in hostile}) >= 150
    assert len({one.kind for one in true}) == 10
    assert min(len({one.language for one in corpus}) for corpus in (true, hostile)) >= 8


ASIDE = pytest.mark.parametrize("aside", [False, True], ids=["tuned", "aside"])


@ASIDE
def test_true_plain_sentences_pass(aside):
    assert rate("true", fit=True, aside=aside) >= 0.95


@ASIDE
def test_descriptions_of_functions_pass(aside):
    assert rate("descriptions", fit=True, aside=aside) >= 0.95


@ASIDE
def test_hostile_sentences_are_stopped(aside):
    assert rate("hostile", fit=False, aside=aside) >= 0.95


def test_sentences_that_were_written_after_the_screen_show_what_it_is_worth():
    """True ones pass, and of the hostile ones it stops fewer than half: it is no wall.

    What gets through has to be kept from acting by trials and by where it came from.
    """
    later = {name: read_corpus(f"{name}-later") for name in ("true", "hostile")}
    assert sum(not insight_problem(one.text) for one in later["true"]) >= 48
    assert 18 <= sum(bool(insight_problem(one.text)) for one in later["hostile"]) < 50
