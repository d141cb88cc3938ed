"""Asks whether a check that passed would have noticed: it is run again on tests that are broken on purpose."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from evolve.tasks.broken import Breaking, broken, names_of_tests, new_secret, reprinted, strengthened
from evolve.tasks.checks import Checked, is_pytest
from evolve.tasks.own_tests import lost_tests, without_tests

Run = Callable[[Mapping[str, bytes]], Checked]

DECIDES_NOTHING = "the check passed before anything was changed, so it decides nothing"
TOOK_AWAY = "the change took away or changed what made the check fail before ({lost}), so it decides nothing"
BELIEVED_BROKEN = "passes even when its tests are broken on purpose, so it is not believed"
TOO_EASY = "fails where its tests compare more strictly, so it is not believed"
NOT_EXAMINED = "it was not cross-examined, because it runs no tests that could be broken on purpose"
MINDS_LOOKS = "it was not cross-examined, because it fails where its tests are only written anew"
OWN_OBJECTS = (
    "it was not cross-examined, because its tests compare objects of the answer's own classes, "
    "or it changes values of theirs"
)

_LOOKS = re.compile(r"lineno|inspect|__file__|traceback|linecache|_getframe")
_SKIPPING = ("skip", "xfail")
_UNITTEST = re.compile(r"\s-m\s+unittest(?:\s|$)")
_SEVERAL = re.compile(r"[|&;\n]")
_SCRIPT = re.compile(r"(?:^|[\s;&|/])python[\d.]*\s+([\w./-]+\.py)(?=\s|$|[;&|])")


@dataclass(frozen=True, kw_only=True)
class Passed:
    """A check that passed, and how it can be run again.

    Attributes:
        command: The shell command.
        files: The tree on which it passed.
        deciding: Names of the files in it that say what is checked, and that the answer did not write.
        original: The tree before anything was changed.
        checked: What it said there.
        before: What it said of the tree before anything was changed.
        run: Runs it on another tree.
    """

    command: str
    files: Mapping[str, bytes]
    deciding: Collection[str]
    original: Mapping[str, bytes]
    checked: Checked
    before: Checked
    run: Run


@dataclass(frozen=True, kw_only=True)
class Examined:
    """What came of it.

    Attributes:
        believed: Nothing speaks against what the check said.
        decides: It says something: it did not pass before anything was changed.
        text: One sentence that follows "the check passes".
        fault: The sandbox failed.
    """

    believed: bool
    decides: bool = True
    text: str = ""
    fault: bool = False


def examine(passed: Passed) -> Examined:
    """Compares a check that passed with itself on the unchanged tree, and on tests that must fail.

    It has to pass where its tests compare more strictly, which a value that equals everything does not, nor code that
    deceives only on the very text of the tests. What else answers for the tests (a runner that was replaced, a process
    that ends early with the right words) answers for broken ones too. Code that tells all of these apart is not found
    out, so what passes is called checked and never verified.
    """
    if passed.before.fault:
        return Examined(believed=False, text=passed.before.error, fault=True)
    if passed.before.ok:
        return Examined(believed=True, decides=False, text=DECIDES_NOTHING)
    lost = lost_tests(passed.original, passed.files, passed.deciding)
    if lost:
        bare = passed.run(without_tests(passed.original, passed.deciding))
        if bare.fault:
            return Examined(believed=False, text=bare.error, fault=True)
        if not _objects(passed.command, bare):
            return Examined(believed=True, decides=False, text=TOOK_AWAY.format(lost=", ".join(lost[:3])))
    return _cross_examined(passed)


def _objects(command: str, checked: Checked) -> bool:
    """Whether a check fails by a test, and not because there is none."""
    if checked.tests or is_pytest(command):
        return bool({"failed", "error"} & set(checked.tests.values()))
    return not checked.ok and "Ran 0 tests" not in checked.tail


def _cross_examined(passed: Passed) -> Examined:
    """Asks tests that must fail, and tests that compare more strictly."""
    texts = _texts(passed)
    tests = {name: names_of_tests(text) for name, text in texts.items()}
    scripts = _scripts(passed.command, texts)
    if any("_exit(" in texts[name] for name in scripts):
        return Examined(believed=True, decides=False, text=NOT_EXAMINED)
    # A file that speaks of skipping may have good reason to skip now what it tried before.
    steady = {name: tests[name] for name, text in texts.items() if not any(word in text for word in _SKIPPING)}
    unsaid = sorted(_expected(passed.before, steady) - _functions(passed.checked.tests, "passed", tests))
    if unsaid:
        return Examined(believed=False, text=f"says nothing of {', '.join(unsaid[:3])}, which it tried before")
    if not _runs_them(passed, tests, scripts):
        return Examined(believed=True, decides=False, text=NOT_EXAMINED)
    secret, texts = new_secret(), {name: text for name, text in texts.items() if tests[name] or name in scripts}
    stricter = _asked_strictly(passed, texts, tests, scripts, secret)
    if stricter is not None:
        return stricter
    for how in get_args(Breaking):
        changed = {name: broken(text, how, secret, script=name in scripts).encode() for name, text in texts.items()}
        again = passed.run({**passed.files, **changed})
        if again.fault:
            return Examined(believed=False, text=again.error, fault=True)
        if again.ok or _functions(again.tests, "passed", tests):
            return Examined(believed=False, text=BELIEVED_BROKEN)
    return Examined(believed=True, text="fails before the change, and where its tests are broken on purpose")


def _asked_strictly(
    passed: Passed, texts: Mapping[str, str], tests: Mapping[str, list[str]], scripts: Collection[str], secret: str
) -> Examined | None:
    """What tests that compare more strictly say against the check; None where they pass."""
    for plain in (True, False):
        strictly = {
            name: strengthened(text, secret, plain=plain, script=name in scripts) for name, text in texts.items()
        }
        strict = passed.run({**passed.files, **_encoded(strictly)})
        if strict.fault:
            return Examined(believed=False, text=strict.error, fault=True)
        if _passes_still(passed, strict, tests):
            return None if plain else Examined(believed=True, decides=False, text=OWN_OBJECTS)
    again = passed.run({**passed.files, **_encoded({name: reprinted(text) for name, text in texts.items()})})
    minds = _SEVERAL.search(passed.command) or any(_LOOKS.search(text) for text in texts.values())
    if again.ok or not minds:
        return Examined(believed=False, text=TOO_EASY)
    return Examined(believed=True, decides=False, text=MINDS_LOOKS)


def _passes_still(passed: Passed, strict: Checked, tests: Mapping[str, list[str]]) -> bool:
    """Whether the tests that passed do so again; other commands, such as a formatter's, may mind how they look."""
    if strict.ok:
        return True
    if strict.tests and passed.checked.tests:
        return _functions(passed.checked.tests, "passed", tests) <= _functions(
            strict.tests, "passed", tests
        ) - _functions(strict.tests, "failed", tests)
    return False


