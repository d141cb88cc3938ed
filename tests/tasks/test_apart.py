"""What tests in another process cannot see of an answer: then both run together, and nothing is verified."""

from __future__ import annotations

import pytest

from evolve.tasks.verification.separable import reason_not_separable
from tests.tasks.asserting import three

WRONG = {
    "changes its argument": (
        "def solve(xs):\n    xs.reverse()\n    return xs",
        "given = [1, 2]\nassert solve(given) == [2, 1]\nassert given == [1, 2]",
    ),
    "adds to what it was given, deep inside": (
        "def solve(d):\n    d['a'].append(0)\n    return len(d)",
        "given = {'a': [], 'b': []}\nassert solve(given) == 2\nassert given == {'a': [], 'b': []}",
    ),
    "changes its argument when its items are asked for": (
        "def solve(xs):\n    while xs:\n        yield xs.pop(0)",
        "given = [1, 2]\nassert list(solve(given)) == [1, 2]\nassert given == [1, 2]",
    ),
    "changes an argument of an earlier call": (
        "seen = []\ndef solve(xs):\n    for one in seen:\n        one.clear()\n    seen.append(xs)\n    return len(xs)",
        "given = [1, 2]\nassert solve(given) == 2\nassert solve([1]) == 1\nassert given == [1, 2]",
    ),
    "changes what it gave before": (
        "kept = []\ndef solve(n):\n    kept.append(n)\n    return kept",
        "one = solve(1)\nassert one == [1]\nassert len(solve(2)) == 2\nassert one == [1]",
    ),
    "gives the same list for every item": (
        "def solve(n):\n    row = [0]\n    for k in range(n):\n        row[0] = k\n        yield row",
        "assert list(solve(3)) == [[0], [1], [2]]",
    ),
    "rows that are one": (
        "def solve(n):\n    return [[0] * n] * n",
        "rows = solve(2)\ntop = rows[0]\ntop[0] = 1\nassert rows == [[1, 0], [0, 0]]",
    ),
    "keeps what it gave, which is added to": (
        "kept = {}\ndef solve(n):\n    return kept.setdefault(n, [n])",
        "one = solve(1)\none += [2]\nassert one == [1, 2]\nassert solve(1) == [1]",
    ),
    "gives back what it should copy, for a heap": (
        "def solve(xs):\n    return xs",
        "import heapq\nold = [2, 3]\nnew = solve(old)\nheapq.heappush(new, 1)\nassert old == [2, 3]",
    ),
    "raises too late": (
        "def solve(n):\n    if n < 0:\n        raise ValueError\n    yield n",
        "late = True\ntry:\n    solve(-1)\nexcept ValueError:\n    late = False\nassert not late",
    ),
    "makes up keys": (
        "from collections import defaultdict\ndef solve(n):\n    return defaultdict(lambda: 0, {n: 1})",
        "assert solve(1) == {1: 1}\nmissing = False\ntry:\n    solve(1)[2]\nexcept KeyError:\n    missing = True\n"
        "assert missing",
    ),
    "looks like another number": (
        "import enum\nclass Level(enum.IntEnum):\n    TOP = 3\ndef solve(n):\n    return Level(n)",
        "assert solve(3) == 3\nassert repr(solve(3)) == '3'",
    ),
    "a named tuple with words of its own": (
        "import typing\nclass P(typing.NamedTuple):\n    x: int\n    def __repr__(self): return 'no'\n"
        "def solve(n):\n    return P(n)",
        "assert str(solve(3)) == 'P(x=3)'",
    ),
    "leaves fewer digits to all": (
        "import decimal\ndef solve(n):\n    decimal.getcontext().prec = 3\n    return n",
        "import decimal\nassert solve(1) == 1\nassert str(decimal.Decimal(1) / 3) == '0.' + '3' * 28",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_that_another_process_would_hide_is_refused(call, name):
    code, body = WRONG[name]
    assert call(code, three(body)) == "refused"


HONEST = {
    "works in place and gives the length": (
        "def solve(xs):\n    xs[:] = sorted(set(xs))\n    return len(xs)",
        "xs = [2, 1, 1]\nassert solve(xs) == 2\nassert xs == [1, 2]",
        "checked",
    ),
    "gives a match": (
        "import re\ndef solve(s):\n    return re.fullmatch('a+', s)",
        "assert solve('aa') and not solve('b')",
        "checked",
    ),
    "gives an object of its own": (
        "class Own:\n    def __str__(self): return 'own'\ndef solve(n):\n    return Own()",
        "assert str(solve(1)) == 'own'",
        "checked",
    ),
    "raises a group": (
        "def solve(n):\n    raise ExceptionGroup('no', [ValueError()])",
        "met = False\ntry:\n    solve(1)\nexcept* ValueError:\n    met = True\nassert met",
        "checked",
    ),
    "is given what equals nothing": (
        "def solve(xs, x):\n    return [y for y in xs if y is not x]",
        "nan = float('nan')\nassert solve([nan, 1], nan) == [1]",
        "checked",
    ),
    "gives a named tuple": (
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef solve(n):\n    return P(n, [n])",
        "assert str(solve(1)) == 'P(x=1, y=[1])' and solve(2) == (2, [2])",
        "verified",
    ),
    "raises at the second item": (
        "def solve(xs):\n    for x in xs:\n        yield 1 / x",
        "it = solve([1, 0])\nassert next(it) == 1\nended = False\ntry:\n    next(it)\n"
        "except ZeroDivisionError:\n    ended = True\nassert ended",
        "verified",
    ),
    "gives items that soon are too large": (
        "def solve(n):\n    while True:\n        yield n\n        n = n * n",
        "import itertools\nassert list(itertools.islice(solve(2), 3)) == [2, 4, 16]",
        "verified",
    ),
    "copes with a file that is not there": (
        "def solve(p):\n    try:\n        return len(open(p).read())\n    except FileNotFoundError:\n        return -1",
        "assert solve('/no/such/file') == -1",
        "verified",
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_a_right_answer_is_accepted_whatever_it_gives(call, name):
    code, body, word = HONEST[name]
    assert call(code, three(body)) == word


DOUBLE = "def {0}(x):\n    return 2 * x\n"


@pytest.mark.slow
def test_tests_are_told_by_the_text_of_the_tests(call):
    first = "def test_a():\n    assert {0}(1) == 2\n    assert {0}(2) == 4\n    assert {0}(3) == 6\n"
    named = "from solution import test_of\n" + first.format("test_of")
    assert call(DOUBLE.format("test_of"), named) == "verified"
    assert call(DOUBLE.format("test_of"), f"import sys\n{named}") == "checked"
    plain = "from solution import solve\n" + first.format("solve")
    second = first.format("solve").replace("test_a", "test_b").replace("\n", "\n    ").rstrip(" ")
    for code, word in ((DOUBLE, "verified"), (DOUBLE.replace("2 * x", "min(2 * x, 4)"), "refused")):
        assert call(code.format("solve"), plain + first.format("solve")) == word
        assert call(code.format("solve"), f"{plain}if True:\n    {second}") == word
        assert call(code.format("solve"), f"{plain}if 1 < 0:\n    {second.replace('== 4', '== 5')}") == word


def test_an_early_return_for_another_system_is_no_sign_of_a_forgery(call):
    other = "def test_b():\n    if sys.platform == sys.platform:\n        return\n    assert solve(2) == 4\n"
    assert call(DOUBLE.format("solve"), f"import sys\n{three('assert solve(1) == 2')}\n{other}") == "checked"


@pytest.mark.parametrize(
    "body",
    [
        "got = []\nfor n in range(3):\n    got.append(solve(n))\nassert got == [0, 2, 4]",
        "counts = {}\nfor n in range(3):\n    counts[n] = n\n    counts[n] += 1\nassert solve(3) == counts[1]",
        "total = 0\nfor n in range(3):\n    total += solve(n)\nassert total == 6",
        "import heapq\nheap = []\nfor n in (2, 1):\n    heapq.heappush(heap, n)\nassert heap == [1, 2]",
    ],
)
def test_what_tests_make_themselves_they_may_change(body):
    assert not reason_not_separable(three(body))


@pytest.mark.parametrize(
    "body",
    [
        "solve(1).append(2)\nassert solve(1) == [1]",
        "add = solve([1]).append\nadd(2)\nassert solve([1]) == [1]",
        "for row in solve(2):\n    row.clear()\nassert solve(2)",
        "kept = {}\nkept[1] = solve(1)\nkept[1] += [2]\nassert solve(1) == [1]",
        "xs = []\nys = [xs]\nassert solve(ys) == 1\nxs.append(2)\nassert solve([]) == 0",
        "xs = []\ndef own(a):\n    a.sort()\nown(solve(2))\nassert xs == []",
        "import operator\nfrom functools import reduce\nassert reduce(operator.iadd, [solve(1), [2]]) == [1, 2]",
        "import random\nxs = solve(1)\nrandom.shuffle(xs)\nassert xs",
        "from decimal import setcontext, Context\nsetcontext(Context(prec=3))\nassert solve(1) == 1",
        "list.append(solve(1), 2)\nassert solve(1)",
        "assert solve(1) is 1",
    ],
)
def test_what_may_be_a_value_of_the_answer_is_changed_in_one_process_with_it(body):
    assert reason_not_separable(three(body))
