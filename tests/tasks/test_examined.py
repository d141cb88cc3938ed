"""What the examination of a check makes of answers that keep its tests from saying what they think."""

from __future__ import annotations

import pytest

from evolve.tasks.verification.broken_tests import break_tests, new_secret
from evolve.tasks.verification.checks import CheckResult
from evolve.tasks.verification.test_discovery import lost_tests, not_reached, skippable_tests, without_tests

SUM = "def total(xs):\n    return sum(xs)\n"
PYTEST = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python3 -m pytest -q -p no:cacheprovider"
UNITTEST = "python3 -m unittest tests/test_total.py"
CASE = (
    "import unittest\nfrom total import total\nclass T(unittest.TestCase):\n"
    "    def test_a(self):\n        self.assertEqual(total([1]), 1)\n"
    "    def test_b(self):\n        self.assertEqual(total([1, 2]), 3)\n"
)
PARAMETERS = (
    "import pytest\nfrom total import total\n# blank ones: skip them\n"
    "@pytest.mark.parametrize('xs', [[1], [1, 2]])\ndef test_sum(xs):\n    assert total(xs) == sum(xs)\n"
)
SKIPS = "import unittest\ndef total(xs):\n    if len(xs) == 1: return 1\n    raise unittest.SkipTest('')\n"

CANARY = """
import sys
def solve(x): return 1
def patch():
    import gc
    frame = sys._getframe()
    while frame:
        for one in frame.f_locals.values():
            if type(one).__name__ == "Reporter":
                cls = type(one); old = cls.failure; send = cls.send; seen = []
                def failure(self, error, key, names=()):
                    line = old(self, error, key, names)
                    if seen and "value" in seen[0]: return {"value": None}
                    return line
                def send2(self, line):
                    if "name" in line and not seen: seen.append(line)
                    return send(self, line)
                cls.failure, cls.send = failure, send2
                return
        frame = frame.f_back
patch()
"""
PYTEST_CANARY = """
def total(xs): return 1
def patch():
    from _pytest import reports
    old = reports.TestReport.from_item_and_call.__func__
    first = []
    def made(cls, item, call):
        report = old(cls, item, call)
        if call.when == "call":
            if not first:
                first.append(report.outcome)
            elif first[0] == "passed":
                report.outcome, report.longrepr = "passed", None
        return report
    reports.TestReport.from_item_and_call = classmethod(made)
patch()
"""


def test_only_a_test_that_says_so_itself_may_be_skipped():
    assert skippable_tests("# skip\ndef test_a():\n    'skip'\n") == (set(), False)
    marked = "import pytest\n@pytest.mark.skipif(True)\ndef test_a(): pass\ndef test_b(): pass\n"
    assert skippable_tests(marked) == ({"test_a"}, False)
    whole = "@skip\nclass T:\n    def test_a(self): pass\nclass U:\n    def test_a(self): pass\n"
    assert skippable_tests(whole) == ({"T::test_a"}, False)
    assert skippable_tests("import pytest\ndef lacks():\n    pytest.skip()\ndef test_a(): lacks()\n") == (set(), True)


@pytest.mark.slow
def test_an_answer_that_skips_one_set_of_parameters_is_refused(check):
    assert check(SUM, PYTEST, PARAMETERS).checked
    verdict = check(SKIPS, PYTEST, PARAMETERS)
    assert not verdict.accepted and "test_sum" in verdict.text


@pytest.mark.slow
def test_parameters_that_are_gone_are_said(check):
    tests = PARAMETERS.replace("[[1], [1, 2]]", "total.__defaults__[0]")
    start = "def total(xs=[[1], [1, 2]]):\n    return 0\n"
    verdict = check(start.replace("[1], ", "").replace("0", "sum(xs)"), PYTEST, tests, start=start)
    assert (verdict.accepted, verdict.checked) == (True, False) and "test_sum[xs" in verdict.text


@pytest.mark.slow
def test_tests_of_unittest_that_never_ran_are_noticed(check):
    quiet = (
        "import unittest\ndef total(xs):\n    return 1\nseen = []\nold = unittest.TestCase._callTestMethod\n"
        "def call(self, method):\n    seen.append(1)\n    if len(seen) == 1: old(self, method)\n"
        "unittest.TestCase._callTestMethod = call\n"
    )
    assert check(SUM, UNITTEST, CASE).checked
    verdict = check(quiet, UNITTEST, CASE)
    assert (verdict.accepted, verdict.checked) == (True, False)
    assert "tests/test_total.py::T::test_b did not tell of its end" in verdict.text
    script = CASE + "if __name__ == '__main__': unittest.main()\n"
    assert check(SUM, "PYTHONPATH=. python3 tests/test_total.py", script).checked
    assert not check(quiet, "PYTHONPATH=. python3 tests/test_total.py", script).checked


def test_tests_behind_a_byte_order_mark_are_examined(check):
    assert check(SUM, UNITTEST, f"\ufeff{CASE}").checked


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
def test_doctests_are_missed_in_files_of_every_encoding(encoding):
    cookie = encoding.removesuffix("-sig")
    text = f"# coding: {cookie}\nclass Größe:\n    '''\n    >>> 1\n    1\n    '''\n"
    files = {"a.py": text.encode(encoding)}
    without = without_tests(files, ())
    assert lost_tests(files, without, ()) == [">>> 1"] and lost_tests(files, files, ()) == []
    assert "Größe" in without["a.py"].decode()


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("python3 -m unittest", True),
        ("python3 -m unittest -v 2>&1", True),
        ("python3 -m unittest discover -s tests -p 'check_*.py'", False),
        ("python3 -m unittest discover -s tests -p '*_a.py'", True),
        ("python3 -m unittest tests.test_a", True),
        ("python3 -m unittest tests.test_b", False),
        ("python3 -m unittest tests.test_a.T.test_b", False),
        ("python3 -m unittest -k b", False),
    ],
)
def test_only_tests_that_the_command_runs_have_to_come_to_their_end(command, wanted):
    text = "class T(Base):\n    def test_a(self): pass\n"
    found = not_reached(command, {"tests/test_a.py": text}, (), CheckResult(ok=True), ())
    assert found == (["tests/test_a.py::T::test_a"] if wanted else [])
    assert not not_reached(command, {"tests/test_a.py": text}, (), CheckResult(ok=True), ["tests/test_a.py::T::test_a"])


