"""What hidden tests and checks call an answer: verified, checked, or neither."""

from __future__ import annotations

import pytest

from benchmarks.forged import judged
from benchmarks.forged_answers import CODES, FILES, OBJECTS, RIGHT, VALUES, Forgery
from evolve.tasks.verification.separable import reason_not_separable
from evolve.tasks.verification.test_quality import finding_of
from tests.tasks.asserting import three

HONEST = Forgery(name="the right answer", code=RIGHT)
FEW = ("an int that equals everything", "writes the report of the runner", "replaces the code of the tests")
FEW_FILES = ("pytest.py in the folder", "options in pyproject.toml")


def slow(*params):
    """These parameters, for the slow tests."""
    return [pytest.param(one, marks=pytest.mark.slow) for one in params]


def test_the_right_answer_is_verified_where_only_values_cross_and_checked_where_tests_need_its_process(call):
    assert call(RIGHT, VALUES) == "verified"
    assert call(RIGHT, OBJECTS) == "checked"


@pytest.mark.parametrize("way", ["rows", "values", "objects"])
def test_a_few_forgeries_are_refused(sandbox, way):
    rows = [judged(way, one, sandbox) for one in CODES if one.name in FEW]
    assert len(rows) == len(FEW) and not any(row["accepted"] for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["rows", "values", "objects"])
def test_no_forgery_is_accepted(sandbox, way):
    rows = [judged(way, one, sandbox) for one in CODES]
    assert [row["answer"] for row in rows if row["accepted"] or row["verified"] or row["fault"]] == []


@pytest.mark.parametrize(
    "forgery",
    [
        *(one for one in FILES if one.name in FEW_FILES),
        *slow(*CODES[::6], *(one for one in FILES[::4] if one.name not in FEW_FILES)),
    ],
    ids=lambda one: one.name,
)
def test_no_forgery_passes_a_check_unless_it_knows_the_tests(sandbox, forgery):
    row = judged("check", forgery, sandbox)
    assert not row["verified"] and (forgery.knows or not row["accepted"]), row["said"]


@pytest.mark.parametrize(
    ("code", "body"),
    [
        ("def solve(xs):\n    return sorted(xs)", "xs = [3, 1]\nassert solve(xs) == sorted(xs)"),
        ("def solve(n):\n    for one in range(n):\n        yield one", "assert list(solve(3)) == [0, 1, 2]"),
        ("def solve(n):\n    return (n, {n}, {n: b'a'}, None)", "assert solve(1) == (1, {1}, {1: b'a'}, None)"),
        ("def solve(n):\n    return float('inf') * n", "assert solve(1) == float('inf')\nassert solve(0) != solve(0)"),
        ("def solve(n):\n    return 2 ** n", "assert solve(200) == 2 ** 200"),
        ("def solve(n):\n    return '\\udc80'", "assert solve(1) == '\\udc80'"),
        (
            "def solve(n):\n    raise ValueError('no')",
            "try:\n    solve(1)\nexcept ValueError as error:\n    assert str(error) == 'no'\nelse:\n    assert False",
        ),
        ("seen = []\ndef solve(n):\n    seen.append(n)\n    return len(seen)", "assert [solve(1), solve(1)] == [1, 2]"),
        (
            "from collections import Counter, namedtuple\nP = namedtuple('P', 'x')\n"
            "def solve(s):\n    return P(Counter(s))",
            "assert solve('aab') == ({'a': 2, 'b': 1},)",
        ),
        ("def solve(a, *, b=1):\n    print('busy' * 100_000)\n    return a + b", "assert solve(1, b=2) == 3"),
        (
            "from decimal import Decimal\nfrom datetime import date\n"
            "def solve(n):\n    return [Decimal(n) / 10, date(2020, 1, n)]",
            "import datetime, decimal\nassert solve(5) == [decimal.Decimal('0.5'), datetime.date(2020, 1, 5)]",
        ),
    ],
    ids=range(11),
)
def test_plain_values_of_every_kind_cross_unchanged(call, code, body):
    assert call(code, three(body)) == "verified"


