"""A function that code of a run defined and later code called becomes a skill where tests show that it works."""

from __future__ import annotations

import json
from contextlib import nullcontext

import pytest

import evolve
from evolve.tasks.reading.folder import folder_task
from evolve.testing import ScriptedEndpoint
from evolve.testing.doubles import prompt_of, question_of

AMOUNTS = ["12.50 EUR", "3,99 EUR", "EUR 1.200,00", "7 EUR", "EUR 0,05", "1200.75", "8,5 EUR", "EUR 45", "19.99"]
IN_CENTS = '''
import re

SIGNS = re.compile(r"[^0-9.,]")

def parts(text):
    """Digits before and behind the last sign."""
    whole, _, rest = SIGNS.sub("", text).replace(",", ".").rpartition(".")
    return (whole.replace(".", ""), rest) if whole and len(rest) < 3 else (whole.replace(".", "") + rest, "")

def in_cents(text):
    """The cents that an amount of money is."""
    whole, rest = parts(text)
    return int(whole) * 100 + int((rest + "00")[:2])
'''
TOTAL = 399 + 1250 + 120000 + 700 + 5 + 120075 + 850 + 4500 + 1999
FIRST = IN_CENTS + "print(in_cents('12.50 EUR'), in_cents('3,99 EUR'))"
USES = "from functions import amounts\nsum(in_cents(one) for one in amounts())"


class Scripted:
    """Gives one reply after another where an action is asked for."""

    def __init__(self, *replies):
        self.replies, self.prompts, self.asked = list(replies), [], []

    def answer(self, body):
        self.asked.append(question_of(body))
        if self.asked[-1] != "action":
            return json.dumps({"claims": [], "goal": "g", "subgoals": [], "suggestions": []})
        self.prompts.append(prompt_of(body))
        return self.replies.pop(0)


@pytest.fixture
def opened(tmp_path):
    """Gives a function that opens a workspace whose model follows a script, and runs what it is given."""

    def run(*replies, task="how many cents are the amounts together", then=None):
        double = Scripted(*replies)
        with (
            ScriptedEndpoint(double=double) as endpoint,
            evolve.open(tmp_path / "ws", model=endpoint.model) as workspace,
        ):

            def amounts() -> list[str]:
                """The amounts of the month."""
                return AMOUNTS

            workspace.tools.add(amounts, effects=["reads"])
            with workspace.delivering() if then else nullcontext():
                result = workspace.run(task)
                if then:
                    then(workspace, result)
            return result, workspace.skills.list(), double

    return run


def python(*codes):
    return [f"```python\n{code}\n```" for code in codes]


def test_a_function_of_an_unchecked_answer_is_out_of_use_until_the_person_says_otherwise(opened, tmp_path):
    result, (skill,), double = opened(*python(FIRST, USES), "```answer\n131,873\n```")
    assert result.status == "unverified" and result.skills == () and skill.status == "doubtful"
    assert (skill.entry, skill.signature) == ("in_cents", "(text: str) -> int")
    assert "def parts" in skill.code and "import re" in skill.code and "functions" not in skill.code
    assert skill.description.startswith("The function in_cents, which work on ")  # and not what the model says of it
    assert all(row.output == {"12.50 EUR": 1250, "3,99 EUR": 399}.get(row.input[0], row.output) for row in skill.rows)
    assert {row.input[0] for row in skill.rows} < set(AMOUNTS) and 3 <= len(skill.rows) <= 6
    assert "skill" not in double.asked  # nobody was asked for it
    later = "how many cents is an amount of EUR 2,50"
    assert "in_cents" not in opened("```answer\n250\n```", task=later)[2].prompts[0]
    with evolve.open(tmp_path / "ws", model="") as workspace:
        assert workspace.skills.tools() == {}
        workspace.skills.undo("in-cents")
    again = "from skills.in_cents import in_cents\nin_cents('EUR 2,50')"
    _, _, used = opened(*python(again), "```answer\n250\n```", task=f"{later} today")
    assert "from skills.in_cents import in_cents" in used.prompts[0] and "value: 250" in used.prompts[1]


NONE = {
    "it is called where it is defined alone": (
        FIRST.replace("print(", "[in_cents(a) for a in " + f"{AMOUNTS}]\nprint("),
        "1",
    ),
    "it is called too seldom": (FIRST, "in_cents('7 EUR')"),
    "the last code does without it": (FIRST, USES, "print('no idea')"),
    "it gives one value": (FIRST.replace("int(whole) * 100", "0 *").replace("0 * +", "0 *"), USES),
    "it reads a file": (FIRST.replace('"""The cents', 'open("/dev/null").read()\n    """The cents'), USES),
    "it hangs on what the session holds": (
        "seen = []\n"
        + FIRST.replace("    whole, rest = parts(text)", "    seen.append(text)\n    whole, rest = parts(text)"),
        USES,
    ),
    "it stands beside what is nested too deep": (FIRST + "\nx = " + "+".join(["1"] * 2_000), USES),
    "it is defined anew and not called again": (FIRST, USES, IN_CENTS.replace("* 100", "* 1000")),
}


@pytest.mark.parametrize("why", NONE)
def test_nothing_is_kept_where(opened, why):
    result, skills, _ = opened(*python(*NONE[why]), "```answer\n131,873\n```")
    assert result.status == "unverified" and skills == [] and result.skills == ()


@pytest.mark.parametrize("wanted", [True, False])
def test_in_a_folder_code_is_repeated_on_a_copy_and_the_person_has_the_last_word(opened, tmp_path, wanted):
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / "amounts.txt").write_text("\n".join(AMOUNTS))
    (folder / "check.py").write_text(f"assert open('total.txt').read() == '{TOTAL}'")
    task = folder_task("write all amounts together into total.txt", folder, "python3 check.py", name="cents")
    reads = "total = sum(in_cents(one) for one in open('amounts.txt').read().splitlines())\n"
    writes = "```python\n" + reads + "open('total.txt', 'w').write(str(total))\n```\n```done\n```"

    def decide(workspace, result):
        assert result.status == "waiting"
        if wanted:
            workspace.folders.apply(result.run_id)
        else:
            workspace.folders.refuse(result.run_id, "not so")
        workspace.learn()

    _, skills, _ = opened(*python(FIRST), writes, task=task, then=decide)
    assert [(one.name, one.status) for one in skills] == ([("in-cents", "admitted")] if wanted else [])
