"""A skill that belongs to the person stays as it is, and learning from other work goes on beside it."""

from __future__ import annotations

import pytest

import evolve
from evolve.core.reasons import reason

pytestmark = pytest.mark.usefixtures("few_rivals")

PEOPLE = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra", "Donald Knuth", "Barbara Liskov"]
PEOPLE += ["John McCarthy", "Ken Thompson", "Dennis Ritchie", "Linus Torvalds"]


def test_a_doubtful_answer_that_is_a_skill_of_the_persons_is_passed_over(tmp_path, monkeypatch):
    rows = [f"{name},{(name[0] + name.split()[-1]).lower()}" for name in PEOPLE]
    people = tmp_path / "people.csv"
    with evolve.open(tmp_path / "ws") as workspace:
        people.write_text("\n".join(["Employee,Login", *rows, "Bjarne Stroustrup,", ""]))
        skill = workspace.runs.keep(workspace.fill(people).result.run_id)
        people.write_text("\n".join(["Employee,Login", *rows, ""]))
        # as if few values were to decide, so that the answer which the verifier accepted is doubtful
        monkeypatch.setattr("evolve.workspace.runs.ambiguity._by_chance", lambda task: reason("too_few_values", rows=3))
        result = workspace.run(examples=people)
        assert result.solved and not result.verified
        assert [one.skill for one in result.not_kept] == [skill.name] and "stays as it is" in result.not_kept[0].reason
        owned = workspace.skills.show(skill.name)
        assert (owned.owner, owned.status) == ("user", "admitted")
        assert workspace.learn() == ()  # nothing is left over that every later command would meet again