def test_a_loop_over_a_handed_over_function_is_verified(call):
    tests = (
        "import random\nfrom solution import solve as the_answer\n\n\ndef check(candidate):\n"
        "    made = random.Random(1)\n    for _ in range(20):\n        n = made.randint(0, 9)\n"
        "        assert abs(candidate(n) - 2 * n) < 1e-6\n    assert candidate(0) == 0\n"
        "    assert candidate(1) == 2\n\n\ndef test_check():\n    check(the_answer)\n"
    )
    assert call(RIGHT, tests) == "verified"
    assert call("def solve(x):\n    return 2 * x if x != 1 else 3", tests) == "refused"


@pytest.mark.parametrize(
    "code",
    [
        "class Lie(int):\n    def __eq__(self, other): return True\ndef solve(x):\n    return Lie(0)",
        "def solve(x):\n    return lambda: 4",
        "def solve(x):\n    class Error(Exception): pass\n    raise Error",
        "def solve(x):\n    return [4, 10, 14.0][x % 3]",
        "def other(x):\n    return x + x",
        "def solve(x):\n    open('/etc/passwd')\n    return x + x",
        "import os\ndef solve(x):\n    os._exit(0)",
        pytest.param("def solve(x):\n    while True: pass", marks=pytest.mark.slow),
    ],
)
def test_what_is_no_value_or_a_wrong_one_is_refused(call, code):
    assert call(code, VALUES) == "refused"


@pytest.mark.parametrize("error", ["StopIteration", *slow("StopAsyncIteration", "GeneratorExit", "KeyboardInterrupt")])
def test_an_answer_that_would_end_the_loops_of_the_tests_is_refused(call, error):
    code = f"def solve(*a):\n    raise {error}"
    for body in (
        "assert all(map(lambda n: solve(n) == 2 * n, [1, 2]))",
        "for n, got in zip([1, 2], map(lambda n: solve(n), [1, 2])):\n    assert got == n",
        "assert list(filter(lambda n: solve(n) != 2 * n, range(5))) == []",
        "assert [n for n in iter(lambda: solve(1), 0)] == []",
    ):
        assert call(code, three(body)) == "refused"


def test_assertions_that_never_ran_verify_nothing(call):
    loop = "for n in solve(20):\n        assert n > 1\n        assert n % 2\n        assert n < 20"
    tests = f"from solution import solve\n\ndef test_it():\n    {loop}\n"
    assert call("def solve(n):\n    return []", tests) == "accepted"
    assert call("def solve(n):\n    return [3, 5]", tests) == "verified"
    assert call("def solve(n):\n    return []", three(loop.replace("\n    ", "\n"))) == "accepted"
    left = "if solve(1) == 1:\n    return\nassert solve(2) == 4\nassert solve(3) == 6"
    assert call("def solve(n):\n    return 1", three(left)) == "accepted"
    expects = "try:\n    solve(1)\n    assert False\nexcept ValueError:\n    assert True"
    assert call("def solve(n):\n    raise ValueError", three(expects)) == "verified"
    assert call(RIGHT, "from solution import solve\n\ndef test_it():\n    assert solve(1) == 2\n") == "accepted"
    many = "for n in range(9):\n        assert solve(n) == 2 * n"
    assert call(RIGHT, f"from solution import solve\n\ndef test_it():\n    {many}\n") == "verified"


def test_tests_that_expect_an_end_run_as_one(call):
    body = "try:\n    solve(1)\nexcept StopIteration:\n    pass\nelse:\n    assert False"
    assert call("def solve(n):\n    return next(iter([]))", three(body)) == "checked"


@pytest.mark.slow
def test_an_answer_that_gives_no_value_is_not_verified_by_tests_that_catch_everything(call):
    body = "try:\n    solve(1)\nexcept Exception:\n    pass\nassert True"
    assert call("def solve(x):\n    raise KeyError", three(body)) == "verified"
    assert call("def solve(x):\n    return object()", three(body)) == "checked"