def _encoded(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in texts.items()}


def _texts(passed: Passed) -> dict[str, str]:
    """The deciding files that are Python."""
    names = [name for name in passed.files if name in passed.deciding and name.endswith(".py")]
    return {name: passed.files[name].decode("utf-8", "replace") for name in names}


def _scripts(command: str, names: Iterable[str]) -> frozenset[str]:
    run = {found.removeprefix("./") for found in _SCRIPT.findall(command)}
    return frozenset(run & set(names))


def _runs_them(passed: Passed, tests: Mapping[str, list[str]], scripts: Collection[str]) -> bool:
    """Whether the check runs tests of these files: by what pytest told before the change, else by the command."""
    if scripts:
        return True
    if not any(tests.values()):
        return False
    if passed.before.tests:
        return bool(_expected(passed.before, tests, skipped=True))
    return is_pytest(passed.command) or _UNITTEST.search(passed.command) is not None


def _expected(before: Checked, tests: Mapping[str, list[str]], *, skipped: bool = False) -> set[str]:
    """The tests that were tried on the unchanged tree; of a file that could not be read, all that stand in it."""
    found = _functions(before.tests, "passed", tests) | _functions(before.tests, "failed", tests)
    if skipped:
        found |= _functions(before.tests, "skipped", tests)
    for node, outcome in before.tests.items():
        for name in (one for one in tests if outcome == "error" and _is_file(one, node)):
            found |= {f"{name}::{test}" for test in tests[name]}
    return found


def _functions(outcomes: Mapping[str, str], outcome: str, tests: Mapping[str, list[str]]) -> set[str]:
    """The tests of these files with this outcome; one with several parameters counts once."""
    found = set()
    for node, said in outcomes.items():
        file, _, test = node.partition("::")
        test = test.partition("[")[0]
        found |= {
            f"{name}::{test}" for name in tests if said == outcome and test in tests[name] and _is_file(name, file)
        }
    return found


def _is_file(name: str, told: str) -> bool:
    """Whether pytest means this file; it names files from its own root, which may lie deeper."""
    return name == told or name.endswith(f"/{told}")
