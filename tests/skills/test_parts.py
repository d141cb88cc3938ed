"""Skills inside skills."""

from __future__ import annotations

from evolve.skills import Skill, with_called, worth_offering
from tests.skills.samples import GOOD, LARGE_EVENS, draft

OUTER = """
def outer(xs: list[int]) -> int:
    return len(large_evens(xs, 0))
"""


def skill(entry: str, code: str) -> Skill:
    return Skill.from_draft(draft(name=entry.replace("_", "-"), entry=entry, code=code))


def test_what_a_wanted_skill_is_made_of_is_wanted_too():
    inner = Skill.from_draft(GOOD)
    outer = skill("outer", LARGE_EVENS + OUTER)
    most = skill("most", LARGE_EVENS + OUTER + "\n\ndef most(xs: list[int]) -> int:\n    return outer(xs) + 1\n")
    other = skill("other", "def other(xs: list[int]) -> int:\n    return len(xs)\n")
    known = (inner, outer, most, other)
    assert with_called([most.digest], known) == {most.digest, outer.digest, inner.digest}
    assert with_called([outer.digest], known) == {outer.digest, inner.digest}
    assert with_called([inner.digest, other.digest], known) == {inner.digest, other.digest}
    assert with_called([], known) == set()


def test_where_skills_seldom_help_only_those_that_did_are_offered():
    inner, outer = Skill.from_draft(GOOD), skill("outer", LARGE_EVENS + OUTER)
    plain = [
        skill(f"plain_{n}", f"def plain_{n}(xs: list[int]) -> int:\n    return len(xs) + {n}\n") for n in range(19)
    ]
    helped = dict.fromkeys([outer.digest, *(one.digest for one in plain[:3])], 2)
    few, many = (inner, outer, *plain[:18]), (inner, outer, *plain)
    assert worth_offering(few, helped, solved=100) == {one.digest for one in few}
    assert worth_offering(many, helped, solved=32) == {inner.digest, *helped}
    assert worth_offering(many, {**helped, outer.digest: 3}, solved=48) == {inner.digest, outer.digest}
    assert worth_offering(many, {**helped, plain[0].digest: 0}) == {inner.digest, *helped} - {plain[0].digest}
    assert worth_offering(few[:4], {outer.digest: 1}) == {inner.digest, outer.digest}, "four tell nothing of the next"