@pytest.mark.parametrize(
    "tests",
    [
        "import os\nfrom solution import solve",
        "from solution import *",
        "from solution import Stack\nassert Stack()",
        "from solution import solve\nassert solve.__name__",
        "from solution import solve\nassert callable(solve)",
        "from solution import LIMIT\nassert LIMIT == 3",
        "import solution\nassert solution.LIMIT == 3",
        "from solution import solve\nassert solve(2)(3) == 5",
        "from solution import solve\nadd = solve(2)\nassert add(3) == 5",
        "from solution import solve\nassert solve(2).total == 5",
        "from solution import solve\nxs = [1]\nassert solve(xs) is not xs",
        "from solution import solve\nxs = [1]\nassert solve(xs) == [1]\nxs.append(2)",
        "from solution import solve\ngot = solve([])\ngot[0] = 2\nassert solve([]) == []",
        "from solution import solve\nassert type(solve(2)) == int",
        "import random\nfrom solution import solve\nrandom.seed(1)\nassert solve([1]) == 1",
        "from solution import solve\nassert eval('solve(2)') == 4",
        "from solution import solve\nclass Point: pass\nassert solve(Point())",
    ],
)
def test_tests_that_need_more_than_values_are_told_by_their_text(tests):
    assert reason_not_separable(tests)


def test_an_answer_that_changes_what_it_is_compared_with_is_not_verified(call):
    tests = three("xs = [3, 1]\nassert solve(xs) == sorted(xs)")
    assert call("def solve(xs):\n    xs.clear()\n    return []", tests) == "checked"


def test_a_change_of_arguments_is_checked_in_one_process(call):
    for used in ("solve(xs)", "assert solve(xs) is None"):
        tests = three(f"xs = [3, 1]\n{used}\nassert xs == [1, 3]")
        assert call("def solve(xs):\n    xs.sort()", tests) == "checked"


def test_a_function_as_an_argument_makes_tests_run_as_one(call):
    tests = three("assert solve(lambda x: x + 1, [1]) == [2]")
    assert not reason_not_separable(tests)
    assert call("def solve(f, xs):\n    return [f(x) for x in xs]", tests) == "checked"


def test_a_lie_is_refused_where_tests_run_as_one_and_an_honest_object_is_accepted(call):
    head = "import sys\nfrom solution import solve"
    tests = three("assert solve(2) == 4\nassert sys.maxsize", head)
    assert (
        call("class Four:\n    def __eq__(self, other): return other == 4\nsolve = lambda x: Four()", tests)
        == "accepted"
    )
    assert call("class Any:\n    def __eq__(self, other): return True\nsolve = lambda x: Any()", tests) == "refused"


@pytest.mark.parametrize(
    "body",
    [
        "for a, b in [(1, 2), (2, 4)]:\n    assert solve(a) == b",
        "def same(a, b):\n    return solve(a) == b\nassert same(1, 2)",
        "assert all(solve(a) == 2 * a for a in range(3)) and solve(9) >= 10",
        "if solve(1) != 2:\n    raise ValueError",
    ],
)
def test_a_value_that_equals_everything_is_refused_at_any_depth(call, body):
    yes = "__ne__ = __eq__ = __ge__ = lambda self, other:"
    lies = f"class Any:\n    {yes} True\n    __ne__ = lambda self, other: False\nsolve = lambda x: Any()"
    tests = three(f"assert sys.maxsize\n{body}", "import sys\nfrom solution import solve")
    assert call(RIGHT, tests) == "checked"
    assert call(lies, tests) == "refused"


def test_tests_with_an_equality_of_their_own_accept_right_answers(call):
    head = "from unittest.mock import ANY, call\nfrom solution import solve"
    assert call(RIGHT, three("assert solve(1) == ANY\nassert solve(2) == 4", head)) == "checked"
    picky = "class P:\n    def __init__(self, x): self.x = x\n    def __eq__(self, other): return self.x == other.x"
    tests = three("import sys\nassert solve(1) == solve(1)\nassert solve(1).x == 1")
    assert call(f"{picky}\nsolve = P", tests) == "accepted"