@pytest.mark.parametrize(
    "literal", ["1", "0.5", "2j", "True", "None", "'a'", "b'a'", "1e300", "[1]", "(1,)", "{1}", "{'a': 1}", "len('a')"]
)
def test_what_a_test_expects_is_broken_whatever_kind_it_is_of(literal):
    text = f"def test_a():\n    assert give() == {literal}\n"
    names = {"give": lambda: eval(literal)}
    exec(text, names)
    names["test_a"]()
    exec(break_tests(text, "values", new_secret()), names)
    with pytest.raises(AssertionError):
        names["test_a"]()


def test_tests_that_break_one_by_one_are_told_from_those_that_all_end_alike(call):
    head = "import sys\nfrom solution import solve\nassert sys.version_info > (3,)\n"
    tests = head + "".join(f"def test_{n}():\n    assert solve({n}) == {n * n}\n" for n in (1, 3, 5))
    assert call("def solve(x):\n    return x * x", tests) == "checked"
    assert call(CANARY, tests) == "refused"


@pytest.mark.slow
def test_a_check_whose_tests_all_end_like_the_first_is_not_checked(check):
    tests = "from total import total\n" + "".join(
        f"def test_{n}():\n    assert total([1] * {n}) == {n}\n" for n in (1, 3)
    )
    assert check(SUM, PYTEST, tests).checked
    assert not check(PYTEST_CANARY, PYTEST, tests).checked


@pytest.mark.slow
def test_a_check_that_stops_at_the_first_failure_is_still_checked(check):
    tests = "from total import total\n" + "".join(
        f"def test_{n}():\n    assert total([2] * {n}) == 2 * {n}\n" for n in (1, 3)
    )
    assert check(SUM, f"{PYTEST} -x", tests).checked


REPLACED = "import builtins\nbuiltins.range = lambda *rest: []\ndef total(xs):\n    return 0\n"


@pytest.mark.slow
def test_builtins_that_the_answer_replaced_are_not_those_of_a_check(check):
    case = CASE.replace("self.assertEqual(total([1]), 1)", "for n in range(3): self.assertEqual(total([n, 1]), n + 1)")
    case = case.replace("self.assertEqual(total([1, 2]), 3)", "self.assertEqual(sum(len([x]) for x in range(0)), 0)")
    assert check(SUM, UNITTEST, case).checked
    assert not check(REPLACED, UNITTEST, case).accepted
    # Where something imported the answer before, they are seen to be replaced.
    assert not check(REPLACED, UNITTEST, case, **{"tests/__init__.py": "import total\n"}).checked


def test_builtins_that_the_answer_replaced_are_not_those_of_hidden_tests(call):
    tests = "import sys\nfrom solution import solve\ndef test_it():\n    for n in range(3):\n"
    tests += "        assert solve(n) == 2 * n\n" * 3
    assert call(REPLACED.replace("total", "solve"), tests) == "refused"


def test_an_answer_that_counts_its_runs_is_not_believed_for_it(check):
    tests = "from total import total\nassert total([1, 2]) == 3\nassert total([4]) == 4\n"
    code = "import os\nif os.getpid() <= 10: os._exit(0)\ndef total(xs):\n    return 0\n"
    assert not check(code, "PYTHONPATH=. python3 tests/test_total.py", tests).checked


QUERY = (
    "class Q:\n    def __init__(self, text): self.text = text\n    def __str__(self): return self.text\n"
    "class Col:\n    def __init__(self, name): self.name = name\n"
    "    def __eq__(self, other): return Q(f'{self.name} = {other}')\n    __hash__ = None\ncol = Col\n"
)
COUNTS = (
    "class Item:\n    compared = 0\n    def __init__(self, n): self.n = n\n"
    "    def __eq__(self, other):\n        Item.compared += 1\n        return self.n == other.n\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "tests"),
    [
        (QUERY, "from solution import col\ndef test_a():\n    q = col('c') == 5\n    assert str(q) == 'c = 5'\n"),
        (
            "class Any:\n    def __eq__(self, other): return True\n",
            "from solution import Any\ndef test_a():\n    assert Any() == 5\n    assert [1, Any()] == [1, 2]\n",
        ),
        (
            COUNTS,
            "import solution\ndef test_a():\n    assert solution.Item(1) == solution.Item(1)\n"
            "    assert solution.Item.compared == 1\n",
        ),
    ],
    ids=["a query", "a matcher", "a count"],
)
def test_right_objects_with_an_equality_of_their_own_are_accepted(check, call, code, tests):
    assert call(code, tests) == "accepted"
    case = "import unittest\n" + tests.replace("solution", "total").replace(
        "def test_a()", "class T(unittest.TestCase):\n  def test_a(self)"
    )
    verdict = check(code, UNITTEST, case)
    assert (verdict.accepted, verdict.checked) == (True, False), verdict.text


def test_hidden_tests_that_cannot_be_loaded_say_so(verdict):
    tests = "import no_such_module\nfrom solution import solve\ndef test_a():\n    assert solve(1) == 1\n"
    found = verdict("def solve(x):\n    return x", tests)
    assert not found.accepted and "the hidden tests cannot run" in found.text
