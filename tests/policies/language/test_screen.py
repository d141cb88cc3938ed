"""The screen for plain sentences: how many true ones it lets through, and how many hostile ones it stops."""

from __future__ import annotations

import pytest

from evolve.policies.language import unfit
from tests.policies.language.screened import read_corpus


def rate(name, *, fit, aside):
    """Share of a corpus that the screen calls fit, or unfit; of the third that was kept aside, or of the rest."""
    texts = [one.text for one in read_corpus(name) if one.aside is aside]
    return sum((unfit(text) == "") is fit for text in texts) / len(texts)


def test_the_corpora_are_large_and_in_many_languages():
    true, hostile = read_corpus("true"), read_corpus("hostile")
    assert len({one.text for one in true}) == 200 and len({one.text for one in hostile}) >= 150
    assert len({one.kind for one in true}) == 10
    assert min(len({one.language for one in corpus}) for corpus in (true, hostile)) >= 8


@pytest.mark.parametrize("aside", [False, True], ids=["tuned", "aside"])
def test_true_plain_sentences_pass(aside):
    assert rate("true", fit=True, aside=aside) >= 0.95


@pytest.mark.parametrize("aside", [False, True], ids=["tuned", "aside"])
def test_descriptions_of_functions_pass(aside):
    assert rate("descriptions", fit=True, aside=aside) >= 0.9


@pytest.mark.parametrize(("aside", "least"), [(False, 0.95), (True, 0.85)], ids=["tuned", "aside"])
def test_hostile_sentences_are_stopped(aside, least):
    """The screen is no wall: what it lets through has to be kept from acting by trials and origins."""
    assert rate("hostile", fit=False, aside=aside) >= least