SCRIPT = {"total.py": "def total(xs):\n    return xs[0]\n", "test_total.py": "from total import total\n"}


SUM = "def total(xs):\n    return sum(xs)\n"
LIE = "class Lie(int):\n    def __eq__(self, other): return True\ndef total(xs):\n    return Lie(0)\n"
PYTEST = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python3 -m pytest -q -p no:cacheprovider"
NAMED = "for xs, wanted in (([5], 5), ([1, 2], 3)):\n            pass\n        self.assertEqual(total(xs), wanted)"
CASE = (
    "import unittest\nfrom total import total\nclass T(unittest.TestCase):\n"
    "    def test_sum(self):\n        self.assertEqual(total([1, 2]), 3)\n"
)


@pytest.mark.parametrize(
    ("command", "tests"),
    [
        ("PYTHONPATH=. python3 tests/test_total.py", "from total import total\nassert total([1, 2]) == 3\n"),
        pytest.param("python3 -m unittest tests/test_total.py", CASE, marks=pytest.mark.slow),
        pytest.param(
            "python3 -m unittest tests/test_total.py",
            CASE.replace("self.assertEqual(total([1, 2]), 3)", NAMED),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "python3 -m unittest tests/test_total.py",
            CASE.replace("Equal(total([1, 2]), 3)", "True(total([1, 2]) == 3)"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_check_without_a_report_is_examined_by_how_it_ends(check, command, tests):
    right, lie = check(SUM, command, tests), check(LIE, command, tests)
    assert (right.accepted, right.checked, right.verified) == (True, True, False)
    assert "fails before the change, and where its tests are broken on purpose" in right.text
    assert right.text.endswith("not verified, because it runs the answer itself")
    assert not lie.accepted and "where its tests compare more strictly" in lie.text
    ended = check("import os\nos._exit(0)\n", command, tests)
    assert not ended.accepted


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "sys.exit(0 if total([1, 2]) == 3 else 1)",
        "def main():\n    assert total([1, 2]) == 3\n    return 0\nif __name__ == '__main__':\n    sys.exit(main())",
        "bad = [xs for xs in ([1, 2], [3, 4]) if total(xs) != sum(xs)]\nraise SystemExit(1 if bad else 0)",
    ],
)
def test_a_script_that_ends_itself_is_examined(check, body):
    tests = f"'All.'\nfrom __future__ import annotations\nimport sys\nfrom total import total\n{body}\n"
    assert check(SUM, "PYTHONPATH=. python3 tests/test_total.py", tests).checked
    assert not check("import os\nos._exit(0)\n", "PYTHONPATH=. python3 tests/test_total.py", tests).accepted


@pytest.mark.slow
def test_a_check_that_knows_the_text_of_its_tests_or_replaced_what_compares_is_refused(check):
    case, command = f"# all\n{CASE}", "python3 -m unittest tests/test_total.py"
    case = case.replace("self.assert", "for _ in (1, 2):\n            self.assert")
    quiet = "import unittest\n{}unittest.TestCase.assertEqual = lambda *rest: None\ndef total(xs):\n    return 0\n"
    assert check(SUM, command, case).checked
    assert not check(quiet.format(""), command, case).accepted
    assert not check(quiet.format("if '# all' in open('tests/test_total.py').read(): "), command, case).accepted


ASSERTIONS = [
    ("assertIn", "self.assertIn(total(xs), (3, 7))"),
    ("assertNotIn", "self.assertNotIn(total(xs), (0, 1))"),
    ("assertTrue", "self.assertTrue(total(xs) == sum(xs), 'all')"),
    ("assertFalse", "self.assertFalse(total(xs) != sum(xs))"),
    ("assertIsNotNone", "self.assertIsNotNone(total(xs) or None)"),
    ("assertGreater", "self.assertGreater(total(xs), 2)"),
    ("assertAlmostEqual", "self.assertAlmostEqual(total(xs) / 3, sum(xs) / 3)"),
    ("assertIn", "self.assertIn(total(xs), iter([3, 7])); self.assertIn(total(xs), [3, 7])"),
    ("assertIsInstance", "self.assertIsInstance(total(xs) or None, int)"),
    (
        "assertRaises",
        "with self.assertRaises(ZeroDivisionError) as seen:\n                1 / (total(xs) - sum(xs))\n"
        "            str(seen.exception)",
    ),
]


@pytest.mark.parametrize("assertion", [ASSERTIONS[-1], *slow(*ASSERTIONS[:-1])], ids=lambda one: one[1][:40])
def test_an_assertion_that_was_replaced_for_tests_in_a_loop_is_noticed(check, assertion):
    method, line = assertion
    command = "python3 -m unittest tests/test_total.py"
    case = CASE.replace("self.assertEqual(total([1, 2]), 3)", f"for xs in ([1, 2], [3, 4]):\n            {line}")
    quiet = (
        "import contextlib, types, unittest\n@contextlib.contextmanager\ndef nothing(self, *rest, **more):\n"
        "    with contextlib.suppress(Exception):\n        yield types.SimpleNamespace(exception='')\n"
        f"unittest.TestCase.{method} = nothing\n"
        "def total(xs):\n    return 0\n"
    )
    quiet = quiet if line.startswith("with") else quiet.replace("= nothing", "= lambda *rest, **more: None")
    start = "def total(xs):\n    return 0\n"
    assert check(SUM, command, case, start=start).checked
    verdict = check(quiet, command, case, start=start)
    assert not verdict.accepted and "more strictly" in verdict.text


def test_a_check_that_minds_the_looks_of_its_tests_accepts_a_right_change(check):
    case, command = f"# all\n{CASE}", "python3 -m unittest tests/test_total.py"
    verdict = check(SUM, f"grep -q '# all' tests/test_total.py && {command}", case)
    assert verdict.accepted and not verdict.checked and "fails where its tests are only written anew" in verdict.text


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("run_tests.py", "python3 run_tests.py"),
        ("run_tests.py", "python3 -B ./run_tests.py -q"),
        ("ci/check.sh", "sh ci/check.sh"),
    ],
)
def test_a_file_that_the_check_runs_counts_as_it_was(check, name, command):
    script = "python3 -c 'from total import total; assert total([1, 2]) == 3'\n"
    script = script if name.endswith(".sh") else "from total import total\nassert total([1, 2]) == 3\n"
    assert check(SUM, command, "", **{name: script}).accepted
    assert not check("def total(xs):\n    return 0\n", command, "", written={name: ""}, **{name: script}).accepted


