"""A value is told apart from cells that all have the same length, the same shape or the same signs."""

from __future__ import annotations

import pytest

from evolve.tasks.likeness import GivenCells

CODES = ["MILA-2603", "BECT-2603", "SCHA-2604", "WEBP-2604", "VOGL-2603"]
MIXED = ["AB-12C", "A1-23D", "ZZ-Z99", "B7-BB1", "QR-555"]
MAILS = ["ann.lee@x.de", "bob.kay@x.de", "eve.oh@x.de", "tim.vogt@x.de", "ida.roux@x.de"]


@pytest.mark.parametrize(
    ("given", "value", "inputs", "code"),
    [
        (CODES, "KELN-2612", (), None),
        (CODES, "BRAE-26010", (), "other_shape"),
        (CODES, "LI,W-2604", (), "other_shape"),
        (CODES, "Keln-2612", (), "other_shape"),
        (MIXED, "CC-10D", (), None),
        (MIXED, "CC-100D", (), "other_length"),
        (MAILS, "al.o'brien@x.de", ("Al", "O'Brien"), "new_sign"),
        (MAILS, "Al O'Brien", ("Al", "O'Brien"), None),
        (MAILS, "(Al O'Brien)", ("Al", "O'Brien"), None),
        # of few different ones, and of numbers, nothing is known
        (CODES[:2], "BRAE-26010", (), None),
        (CODES[:3], "BRAE-26010", (), "other_shape"),
        (["mid", "low", "top"], "high", (), None),
        (["mid", "low", "mid", "low", "mid", "low"], "high", (), None),
        ([10.5, 20.5, 30.5, 40.5, 50.5], 100.5, (), None),
        ([*CODES, 7], "x", (), None),
    ],
)
def test_what_no_given_cell_has_is_told(given, value, inputs, code):
    why = GivenCells.from_outputs(given).difference_reason(value, inputs)
    assert (None if why is None else why.code) == code
