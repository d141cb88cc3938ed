"""The ``strings`` suite: functions over text as it occurs in names, codes, dates, notes and lists."""

from __future__ import annotations

import random

from benchmarks.suites import strings_amounts as amounts
from benchmarks.suites import strings_dates as dates
from benchmarks.suites import strings_durations as durations
from benchmarks.suites import strings_families as families
from benchmarks.suites import strings_fields as fields
from benchmarks.suites import strings_phrases as phrases
from benchmarks.suites import strings_steps as steps
from benchmarks.suites import strings_texts as texts
from benchmarks.suites import strings_times as times
from benchmarks.suites import strings_words as words
from benchmarks.suites.frame import Family, Kind, Make, Program, SuiteBuilder
from evolve.tasks.model import Task

_SINGLE_STEPS: tuple[tuple[int, Kind, steps.MakeTextStep], ...] = (
    (1, words.PHRASE, steps.casing),
    (1, words.SINGLE, steps.ends),
    (1, words.SINGLE, steps.shorten),
    (1, words.SINGLE, steps.backwards),
    (1, words.PHRASE, steps.one_word),
    (1, words.SINGLE, steps.prefixed),
    (1, words.SINGLE, steps.suffixed),
    (1, words.PHRASE, steps.wrapped),
    (2, words.PHRASE, steps.some_words),
    (2, words.PHRASE, steps.word_order),
    (2, words.PHRASE, steps.joined),
    (2, words.PHRASE, steps.initials),
    (2, words.MIXED, steps.kept),
    (2, words.UNTIDY, steps.tidy),
    (2, words.PHRASE, steps.replaced),
    (2, words.PHRASE, steps.replaced_once),
    (2, words.MIXED, steps.before_mark),
    (2, words.SINGLE, steps.padded),
    (2, words.SINGLE, steps.repeated),
    (2, words.SINGLE, steps.letters),
    (3, words.PHRASE, steps.long_words),
    (3, words.PHRASE, steps.in_words),
    (3, words.SINGLE, steps.spaced),
    (3, words.CODE, steps.masked),
)

SIZE, COLUMN_TASKS = 480, 180
"""Tasks by default, and how many of them are of columns."""


def _single(difficulty: int, kind: Kind, make: steps.MakeTextStep) -> Family:
    def program(rng: random.Random) -> Program:
        step = make(rng)
        return Program(text=step.text, fn=step.run)

    return Family(name=make.__name__.replace("_", "-"), difficulty=difficulty, kind=kind, make=program)


def _family(name: str, difficulty: int, kind: Kind, make: Make, weight: int = 1) -> Family:
    return Family(name=name, difficulty=difficulty, kind=kind, make=make, weight=weight)


def all_families() -> list[Family]:
    """Every family of the suite, easy ones first."""
    return [
        *(_single(*entry) for entry in _SINGLE_STEPS),
        _family("count-in-phrase", 1, words.PHRASE, families.counting),
        _family("count-in-word", 1, words.SINGLE, families.counting),
        _family("test-of-word", 1, words.SINGLE, families.testing),
        _family("test-of-phrase", 2, words.PHRASE, families.testing),
        _family("split-phrase", 2, words.PHRASE, families.to_list),
        _family("split-name", 2, words.NAME, families.to_list),
        _family("text-and-number", 2, words.COUNTED, families.text_and_number),
        _family("text-and-part", 2, words.PART, families.text_and_part),
        _family("two-texts", 2, words.TWO, families.two_texts),
        _family("person", 3, words.NAME, fields.person),
        _family("product-code", 3, words.CODE, fields.product_code),
        _family("calendar", 3, words.DATE, fields.calendar),
        _family("money", 3, words.AMOUNT, fields.money),
        _family("list-text", 3, words.LISTING, fields.list_text),
        _family("figure-list", 3, words.FIGURES, fields.figure_list),
        _family("mail-address", 3, words.MAIL, fields.address),
        _family("file-path", 3, words.PATH, fields.file_path),
        _family("numbers-in-text", 3, words.MIXED, families.numbers_in_text),
        _family("two-steps", 3, words.PHRASE, families.chained(2), weight=3),
        _family("name-in-two-steps", 3, words.NAME, families.chained(2)),
        _family("measured", 4, words.PHRASE, families.measured, weight=2),
        _family("labelled", 4, words.NAME, families.labelled, weight=2),
        _family("conditional", 4, words.PHRASE, families.conditional, weight=2),
        _family("conditional-note", 4, words.MIXED, families.conditional),
        _family("three-steps", 5, words.PHRASE, families.chained(3), weight=3),
    ]


def column_families() -> list[Family]:
    """Families of columns and cells: dates, times, amounts, names and lists of texts."""
    modules = (phrases, texts, dates, times, durations, amounts)
    return [family for module in modules for family in module.families()]


def generate(n: int, seed: int) -> list[Task]:
    """``n`` tasks with ``n`` different hidden programs; the same seed gives the same tasks.

    Functions over one text come first, then those over columns and cells.
    """
    builder = SuiteBuilder(suite="strings", rng=random.Random(f"strings:{seed}"))
    builder.fill(all_families(), n - n * COLUMN_TASKS // SIZE)
    builder.rng = random.Random(f"strings of columns:{seed}")
    builder.fill(column_families(), n)
    return builder.fill(all_families(), n)
