"""Programs that try to get past the lint, all refused; and honest programs of many kinds, all let through.

Both were written before the lint that they test; those in ``aside.txt`` were not run until it was done. Those in
``review.txt``, ``second_review.txt`` and ``constants.txt`` were written with the lint at hand, against it.
"""

from __future__ import annotations

from evolve.skills.lint import lint
from tests.skills.snippets import snippets

ATTEMPTS = {
    f"{family}/{name}": source
    for family in ("modules", "reflection", "tricks", "aside", "review", "second_review", "constants")
    for name, source in snippets(f"bypasses/{family}.txt").items()
}
HONEST = snippets("honest.txt")


def test_there_are_many_of_both_kinds():
    assert len(ATTEMPTS) >= 300 and len(HONEST) >= 90


def test_an_attempt_is_refused(subtests):
    for name, source in ATTEMPTS.items():
        with subtests.test(name):
            assert lint(source, "f")


def test_an_honest_program_passes(subtests):
    for name, source in HONEST.items():
        with subtests.test(name):
            assert lint(source, "f") == []
