"""What answers give and raise reaches hidden tests in another process as it is, or is said not to."""

from __future__ import annotations

import pytest

from evolve.core.episodes import Row
from evolve.environments.verdicts import judged_by_all
from evolve.tasks import RowsVerifier, Submission, TestsVerifier
from tests.tasks.asserting import three

GIVEN = {
    "an aware datetime": (
        "from datetime import *\ndef solve(n):\n    "
        "return datetime(2024, 3, n, tzinfo=timezone(timedelta(hours=n), 'X'))",
        "import datetime\nassert solve(2) == datetime.datetime(2024, 3, 1, 22, tzinfo=datetime.timezone.utc)\n"
        "assert solve(2).utcoffset() == datetime.timedelta(hours=2) and solve(2).tzname() == 'X'",
    ),
    "an aware time of the later of two equal hours": (
        "from datetime import *\ndef solve(n):\n    return time(n, tzinfo=timezone.utc, fold=1)",
        "from datetime import time, timezone\nassert solve(2) == time(2, tzinfo=timezone.utc) and solve(2).fold == 1",
    ),
    "a datetime of a named zone": (
        "from datetime import datetime\nfrom zoneinfo import ZoneInfo\n"
        "def solve(n):\n    return datetime(2024, n, 1, tzinfo=ZoneInfo('Europe/Berlin'))",
        "from datetime import datetime\nfrom zoneinfo import ZoneInfo\n"
        "assert [solve(n).utcoffset().seconds for n in (1, 7)] == [3600, 7200]\n"
        "assert solve(7) == datetime(2024, 7, 1, tzinfo=ZoneInfo('Europe/Berlin'))",
    ),
    "a zone": (
        "from datetime import *\ndef solve(n):\n    return timezone(timedelta(hours=n))",
        "from datetime import timezone, timedelta\nassert solve(3) == timezone(timedelta(hours=3))",
    ),
    "keys": (
        "def solve(d):\n    return d.keys()",
        "assert solve({'b': 1}) == {'b'} and sorted(solve({2: 1, 1: 1})) == [1, 2]",
    ),
    "values": (
        "def solve(d):\n    return d.values()",
        "assert list(solve({'b': [1]})) == [[1]] and len(solve({})) == 0",
    ),
    "items": (
        "def solve(d):\n    return d.items()",
        "assert set(solve({'b': 1})) == {('b', 1)}\nassert solve({1: [2]}) == {1: [2]}.items()",
    ),
    "ordered keys": (
        "from collections import OrderedDict\n"
        "def solve(n):\n    d = OrderedDict(a=1, b=2)\n    d.move_to_end('a')\n    return d.keys()",
        "assert list(solve(1)) == ['b', 'a']",
    ),
    "a counter": (
        "from collections import Counter\ndef solve(s):\n    c = Counter(s)\n    c.subtract('a')\n    return c",
        "from collections import Counter\nassert solve('a') == Counter() and solve('a') == {'a': 0}\n"
        "assert solve('bb')['x'] == 0 and isinstance(solve('b'), Counter)",
    ),
    "an ordered dict": (
        "from collections import OrderedDict\n"
        "def solve(n):\n    d = OrderedDict(a=1, b=2)\n    d.move_to_end('a')\n    return d",
        "from collections import OrderedDict\nassert isinstance(solve(1), OrderedDict)\n"
        "assert solve(1) == OrderedDict(b=2, a=1) != OrderedDict(a=1, b=2)",
    ),
    "a dict with defaults": (
        "from collections import defaultdict\ndef solve(xs):\n    return defaultdict(list, {1: xs})",
        "from collections import defaultdict\nassert solve([2]) == {1: [2]} and solve([])['no'] == []\n"
        "assert isinstance(solve([]), defaultdict)",
    ),
    "a queue": (
        "from collections import deque\ndef solve(n):\n    return deque(range(n), maxlen=2)",
        "from collections import deque\nassert solve(3) == deque([1, 2]) and list(solve(1)) == [0]",
    ),
    "a path": (
        "from pathlib import Path, PurePosixPath\ndef solve(s):\n    return Path(s) if s != 'p' else PurePosixPath(s)",
        "from pathlib import Path, PurePosixPath\nassert solve('a/b') == Path('a') / 'b' and str(solve('c')) == 'c'\n"
        "assert solve('p') == PurePosixPath('p') and not isinstance(solve('p'), Path)",
    ),
    "what is at hand": (
        "from decimal import Decimal\nfrom fractions import Fraction\n"
        "def solve(n):\n    "
        "return [range(1, n, 2), b'a', bytearray(b'b'), frozenset({n}), Decimal('1.10'), Fraction(1, n)]",
        "from decimal import Decimal\nfrom fractions import Fraction\n"
        "got = solve(5)\nassert got[3:] == [frozenset({5}), Decimal('1.1'), Fraction(1, 5)]\n"
        "assert got[:3] == [range(1, 5, 2), b'a', bytearray(b'b')]\n"
        "assert str(got[4]) == '1.10' and isinstance(got[2], bytearray)",
    ),
    "a handed over counter and a date of a zone": (
        "def solve(c, d):\n    return [c.most_common(1), d.tzinfo is not None, c['no']]",
        "from collections import Counter\nfrom datetime import datetime, timezone\n"
        "assert solve(Counter('aab'), datetime(2024, 1, 1, tzinfo=timezone.utc)) == [[('a', 2)], True, 0]",
    ),
}


@pytest.mark.parametrize("name", GIVEN)
def test_what_an_answer_gives_is_verified_as_what_it_is(call, name):
    code, body = GIVEN[name]
    assert call(code, three(body)) == "verified"