def test_a_check_that_runs_a_changed_program_decides_nothing(check):
    original = {"main.py": "from total import total\nassert total([1, 2]) == 3\n"}
    verdict = check(SUM, "python3 main.py", "", written={"main.py": "print(3)\n"}, **original)
    assert (verdict.accepted, verdict.checked) == (True, False)
    assert "runs main.py, which was changed, so it decides nothing" in verdict.text
    assert check(SUM, "python3 main.py", "", **original).accepted


def test_a_check_that_passed_before_decides_nothing(check):
    verdict = check(SUM, "true", "")
    assert (verdict.accepted, verdict.checked, verdict.verified) == (True, False, False)
    assert verdict.text == "the check passed before anything was changed, so it decides nothing"


DOCUMENTED = "def total(xs):\n    '''Sums.\n\n    >>> total([1, 2])\n    3\n    '''\n    return {}\n"
INSIDE = (
    "import unittest\n{}class T(unittest.TestCase):\n"
    "    def test_it(self):\n        self.assertEqual(total([1, 2]), 3)\n"
)


@pytest.mark.parametrize(
    ("command", "start", "right", "takes_away"),
    [
        pytest.param(
            "python3 -m doctest total.py",
            DOCUMENTED.format("xs[0]"),
            DOCUMENTED.format("sum(xs)"),
            "def total(xs):\n    return 0\n",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "python3 -m doctest total.py",
            DOCUMENTED.format("xs[0]"),
            DOCUMENTED.format("sum(xs)"),
            DOCUMENTED.format("xs[0]").replace("    3", "    1"),
            marks=pytest.mark.slow,
        ),
        (
            "python3 -m unittest total",
            INSIDE.format("def total(xs):\n    return 0\n"),
            INSIDE.format(SUM),
            INSIDE.format("def total(xs):\n    return 0\n").replace(", 3", ", 0"),
        ),
    ],
    ids=["an example removed", "an example changed", "a test changed"],
)
def test_a_check_whose_own_tests_the_change_took_away_decides_nothing(check, command, start, right, takes_away):
    assert check(right, command, "", start=start).checked
    away = check(takes_away, command, "", start=start)
    assert (away.accepted, away.checked) == (True, False)
    assert "the change took away or changed what made the check fail before" in away.text
    # What else the check asks still decides.
    both = f"{command} && PYTHONPATH=. python3 tests/test_total.py"
    if takes_away.startswith("def total(xs):\n    return"):
        tests = "from total import total\nassert total([1, 2]) == 3\n"
        assert check(SUM, both, tests, start=start).checked


