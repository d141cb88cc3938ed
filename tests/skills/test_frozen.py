"""What every row has in its input and in its output is rather copied than written."""

from __future__ import annotations

import pytest

import evolve
from evolve.core.episodes import SkillDraft
from evolve.runtime.sandbox import Outcome
from evolve.skills.hard_coded import copied_literals, frozen_piece
from tests.skills.samples import rows

DAYS = ["2026-01-14", "2026-02-03", "2026-03-26", "2026-05-09", "2026-07-30", "2026-09-12", "2026-11-27"]
BY_MONTH = [(day, name) for day, name in zip(DAYS[:5], ["LOVA", "TURA", "HOPG", "LISB", "KNUD"], strict=True)]
PEOPLE = ["ada.love", "alan.turing", "grace.hopper", "barbara.liskov", "donald.knuth", "tony.hoare", "john.backus"]


def ran(function):
    """Runs a function here as the sandbox would."""

    def outcomes(inputs):
        done = []
        for one in inputs:
            try:
                done.append(Outcome(value=function(*one)))
            except (ValueError, IndexError) as error:
                done.append(Outcome(error=repr(error)))
        return done

    return outcomes


def piece(source, pairs):
    space = {}
    exec(compile(source, "<source>", "exec"), space)
    made = ((given if isinstance(given, tuple) else (given,), wanted) for given, wanted in pairs)
    return frozen_piece(source, rows(*made), ran(space["f"]))


@pytest.mark.parametrize(
    ("source", "given", "found"),
    [
        ("def f(a):\n    return a[5:7] + '/2026'\n", DAYS, "2026"),
        ("def f(a):\n    return f'{a[5:7]}/{2026}'\n", DAYS, "2026"),
        ("def f(a):\n    return a[5:7] + '/' + a[:4]\n", DAYS, None),
        ("def f(a):\n    return a[5:7] + '/26'\n", DAYS, "26"),
        ("def f(a):\n    return a[5:7] + '/' + a[2:4]\n", DAYS, None),
        ("def f(a):\n    return a.split()[1] + ' EUR'\n", [f"EUR {n}.5" for n in range(3, 9)], "EUR"),
        ("def f(a):\n    return a.split()[1] + ' EUR'\n", [f"eur {n}.5" for n in range(3, 9)], "EUR"),
        ("def f(a):\n    return a + ' EUR'\n", [f"{n}.5" for n in range(3, 9)], None),
        ("def f(a):\n    return a.split('-')[1] + '/BX'\n", [f"BX-{n}-A" for n in range(120, 126)], "BX"),
        ("def f(a):\n    return a.split('.')[0] + ' (mail.com)'\n", [f"{n}@mail.com" for n in PEOPLE], "mail.com"),
        ("def f(a):\n    return a.split('@mail.com')[0]\n", [f"{n}@mail.com" for n in PEOPLE], None),
        ("def f(a, n):\n    return '2609-' + n\n", [(f"2026-09-{n}", f"{n}") for n in range(11, 18)], "2609"),
        ("def f(a, n):\n    return '0926-' + n\n", [(f"{n}.09.2026", f"{n}") for n in range(11, 18)], "0926"),
        ("def f(a, n):\n    return n + '/202609'\n", [(f"9/{n}/2026", f"{n}") for n in range(11, 18)], "202609"),
        ("def f(a, n):\n    return a[2:4] + a[5:7] + n\n", [(f"2026-09-{n}", f"{n}") for n in range(11, 18)], None),
        ("def f(a, n):\n    return '2609-' + n\n", [(f"2026-{n - 4:02}-11", f"{n}") for n in range(11, 17)], None),
        # a part of that number: all of the year or of the month is in it, and the other part begins alike in every row
        ("def f(a, n):\n    return n + '-260' + str(int(a[5:7]))\n", BY_MONTH, "260"),
        ("def f(a, n):\n    return n + '-20260' + a[6]\n", BY_MONTH, "20260"),
        ("def f(a, n):\n    return n + a[0] + '326'\n", [(f"03/{n}/2026", f"{n}") for n in range(11, 18)], "326"),
        ("def f(a, n):\n    return a[2] + '609' + n\n", [(f"2026-09-{n}", f"{n}") for n in range(11, 18)], "609"),
        ("def f(a, n):\n    return n + '0920' + a[-2:]\n", [(f"9/{n}/2026", f"{n}") for n in range(11, 18)], "0920"),
        ("def f(a, n):\n    return n + '-260' + str(int(a[5:7]))\n", [(f"2025{a[4:]}", n) for a, n in BY_MONTH], None),
        # the century, a number of its own, and one digit of each part are what literals are
        ("def f(a, n):\n    return n + '-20' + a[2:4] + a[5:7]\n", BY_MONTH, None),
        ("def f(a, n):\n    return n + ' in 60 days, 20 % off'\n", BY_MONTH, None),
        ("def f(a, n):\n    return n + a[:2] + '2x'\n", BY_MONTH, None),
        # it names the piece to tell it apart, and does not write it whatever the input holds
        ("def f(a):\n    return 'EUR' if 'EUR' in a else 'other'\n", [f"EUR {n}" for n in range(6)], None),
    ],
)
def test_a_literal_is_frozen_where_another_input_does_not_change_it(source, given, found):
    space = {}
    exec(compile(source, "<source>", "exec"), space)
    frozen = piece(source, [(one, space["f"](*(one if isinstance(one, tuple) else (one,)))) for one in given])
    assert (None if frozen is None else frozen.piece) == found
    if frozen is not None:
        assert found not in "".join(frozen.input) and found not in frozen.copy_value


def test_one_row_with_another_piece_settles_it():
    pairs = [(day, f"{day[5:7]}/2026") for day in DAYS]
    assert copied_literals("/2026", rows(*(((given,), wanted) for given, wanted in pairs)))
    assert not copied_literals(
        "/2026", rows(*(((given,), wanted) for given, wanted in [*pairs, ("2025-04-01", "04/2026")]))
    )


def test_a_skill_that_writes_what_its_inputs_hold_is_not_admitted(admission):
    def judged(code):
        shown, unseen = (rows(*(((day,), f"{day[5:7]}/2026") for day in some)) for some in (DAYS[:4], DAYS[4:]))
        draft = SkillDraft(
            name="month", description="Month.", entry="f", signature="(day: str) -> str", code=code, tests=shown
        )
        return admission.judge(draft, unseen).failed

    assert judged("def f(day):\n    return day[5:7] + '/2026'\n") == "frozen"
    assert judged("def f(day):\n    return day[5:7] + '/' + day[:4]\n") != "frozen"


@pytest.mark.usefixtures("few_rivals")
def test_the_search_copies_what_it_may_and_keeps_what_no_input_holds(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        dated = workspace.run(examples=[(day, f"{day[5:7]}/2026") for day in DAYS])
        suffixed = workspace.run(examples=[(name, f"{name} (2026)") for name in PEOPLE])
        assert dated.verified and dated("2031-04-02") == "04/2031"
        assert suffixed.verified and suffixed("kurt.goedel") == "kurt.goedel (2026)"