RAISED = {
    "b'\\xff'.decode()": (
        "UnicodeDecodeError",
        "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
    ),
    "'\\xe4'.encode('ascii')": ("UnicodeEncodeError", ""),
    "__import__('json').loads('[1,')": ("json.JSONDecodeError", "Expecting value: line 1 column 4 (char 3)"),
    "__import__('decimal').Decimal('x')": ("decimal.InvalidOperation", "[<class 'decimal.ConversionSyntax'>]"),
    "__import__('decimal').Decimal(1) / 0": ("decimal.DivisionByZero", ""),
    "__import__('re').compile('(')": ("re.error", "missing ), unterminated subpattern at position 0"),
    "__import__('statistics').mean([])": ("statistics.StatisticsError", ""),
    "{}[3, 4]": ("KeyError", "(3, 4)"),
    "[][1]": ("IndexError", "list index out of range"),
    "(_ for _ in ()).throw(OSError(2, 'none', 'a/b'))": ("FileNotFoundError", "[Errno 2] none: 'a/b'"),
    "(_ for _ in ()).throw(OSError(28, 'full'))": ("OSError", "[Errno 28] full"),
    "(_ for _ in ()).throw(ValueError('bad', 3))": ("ValueError", "('bad', 3)"),
    "(_ for _ in ()).throw(Own(7))": ("ValueError", "own 7"),
    "(_ for _ in ()).throw(Code(2, 'x'))": ("OSError", "[Errno 2] x"),
    "__import__('zoneinfo').ZoneInfo('No/Where')": ("zoneinfo.ZoneInfoNotFoundError", ""),
}
OWN = "class Own(ValueError):\n    def __str__(self): return 'own %d' % self.args[0]\nclass Code(OSError): pass\n"


@pytest.mark.parametrize("what", RAISED)
def test_what_an_answer_raises_arrives_as_that_class_with_its_words(call, what):
    kind, words = RAISED[what]
    code = f"{OWN}def solve(n):\n    return {what}"
    module = kind.partition(".")[0]
    said = f"assert str(error) == {words!r}" if words else "assert str(error)"
    body = (f"import {module}\n" if "." in kind else "") + (
        f"try:\n    solve(1)\nexcept {kind} as error:\n    {said}\nelse:\n    assert False"
    )
    assert call(code, three(body)) == "verified"
    others = body.replace(f"except {kind} ", "except (FileNotFoundError, TypeError, AttributeError) ")
    if kind != "FileNotFoundError":
        assert call(code, three(others)) == "refused"


@pytest.mark.slow
def test_an_exception_of_the_answers_own_crosses_as_the_class_it_is_made_from_and_runs_no_code(call):
    code = (
        "import json\nclass Own(json.JSONDecodeError):\n    def __init__(self): self.args = ('x',)\n"
        "    def __str__(self): raise SystemExit\ndef solve(n):\n    raise Own"
    )
    body = "import json\ntry:\n    solve(1)\nexcept json.JSONDecodeError:\n    assert True\nelse:\n    assert False"
    assert call(code, three(body)) == "checked"  # it has no words
    assert call(code.replace("raise SystemExit", "return 'y'"), three(body)) == "verified"
    assert call(code, three(body.replace("json.JSONDecodeError", "KeyError"))) == "refused"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def solve(x):\n    raise SystemExit", "the answer raised SystemExit"),
        ("def solve(x):\n    open('/etc/passwd')\n    return [x]", "sandbox"),
        ("def other(x):\n    return x", "there is no function solve"),
    ],
)
def test_what_cannot_cross_is_refused_with_a_word_why(verdict, code, said):
    found = verdict(code, three("assert list(solve(2)) == [2]"))
    assert not found.accepted
    assert found.text.startswith("hidden tests ran apart from the answer") and said in found.text


def test_a_wrong_value_is_refused_without_a_word_of_the_tests(verdict):
    found = verdict("def solve(x):\n    return x", three("assert solve(2) == 4"))
    assert (found.accepted, found.text) == (False, "")


@pytest.mark.slow
def test_an_accepted_answer_that_is_not_verified_says_why(verdict):
    few = verdict(
        "def solve(x):\n    return x", "from solution import solve\n\ndef test_it():\n    assert solve(1) == 1\n"
    )
    assert (
        few.text
        == "passes hidden tests; neither verified nor checked, because 1 assertion of the 3 that are needed could fail"
    )
    never = verdict("def solve(n):\n    return []", three("for n in solve(2):\n    assert n"))
    assert "not every assertion of the hidden tests was reached" in never.text
    whole = verdict("def solve(x):\n    return x", three("import sys\nassert solve(1) == 1"))
    assert whole.checked and "checked and not verified" in whole.text and "they import sys" in whole.text
    one = verdict(
        "def solve(x):\n    return x",
        "import sys\nfrom solution import solve\n\ndef test_it():\n    assert solve(1) == 1\n",
    )
    assert not one.checked and "because they ran in its own process (they import sys), and 1 assertion of" in one.text
    full = verdict("def solve(x):\n    return x", three("assert solve(2) == 2"))
    assert (full.verified, full.text) == (True, "")


def test_what_rows_verified_does_not_say_why_tests_could_not(sandbox):
    rows = RowsVerifier(rows=[Row(input=(n,), output=n) for n in range(9)])
    tests = TestsVerifier(tests=three("import sys\nassert solve(2) == 2"))
    answer = Submission(code="def solve(x):\n    return x")
    both, one = (judged_by_all(each, answer, sandbox) for each in ([rows, tests], [tests]))
    assert (both.verified, both.text) == (True, "")
    assert one.checked and "checked and not verified" in one.text