def test_a_check_that_does_not_notice_broken_code_decides_nothing(check):
    verdict = check(SUM, "grep -q sum total.py", "")
    assert (verdict.accepted, verdict.checked) == (True, False)
    assert finding_of(verdict.text) == "code_broken"


WRAPPED = "#!/bin/sh\nexec python3 -m unittest discover -s tests -t .\n"
LINKS = "import pathlib, sys\nsys.exit('[' in pathlib.Path('notes.txt').read_text())\n"


@pytest.mark.parametrize("command", ["sh ./ready.sh", "make -s ready"])
def test_a_wrapper_of_tests_is_examined_by_the_tests_that_it_runs(check, command):
    files = {"ready.sh": WRAPPED, "Makefile": "ready:\n\tsh ./ready.sh\n", "tests/__init__.py": ""}
    right = check(SUM, command, CASE, **files)
    assert right.checked and finding_of(right.text) == "broken_fail"
    assert not check("import os\nos._exit(0)\n", command, CASE, **files).accepted
    assert not check(LIE, command, CASE, **files).accepted


def test_a_check_that_runs_no_tests_counts_by_having_failed_before(check):
    files = {"links.py": LINKS, "notes.txt": "see [\n"}
    kept = "def total(xs):\n    return xs[0]\n"
    mended = check(kept, "python3 -B links.py", CASE, written={"notes.txt": "see\n"}, **files)
    assert mended.checked and finding_of(mended.text) == "failed_before"
    only = "python3 -c 'import total; assert total.total([1, 2]) == 3'"
    assert finding_of(check(SUM, only, "").text) == "failed_before"
    assert finding_of(check(f"import os\nos._exit(0)\n{SUM}", only, "").text) == "code_broken"


@pytest.mark.parametrize(
    ("written", "files"),
    [
        ({"Makefile": "ready:\n\ttrue\n"}, {"Makefile": "ready:\n\tfalse\n"}),
        ({"judge.py": "pass\n"}, {"Makefile": "ready:\n\tpython3 judge.py\n", "judge.py": "raise SystemExit(1)\n"}),
    ],
    ids=["the list of commands", "a script in it"],
)
def test_a_change_of_what_the_check_runs_decides_nothing(check, written, files):
    verdict = check(SUM, "make -s ready", "", written=written, **files)
    assert (verdict.accepted, verdict.checked, finding_of(verdict.text)) == (True, False, "script_changed")


