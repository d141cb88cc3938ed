"""Skills inside skills."""

from __future__ import annotations

from dataclasses import replace

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


def test_where_skills_seldom_help_only_those_that_helped_are_offered():
    inner, outer = Skill.from_draft(GOOD), replace(skill("outer", LARGE_EVENS + OUTER), tasks=("a", "b"))
    plain = [
        skill(f"plain_{n}", f"def plain_{n}(xs: list[int]) -> int:\n    return len(xs) + {n}\n") for n in range(19)
    ]
    helped = [outer, *(replace(one, tasks=("c",)) for one in plain[:3])]
    few, many = [inner, *helped, *plain[3:18]], [inner, *helped, *plain[3:]]
    assert worth_offering(few) == {one.digest for one in few}
    assert worth_offering(many) == {inner.digest, *(one.digest for one in helped)}
    assert worth_offering([inner, outer, *plain[:2]]) == {inner.digest, outer.digest}, "four tell nothing of the next"