@pytest.mark.slow
def test_pytest_is_examined_test_by_test(check):
    tests = (
        "import pytest\nfrom total import total\n\n@pytest.mark.parametrize('xs', [[1, 2], [3]])\n"
        "def test_sum(xs):\n    assert total(xs) == 3\n\n\n"
        "class TestMore:\n    def test_none(self):\n        assert total([0]) == 0\n\n\n"
        "def test_later():\n    pytest.skip('later')\n"
    )
    right = check(SUM, PYTEST, tests, **{"doc.py": "'''\n>>> 1\n1\n'''\n"})
    assert (right.accepted, right.checked) == (True, True) and "broken on purpose" in right.text
    assert check(SUM, f"{PYTEST} --doctest-modules", tests, **{"doc.py": "'''\n>>> 1\n1\n'''\n"}).checked
    # One test is passed by right values and only the other by a lie.
    half = LIE.replace("return Lie(0)", "return Lie(0) if len(xs) > 1 else xs[0]")
    assert not check(half, PYTEST, tests).accepted


@pytest.mark.slow
def test_tests_that_ran_before_must_pass(check):
    more = {"tests/test_more.py": "def test_more():\n    assert True\n"}
    hides = "import unittest\ndef total(xs):\n    raise unittest.SkipTest('later')\n"
    tests = "from total import total\ndef test_sum():\n    assert total([1, 2]) == 3\n"
    verdict = check(hides, PYTEST, tests, **more)
    assert not verdict.accepted and "tests/test_total.py::test_sum" in verdict.text
    absent = "import total\nfrom total import new\ndef test_new():\n    assert new([1, 2]) == 3\n"
    skips = "import unittest\nraise unittest.SkipTest('later')\n"
    assert not check(skips, PYTEST, absent, **more).accepted
    assert check(f"{SUM}new = total\n", PYTEST, absent, **more).checked
    later = f"import pytest\n{absent}@pytest.mark.skip\ndef test_later():\n    assert False\n"
    assert check(f"{SUM}new = total\n", PYTEST, later, **more).checked


LOOP = "from total import total\nfor xs, all_of_it in [([1, 2], 3), ([4], 4)]:\n    assert total(xs) == all_of_it\n"


@pytest.mark.slow
@pytest.mark.parametrize("code", ["def total(xs):\n    raise SystemExit(0)\n", "raise SystemExit\n"])
def test_a_script_that_the_answer_ends_has_not_passed(check, code):
    command = "PYTHONPATH=. python3 tests/test_total.py"
    assert check(SUM, command, LOOP).checked
    verdict = check(code, command, LOOP)
    assert not verdict.accepted and "more strictly" in verdict.text


@pytest.mark.slow
def test_an_end_that_the_answer_raises_is_not_the_end_of_what_tests_go_through(call):
    tests = "import sys\nfrom solution import solve\n\ndef test_it():\n"
    tests += "    for got in zip(map(solve, [1, 2]), [2, 4]):\n        assert got[0] == got[1]\n" * 3
    assert call(RIGHT, tests) == "checked"
    assert call("def solve(x):\n    raise StopIteration", tests) == "refused"


@pytest.mark.slow
def test_lying_arithmetic_and_emptied_cases_are_not_checked(call):
    near = "import sys\nfrom solution import solve\nCASES = [(1, 2), (2, 4)]\n\ndef test_it():\n"
    near += "    for x, y in CASES:\n        assert abs(solve(x) - y) < 1e-6\n" * 3
    lies = "class Lie:\n    def __sub__(self, other): return 0\nsolve = lambda x: Lie()"
    empties = "import sys\ndef solve(x):\n    sys._getframe(1).f_globals['CASES'].clear()\n    return 2"
    assert [call(code, near) for code in (RIGHT, lies, empties)] == ["checked", "accepted", "accepted"]


@pytest.mark.slow
def test_several_commands_are_no_less_strict(check):
    case = "from total import total\nfor n in range(3):\n    assert total([n, 1]) == n + 1\n"
    lies = "class Lie:\n    def __eq__(self, other): return True\ndef total(xs):\n    return Lie()\n"
    command = "PYTHONPATH=. python3 tests/test_total.py && echo done"
    assert check(SUM, command, case).checked
    assert not check(lies, command, case).accepted
